/** Exceptions from file ownership, stored as events: answers `boundary` messages and lists what is granted so far. */
import { GRANTED, readGrant, type Grant } from '../../model/team/grant.ts';
import { WISHED } from '../../model/team/shared-file.ts';
import type { Message } from '../../model/team/message.ts';
import type { Name } from '../../model/text/names.ts';
import { boundaryAnswer, boundaryText } from '../../policy/landing/boundary.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { sendMail } from '../team/send-mail.ts';
import type { Speaker } from '../team/authentication.ts';

const LONGEST_WISH = 4_000;

interface BoundaryPlace {
  readonly store: TeamStore;
  readonly lead: Speaker;
  /** Patterns of the files that only the lead changes. */
  readonly shared: readonly string[];
}

/** Decides and sends the answer. A message that is delivered twice gets the same answer id both times. */
export async function answerBoundary(
  { store, lead, shared }: BoundaryPlace,
  asker: Name,
  asked: Message,
): Promise<void> {
  const answer = boundaryAnswer(store.board.fold(), asker, asked.content, shared);
  const { granted: files, refused } = answer;
  if (files.length > 0) store.events.append({ type: GRANTED, member: asker, files, text: files.join(', ') });
  if (answer.wished.length > 0) {
    const wish = { text: asked.content.slice(0, LONGEST_WISH), message: asked.id };
    store.events.append({ type: WISHED, member: asker, files: [...answer.wished], ...wish });
  }
  for (const text of refused) store.events.append({ type: 'boundary.refused', member: asker, text });
  const reply = { kind: 'boundary', id: `boundary:${asked.id}:${asker}`, reply_to: asked.id };
  await sendMail(store, lead, asker, boundaryText(answer), reply);
}

export const grantsIn = ({ events }: Pick<TeamStore, 'events'>): Grant[] =>
  [...events.read()].flatMap(({ event }) => readGrant(event) ?? []);
