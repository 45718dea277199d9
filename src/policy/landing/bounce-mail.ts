/** Mail about a change that came back, for the turn that mends it (docs/isolation.md). */
import type { ClaimedTask } from '../../model/board/task.ts';
import type { Message } from '../../model/team/message.ts';
import { LEAD } from '../../model/text/names.ts';
import { sentBack } from '../mail-wording.ts';

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
