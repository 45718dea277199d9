/** Whose bell to ring when tasks become ready. The law of claiming itself is `claimRefusal` in model/board/board.ts. */
import { claimRefusal, type Board, type Member } from '../../model/board/board.ts';
import { LEAD, type Name } from '../../model/text/names.ts';
import { byId, type Task } from '../../model/board/task.ts';
import { byNumber } from '../member-availability.ts';

/**
 * The owner of each task, or for tasks without one as many idle members as may claim them. A busy member is not woken:
 * it folds to the end of the log when it ends its task, and finds what became ready meanwhile.
 *
 * @param ready tasks that have just become ready
 * @param except who made them ready, and so looks by itself
 * @returns names without repetition, owners first
 */
export function whomToWake(board: Board, ready: readonly Task[], except?: Name): Name[] {
  const idle = [...board.members.values()]
    .filter(({ name, state }) => state === 'joined' && name !== except && !board.busy.has(name))
    .sort((a, b) => byNumber(a.name, b.name));
  const woken = new Set<Name>();
  // Owners first: one who has a task of its own takes that, and is not counted on for another.
  for (const { owner } of [...ready].sort(byId)) {
    const isFree = owner === LEAD ? except !== LEAD : idle.some(({ name }) => name === owner);
    if (owner !== undefined && isFree) woken.add(owner);
  }
  for (const task of ready.filter(({ owner }) => owner === undefined).sort(byId)) {
    const may = (member: Member) => claimRefusal(board, task, member, member.name) === undefined;
    const first = idle.find((member) => !woken.has(member.name) && may(member));
    if (first) woken.add(first.name);
  }
  return [...woken];
}
