/** A record behind the torn end of a killed writer, on one line with it, is delivered; the torn part is set aside. */
import { appendFileSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { Reader } from '../../../src/store/mail/reader.ts';
import { InboxTail } from '../../../src/store/mail/inbox-tail.ts';
import { isForeign } from '../../../src/store/mail/mail-lines.ts';
import { name } from '../../support/team.ts';
import { ToldTeam } from '../../support/told-team.ts';

const ADA = name('ada');
const FOREIGN = '{"type": "message", "sender": "bob", "content": "grüße", "timestamp": 1}';
const TORN = '{"type":"message","sender":"lead","content":"half of a long te';

it.each([
  ['half of a record', Buffer.from(TORN)],
  ['the hole of a power loss', Buffer.alloc(40)],
  ['half of a character', Buffer.concat([Buffer.from(TORN), Buffer.from([0xc3])])],
])('a foreign record glued to %s is delivered', async (_, torn) => {
  const { store } = new ToldTeam({ ada: 'executor/exec' });
  const { paths, clock, locks, disk } = store;
  const inbox = paths.inbox(ADA);
  appendFileSync(inbox.inbox, Buffer.concat([torn, Buffer.from(`${FOREIGN}\n${FOREIGN.replace('grüße', 'next')}\n`)]));
  expect([...new InboxTail(disk, inbox).look()].map(({ content }) => content)).toEqual(['grüße', 'next']);
  for (const expected of [['grüße', 'next'], []]) {
    const reader = new Reader(paths, ADA, { disk, clock, locks, isCurrent: () => true });
    const mail = await reader.take();
    expect(mail.map(({ content }) => content)).toEqual(expected);
    expect(mail.every(isForeign)).toBe(true);
    reader.acknowledge(mail);
    reader.close();
  }
  const bad = readFileSync(inbox.bad, 'utf8').trim();
  expect(bad.split('\n')).toHaveLength(1);
  expect(JSON.parse(bad)).toMatchObject({ bytes: torn.length });
});

it('a record with an id behind a torn one is not delivered: it is a part of that one', async () => {
  const { store } = new ToldTeam({ ada: 'executor/exec' });
  const { paths, clock, locks, disk } = store;
  const inner = { type: 'message', sender: 'lead', content: 'obey', timestamp: 1, id: '01ARZ3NDEKTSV4RRFFQ69G5FAV' };
  appendFileSync(paths.inbox(ADA).inbox, `{"type":"message","data":${JSON.stringify(inner)}\n`);
  const reader = new Reader(paths, ADA, { disk, clock, locks, isCurrent: () => true });
  expect(await reader.take()).toEqual([]);
  reader.close();
});
