/** The mailboxes of tools, by who reads the inbox: this process for a person, or a runner in another process. */
import type { Message } from '../../model/team/message.ts';
import type { Name } from '../../model/text/names.ts';
import type { Mailbox } from './tool-context.ts';
import type { TeamHandle } from '../team/team-handle.ts';

/** For a person who works as a member: each take reads the inbox itself. */
export const consumingMailbox = (handle: TeamHandle, name: Name): Mailbox => ({
  look: () => Promise.resolve(),
  waiting: () => handle.inbox(name),
  take: (max, use) => handle.take(name, max, use),
});

/**
 * For an agent whose own process reads the inbox and brings the mail to its turns. This mailbox shows each message once
 * and acknowledges none. A message seen here still comes with the next turn, because only that process acknowledges
 * mail.
 *
 * @param isKnown whether the agent has the message already
 */
export function readOnlyMailbox(handle: TeamHandle, name: Name, isKnown: (message: Message) => boolean): Mailbox {
  const shown = new Set<string>();
  function* waiting(): Generator<Message> {
    for (const message of handle.inbox(name)) if (!shown.has(message.id) && !isKnown(message)) yield message;
  }
  return {
    look: () => Promise.resolve(),
    waiting,
    take(max, use) {
      const seen = [...waiting()].slice(0, max);
      const used = use(seen);
      for (const { id } of seen) shown.add(id);
      return Promise.resolve(used);
    },
  };
}
