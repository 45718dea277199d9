/**
 * Waits for processes that a lead has started. A start goes on as long as its process lives: a loaded machine or a slow
 * store makes it late, and is no failure. What a start itself waits for has limits, and a process that reaches one ends.
 */
import type { Clock } from '../../model/text/clock.ts';
import type { Name } from '../../model/text/names.ts';
import { START_LIMIT_MS } from '../../policy/supervise/restart.ts';
import { isWaitingForHost, type MemberProcess } from '../placement/member-process.ts';

const LOOK_MS = 5;

interface Starts {
  readonly look: (name: Name) => MemberProcess | undefined;
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
}

/**
 * Waits until all are ready. One that waits for a host with what it needs holds up no other one.
 *
 * @returns the first that died, or one that lives while none has become ready for {@link START_LIMIT_MS}; undefined when
 *   all are ready, or at the signal
 */
export async function awaitMembers(
  names: readonly Name[],
  { look, clock }: Starts,
  signal?: AbortSignal,
): Promise<MemberProcess | undefined> {
  let [ready, since] = [0, clock.monotonic()];
  for (;;) {
    const lives = names.flatMap((name) => look(name) ?? []);
    const dead = lives.find((life) => life.death !== undefined && !life.isReady);
    if (dead) return dead;
    const late = lives.find((life) => !life.isReady && !isWaitingForHost(life));
    if (late === undefined || signal?.aborted === true) return undefined;
    const now = lives.filter((life) => life.isReady).length;
    if (now > ready) [ready, since] = [now, clock.monotonic()];
    if (clock.monotonic() - since >= START_LIMIT_MS) return late;
    await clock.sleep(LOOK_MS, signal);
  }
}
