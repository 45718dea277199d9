/** Teammates whose agent is a model API: in this process with the model server, and one in its own process. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join as under } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AgentSpec } from '../../../src/model/agent/agent.ts';
import type { Clock } from '../../../src/model/text/clock.ts';
import { join } from '../../../src/runtime/teammate/join.ts';
import type { Script } from '../../fixtures/model-server/script.ts';
import { ModelServer } from '../../fixtures/model-server/server.ts';
import { FakeClock } from '../../support/clock.ts';
import { reopened, run, team, type Team } from '../../support/session.ts';
import { name } from '../../support/team.ts';

async function serve(script: Script): Promise<ModelServer> {
  const server = await ModelServer.start({ script });
  onTestFinished(() => server.close());
  return server;
}

const agentAt = ({ url }: ModelServer, over: Partial<AgentSpec> = {}): AgentSpec => ({
  kind: 'anthropic',
  model: 'claude-sonnet-5-5',
  baseUrl: url,
  env: { ANTHROPIC_API_KEY: 'none' },
  ...over,
});

/** Runs a member in this process until it is stopped. */
async function atWork(on: Team, member = 'ada', clock?: Clock): Promise<() => Promise<void>> {
  const teammate = await join(reopened(on.paths, clock), name(member), { byHand: true, environment: {} });
  const left = teammate.run();
  const stop = async (): Promise<void> => {
    teammate.stop('signal');
    await left;
  };
  onTestFinished(stop);
  return stop;
}

const completed = (on: Team, id: string): Promise<void> =>
  on.until(`task #${id} is done`, (board) => board.tasks.get(id)?.status === 'completed');

describe('a teammate that is a model', () => {
  it('a model does its task with the tools of the team, and its report is the result', async () => {
    const server = await serve([
      { calls: [{ tool: 'SendMessage', input: { recipient: 'lead', content: 'Begun.' } }] },
      { text: 'Found three leaks.', usage: { input: 1_000, output: 100, cached: 400 } },
    ]);
    const on = await team({ members: [{ name: 'ada', agent: agentAt(server) }], tasks: [{ subject: 'Find leaks' }] });
    await atWork(on);
    await completed(on, '1');
    expect(on.task('1')).toMatchObject({ result: { summary: 'Found three leaks.' } });
    expect([...on.handle.inbox('lead')].map(({ content }) => content)).toContain('Begun.');
    expect(server.requests[0]).toMatchObject({ user: 'Find leaks' });
    expect(server.requests[0]?.system).toContain('You are ada, a teammate in the team "crew"');
    expect(server.requests[0]?.tools).toContain('TaskList');
    expect(server.requests[0]?.tools).not.toContain('TeamCreate');
  });

  it('the usage of each call is recorded', async () => {
    const server = await serve([{ text: 'Done.', usage: { input: 1_000, output: 100, cached: 400 } }]);
    const on = await team({ members: [{ name: 'ada', agent: agentAt(server) }], tasks: [{ subject: 'Work' }] });
    await atWork(on);
    await completed(on, '1');
    const used = { member: 'ada', task: '1', kind: 'anthropic', model: 'claude-sonnet-5-5' };
    expect(on.events('agent.spent')).toMatchObject([
      { ...used, input_tokens: 1_000, output_tokens: 100, cache_read_tokens: 400 },
    ]);
  });

  it('a model gets mail between two steps of one turn', async () => {
    const late: { on?: Team } = {};
    const server = await serve(async ({ results, messages }) => {
      if (messages.some(({ text }) => text.includes('Leave the API alone'))) return { text: 'Left it alone.' };
      if (results.length === 0) await late.on?.handle.send('ada', 'Leave the API alone.');
      return { calls: [{ tool: 'TaskList' }] };
    });
    const on = await team({
      members: [{ name: 'ada', agent: agentAt(server) }],
      tasks: [{ subject: 'Change things' }],
    });
    late.on = on;
    await atWork(on);
    await completed(on, '1');
    expect(on.task('1')).toMatchObject({ result: { summary: 'Left it alone.' } });
    expect(server.requests.at(-1)?.user).toMatch(/You have mail from your team[^]*from "lead"/);
  });

  it('a model continues its session in the next incarnation', async () => {
    const server = await serve([]);
    const members = [{ name: 'ada', agent: agentAt(server) }];
    const on = await team({ members, tasks: [{ subject: 'Remember apples' }] });
    const stop = await atWork(on);
    await completed(on, '1');
    await stop();
    await on.handle.board.add({ subject: 'What was it' });
    await atWork(on);
    await completed(on, '2');
    expect(server.requests.at(-1)?.messages.map(({ text }) => text)).toEqual([
      'Remember apples',
      'ok: Remember apples',
      'What was it',
    ]);
    expect(on.events('agent.session_began')).toHaveLength(2);
    expect(new Set(on.events('agent.session_began').map(({ text }) => text)).size).toBe(1);
  });

  it('a model pauses when its vendor refused another member of the team', async () => {
    const server = await serve([{ fail: { status: 429, retryAfter: 2 } }]);
    const one = agentAt(server);
    const members = [
      { name: 'ada', agent: one },
      { name: 'bob', agent: one },
    ];
    const on = await team({ members, tasks: [{ subject: 'First', owner: name('ada') }] });
    await atWork(on, 'ada');
    await on.until('it is refused', () => on.events('agent.delayed').length > 0);
    const before = server.requests.length;
    await on.handle.board.add({ subject: 'Second', owner: 'bob' });
    await atWork(on, 'bob');
    await on.until('bob waits', () => on.handle.store.roster.read(name('bob'))?.note?.state === 'rate-limited');
    expect(server.requests.length).toBe(before);
    await completed(on, '1');
    await completed(on, '2');
    const vendors = under(on.root, 'state', 'teams', 'vendors');
    const [file = ''] = readdirSync(vendors);
    expect(JSON.parse(readFileSync(under(vendors, file), 'utf8'))).toMatchObject({ refusals: 0, callers: {} });
  });

  it('a member releases its task if the vendor refuses for long, and no attempt is counted', async () => {
    const server = await serve([{ fail: { status: 429, retryAfter: 600 }, times: 'always' }]);
    const on = await team({ members: [{ name: 'ada', agent: agentAt(server) }], tasks: [{ subject: 'Work' }] });
    await atWork(on);
    await on.until('it is given back', () => on.events('agent.failed').length > 0 && on.task('1').status === 'pending');
    expect(on.task('1')).toMatchObject({ status: 'pending', attempts: 0 });
    expect(server.requests).toHaveLength(1);
  });

  it('a model that sees gets an image of the workspace', async () => {
    const server = await serve([
      { calls: [{ tool: 'read_file', input: { path: 'shot.png' } }] },
      { text: 'Seen: {result}' },
    ]);
    const agent = { ...agentAt(server), options: { images: true } };
    const on = await team({ members: [{ name: 'ada', agent }], tasks: [{ subject: 'Look' }] });
    const png = Buffer.from('\x89PNG\r\n\x1a\n and more', 'latin1');
    writeFileSync(under(on.root, 'shot.png'), png);
    await atWork(on);
    await completed(on, '1');
    expect(on.task('1')).toMatchObject({ result: { summary: expect.stringContaining('(image/png, 1 KB)') as string } });
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain(png.toString('base64'));
  });

  it("a model works on the team's files, as far as its sandbox allows", async () => {
    const server = await serve([
      { calls: [{ tool: 'write_file', input: { path: 'notes.txt', content: 'three leaks' } }] },
      { calls: [{ tool: 'read_file', input: { path: 'notes.txt' } }] },
      { text: 'Wrote {result}' },
    ]);
    const on = await team({ members: [{ name: 'ada', agent: agentAt(server) }], tasks: [{ subject: 'Take notes' }] });
    await atWork(on);
    await completed(on, '1');
    expect(readFileSync(under(on.root, 'notes.txt'), 'utf8')).toBe('three leaks');
    expect(on.task('1')).toMatchObject({ result: { summary: expect.stringContaining('three leaks') as string } });
  });

  it('a model of a read-only member gets no tool that writes', async () => {
    const server = await serve([]);
    const members = [{ name: 'ada', agent: agentAt(server), sandbox: 'read-only' as const }];
    const on = await team({ members, tasks: [{ subject: 'Look' }] });
    await atWork(on);
    await completed(on, '1');
    expect(server.requests[0]?.tools).toContain('read_file');
    expect(server.requests[0]?.tools).not.toContain('write_file');
  });

  it('a model works in its own process, led by a lead', async () => {
    const server = await serve([{ calls: [{ tool: 'TaskGet', input: { taskId: '1' } }] }, { text: 'Saw {result}' }]);
    const on = await team({ members: [{ name: 'ada', agent: agentAt(server) }], tasks: [{ subject: 'Look around' }] });
    expect(await run(on)).toBe('finished');
    expect(on.task('1')).toMatchObject({
      status: 'completed',
      result: { summary: expect.stringContaining('Look around') as string },
    });
  });
});

describe('an idle teammate', () => {
  it('ten idle teammates make no model call in an hour of mail that needs no model; twenty messages in one window are one turn', async () => {
    const server = await serve([]);
    const clock = new FakeClock();
    const members = Array.from({ length: 10 }, (_, at) => ({ name: `worker-${at + 1}`, agent: agentAt(server) }));
    const on = await team({ members });
    for (const { name: member } of members) await atWork(on, member, clock);
    let answered = 0;
    // Answers of their processes show that each has looked since.
    const everybodyLooks = async (): Promise<void> => {
      answered += members.length;
      for (const { name: member } of members) await on.handle.send(member, 'STATUS CHECK.', { kind: 'status_check' });
      const answers = (): number => [...on.handle.inbox('lead')].filter(({ kind }) => kind === 'status').length;
      await on.until('everybody answers', () => answers() === answered);
    };
    for (let minutes = 0; minutes < 60; minutes += 30) {
      clock.advance(30 * 60_000);
      await everybodyLooks();
    }
    expect(server.requests).toHaveLength(0);
    const texts = Array.from({ length: 20 }, (_, at) => `Note number ${at + 1} of twenty.`);
    await Promise.all(texts.map((text) => on.handle.send('worker-7', text)));
    await on.until('it has thought about them', () => on.events('agent.spent').length > 0);
    await everybodyLooks();
    expect(server.requests).toHaveLength(1);
    expect(texts.filter((text) => server.requests[0]?.user.includes(text) !== true)).toEqual([]);
  });
});
