/**
 * The availability of a member: whether it keeps its work, can get work, or loses its work to others. Every rule of
 * supervision uses these functions, so that all rules see a member in the same way.
 */
import type { Board, Member } from '../model/board/board.ts';
import { readyTasksOf } from '../model/board/listed-tasks.ts';
import { LEAD, type Name } from '../model/text/names.ts';
import type { MemberSighting, Sighting } from './sighting.ts';

/** A lease's heartbeat moves every 5 s. A lease without a heartbeat for this long is stale. */
export const STALE_BEAT_MS = 15_000;
/** A process counts as dead if a STATUS CHECK is unanswered, or its heartbeat does not move, for this long. */
export const ANSWER_WITHIN_MS = 120_000;

export const isBeating = (seen: MemberSighting): boolean => seen.beatAge < STALE_BEAT_MS;

/**
 * The pid is alive, but the heartbeat has not moved for too long: the process is stopped or hung and will not recover
 * by itself.
 */
export const isFrozen = (seen: MemberSighting): boolean => seen.process === 'alive' && seen.beatAge >= ANSWER_WITHIN_MS;

/** The member works or soon will: its process runs, starts, or will be restarted. */
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

/**
 * The member will not do the tasks that it owns. A member that was never started is not out: a person may still start
 * it.
 */
export const isOut = (seen: MemberSighting): boolean =>
  !isAble(seen) && (seen.process !== 'none' || seen.quarantined || seen.givenUp);

/** A joined member and its sighting. */
export interface SightedMember {
  readonly member: Member;
  readonly seen: MemberSighting;
}

/** Joined members by the number in their names, so that every choice among them is deterministic. */
export const sightedMembers = ({ board, members }: Sighting): SightedMember[] =>
  members
    .flatMap((seen) => {
      const member = board.members.get(seen.name);
      return member?.state === 'joined' ? [{ member, seen }] : [];
    })
    .sort((a, b) => byNumber(a.member.name, b.member.name));

/** The process runs, the member has no claim, and it owns no ready task. */
export const isIdle = (board: Board, { member, seen }: SightedMember, owned: ReadonlySet<Name>): boolean =>
  seen.process === 'alive' &&
  !isFrozen(seen) &&
  isAble(seen) &&
  !board.busy.has(member.name) &&
  !owned.has(member.name);

/** Owners of at least one ready task. */
export function readyOwners(board: Board): Set<Name> {
  const owners = new Set<Name>();
  for (const name of [...board.members.keys(), LEAD])
    if (readyTasksOf(board, name).next().done === false) owners.add(name);
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

/** The name of an additional worker: `worker-4` if the highest number so far is 3. */
export const nextWorker = (names: readonly Name[]): string => {
  const numbers = names.map(numbered).filter(({ stem }) => stem === 'worker-');
  return `worker-${Math.max(0, ...numbers.map(({ number }) => number)) + 1}`;
};
