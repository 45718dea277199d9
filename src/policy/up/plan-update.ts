/** The difference of a plan as changes of the board, which are appended in one batch. */
import type { Board } from '../../model/board/board.ts';
import type { Change } from '../../model/board/event.ts';
import type { NewTask, Task } from '../../model/board/task.ts';
import type { Plan, PlanTask } from '../../model/plan/plan.ts';
import type { Name } from '../../model/text/names.ts';
import type { PlanDifference } from './plan-difference.ts';

const NOT_PLANNED = 'its plan has it no more';

/** Members whose process is gone leave with the batch; the lead lets others finish first. */
interface UpdateFacts {
  /** Members without a process. */
  readonly absent: ReadonlySet<Name>;
}

/**
 * Retries come first, so that what failed is pending when it changes or goes, and with it what was skipped because of
 * it; then edges go that the plan has no more, so that
 * no order of new edges makes a cycle on the way.
 */
export function planUpdate(board: Board, next: Plan, difference: PlanDifference, { absent }: UpdateFacts): Change[] {
  const { members, tasks } = difference;
  const added = tasks.filter((one) => one.kind === 'added');
  const changed = tasks.filter((one) => one.kind === 'changed');
  const removed = tasks.filter((one) => one.kind === 'removed');
  const ids = idsAfter(board, difference);
  const idAt = (position: number): string => ids[position] ?? '';
  const leaving = new Set(members.flatMap(({ kind, name }) => (kind === 'removed' ? [name] : [])));
  const joined = members.flatMap((one): Change[] =>
    one.kind === 'added' && board.members.get(one.name)?.state !== 'joined'
      ? [{ type: 'member.joined', name: one.name, role: one.member.role, prefixes: [] }]
      : [],
  );
  const created = added.flatMap(({ position }): Change[] => {
    const planned = next.tasks[position];
    const isThere = (blocker: number): boolean => difference.ids[blocker] !== undefined || blocker < position;
    const blockedBy = (planned?.blockedBy ?? []).filter(isThere).map(idAt);
    return planned === undefined
      ? []
      : [{ type: 'task.created', task: idAt(position), fields: { ...planned, blockedBy } }];
  });
  const later = added.flatMap(({ position }) =>
    (next.tasks[position]?.blockedBy ?? [])
      .filter((blocker) => difference.ids[blocker] === undefined && blocker > position)
      .map((blocker): Change => ({ type: 'task.blocked', task: idAt(position), by: idAt(blocker) })),
  );
  return [
    ...joined,
    ...[...changed, ...removed].flatMap(({ id }): Change[] =>
      board.tasks.get(id)?.status === 'failed' ? [{ type: 'task.retried', task: id }] : [],
    ),
    ...removed.map(({ id }): Change => ({ type: 'task.cancelled', task: id, why: NOT_PLANNED, waived: true })),
    ...changed.flatMap(({ id, position, what }) => lostEdges(board, { id, what, planned: next.tasks[position] }, idAt)),
    ...created,
    ...later,
    ...changed.flatMap(({ id, position, what }) => {
      const [task, planned] = [board.tasks.get(id), next.tasks[position]];
      if (task === undefined || planned === undefined || what.length === 0) return [];
      return [{ type: 'task.changed' as const, task: id, fields: fieldsOf(task, planned, { what, idAt, leaving }) }];
    }),
    ...freed(board, leaving, new Set([...changed, ...removed].map(({ id }) => id))),
    ...[...leaving]
      .filter((name) => absent.has(name) && !board.busy.has(name))
      .map((name): Change => ({ type: 'member.left', name, why: NOT_PLANNED })),
  ];
}

/** The id of each task of the plan, those of added tasks included: they follow the last one. */
export function idsAfter({ lastTaskId }: Pick<Board, 'lastTaskId'>, { ids }: Pick<PlanDifference, 'ids'>): string[] {
  let last = lastTaskId;
  return ids.map((id) => id ?? String((last += 1)));
}

interface Changed {
  readonly id: string;
  readonly what: readonly string[];
  readonly planned: PlanTask | undefined;
}

function lostEdges(board: Board, { id, what, planned }: Changed, idAt: (position: number) => string): Change[] {
  if (!what.includes('blockedBy')) return [];
  const wanted = new Set(planned?.blockedBy.map(idAt));
  return (board.tasks.get(id)?.blockedBy ?? [])
    .filter((blocker) => !wanted.has(blocker))
    .map((blocker): Change => ({ type: 'task.unblocked', task: id, blocker }));
}

/** What the run changed by itself stays, unless the plan changed it. */
function fieldsOf(
  task: Task,
  planned: PlanTask,
  {
    what,
    idAt,
    leaving,
  }: {
    readonly what: readonly string[];
    readonly idAt: (position: number) => string;
    readonly leaving: ReadonlySet<Name>;
  },
): NewTask {
  const has = (key: string): boolean => what.includes(key);
  const isLeft = task.owner !== undefined && leaving.has(task.owner);
  return {
    subject: has('subject') ? planned.subject : task.subject,
    key: planned.key,
    description: has('description') ? planned.description : task.description,
    activeForm: task.activeForm,
    owner: has('owner') || isLeft ? planned.owner : task.owner,
    role: planned.role,
    blockedBy: has('blockedBy') ? planned.blockedBy.map(idAt) : [...task.blockedBy],
    work: planned.work,
    retries: planned.retries,
    required: planned.required,
    metadata: planned.metadata,
  };
}

/** Other pending tasks of members that leave have no owner any more. */
const freed = (board: Board, leaving: ReadonlySet<Name>, named: ReadonlySet<string>): Change[] =>
  leaving.size === 0
    ? []
    : [...board.tasks.values()]
        .filter(
          ({ id, status, owner }) =>
            status === 'pending' && owner !== undefined && leaving.has(owner) && !named.has(id),
        )
        .map(({ id }): Change => ({ type: 'task.assigned', task: id, owner: null }));
