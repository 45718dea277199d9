/** What the page receives and what it may do, over the wire. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { LEAD } from '../../../src/model/text/names.ts';
import { MailIndex } from '../../../src/runtime/team/mail-index.ts';
import { sendMail } from '../../../src/runtime/team/send-mail.ts';
import { makeRequest } from '../../../src/runtime/team/requests.ts';
import { OutputLog } from '../../../src/store/board/output-log.ts';
import { archive } from '../../../src/store/team/team-list.ts';
import { criticalMs } from '../../../src/surfaces/web/page/critical.ts';
import type { Update } from '../../../src/surfaces/web/wire-types.ts';
import { ToldTeam } from '../../support/told-team.ts';
import { name } from '../../support/team.ts';
import { openPage } from '../../support/web.ts';

const isWhole = ({ head }: Update): boolean => !head.isReading;
const isTold = ({ problems }: Update, kind: string): boolean => problems?.some((one) => one.kind === kind) ?? false;

const told = (): ToldTeam =>
  new ToldTeam({ ada: 'executor/claude', bob: 'reviewer' })
    .led()
    .started('ada', 'bob')
    .add('Write it')
    .add('Review it', { blockedBy: ['1'], role: 'reviewer' })
    .wait(1_000)
    .work('1', 'ada', 5_000)
    .note('agent.spent', {
      member: 'ada',
      task: '1',
      kind: 'claude',
      input_tokens: 900,
      output_tokens: 100,
      cost_usd: 0.5,
    })
    .note('message.sent', { member: 'ada', to: 'bob', id: 'x', text: 'to bob: done' });

describe('the stream', () => {
  it('the stream sends a whole team: its board at once, then its events', async () => {
    const page = await openPage(told().root);
    const all: Update[] = [];
    for await (const update of page.updates('login')) {
      all.push(update);
      if (isWhole(update)) break;
    }
    const [first, last] = [all[0], all.at(-1)];
    expect(first?.tasks.map(({ id, column }) => [id, column])).toEqual([
      ['1', 'completed'],
      ['2', 'ready'],
    ]);
    expect(last).toMatchObject({
      head: { team: 'login', spent: { tokens: 1_000, usd: 0.5 }, counts: { total: 2, completed: 1 } },
      spans: [{ task: '1', member: 'ada', end: 'completed' }],
      edges: [{ from: 'ada', to: 'bob', count: 1 }],
      path: { tasks: ['1'], ms: 5_000 },
    });
    expect(last?.tasks.find(({ id }) => id === '1')).toMatchObject({
      member: 'ada',
      spent: { tokens: 1_000, usd: 0.5 },
    });
    expect(last?.members).toMatchObject([{ name: 'ada', spent: { tokens: 1_000 } }, { name: 'bob' }]);
  });

  it('the stream goes on after the last event that its reader has, with the changes since and nothing else', async () => {
    const team = told();
    const page = await openPage(team.root);
    const { id, number } = await page.hear('login', isWhole);
    expect(id).toMatch(new RegExp(`^${number}@.`));
    team.process('bob', 'alive').claim('2', 'bob');
    const next = await page.hear('login', ({ tasks }) => tasks.some(({ column }) => column === 'in_progress'), id);
    expect(next.tasks.map((task) => task.id)).toEqual(['2']);
    expect(next.spans).toMatchObject([{ task: '2', member: 'bob', to: null }]);
    expect(next.events.map((event) => event.type)).toEqual(['task.claimed']);
    const known = await page.hear('login', () => true, next.id);
    expect({ tasks: known.tasks, spans: known.spans, events: known.events }).toEqual({
      tasks: [],
      spans: [],
      events: [],
    });
    for (const strange of ['999999', id.replace(/^\d+/, '999999'), `${number}@1-2`])
      expect((await page.hear('login', () => true, strange)).tasks).toHaveLength(2);
  });

  it('the stream sends an archived team, which is read-only', async () => {
    const team = told().say({ type: 'team.closing' }).say({ type: 'team.closed' });
    archive(team.store, '20260102T030405678Z');
    const page = await openPage(team.root);
    const id = 'login-20260102T030405678Z';
    expect(await page.json('teams')).toEqual({
      teams: [{ id, name: 'login', archivedAt: '2026-01-02T03:04:05.678Z' }],
    });
    const { head, tasks } = await page.hear(id, isWhole);
    expect({ head, count: tasks.length }).toMatchObject({ head: { isArchived: true, outcome: 'cancelled' }, count: 2 });
    const refused = await page.do(id, { do: 'send', to: 'ada', text: 'hello' });
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('is archived')]);
  });
});

describe('the critical path', () => {
  const span = { task: '2', member: 'ada', claim: 1, from: 0, end: null };
  const path = { tasks: ['1', '2'], ms: 900, at: 1_000 };

  it.each([
    ['grows while its last task is worked on', null, 2_900],
    ['stays when its last task has ended', 1_000, 900],
  ])('the critical path %s', (_, to, ms) => {
    expect(criticalMs({ path, spans: new Map([['2.1', { ...span, to }]]) }, 3_000)).toBe(ms);
  });
});

describe('the output', () => {
  it('has the lines of a task or a member, and later those that came since', async () => {
    const team = told();
    const { disk, paths, clock } = team.store;
    const log = new OutputLog(disk, paths.output(name('ada')), paths.outputParts(name('ada')));
    onTestFinished(() => log.close());
    const at = new Date(clock.now()).toISOString();
    log.begin({ task: '1', claim: 1 }, at);
    log.append(Buffer.from('one\ntwo\n'));
    log.begin(undefined, at);
    log.append(Buffer.from('of nobody\n'));
    const page = await openPage(team.root);
    expect(await page.json('teams/login/output?task=1')).toEqual({ lines: ['one', 'two'], total: 2, unfinished: '' });
    expect(await page.json('teams/login/output?member=ada')).toEqual({
      lines: ['one', 'two', 'of nobody'],
      total: 3,
      unfinished: '',
    });
    log.append(Buffer.from('more\n'));
    expect(await page.json('teams/login/output?member=ada&after=3')).toEqual({
      lines: ['more'],
      total: 4,
      unfinished: '',
    });
    log.append(Buffer.from('40 %\r50 %\r60 %'));
    expect(await page.json('teams/login/output?member=ada&after=4')).toEqual({
      lines: [],
      total: 4,
      unfinished: '60 %',
    });
    log.append(Buffer.from('\r100 %\n'));
    expect(await page.json('teams/login/output?member=ada&after=4')).toEqual({
      lines: ['100 %'],
      total: 5,
      unfinished: '',
    });
    expect((await page.ask('teams/login/output?task=99')).status).toBe(404);
    expect((await page.ask('teams/login/output?member=../lead')).status).toBe(400);
    expect((await page.ask('teams/login/changes')).status).toBe(400);
  });

  it('a search finds tasks, lines, mail and events, and counts more than it lists', async () => {
    const team = told().add('Paint the NEEDLE red');
    for (const at of Array.from({ length: 25 }, (_, index) => index)) team.add(`Task with straw ${at}`);
    const { disk, paths } = team.store;
    const log = new OutputLog(disk, paths.output(name('bob')), paths.outputParts(name('bob')));
    onTestFinished(() => log.close());
    log.append(Buffer.from('hay\nhere is a Needle\nneedle without an end'));
    const page = await openPage(team.root);
    await page.do('login', { do: 'send', to: 'ada', text: 'thread the needle' });
    await page.hear('login', ({ events }) => events.some(({ text }) => text.includes('needle')));
    const found = await page.json('teams/login/search?q=%20needle');
    expect(found).toMatchObject({
      tasks: { total: 1, rows: [{ id: '3', subject: 'Paint the NEEDLE red', status: 'ready' }] },
      lines: { total: 2, rows: [{ member: 'bob', line: 'needle without an end' }, { line: 'here is a Needle' }] },
      mail: { total: 1, rows: [{ to: 'ada', text: 'thread the needle' }] },
      events: { total: 2, rows: [{ type: 'message.sent' }, { type: 'task.created' }] },
    });
    expect(await page.json('teams/login/search?q=straw')).toMatchObject({
      tasks: { total: 25, rows: [{ subject: 'Task with straw 24' }, ...Array.from({ length: 19 }, () => ({}))] },
    });
    expect(await page.json('teams/login/search?q=%232')).toMatchObject({ tasks: { rows: [{ id: '2' }] } });
    for (const wrong of ['search', 'search?q=', `search?q=${'x'.repeat(201)}`])
      expect((await page.ask(`teams/login/${wrong}`)).status).toBe(400);
  });
});

describe('a command of the page', () => {
  const person = { kind: 'person', name: LEAD, epoch: 1 } as const;

  it('a command of the page does what the command line does, as the lead: it sends mail and answers a question', async () => {
    const team = told();
    const page = await openPage(team.root);
    const { store } = team;
    expect(await (await page.do('login', { do: 'send', to: 'ada', text: 'hello' })).json()).toEqual({
      told: ['ada'],
      refused: [],
    });
    expect(await (await page.do('login', { do: 'broadcast', text: 'all of you' })).json()).toMatchObject({
      told: ['ada', 'bob'],
    });
    const inc = store.board.fold().members.get(name('bob'))?.incarnation ?? '';
    const asked = await makeRequest(
      store,
      { kind: 'member', name: name('bob'), incarnation: inc },
      { kind: 'question', text: 'Which?' },
    );
    if (!asked.ok) throw new Error(asked.why);
    const { problems } = await page.hear('login', (update) => isTold(update, 'request'));
    expect(problems).toContainEqual(expect.objectContaining({ kind: 'request', text: 'asks: Which?' }));
    expect((await page.do('login', { do: 'answer', request: asked.id, text: 'This one' })).status).toBe(200);
    expect(store.board.fold().requests.get(asked.id)).toMatchObject({ state: 'answered', answer: 'This one' });
    const again = await page.do('login', { do: 'answer', request: asked.id, text: 'That one' });
    expect(again.status).toBe(409);
    expect(await page.json('teams/login/mail?member=bob&q=THIS+one')).toMatchObject({
      rows: [{ from: 'lead', to: 'bob', text: 'This one', isWaiting: true }],
    });
  });

  it('a command of the page retries, skips and adds tasks, and has a member leave', async () => {
    const team = told()
      .ledByUs()
      .add('Third')
      .add('Fourth', { blockedBy: ['3'] });
    team.claim('3', 'ada').fail('3', 'ada', 'it broke');
    const page = await openPage(team.root);
    const statuses = () => [...team.store.board.fold().tasks.values()].map(({ status }) => status);
    const noted = async (deed: object, note: string): Promise<void> =>
      expect(await (await page.do('login', deed)).json()).toEqual({ told: [], refused: [], note });
    expect((await page.do('login', { do: 'retry', task: '1' })).status).toBe(409);
    await noted({ do: 'retry' }, 'Pending again: #3.');
    await noted({ do: 'retry' }, 'No task has failed.');
    await noted({ do: 'skip', task: '3' }, '#3 is skipped.');
    expect(statuses()).toEqual(['completed', 'pending', 'skipped', 'skipped']);
    await noted({ do: 'add', subject: 'Fifth', description: 'more', owner: 'ada' }, '#5 is on the board.');
    expect(team.store.board.fold().tasks.get('5')).toMatchObject({ subject: 'Fifth', owner: 'ada' });
    await noted({ do: 'pause', paused: true }, 'Present turns end, and nothing begins.');
    await noted({ do: 'pause', paused: false }, 'The team goes on.');
    await noted({ do: 'stop', member: 'ada' }, 'ada finishes its step and leaves.');
    expect((await page.do('login', { do: 'add', subject: ' ', description: '' })).status).toBe(400);
    expect((await page.do('login', { do: 'add', subject: 'x', description: '', run: 'id' })).status).toBe(400);
  });

  it('a command of the page approves or rejects a plan', async () => {
    const team = told().claim('2', 'bob');
    const page = await openPage(team.root);
    const { board } = team.store;
    const inc = board.fold().members.get(name('bob'))?.incarnation ?? '';
    const speaker = { kind: 'member', name: name('bob'), incarnation: inc } as const;
    const asked = await makeRequest(team.store, speaker, { kind: 'plan', text: 'First this', about: '2' });
    if (!asked.ok) throw new Error(asked.why);
    const refused = await page.do('login', { do: 'judge', task: '2', approve: false, text: 'First that' });
    expect([refused.status, await refused.json()]).toEqual([200, { told: [expect.any(String)], refused: [] }]);
    expect(board.fold().requests.get(asked.id)).toMatchObject({ state: 'answered', approve: false });
  });

  it.each([
    [{ do: 'send', to: 'nobody', text: 'x' }, 400, 'UNKNOWN_RECIPIENT'],
    [{ do: 'send', to: '../ada', text: 'x' }, 400, 'BAD_NAME'],
    [{ do: 'send', to: 'ada', text: ' ' }, 400, 'USAGE'],
    [{ do: 'send', to: 'ada', text: 'x', as: 'bob' }, 400, 'USAGE'],
    [{ do: 'judge', task: '1', approve: true, text: '' }, 409, 'REFUSED'],
    [{ do: 'answer', request: 'x', text: 'x' }, 400, 'UNKNOWN_REQUEST'],
    [{ do: 'delete' }, 400, 'USAGE'],
    [[], 400, 'USAGE'],
  ])('an invalid command is refused with its reason: %j', async (deed, status, code) => {
    const page = await openPage(told().root);
    const answer = await page.do('login', deed);
    expect([answer.status, JSON.parse(await answer.text())]).toMatchObject([status, { error: { code } }]);
  });

  it('a command that is too long is not read', async () => {
    const page = await openPage(told().root);
    expect((await page.do('login', { do: 'send', to: 'ada', text: 'x'.repeat(400_000) })).status).toBe(413);
  });

  it('mail is searched by its text, newest first, each once, read or waiting', async () => {
    const { store } = told();
    const book = new MailIndex(store);
    for (const text of ['one', 'two', 'three']) await sendMail(store, person, name('ada'), text);
    const { total, rows } = await book.page({ skip: 0, count: 2 });
    expect({ total, texts: rows.map(({ text }) => text) }).toMatchObject({ total: 3 });
    await sendMail(store, person, name('bob'), 'Three more');
    expect((await book.page({ text: 'THREE', skip: 0, count: 9 })).total).toBe(2);
    expect((await book.page({ text: 'three', member: 'bob', skip: 0, count: 9 })).rows).toMatchObject([{ to: 'bob' }]);
  });
});
