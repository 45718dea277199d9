/**
 * Fast-advance (docs/specification.md R10.7): what follows when a role's work is done, without a decision of the lead's
 * agent. The teammate asks, this file decides, and the lead's process starts the named member. Every other row is a
 * report to the lead.
 *
 *   a ready task of its own prefix, in an inner loop       → no start: the same process takes it
 *   one ready task, a checkpoint                           → a person is asked
 *   one ready task that waited for this one, other owner   → its member is started at once
 *   several, or one that waited for another task           → the lead decides
 *   none, other members work                               → a progress report to the lead
 *   none, no member works                                  → the lead is told: the pipeline may be complete
 */
import { isReady, type Board } from '../../model/board/board.ts';
import { pendingTasks } from '../../model/board/listed-tasks.ts';
import type { Name } from '../../model/text/names.ts';
import { isCheckpoint, type Task } from '../../model/board/task.ts';

type FastAdvance =
  | { readonly kind: 'inner loop'; readonly task: string }
  | { readonly kind: 'successor'; readonly task: string; readonly member: Name }
  | { readonly kind: 'parallel'; readonly tasks: readonly string[] }
  | { readonly kind: 'others running'; readonly tasks: readonly string[] }
  | { readonly kind: 'nothing left' }
  | { readonly kind: 'checkpoint'; readonly task: string };

interface Finisher {
  readonly name: Name;
  /** It continues in the same process with further ready tasks of its prefixes. */
  readonly loops: boolean;
  /** The tasks that it finished since its start, in order. */
  readonly finished: readonly string[];
}

/** @returns the first row that holds now, in the order above */
export function fastAdvance(board: Board, { name, loops, finished }: Finisher): FastAdvance {
  const ready = [...pendingTasks(board)].filter((task) => isReady(board, task));
  const own = ready.find(({ owner }) => owner === name);
  if (loops && own) return { kind: 'inner loop', task: own.id };
  const [first, ...more] = ready;
  if (first === undefined) {
    const running = [...board.busy].filter(([member]) => member !== name).map(([, task]) => task);
    return running.length > 0 ? { kind: 'others running', tasks: running } : { kind: 'nothing left' };
  }
  if (more.length === 0 && isCheckpoint(first)) return { kind: 'checkpoint', task: first.id };
  const { owner } = first;
  const isSuccessor = first.blockedBy.some((id) => finished.includes(id));
  if (more.length > 0 || owner === undefined || owner === name || !isSuccessor || isCheckpoint(first))
    return { kind: 'parallel', tasks: ready.map(({ id }) => id) };
  return { kind: 'successor', task: first.id, member: owner };
}

/** One sentence, for the log and for the lead. */
export function fastAdvanceText(board: Board, decided: FastAdvance): string {
  const named = (id: string): string => board.tasks.get(id)?.subject ?? `task #${id}`;
  switch (decided.kind) {
    case 'inner loop':
      return `continues with ${named(decided.task)}`;
    case 'successor':
      return `${decided.member} is started for ${named(decided.task)}`;
    case 'parallel':
      return `the lead starts ${decided.tasks.map(named).join(' and ')}`;
    case 'others running':
      return `waits for ${decided.tasks.map(named).join(' and ')}`;
    case 'nothing left':
      return 'no task is ready and no member works: the pipeline may be complete';
    case 'checkpoint':
      return `a person is asked: ${named(decided.task)}`;
    default:
      return decided satisfies never;
  }
}

/**
 * Whether a task waits for the report of a member that finished one of its blockers: the report decides who begins it.
 */
const isAnnounced = (board: Board, task: Task, owing: ReadonlySet<Name>): boolean =>
  task.blockedBy.some((id) => {
    const blocker = board.tasks.get(id);
    return blocker?.status === 'completed' && owing.has(blocker.by.member);
  });

/**
 * Ready tasks without a working owner.
 *
 * @param owing members whose process lives and that have not reported their finished work yet
 * @returns the first such task of each owner
 */
export function unattendedWork(board: Board, owing: ReadonlySet<Name>): Map<Name, Task> {
  const found = new Map<Name, Task>();
  for (const task of pendingTasks(board)) {
    const { owner } = task;
    const member = owner === undefined ? undefined : board.members.get(owner);
    if (member?.state !== 'joined' || found.has(member.name) || board.busy.has(member.name)) continue;
    if (isReady(board, task) && !isAnnounced(board, task, owing)) found.set(member.name, task);
  }
  return found;
}
