/** The lead's tools for a team whose members have trees of their own: what they changed, and what becomes of it. */
import { shownPath } from '../../model/text/safe-text.ts';
import { UsageError } from '../../model/text/errors.ts';
import { changesSince } from '../views/workspace-changes.ts';
import { leadOf } from './lead-tools.ts';
import { teamOf } from './mail-tools.ts';
import { taskLine, taskRow } from './task-tools.ts';
import type { ToolHandler } from './tool-context.ts';

/** Characters of a diff in an answer. */
const SHOWN = 48 * 1024;

export const teamDiff: ToolHandler<'TeamDiff'> = async ({ taskId }, context, { signal }) => {
  const { store, board, name } = teamOf(context);
  if (store.config.readOwn()?.isolation !== 'trees')
    throw new UsageError('USAGE', `The members of team ${name} have no trees of their own: they work in your files.`);
  const { from, files, text } = await changesSince(store, taskId === undefined ? undefined : board.get(taskId), signal);
  const more = text.length > SHOWN;
  const diff = more ? text.slice(0, text.lastIndexOf('\n', SHOWN) + 1) : text;
  const rest = more ? `[${text.length - diff.length} characters more; taskId shows the change of one task]` : '';
  return {
    text: `${diff}${rest}` || 'Nothing has landed.',
    data: { from, files: [...files], diff, ...(more ? { more } : {}) },
  };
};

export const teamApply: ToolHandler<'TeamApply'> = async ({ taskId }, context, { signal }) => {
  const { board } = teamOf(context);
  const task = taskId === undefined ? undefined : board.get(taskId);
  const { landed, files, nothing } = await leadOf(context).apply(task, signal);
  const lines = files.map(({ path, change }) => `${change}: ${shownPath(path)}`);
  const sum = `Applied ${counted(landed, 'task')}, ${counted(files.length, 'file')}.`;
  return {
    text: files.length === 0 ? nothing : [...lines, sum].join('\n'),
    data: { landed: files.length === 0 ? 0 : landed, files: [...files] },
  };
};

export const taskReview: ToolHandler<'TaskReview'> = async ({ taskId, approve, note = '' }, context) => {
  const handle = teamOf(context);
  const task = taskRow(handle, await leadOf(context).review(taskId, { approve, text: note }));
  return { text: `${approve ? 'Accepted' : 'Sent back'}: ${taskLine(task)}`, data: { task } };
};

const counted = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;
