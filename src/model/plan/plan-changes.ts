/** A plan as changes of a board: what is appended, in one batch, to start it. */
import type { Change } from '../board/event.ts';
import type { Plan } from './plan.ts';

/**
 * Every task in plan order, so that its id is its number in the plan. An edge to a later task cannot be part of a
 * creation (the board knows no blocker that does not exist yet); it follows when all tasks are there.
 *
 * @param last the highest task id that the board has given so far
 */
export function planChanges(plan: Plan, last = 0): Change[] {
  const idOf = (position: number): string => String(last + position + 1);
  const created = plan.tasks.map(({ blockedBy, ...fields }, at): Change => {
    const earlier = blockedBy.filter((blocker) => blocker < at).map(idOf);
    return { type: 'task.created', task: idOf(at), fields: { ...fields, blockedBy: earlier } };
  });
  const later = plan.tasks.flatMap(({ blockedBy }, at) =>
    blockedBy
      .filter((blocker) => blocker > at)
      .map((blocker): Change => ({ type: 'task.blocked', task: idOf(at), by: idOf(blocker) })),
  );
  return [...created, ...later];
}
