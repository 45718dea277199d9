/** Takes mail out of an inbox that no process reads: a person's, or that of a member that works by hand. */
import { ConflictError, UsageError } from '../../model/text/errors.ts';
import type { Message } from '../../model/team/message.ts';
import type { Name } from '../../model/text/names.ts';
import { isOver } from '../../model/board/request.ts';
import { superseded } from '../../policy/supervise/superseded-mail.ts';
import { takeLease } from '../../store/team/lease.ts';
import { Reader } from '../../store/mail/reader.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import type { Speaker } from './authentication.ts';

interface Taking<T> {
  readonly max: number;
  /** Uses the mail; if it throws, the mail is delivered again. Called with an empty list if there is no mail. */
  readonly use: (messages: Message[]) => T | Promise<T>;
}

/** @throws ConflictError `MEMBER_ALIVE` while the member's own process reads the inbox; UsageError `POLICY_DENIED` */
export async function takeMail<T>(store: TeamStore, speaker: Speaker, name: Name, taking: Taking<T>): Promise<T> {
  const { disk, clock, locks, paths, pinned } = store;
  if (speaker.kind === 'member' && name !== speaker.name)
    throw new UsageError('POLICY_DENIED', `${speaker.name} takes its own mail, not ${name}'s.`);
  const answer = await takeLease(paths, name, store.forLease());
  if (!answer.held) throw readItself(name, answer.owner?.pid ?? answer.elsewhere?.pid, answer.elsewhere?.machine);
  const reader = new Reader(paths, name, { disk, clock, locks, pinned, isCurrent: () => true });
  try {
    reader.settle();
    const used = await takeFrom(store, reader, taking);
    reader.settle();
    return used;
  } finally {
    reader.close();
    await answer.lease.release();
  }
}

function readItself(name: Name, pid: number | undefined, machine?: string): ConflictError {
  const where = machine === undefined ? '' : ` on ${machine}`;
  return new ConflictError(
    'MEMBER_ALIVE',
    `The process of ${name} (pid ${pid ?? 'unknown'}${where}) reads this inbox itself; \`teams inbox\` looks into it.`,
  );
}

/** Mail that is over is acknowledged, but not handed out, so that a take may find mail and still hand out none. */
async function takeFrom<T>({ board }: TeamStore, reader: Reader, { max, use }: Taking<T>): Promise<T> {
  for (;;) {
    const messages = await reader.take(max);
    const over = superseded(messages);
    const folded = board.fold();
    const news = messages.filter(({ id }) => !over.has(id) && !isOver(folded, id));
    if (news.length > 0 || messages.length === 0) {
      const used = await use(news);
      reader.acknowledge(messages);
      return used;
    }
    reader.acknowledge(messages);
  }
}
