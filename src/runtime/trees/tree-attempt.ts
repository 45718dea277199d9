/** An attempt in a tree of its member's own: begun on the common state, its change kept at the end. */
import type { Message } from '../../model/team/message.ts';
import type { ClaimedTask } from '../../model/board/task.ts';
import { LEAD } from '../../model/text/names.ts';
import { sentBack } from '../../policy/mail-wording.ts';
import { GitFailure } from '../process/git-tree.ts';
import type { KeptChange, MemberTree } from './member-tree.ts';

/** @returns why it could not begin */
export async function beginInTree(
  tree: MemberTree | undefined,
  task: ClaimedTask,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    await tree?.begin(task, signal);
    return undefined;
  } catch (error) {
    if (error instanceof GitFailure) return `its tree could not be made: ${error.message}`;
    throw error;
  }
}

/** @returns why the change could not be kept; undefined if there is none, or without a tree */
export async function keepInTree(
  tree: MemberTree | undefined,
  task: ClaimedTask,
  signal: AbortSignal,
): Promise<KeptChange | string | undefined> {
  try {
    return await tree?.keep(task, signal);
  } catch (error) {
    if (error instanceof GitFailure) return `its change could not be kept: ${error.message}`;
    throw error;
  }
}

/** Mail about a change that came back, for the turn that mends it. */
export function mailAboutBounce({ id, bounced, claim, work }: ClaimedTask, now: number): Message[] {
  if (bounced === undefined) return [];
  return [
    {
      type: 'message',
      kind: 'sent_back',
      sender: LEAD,
      recipient: claim.member,
      timestamp: now / 1_000,
      id: `sent_back:${id}.${claim.epoch}`,
      task_id: id,
      content: sentBack(id, bounced, { hasOwnChange: work.run === undefined }),
    },
  ];
}
