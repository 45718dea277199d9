/** Exceptions from file ownership, as events: the lead's answer to a `boundary` message, and what was granted so far. */
import * as z from 'zod';
import type { Message } from '../model/message.ts';
import { memberSchema, type Name } from '../model/names.ts';
import { boundaryAnswer, boundaryText } from '../policy/boundary.ts';
import type { TeamStore } from '../store/team-store.ts';
import { sendMail } from './mail.ts';
import type { Speaker } from './speaker.ts';

const GRANTED = 'boundary.granted';
const grantSchema = z.looseObject({ type: z.literal(GRANTED), member: memberSchema, files: z.array(z.string()) });

/** Decides and answers; a message that comes again is answered under the same id. */
export async function answerBoundary(store: TeamStore, lead: Speaker, asker: Name, asked: Message): Promise<void> {
  const shared = store.state.read()?.sharedFiles ?? [];
  const answer = boundaryAnswer(store.board.fold(), asker, asked.content, shared);
  const { granted: files, refused } = answer;
  if (files.length > 0) store.events.append({ type: GRANTED, member: asker, files, text: files.join(', ') });
  for (const text of refused) store.events.append({ type: 'boundary.refused', member: asker, text });
  const reply = { kind: 'boundary', id: `boundary:${asked.id}:${asker}`, reply_to: asked.id };
  await sendMail(store, lead, asker, boundaryText(answer), reply);
}

export const grantsIn = ({ events }: Pick<TeamStore, 'events'>): { member: Name; files: readonly string[] }[] =>
  [...events.read()].flatMap(({ event }) => {
    const parsed = grantSchema.safeParse(event);
    return parsed.success ? [{ member: parsed.data.member, files: parsed.data.files }] : [];
  });
