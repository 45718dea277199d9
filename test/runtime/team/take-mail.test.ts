/** Taking mail by hand: each take is a process of its own, and none of them leaves files behind for ever. */
import { appendFileSync, openSync, closeSync, readdirSync, writeSync } from 'node:fs';
import { expect, test } from 'vitest';
import { takeMail } from '../../../src/runtime/team/take-mail.ts';
import { openStore, type TeamStore } from '../../../src/store/team/team-store.ts';
import { name } from '../../support/team.ts';
import { ToldTeam } from '../../support/told-team.ts';

const ADA = name('ada');
const PERSON = { kind: 'person', name: name('operator') } as unknown as Parameters<typeof takeMail>[1];

/** As `teams take` does it: a store of its own. */
async function take({ paths, clock }: TeamStore): Promise<string[]> {
  const store = openStore(paths, { clock });
  try {
    return await takeMail(store, PERSON, ADA, { max: Infinity, use: (mail) => mail.map(({ content }) => content) });
  } finally {
    await store.close();
  }
}

const say = ({ sender }: TeamStore, content: string): Promise<unknown> =>
  sender.send({ sender: 'lead', recipient: ADA, draft: { type: 'message', content } });

const taken = ({ paths }: TeamStore): string[] => readdirSync(paths.folder).filter((file) => file.includes('.taken.'));

test('files of takes by hand do not pile up: what is acknowledged is removed three seconds later', async () => {
  const told = new ToldTeam({ ada: 'executor/exec' });
  const { store } = told;
  for (let n = 0; n < 12; n += 1) {
    await say(store, `mail ${n}`);
    expect(await take(store)).toEqual([`mail ${n}`]);
  }
  expect(taken(store).filter((file) => file.endsWith('.jsonl'))).toHaveLength(12);
  told.wait(4_000);
  expect(await take(store)).toEqual([]);
  expect(taken(store)).toEqual([]);
});

test('a foreign line that comes late into a taken file is delivered, and the file then stays three more seconds', async () => {
  const told = new ToldTeam({ ada: 'executor/exec' });
  const { store } = told;
  await say(store, 'one');
  const late = openSync(store.paths.inbox(ADA).inbox, 'a');
  expect(await take(store)).toEqual(['one']);
  told.wait(2_000);
  const line = { type: 'message', sender: 'bob', content: 'late', timestamp: 1 };
  writeSync(late, `${JSON.stringify(line)}\n`);
  told.wait(2_000);
  expect(await take(store)).toEqual(['late']);
  told.wait(2_000);
  writeSync(late, `${JSON.stringify({ ...line, content: 'later' })}\n`);
  closeSync(late);
  told.wait(2_000);
  expect(await take(store)).toEqual(['later']);
  told.wait(4_000);
  expect(await take(store)).toEqual([]);
  expect(taken(store)).toEqual([]);
});

test('a last line without an end is set aside by takes by hand, too', async () => {
  const told = new ToldTeam({ ada: 'executor/exec' });
  const { store } = told;
  await say(store, 'one');
  appendFileSync(store.paths.inbox(ADA).inbox, '{"torn');
  for (let again = 0; again < 3; again += 1) {
    await take(store);
    told.wait(4_000);
  }
  expect(taken(store)).toEqual([]);
  expect(readdirSync(store.paths.folder)).toContain('ada_inbox.bad.jsonl');
});
