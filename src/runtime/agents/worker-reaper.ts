/**
 * Ends what the agent of a worker started that is killed: a worker that a person started has no lead on its machine that
 * would. Programs are found by the mark in their environment, and by their parents.
 */
import type { Mark } from '../../model/agent/process-mark.ts';
import { ENV } from '../../model/text/environment.ts';
import { marks } from '../../os/draw-marks.ts';
import { markEnvironment } from '../../os/mark-environment.ts';
import { startReaper } from '../../os/reaper-handle.ts';
import { sweep } from '../../os/sweep.ts';
import { realClock } from '../../os/system-clock.ts';
import { newId } from '../../store/files/new-ids.ts';
import { reaperCommand } from '../process/package.ts';

/** What is added to the environment of a worker's programs; disposed of when the worker has ended in order. */
interface WorkerReaper extends AsyncDisposable {
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * @param environment of the worker; one that a lead marked needs no reaper
 */
export function startWorkerReaper(environment: Readonly<Record<string, string | undefined>>): WorkerReaper {
  const run = newId(realClock.now());
  const [drawn] = environment[ENV.mark] === undefined ? marks.draw(1, run) : [];
  if (drawn === undefined) return { environment: {}, [Symbol.asyncDispose]: () => Promise.resolve() };
  // This process runs already, so no limit can mark what it starts: only the environment does.
  const { id, since, bootId } = drawn;
  const mark: Mark = { kind: 'environment', id, run, since, bootId };
  const reaper = startReaper(reaperCommand);
  reaper.add(mark);
  return {
    environment: markEnvironment(mark),
    [Symbol.asyncDispose]: async () => {
      await sweep([mark], []);
      marks.giveBack(drawn);
      await reaper.done();
    },
  };
}
