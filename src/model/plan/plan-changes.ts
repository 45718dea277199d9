/** A plan as changes of a board without tasks, appended in one batch to start it. */
import type { Change } from '../board/event.ts';
import type { Plan } from './plan.ts';

/**
 * Every task in plan order, so that ids follow plan numbers. A dependency on a later task cannot be part of the
 * creation, because that task does not exist yet; it is added after all tasks.
 */
export function planChanges(plan: Plan): Change[] {
  const idOf = (position: number): string => String(position + 1);
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
