/**
 * The restart of dead processes (docs/specification.md R5.7): after 5, 10 and 20 seconds, then no more. After 60 s of
 * health the count starts again. Failed tasks have their own counter, `maxConsecutiveErrors`.
 */
import { duration } from '../mail-wording.ts';
import type { MemberSighting, Verdict } from '../sighting.ts';
import { isBeating } from '../member-availability.ts';

/** Milliseconds between a process's death and its first, second and third restart. */
export const RESTART_AFTER_MS = [5_000, 10_000, 20_000] as const;
const HEALTHY_MS = 60_000;
/**
 * A process that lives and has not written its record after this time hangs. All that a start waits for (programs, locks,
 * the store) has shorter limits, also on a loaded machine; a process that reaches one of them ends and says why.
 */
export const START_LIMIT_MS = 300_000;

/**
 * The verdict on the start, the death or the health of one member's process. A quarantined member gets no work, so it
 * is not restarted.
 */
export function restartOf(seen: MemberSighting): Verdict | undefined {
  if (seen.process === 'starting') return seen.startingFor < START_LIMIT_MS ? undefined : neverReady(seen);
  if (seen.quarantined) return undefined;
  if (seen.process === 'dead') return seen.givenUp ? undefined : afterDeath(seen);
  if (seen.process !== 'alive' || !isBeating(seen) || seen.aliveFor < HEALTHY_MS) return undefined;
  if (seen.restarts === 0 && !seen.givenUp) return undefined;
  return { do: 'resetRestarts', member: seen.name, why: `it has been healthy for ${duration(HEALTHY_MS)}` };
}

const neverReady = ({ name }: MemberSighting): Verdict => ({
  do: 'stop',
  member: name,
  why: `its process has not become ready within ${duration(START_LIMIT_MS)}`,
});

function afterDeath(seen: MemberSighting): Verdict | undefined {
  const { name, restarts, deadFor, byHand } = seen;
  const how = `its process died (${seen.death ?? 'cause unknown'})`;
  if (byHand) return { do: 'abandon', member: name, why: `${how}; a person started it and may start it again` };
  if (seen.unfit)
    return { do: 'abandon', member: name, why: 'no agent is available for it, and a restart cannot change that' };
  const wait = RESTART_AFTER_MS[restarts];
  if (wait === undefined) return { do: 'abandon', member: name, why: `${how} after ${restarts} restarts` };
  if (deadFor < wait) return undefined;
  return { do: 'restart', member: name, attempt: restarts + 1, why: how };
}
