/**
 * TaskCreate and TaskUpdate carried out (SPEC §7), for a model's call and the command line alike: the tool's own input,
 * and beside it what only a person or a plan says of a task.
 */
import { UsageError } from '../model/errors.ts';
import { parseMemberName } from '../model/names.ts';
import type { Task } from '../model/task.ts';
import type { ToolInputs } from '../model/tool.ts';
import type { Call } from './desk.ts';
import { endTask, type TaskEnd } from './task-end.ts';
import type { TaskInput } from './tasks.ts';
import type { TeamHandle } from './team.ts';

/** What no tool says of a task: its commands, its role, how it counts. */
export type TaskExtras = Pick<TaskInput, 'key' | 'role' | 'retries' | 'required'> & {
  readonly work?: Omit<NonNullable<TaskInput['work']>, 'files'>;
};

/** The words of a task, which no tool changes. */
export interface TaskWords {
  readonly subject?: string;
  readonly description?: string;
  readonly activeForm?: string;
}

export type TaskChange = TaskEnd | { readonly is: 'changed'; readonly task: Task };

const NOBODY = 'nobody';

/** @throws UsageError for bad references and names; ConflictError `REFUSED` for a second one like it */
export function createTask(
  { board }: TeamHandle,
  { subject, description, activeForm, owner, blockedBy = [], files = [] }: ToolInputs['TaskCreate'],
  { work, ...extras }: TaskExtras = {},
): Promise<Task> {
  return board.add({
    ...extras,
    ...{ subject, description, blockedBy, work: { ...work, files } },
    ...(activeForm === undefined ? {} : { activeForm }),
    ...(owner === undefined ? {} : { owner: parseMemberName(owner) }),
  });
}

/**
 * Changes words and edges first, then the owner, then the status; what was done before a refusal stays done.
 *
 * @throws UsageError `USAGE` when nothing is to change; what the law refuses
 */
export async function updateTask(
  handle: TeamHandle,
  { taskId, owner, addBlockedBy = [], removeBlockedBy = [], ...move }: ToolInputs['TaskUpdate'],
  call: Call,
  words: TaskWords = {},
): Promise<TaskChange> {
  const { board } = handle;
  const { id } = board.get(taskId);
  const steps = [
    ...(Object.keys(words).length === 0 ? [] : [() => board.update(id, words)]),
    ...addBlockedBy.map((blocker) => () => board.block(id, blocker)),
    ...removeBlockedBy.map((blocker) => () => board.unblock(id, blocker)),
    ...(owner === undefined ? [] : [() => board.assign(id, owner === NOBODY ? null : parseMemberName(owner))]),
  ];
  if (steps.length === 0 && move.status === undefined)
    throw new UsageError(
      'USAGE',
      `What is to change in task #${id}? Give a part of it, such as its owner or blockers.`,
    );
  for (const step of steps) await step();
  return moved(handle, id, move, call);
}

async function moved(
  handle: TeamHandle,
  id: string,
  { status, result }: Pick<ToolInputs['TaskUpdate'], 'status' | 'result'>,
  call: Call,
): Promise<TaskChange> {
  const { board } = handle;
  switch (status) {
    case undefined:
      return { is: 'changed', task: board.get(id) };
    case 'in_progress':
      return { is: 'changed', task: await board.claim(id) };
    case 'pending': {
      const isFailed = board.get(id).status === 'failed';
      return { is: 'changed', task: await (isFailed ? board.retry(id) : board.release(id, result)) };
    }
    case 'cancelled':
      return { is: 'changed', task: await board.cancel(id, result) };
    case 'completed':
    case 'failed':
      return endTask(handle, id, { outcome: status, result }, call);
  }
}
