/** The tools for the board. The board decides what is allowed; its refusals become answers. */
import { openBlockers } from '../../model/board/board.ts';
import { reviewOf } from '../../model/board/request.ts';
import { parseMemberName } from '../../model/text/names.ts';
import type { Task } from '../../model/board/task.ts';
import { defined } from '../../model/text/defined.ts';
import type { TaskAnswer } from '../../model/team/tool-output.ts';
import type { ToolHandler } from './tool-context.ts';
import { teamOf } from './mail-tools.ts';
import { createTask, updateTask } from './task-change.ts';
import type { TeamHandle } from '../team/team-handle.ts';
import type { Verified } from '../team/verify-command.ts';

/** Characters of a failed command's output in an answer; the end is kept. */
const SHOWN = 4_000;

export const taskCreate: ToolHandler<'TaskCreate'> = async (input, context) => {
  const handle = teamOf(context);
  const task = taskRow(handle, await createTask(handle, input));
  return { text: `Task created: ${taskLine(task)}`, data: { task } };
};

export const taskGet: ToolHandler<'TaskGet'> = ({ taskId }, context) => {
  const task = teamOf(context).board.get(taskId);
  return Promise.resolve({
    text: JSON.stringify(task, undefined, 2),
    data: { task: { ...task, blockedBy: [...task.blockedBy] } },
  });
};

export const taskList: ToolHandler<'TaskList'> = ({ status, owner }, context) => {
  const handle = teamOf(context);
  const whose = owner === undefined ? undefined : parseMemberName(owner);
  const tasks = handle.board
    .list()
    .filter((task) => (status === undefined || task.status === status) && (whose === undefined || task.owner === whose))
    .map((task) => taskRow(handle, task));
  return Promise.resolve({ text: tasks.map(taskLine).join('\n') || 'There are no such tasks.', data: { tasks } });
};

export const taskUpdate: ToolHandler<'TaskUpdate'> = async (input, context, call) => {
  const handle = teamOf(context);
  const change = await updateTask(handle, input, call);
  const task = taskRow(handle, change.task);
  const data = { outcome: change.kind, task };
  switch (change.kind) {
    case 'changed':
    case 'ended':
      return { text: `Task updated: ${taskLine(task)}`, data };
    case 'reported':
      return {
        text: `Task #${task.id} is reported as ${input.status ?? 'ended'}: passed. It ends with your present turn.`,
        data,
      };
    case 'not done':
      return { text: notDone(task.id, change.verdict), data: { ...data, verdict: shortened(change.verdict) } };
  }
};

type NotPassed = Exclude<Verified, { result: 'passed' }>;

const notDone = (id: string, verdict: NotPassed): string =>
  verdict.result === 'aborted'
    ? `Task #${id} is not done: its verification was stopped.`
    : `Task #${id} is not done: ${verdict.command}: ${verdict.message}\n${verdict.output.slice(-SHOWN)}`;

const shortened = (verdict: NotPassed): NotPassed =>
  verdict.result === 'aborted' ? verdict : { ...verdict, output: verdict.output.slice(-SHOWN) };

export function taskRow({ store }: TeamHandle, task: Task): TaskAnswer {
  const { id, status, subject, owner } = task;
  const claimedBy = status === 'in_progress' ? task.claim.member : undefined;
  const waitsFor = openBlockers(store.board.fold(), task);
  const review =
    reviewOf(store.board.board, task)?.state === 'open' ? store.config.readOwn()?.trees?.review : undefined;
  return { id, status, subject, ...defined({ owner, claimedBy, end: endOf(task), review }), waitsFor: [...waitsFor] };
}

/** `#3 [pending] Fix the login (owner ada; waits for #1, #2)` */
export function taskLine({ id, status, subject, owner, claimedBy, waitsFor, review, end }: TaskAnswer): string {
  const who = claimedBy === undefined ? owner && `owner ${owner}` : `claimed by ${claimedBy}`;
  const waits = waitsFor.length > 0 ? `waits for ${waitsFor.map((each) => `#${each}`).join(', ')}` : undefined;
  const before = review === undefined ? undefined : `waits for a review of its change by ${REVIEWERS[review]}`;
  const facts = [who, waits, before, end].filter(Boolean);
  return `#${id} [${status}] ${subject}${facts.length > 0 ? ` (${facts.join('; ')})` : ''}`;
}

const REVIEWERS = { lead: 'you: TeamDiff, then TaskReview', person: 'a person' };

function endOf(task: Task): string | undefined {
  if (task.status === 'completed') return firstLine(task.result.summary);
  return 'reason' in task ? firstLine(task.reason) : undefined;
}

const firstLine = (text: string): string | undefined => text.trim().split('\n', 1)[0]?.slice(0, 200);
