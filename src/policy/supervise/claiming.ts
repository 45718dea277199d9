/**
 * Which members to wake when tasks become ready. The rule of claiming itself is `claimRefusal` in
 * model/board/board.ts.
 */
import { claimRefusal, type Board, type Member } from '../../model/board/board.ts';
import { LEAD, type Name } from '../../model/text/names.ts';
import { byId, type Task } from '../../model/board/task.ts';
import { byNumber } from '../member-availability.ts';

/**
 * The owner of each task; for tasks without an owner, as many idle members as may claim them. A busy member is not
 * woken: after its task it folds to the end of the log and finds what became ready.
 *
 * @param ready tasks that have just become ready
 * @param except the member that made them ready: it looks by itself
 * @param isThere whether a member has a process that may live: for a task without an owner one that has is woken, too
 * @returns names without repetition, owners first
 */
export function whomToWake(
  board: Board,
  ready: readonly Task[],
  { except, isThere = () => true }: { readonly except?: Name | undefined; readonly isThere?: (name: Name) => boolean },
): Name[] {
  const idle = [...board.members.values()]
    .filter(({ name, state }) => state === 'joined' && name !== except && !board.busy.has(name))
    .sort((a, b) => byNumber(a.name, b.name));
  const woken = new Set<Name>();
  // Owners first: a member with a task of its own takes that one and cannot take another.
  for (const { owner } of [...ready].sort(byId)) {
    const isFree = owner === LEAD ? except !== LEAD : idle.some(({ name }) => name === owner);
    if (owner !== undefined && isFree) woken.add(owner);
  }
  for (const task of ready.filter(({ owner }) => owner === undefined).sort(byId)) {
    const may = (member: Member) => claimRefusal(board, task, member, member.name) === undefined;
    const able = idle.filter((member) => !woken.has(member.name) && may(member));
    const [first] = able;
    if (first === undefined) continue;
    woken.add(first.name);
    // The process of the first one may be lost: then it does not hear its bell.
    const other = isThere(first.name) ? undefined : able.find(({ name }) => isThere(name));
    if (other) woken.add(other.name);
  }
  return [...woken];
}
