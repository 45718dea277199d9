/** Sending, taking and acknowledging under aimed kills. */
import { ulid } from 'ulid';
import { isTeamError } from '../../../src/model/text/errors.ts';
import type { Name } from '../../../src/model/text/names.ts';
import { pastMail, waitingMail } from '../../../src/store/mail/inbox-view.ts';
import { Reader } from '../../../src/store/mail/reader.ts';
import { begin, HIT, SINK, type Actor, type Scenario } from './scenario.ts';

const readerOf = ({ store, life }: Actor, member: Name): Reader =>
  new Reader(store.paths, member, {
    disk: store.disk,
    clock: store.clock,
    locks: store.locks,
    isCurrent: () => member === SINK || store.board.fold().members.get(member)?.incarnation === life,
  });

async function send({ store, history, member }: Actor): Promise<void> {
  for (let n = 0; n < 2; n += 1) {
    const content = ulid();
    await history.attempt('send', content, () =>
      store.sender.send({ sender: member, recipient: SINK, draft: { type: 'message', content } }),
    );
  }
}

/** The survivor empties the inbox too, so that the next one creates it again. */
async function sendAfter(actor: Actor): Promise<void> {
  await send(actor);
  const reader = readerOf({ ...actor, member: SINK }, SINK);
  reader.acknowledge(await reader.take());
  reader.close();
}

/** Takes, uses and acknowledges, two at a time. */
async function takeMail(actor: Actor, member: Name): Promise<void> {
  const { history } = actor;
  const reader = readerOf(actor, member);
  try {
    for (let mail = await reader.take(2); mail.length > 0; mail = await reader.take(2)) {
      for (const { content, redelivered } of mail)
        history.note({ op: 'use', id: content, kind: redelivered === true ? 'redelivered effect' : 'effect' });
      for (const { content } of mail) history.note({ op: 'acknowledge', id: content, kind: 'invoke' });
      reader.acknowledge(mail);
      for (const { content } of mail) history.note({ op: 'acknowledge', id: content, kind: 'ok' });
    }
  } catch (error) {
    // It was replaced while it was stopped: its successor has the mail.
    if (!isTeamError(error) || error.code !== 'STALE_CLAIM') throw error;
  } finally {
    reader.close();
  }
}

async function mailFor({ store, history }: Actor, member: Name): Promise<void> {
  const contents = Array.from({ length: 3 }, () => ulid());
  const send = (content: string) =>
    store.sender.send({ sender: 'lead', recipient: member, draft: { type: 'message', content } });
  await Promise.all(contents.map((content) => history.attempt('sent', content, () => send(content))));
}

/** The survivor becomes the other's member, as the lead would restart it. */
async function takeAfter(actor: Actor): Promise<void> {
  const next = { ...actor, member: HIT, life: ulid() };
  begin(next);
  await takeMail(next, HIT);
}

export const sending: Scenario = {
  act: send,
  survive: sendAfter,
  there: {
    send: ({ disk, paths }) =>
      [pastMail(disk, paths.inbox(SINK)), waitingMail(disk, paths.inbox(SINK))].flatMap((mail) =>
        [...mail].map(({ content }) => content),
      ),
  },
};

export const taking: Scenario = {
  prepare: (actor) => mailFor(actor, HIT),
  warm: begin,
  act: (actor) => takeMail(actor, HIT),
  survive: takeAfter,
  there: {},
};
