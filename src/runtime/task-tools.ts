/** The board's tools. What may become of a task is the law's to say; here its refusals become answers. */
import { openBlockers } from '../model/board.ts';
import { UsageError } from '../model/errors.ts';
import { parseMemberName } from '../model/names.ts';
import type { Task } from '../model/task.ts';
import type { ToolInputs } from '../model/tool.ts';
import type { Call, Handler } from './desk.ts';
import { teamOf } from './mail-tools.ts';
import { endTask, type SaidEnd } from './task-end.ts';
import type { TeamHandle } from './team.ts';
import type { Verified } from './verify.ts';

const NOBODY = 'nobody';
/** Characters of a failed command's output in a verdict: its end. */
const SHOWN = 4_000;

export const taskCreate: Handler<ToolInputs['TaskCreate']> = async (input, desk) => {
  const { subject, description, activeForm, owner, blockedBy = [], files = [] } = input;
  const handle = teamOf(desk);
  const task = await handle.board.add({
    ...{ subject, description, blockedBy, work: { files } },
    ...(activeForm === undefined ? {} : { activeForm }),
    ...(owner === undefined ? {} : { owner: parseMemberName(owner) }),
  });
  return `Task created: ${taskLine(handle, task)}`;
};

export const taskGet: Handler<ToolInputs['TaskGet']> = ({ taskId }, desk) =>
  Promise.resolve(JSON.stringify(teamOf(desk).board.get(taskId), undefined, 2));

export const taskList: Handler<ToolInputs['TaskList']> = ({ status, owner }, desk) => {
  const handle = teamOf(desk);
  const whose = owner === undefined ? undefined : parseMemberName(owner);
  const lines = handle.board
    .list()
    .filter((task) => (status === undefined || task.status === status) && (whose === undefined || task.owner === whose))
    .map((task) => taskLine(handle, task));
  return Promise.resolve(lines.join('\n') || 'There are no such tasks.');
};

export const taskUpdate: Handler<ToolInputs['TaskUpdate']> = async (input, desk, call) => {
  const { taskId, owner, addBlockedBy = [], removeBlockedBy = [], status } = input;
  const handle = teamOf(desk);
  const { id } = handle.board.get(taskId);
  if (owner === undefined && status === undefined && addBlockedBy.length + removeBlockedBy.length === 0)
    throw new UsageError('USAGE', `What is to change in task #${id}? Give a status, an owner or blockers.`);
  for (const blocker of addBlockedBy) await handle.board.block(id, blocker);
  for (const blocker of removeBlockedBy) await handle.board.unblock(id, blocker);
  if (owner !== undefined) await handle.board.assign(id, owner === NOBODY ? null : parseMemberName(owner));
  const said = status === undefined ? undefined : await moved(handle, id, status, input.result, call);
  return said ?? `Task updated: ${taskLine(handle, handle.board.get(id))}`;
};

/** @returns what to answer, when it is more than how the task stands now */
async function moved(
  handle: TeamHandle,
  id: string,
  status: NonNullable<ToolInputs['TaskUpdate']['status']>,
  result: string | undefined,
  call: Call,
): Promise<string | undefined> {
  switch (status) {
    case 'in_progress':
      await handle.board.claim(id);
      return undefined;
    case 'pending':
      await (handle.board.get(id).status === 'failed' ? handle.board.retry(id) : handle.board.release(id, result));
      return undefined;
    case 'cancelled':
      await handle.board.cancel(id, result);
      return undefined;
    case 'completed':
    case 'failed':
      return ended(handle, id, { outcome: status, result }, call);
  }
}

/** @returns what to answer, when it is more than how the task stands now */
async function ended(
  handle: TeamHandle,
  id: string,
  said: Pick<SaidEnd, 'outcome' | 'result'>,
  call: Call,
): Promise<string | undefined> {
  const end = await endTask(handle, id, said, call);
  switch (end.is) {
    case 'ended':
      return undefined;
    case 'reported':
      return `Task #${id} is reported as ${said.outcome}: passed. It ends with this turn of yours.`;
    case 'not done':
      return notDone(id, end.verdict);
  }
}

const notDone = (id: string, verdict: Exclude<Verified, { result: 'passed' }>): string =>
  verdict.result === 'aborted'
    ? `Task #${id} is not done: its verification was stopped.`
    : `Task #${id} is not done: ${verdict.command}: ${verdict.message}\n${verdict.output.slice(-SHOWN)}`;

/** `#3 [pending] Fix the login (owner ada; waits for #1, #2)` */
export function taskLine({ store }: TeamHandle, task: Task): string {
  const open = openBlockers(store.board.fold(), task).map((id) => `#${id}`);
  const who = task.status === 'in_progress' ? `claimed by ${task.claim.member}` : task.owner && `owner ${task.owner}`;
  const facts = [who, open.length > 0 ? `waits for ${open.join(', ')}` : undefined, endOf(task)].filter(Boolean);
  return `#${task.id} [${task.status}] ${task.subject}${facts.length > 0 ? ` (${facts.join('; ')})` : ''}`;
}

function endOf(task: Task): string | undefined {
  if (task.status === 'completed') return firstLine(task.result.summary);
  return 'reason' in task ? firstLine(task.reason) : undefined;
}

const firstLine = (text: string): string | undefined => text.trim().split('\n', 1)[0]?.slice(0, 200);
