/** The tools for the board. The board decides what is allowed; its refusals become answers. */
import { openBlockers } from '../../model/board/board.ts';
import { parseMemberName } from '../../model/text/names.ts';
import type { Task } from '../../model/board/task.ts';
import type { ToolInputs } from '../../model/team/tool.ts';
import type { ToolHandler } from './tool-context.ts';
import { teamOf } from './mail-tools.ts';
import { createTask, updateTask } from './task-change.ts';
import type { TeamHandle } from '../team/team-handle.ts';
import type { Verified } from '../team/verify-command.ts';

/** Characters of a failed command's output in an answer; the end is kept. */
const SHOWN = 4_000;

export const taskCreate: ToolHandler<ToolInputs['TaskCreate']> = async (input, context) => {
  const handle = teamOf(context);
  return `Task created: ${taskLine(handle, await createTask(handle, input))}`;
};

export const taskGet: ToolHandler<ToolInputs['TaskGet']> = ({ taskId }, context) =>
  Promise.resolve(JSON.stringify(teamOf(context).board.get(taskId), undefined, 2));

export const taskList: ToolHandler<ToolInputs['TaskList']> = ({ status, owner }, context) => {
  const handle = teamOf(context);
  const whose = owner === undefined ? undefined : parseMemberName(owner);
  const lines = handle.board
    .list()
    .filter((task) => (status === undefined || task.status === status) && (whose === undefined || task.owner === whose))
    .map((task) => taskLine(handle, task));
  return Promise.resolve(lines.join('\n') || 'There are no such tasks.');
};

export const taskUpdate: ToolHandler<ToolInputs['TaskUpdate']> = async (input, context, call) => {
  const handle = teamOf(context);
  const change = await updateTask(handle, input, call);
  const { id } = change.task;
  switch (change.kind) {
    case 'changed':
    case 'ended':
      return `Task updated: ${taskLine(handle, change.task)}`;
    case 'reported':
      return `Task #${id} is reported as ${input.status ?? 'ended'}: passed. It ends with your present turn.`;
    case 'not done':
      return notDone(id, change.verdict);
  }
};

const notDone = (id: string, verdict: Exclude<Verified, { result: 'passed' }>): string =>
  verdict.result === 'aborted'
    ? `Task #${id} is not done: its verification was stopped.`
    : `Task #${id} is not done: ${verdict.command}: ${verdict.message}\n${verdict.output.slice(-SHOWN)}`;

/** `#3 [pending] Fix the login (owner ada; waits for #1, #2)` */
function taskLine({ store }: TeamHandle, task: Task): string {
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
