/**
 * Carries out TaskCreate and TaskUpdate (docs/specification.md R6.1), for a model's call and for the command line. Both
 * give the tool's input; the command line may give more.
 */
import type { Board, Refused } from '../../model/board/board.ts';
import { UsageError } from '../../model/text/errors.ts';
import type { Change } from '../../model/board/event.ts';
import { parseMemberName, type Name } from '../../model/text/names.ts';
import { resolveTask } from '../../model/board/task-reference.ts';
import type { Task } from '../../model/board/task.ts';
import type { ToolInputs } from '../../model/team/tool.ts';
import type { ToolCall } from './tool-context.ts';
import { endTask, type TaskEnd } from './task-end.ts';
import { releaseBody } from '../team/task-records.ts';
import type { TaskInput } from '../team/task-service.ts';
import type { TeamHandle } from '../team/team-handle.ts';

/** Fields of a task that no tool sets: commands, role, counts. */
export type TaskExtras = Pick<TaskInput, 'key' | 'role' | 'retries' | 'required'> & {
  readonly work?: Omit<NonNullable<TaskInput['work']>, 'files'>;
};

/** Texts of a task that no tool changes. */
interface TaskWords {
  readonly subject?: string | undefined;
  readonly description?: string | undefined;
  readonly activeForm?: string | undefined;
}

type TaskUpdateResult = TaskEnd | { readonly kind: 'changed'; readonly task: Task };

const NOBODY = 'nobody';

/** @throws UsageError for bad references and names; ConflictError `REFUSED` for a duplicate */
export function createTask(
  { board }: TeamHandle,
  { subject, description, activeForm, owner, blockedBy = [], files = [] }: ToolInputs['TaskCreate'],
  { work, ...extras }: TaskExtras = {},
): Promise<Task> {
  return board.add({
    ...extras,
    subject,
    description,
    blockedBy,
    work: { ...work, files },
    activeForm,
    owner: owner === undefined ? undefined : parseMemberName(owner),
  });
}

/**
 * Changes texts, edges, owner and status together or not at all. Only an end comes after these changes, because a task
 * is verified before it ends.
 *
 * @throws UsageError `USAGE` if there is nothing to change; the errors of a change that the board refuses
 */
export async function updateTask(
  handle: TeamHandle,
  { taskId, status, result, ...input }: ToolInputs['TaskUpdate'],
  call: ToolCall,
  words: TaskWords = {},
): Promise<TaskUpdateResult> {
  const { board, speaker } = handle;
  const { id } = board.get(taskId);
  const isEnd = status === 'completed' || status === 'failed';
  const move = isEnd || status === undefined ? undefined : { status, why: result, by: speaker.name };
  const task = await board.change(id, (now, on) => [
    ...(Object.values(words).every((word) => word === undefined)
      ? []
      : [{ type: 'task.updated' as const, task: id, ...words }]),
    ...edges(id, input, on),
    ...(input.owner === undefined ? [] : [{ type: 'task.assigned' as const, task: id, owner: ownerIn(input.owner) }]),
    ...(move === undefined ? [] : [moved(now, move)]),
  ]);
  if (isEnd) return endTask(handle, id, { outcome: status, result }, call);
  if (task !== undefined) return { kind: 'changed', task };
  throw new UsageError(
    'USAGE',
    `Nothing is to change in task #${id}; give at least one field, such as its owner or blockers.`,
  );
}

const ownerIn = (owner: string): Name | null => (owner === NOBODY ? null : parseMemberName(owner));

const edges = (
  task: string,
  { addBlockedBy = [], removeBlockedBy = [] }: Pick<ToolInputs['TaskUpdate'], 'addBlockedBy' | 'removeBlockedBy'>,
  board: Board,
): Change[] => [
  ...addBlockedBy.map((one): Change => ({ type: 'task.blocked', task, by: resolveTask(board, one).id })),
  ...removeBlockedBy.map((one): Change => ({ type: 'task.unblocked', task, blocker: resolveTask(board, one).id })),
];

interface Move {
  readonly status: 'pending' | 'in_progress' | 'skipped' | 'cancelled';
  readonly why: string | undefined;
  readonly by: Name;
}

/** The change to a status. `pending` releases a claim, or retries a failed task. */
function moved(task: Task, { status, why, by }: Move): Change | Refused {
  if (status === 'in_progress') return { type: 'task.claimed', task: task.id, member: by };
  if (status === 'skipped') return { type: 'task.skipped', task: task.id, cascade: false, why: why ?? 'skipped' };
  if (status === 'cancelled') return { type: 'task.cancelled', task: task.id, why: why ?? 'cancelled' };
  return task.status === 'failed' ? { type: 'task.retried', task: task.id } : releaseBody(task, why);
}
