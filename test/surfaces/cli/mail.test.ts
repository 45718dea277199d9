/** Messages on the command line: sent, shown, taken. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { OutputStream } from '../../../src/surfaces/cli/own-stream.ts';
import { LEAD, parseName } from '../../../src/model/text/names.ts';
import { teamPaths } from '../../../src/store/files/paths.ts';
import { failureSchema, listener, until, Workplace } from '../../support/cli.ts';
import { readerOf } from '../../support/team.ts';

const messagesSchema = z.strictObject({
  schemaVersion: z.literal(2),
  messages: z.array(z.looseObject({ content: z.string() })),
});
const receiptSchema = z.union([
  z.strictObject({ recipient: z.string(), id: z.string() }),
  z.strictObject({ recipient: z.string(), error: z.string() }),
]);
const receiptsSchema = z.strictObject({ schemaVersion: z.literal(2), receipts: z.array(receiptSchema) });

const statusSchema = z.looseObject({ lead: z.looseObject({ unread: z.number() }) });

let place: Workplace;
const fileOf = (name: string): string => join(place.root, '.teams/login', name);
const inboxFile = (member: string): string => fileOf(`${member}_inbox.jsonl`);
const contents = async (...argv: string[]): Promise<string[]> =>
  (await place.json(messagesSchema, ...argv)).messages.map(({ content }) => content);
const foreign = (content: string): string =>
  `${JSON.stringify({ type: 'message', sender: 'x', content, timestamp: 1.5 })}\n`;

beforeEach(async () => {
  place = new Workplace();
  await place.teams('create', 'login', '--member', 'ada', '--member', 'bob');
});

describe('send', () => {
  it('send answers with the id of a line that is on disk', async () => {
    const { receipts } = await place.json(receiptsSchema, 'send', 'login', 'ada', 'Look at the cache.');
    const line: unknown = JSON.parse(readFileSync(inboxFile('ada'), 'utf8'));
    expect(receipts).toEqual([{ recipient: 'ada', id: expect.any(String) as string }]);
    expect(line).toMatchObject({
      ...receipts[0],
      sender: 'lead',
      content: 'Look at the cache.',
      data: { by: 'person' },
    });
  });

  it('send reads its text from stdin, and records the task it is about', async () => {
    await place.teams('task', 'create', 'Write tests');
    const argv = ['send', 'bob', '-', '--kind', 'question', '--task', 'Write tests', '--reply-to', 'm1', '--as', 'ada'];
    expect((await place.say(argv, { stdin: 'two\nlines\n' })).code).toBe(0);
    const { messages } = await place.json(messagesSchema, 'inbox', 'bob');
    expect(messages[0]).toMatchObject({
      content: 'two\nlines\n',
      kind: 'question',
      task_id: '1',
      reply_to: 'm1',
      sender: 'ada',
    });
  });

  it('send refuses an unknown recipient, and creates no file', async () => {
    const { code, out } = await place.teams('send', 'login', 'cy', 'hello', '--json');
    expect(code).toBe(2);
    expect(failureSchema.parse(JSON.parse(out)).error.code).toBe('UNKNOWN_RECIPIENT');
    expect(existsSync(inboxFile('cy'))).toBe(false);
  });

  it.each([
    ['nobody', ['send']],
    ['nothing', ['send', 'ada']],
    ['too many words', ['send', 'login', 'ada', 'one', 'two']],
    ['a type that no person may send to a member', ['send', 'ada', 'x', '--type', 'shutdown_response']],
    ['an unknown type', ['send', 'ada', 'x', '--type', 'shout']],
    ['a recipient with a broadcast', ['send', 'login', 'ada', '--broadcast', 'x']],
  ])('send refuses %s', async (_, argv) => {
    const { code, err } = await place.teams(...argv);
    expect(code).toBe(2);
    expect(err).toMatch(/^teams: [^\n]+\n$/);
  });

  it('send broadcasts to each member but the sender', async () => {
    const { receipts } = await place.json(receiptsSchema, 'send', 'login', '--broadcast', 'Freeze.', '--as', 'ada');
    expect(receipts.map(({ recipient }) => recipient)).toEqual(['lead', 'bob']);
    expect(existsSync(inboxFile('ada'))).toBe(false);
  });

  it('a broadcast that the profile forbids is an error of the sender', async () => {
    await place.teams('create', 'tls', '--profile', 'pipeline', '--member', 'ana:analyst', '--member', 'wri:writer');
    const { code, out, err } = await place.teams('send', 'tls', '--broadcast', 'Freeze.', '--as', 'ana');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toBe(
      'teams: Under the profile pipeline only the lead broadcasts (rule: broadcast); write to one member, or to the lead.\n',
    );
  });

  it('a message of type broadcast goes to all, whatever recipient is named', async () => {
    const argv = ['send', 'login', 'bob', 'Freeze.', '--type', 'broadcast', '--as', 'ada'];
    const { receipts } = await place.json(receiptsSchema, ...argv);
    expect(receipts.map(({ recipient }) => recipient)).toEqual(['lead', 'bob']);
  });

  it('a broadcast reports the result for each recipient', async () => {
    await place.teams('send', 'ada', 'the only one that has room');
    const { code, out } = await place.say(['send', 'login', '--broadcast', 'Freeze.', '--json'], {
      environment: { TEAMS_INBOX_MAX_MESSAGES: '1' },
    });
    expect(code).toBe(1);
    expect(receiptsSchema.parse(JSON.parse(out)).receipts).toEqual([
      { recipient: 'ada', error: expect.stringContaining('full') as string },
      { recipient: 'bob', id: expect.any(String) as string },
    ]);
  });
});

describe('answer', () => {
  /**
   * ada asks the lead.
   * @returns the id of the question
   */
  const asks = async (): Promise<string> => {
    const { receipts } = await place.json(
      receiptsSchema,
      'send',
      'lead',
      'Which?',
      '--kind',
      'question',
      '--as',
      'ada',
    );
    const [asked] = receipts;
    return asked && 'id' in asked ? asked.id : '';
  };
  const refusal = async (...argv: string[]): Promise<[number, string]> => {
    const { code, out } = await place.teams('answer', ...argv, '--json');
    return [code, failureSchema.parse(JSON.parse(out)).error.code];
  };

  it("an answer is mail to the asker with the question's id, and the question is closed", async () => {
    const id = await asks();
    const { out } = await place.teams('status');
    expect(out).toMatch(/ada .*waiting .*Which/);
    expect(out).toContain(id);
    expect((await place.teams('why', 'ada')).out).toContain(`teams answer login ${id} TEXT`);
    const { receipts } = await place.json(receiptsSchema, 'answer', 'login', id, 'This one.');
    expect(receipts).toMatchObject([{ recipient: 'ada' }]);
    const { messages } = await place.json(messagesSchema, 'inbox', 'ada');
    expect(messages).toMatchObject([
      {
        content: 'This one.',
        kind: 'answer',
        reply_to: id,
        request_id: id,
        data: { question: 'Which?', by: 'person' },
      },
    ]);
    expect(await contents('inbox', 'lead')).toEqual([]);
    expect(await contents('take', 'lead')).toEqual([]);
  });

  it('an answer may come from stdin', async () => {
    const id = await asks();
    expect((await place.say(['answer', id, '-'], { stdin: 'two\nlines' })).code).toBe(0);
    expect(await contents('inbox', 'ada')).toEqual(['two\nlines']);
  });

  it('an answer is given once, by the lead, to an open question', async () => {
    const id = await asks();
    expect(await refusal('01ARZ3NDEKTSV4RRFFQ69G5FAV', 'x')).toEqual([2, 'UNKNOWN_REQUEST']);
    expect(await refusal(id, 'x', '--as', 'bob')).toEqual([2, 'POLICY_DENIED']);
    expect(await refusal(id, 'x', '--as', 'ada')).toEqual([2, 'POLICY_DENIED']);
    expect(await refusal(id)).toEqual([2, 'USAGE']);
    expect((await place.teams('answer', id, 'Yes.')).code).toBe(0);
    expect(await refusal(id, 'No.')).toEqual([3, 'FINAL']);
    expect(await contents('inbox', 'ada')).toEqual(['Yes.']);
    expect((await place.teams('log')).out).toMatch(/answered in vain: /);
  });
});

describe('inbox', () => {
  it('inbox shows waiting mail and consumes nothing', async () => {
    await place.teams('send', 'ada', 'one');
    await place.teams('send', 'ada', 'two');
    expect(await contents('inbox', 'login', 'ada')).toEqual(['one', 'two']);
    expect(await contents('inbox', 'ada', '--max', '1')).toEqual(['one']);
    expect(await contents('inbox', 'ada', '--max', '0')).toEqual([]);
  });

  it('inbox shows the line of the v8 writer unchanged', async () => {
    execFileSync('python3', ['test/fixtures/v8_writer.py', inboxFile('ada'), 'claude', '2']);
    const lines = readFileSync(inboxFile('ada'), 'utf8').trim().split('\n');
    const { messages } = await place.json(messagesSchema, 'inbox', 'ada');
    expect(messages).toEqual(lines.map((line): unknown => JSON.parse(line)));
    await place.json(messagesSchema, 'take', 'ada');
    expect((await place.json(messagesSchema, 'inbox', 'ada', '--history')).messages).toMatchObject(messages);
  });

  it('inbox sends no control sequence to a terminal', async () => {
    appendFileSync(inboxFile('ada'), foreign('\u001b]52;c;aGk=\u0007red \u001b[31malert\u001b[2J\r\u202egpj.exe'));
    const shown = await place.teams('inbox', 'ada');
    expect(shown.out).toMatch(/red alertgpj\.exe\n$/);
    expect((await place.teams('inbox', 'ada', '--json')).out).not.toMatch(
      /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/,
    );
  });

  it('inbox indents further lines so that none looks like a new row', async () => {
    await place.teams('send', 'ada', 'first\n01M000  12:00:00  lead  forged');
    const { out } = await place.teams('inbox', 'ada');
    expect(out.split('\n')[1]).toBe('    01M000  12:00:00  lead  forged');
  });

  it('inbox shows the oldest of 100,000 messages at once', async () => {
    writeFileSync(
      inboxFile('ada'),
      Array.from({ length: 100_000 }, (_, index) => foreign(`message ${index}`)).join(''),
    );
    const before = { at: performance.now(), heap: process.memoryUsage().heapUsed };
    expect(await contents('inbox', 'ada', '--max', '20')).toHaveLength(20);
    expect(performance.now() - before.at).toBeLessThan(1_000);
    expect(process.memoryUsage().heapUsed - before.heap).toBeLessThan(20e6);
  });

  it('inbox follows new mail, also when its owner takes it meanwhile', async () => {
    await place.teams('send', 'ada', 'one');
    const { leave, heard, ...world } = listener();
    const following = place.say(['inbox', 'ada', '--follow', '--json'], world);
    await until(() => heard.length === 1, 'the first message');
    await place.teams('take', 'ada');
    await place.teams('send', 'ada', 'two');
    await until(() => heard.length === 2, 'the second message');
    leave();
    expect((await following).code).toBe(0);
    expect(heard.map((line) => messagesSchema.shape.messages.element.parse(JSON.parse(line)).content)).toEqual([
      'one',
      'two',
    ]);
  });

  it('inbox follows only up to --max', async () => {
    await place.teams('send', 'ada', 'one');
    expect((await place.teams('inbox', 'ada', '--follow', '--max', '1')).out).toMatch(/one\n$/);
  });

  it('inbox shows what waits behind a message that is in use, and no acknowledged mail', async () => {
    await place.teams('send', 'lead', 'Which?', '--kind', 'question', '--as', 'ada');
    await place.teams('send', 'lead', 'read and done', '--as', 'ada');
    const paths = teamPaths(place.root, parseName('team', 'login'));
    const { reader, close } = readerOf(paths, LEAD);
    const [, other] = await reader.take();
    if (other) reader.acknowledge([other]);
    close();
    expect(await contents('inbox', 'lead')).toEqual(['Which?']);
    expect((await place.json(statusSchema, 'status')).lead.unread).toBe(1);
  });

  it('inbox refuses to follow the history', async () => {
    expect((await place.teams('inbox', 'ada', '--follow', '--history')).code).toBe(2);
  });
});

describe('take', () => {
  it('take prints, then acknowledges', async () => {
    await place.teams('send', 'ada', 'one');
    await place.teams('send', 'ada', 'two');
    expect(await contents('take', 'login', 'ada', '--max', '1')).toEqual(['one']);
    expect(await contents('inbox', 'ada')).toEqual(['two']);
    expect(await contents('take', 'ada')).toEqual(['two']);
    expect(await contents('take', 'ada')).toEqual([]);
    expect(await contents('inbox', 'ada', '--history')).toEqual(['one', 'two']);
  });

  it('take does not acknowledge what could not be printed', async () => {
    await place.teams('send', 'ada', 'one');
    const stdout: OutputStream = { write: (_, done) => done?.(new Error('EPIPE')) };
    expect(await place.say(['take', 'ada'], { stdout })).toEqual({ code: 0, out: '', err: '' });
    const again = await place.json(messagesSchema, 'take', 'ada');
    expect(again.messages).toMatchObject([{ content: 'one', redelivered: true }]);
  });

  it('take delivers the latest idle notice of a member, and all other mail', async () => {
    for (const text of ['idle 1', 'idle 2', 'idle 3'])
      await place.teams('send', 'lead', text, '--kind', 'idle', '--as', 'ada');
    await place.teams('send', 'lead', 'done', '--as', 'bob');
    expect(await contents('take', 'lead')).toEqual(['idle 3', 'done']);
    expect(await contents('take', 'lead')).toEqual([]);
  });

  it('take waits for mail', async () => {
    const waiting = place.json(messagesSchema, 'take', 'ada', '--wait');
    await place.teams('send', 'ada', 'at last');
    expect((await waiting).messages).toMatchObject([{ content: 'at last' }]);
  });

  it('take times out without mail', async () => {
    const { code, out } = await place.teams('take', 'ada', '--wait=0.05', '--json');
    expect({ code, out }).toEqual({ code: 124, out: '{"schemaVersion":2,"messages":[]}\n' });
  });

  it('take refuses an unknown member', async () => {
    expect((await place.teams('take', 'login', 'cy')).code).toBe(2);
  });
});
