/** Starts one of our command lines in a session of its own, which goes on when the terminal is closed. */
import { spawn } from 'node:child_process';
import type { Clock } from '../../model/text/clock.ts';
import { AgentError, ConflictError } from '../../model/text/errors.ts';
import { LEAD } from '../../model/text/names.ts';
import { dayAndTime } from '../../model/team/colors-and-times.ts';
import { realDisk } from '../../store/files/disk.ts';
import { leaseOwner, mayLive } from '../../store/team/lease.ts';
import { keysIn } from '../../model/text/public-key.ts';
import { START_LIMIT_MS } from '../../policy/supervise/restart.ts';
import { openOutput } from '../../store/board/output-log.ts';
import type { TeamPaths } from '../../store/files/paths.ts';
import { openStore } from '../../store/team/team-store.ts';
import { realClock } from '../../os/system-clock.ts';
import { commandLine } from './package.ts';

export interface DetachedPlace {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const LOOK_MS = 10;

/**
 * Starts a lead and waits until it leads, for as long as its process lives; one that does not lead within
 * {@link START_LIMIT_MS} is ended.
 *
 * @param args of `teams`, such as `resume login`
 * @param place its working directory and environment
 * @returns its pid
 * @throws StoreError `UNTRUSTED`: nothing is started or logged in a folder that this user did not create; AgentError
 * `AGENT_CRASHED` if it ended before it led; the log says why; ConflictError `LEAD_ALIVE` if another process leads
 */
export async function detachLead(
  paths: TeamPaths,
  args: readonly string[],
  { cwd, environment }: DetachedPlace,
  clock: Pick<Clock, 'monotonic' | 'sleep'> = realClock,
): Promise<number> {
  await requireTrusted(paths, keysIn(environment));
  const path = paths.output(LEAD);
  const log = openOutput(realDisk, path);
  const [file, ...argv] = commandLine(...args);
  const child = spawn(file, argv, { cwd, env: { ...environment }, detached: true, stdio: ['ignore', log, log] });
  realDisk.closeSync(log);
  const died = new Promise<string>((tell) => {
    child.once('error', (error) => tell(error.message));
    child.once('exit', (code, signal) => tell(signal ?? `exit ${code ?? 0}`));
  });
  let death: string | undefined;
  void died.then((how) => (death = how));
  const deadline = clock.monotonic() + START_LIMIT_MS;
  while (death === undefined && clock.monotonic() < deadline) {
    const { pid } = child;
    const owner = leaseOwner(realDisk, paths, LEAD);
    if (pid !== undefined && owner?.where === 'here' && owner.pid === pid) {
      child.unref();
      return pid;
    }
    await clock.sleep(LOOK_MS);
  }
  if (death === undefined) child.kill('SIGKILL');
  if (death === 'exit 0' && child.pid !== undefined) return child.pid;
  const other = leaseOwner(realDisk, paths, LEAD);
  if (other?.where === 'here' && other.pid !== child.pid && mayLive(other))
    throw new ConflictError(
      'LEAD_ALIVE',
      `Team ${paths.name} is led by pid ${other.pid} since ${dayAndTime(other.since)}; \`--takeover\` replaces it.`,
    );
  throw new AgentError(
    'AGENT_CRASHED',
    `The lead of team ${paths.name} did not start (${death ?? 'not ready in time'}); ${path} says why.`,
  );
}

async function requireTrusted(paths: TeamPaths, trust: readonly string[]): Promise<void> {
  const store = openStore(paths, { clock: realClock, trust });
  try {
    store.requireTrustedCommands();
  } finally {
    await store.close();
  }
}
