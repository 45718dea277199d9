/**
 * How a member stands: whether work can be left with it, given to it, or must go to others. Every rule of supervision
 * asks here, so that no two of them see one member differently.
 */
import { isReady, pendingTasks, type Board, type Member } from '../model/board/board.ts';
import type { Name } from '../model/text/names.ts';
import type { MemberSighting, Sighting } from './sighting.ts';

/** A lease's heartbeat moves every second; one that has not for this long is stale. */
export const STALE_BEAT_MS = 15_000;
/** How long a STATUS CHECK may go unanswered, and a heart stand still, before a process counts as dead. */
export const ANSWER_WITHIN_MS = 120_000;

export const isBeating = (seen: MemberSighting): boolean => seen.beatAge < STALE_BEAT_MS;

/** Alive by its pid, but its heart has stood still too long: stopped or hung, it will not act by itself. */
export const isFrozen = (seen: MemberSighting): boolean => seen.process === 'alive' && seen.beatAge >= ANSWER_WITHIN_MS;

/** It works, or soon will: it runs, starts, or will be restarted. */
export function isAble(seen: MemberSighting): boolean {
  if (seen.quarantined) return false;
  switch (seen.process) {
    case 'starting':
      return true;
    case 'alive':
      return !(seen.byHand && isFrozen(seen));
    case 'dead':
      return !seen.byHand && !seen.givenUp;
    case 'none':
      return false;
    default:
      return seen.process satisfies never;
  }
}

/** It will not do what it owns. A member that was never started is not out: somebody may start it yet. */
export const isOut = (seen: MemberSighting): boolean =>
  !isAble(seen) && (seen.process !== 'none' || seen.quarantined || seen.givenUp);

/** A joined member and what was seen of it. */
export interface SightedMember {
  readonly member: Member;
  readonly seen: MemberSighting;
}

/** Joined members in the order of their numbers, so that every choice among them is the same everywhere. */
export const sightedMembers = ({ board, members }: Sighting): SightedMember[] =>
  members
    .flatMap((seen) => {
      const member = board.members.get(seen.name);
      return member?.state === 'joined' ? [{ member, seen }] : [];
    })
    .sort((a, b) => byNumber(a.member.name, b.member.name));

/** Running, with nothing to do and nothing of its own that is ready. */
export const isIdle = (board: Board, { member, seen }: SightedMember, owned: ReadonlySet<Name>): boolean =>
  seen.process === 'alive' &&
  !isFrozen(seen) &&
  isAble(seen) &&
  !board.busy.has(member.name) &&
  !owned.has(member.name);

/** Who has a task that could be begun now. */
export function readyOwners(board: Board): Set<Name> {
  const owners = new Set<Name>();
  for (const task of pendingTasks(board)) if (task.owner !== undefined && isReady(board, task)) owners.add(task.owner);
  return owners;
}

/** worker-2 comes before worker-10. */
export function byNumber(a: Name, b: Name): number {
  const [left, right] = [numbered(a), numbered(b)];
  if (left.stem !== right.stem) return left.stem < right.stem ? -1 : 1;
  return left.number - right.number || (a < b ? -1 : a > b ? 1 : 0);
}

function numbered(name: Name): { stem: string; number: number } {
  const digits = /[0-9]{1,15}$/.exec(name)?.[0] ?? '';
  return { stem: name.slice(0, name.length - digits.length), number: digits === '' ? 0 : Number(digits) };
}

/** The name of one more worker: `worker-4` where the highest so far is 3. */
export const nextWorker = (names: readonly Name[]): string => {
  const numbers = names.map(numbered).filter(({ stem }) => stem === 'worker-');
  return `worker-${Math.max(0, ...numbers.map(({ number }) => number)) + 1}`;
};
