/** A program for all turns: the result of a turn, and the end of all that it started, for each way to fail. */
import { lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { acp } from '../../../src/agents/programs/acp.ts';
import type { Agent, CallAnswer, AgentContext, TurnInput } from '../../../src/agents/agent-contract.ts';
import { claude } from '../../../src/agents/programs/claude.ts';
import { codex } from '../../../src/agents/programs/codex.ts';
import type { PersistentLimits } from '../../../src/agents/programs/persistent-agent.ts';
import type { AgentSpec } from '../../../src/model/agent/agent.ts';
import { defined } from '../../../src/model/text/defined.ts';
import { ModelServer } from '../../fixtures/model-server/server.ts';
import type { Script } from '../../fixtures/model-server/script.ts';
import { running } from '../../support/processes.ts';
import { tempDir } from '../../support/temp.ts';
import { like } from '../like.ts';
import { play, turnInput, type Played } from '../turns.ts';

const FACTORIES = { claude, codex, acp };
type Kind = keyof typeof FACTORIES;
const KINDS = ['claude', 'codex', 'acp'] as const;

interface Stage {
  readonly agent: Agent;
  readonly server: ModelServer;
  readonly cwd: string;
  readonly home: string;
  readonly turn: (prompt: string, over?: Partial<TurnInput>, answer?: CallAnswer) => Promise<Played>;
  readonly input: (over: Partial<TurnInput>) => TurnInput;
}

interface Options {
  readonly misbehaves?: string;
  readonly script?: Script;
  readonly limits?: Partial<PersistentLimits>;
  readonly seat?: AgentContext;
  readonly spec?: Partial<AgentSpec>;
  /** Where its sessions lie. */
  readonly home?: string;
}

async function stage(
  kind: Kind,
  { misbehaves, script = [], limits, seat: agentContext = {}, spec = {}, home = tempDir() }: Options = {},
): Promise<Stage> {
  const server = await ModelServer.start({ script });
  onTestFinished(() => server.close());
  const cwd = tempDir();
  const baseUrl = kind === 'codex' ? `${server.url}/v1` : server.url;
  const agent = FACTORIES[kind]({ kind, command: like(kind), baseUrl, ...spec }, { home, ...agentContext }, limits);
  onTestFinished(() => agent.close());
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: cwd,
    LIKE_URL: server.url,
    LIKE_HOME: home,
    ...defined({ MISBEHAVES: misbehaves }),
  };
  const input = (over: Partial<TurnInput>): TurnInput => turnInput(cwd, { env, ...over });
  const turn: Stage['turn'] = (prompt, over, answer) => play(agent.turn(input({ prompt, ...over })), undefined, answer);
  return { agent, server, cwd, home, turn, input };
}

const inDirectory = (cwd: string): string[] =>
  running()
    .filter((one) => one.cwd === cwd)
    .map(({ command }) => command);
const pidOf = ({ events }: Played): number | undefined => events.find((event) => event.type === 'started')?.pid;

describe('a program that speaks ACP', () => {
  const session = ({ events }: Played): string => {
    const begun = events.find((event) => event.type === 'session');
    if (begun === undefined) throw new Error('no session began');
    return begun.id;
  };

  it.each(['early replay', 'late replay'])(
    'what it repeats of an old session is never the answer (%s)',
    async (misbehaves) => {
      const home = tempDir();
      const first = await stage('acp', { home });
      const id = session(await first.turn('First.'));
      await first.agent.close();
      const second = await stage('acp', { misbehaves, home, seat: { session: id } });
      const played = await second.turn('Second.');
      expect(played.end).toMatchObject({ kind: 'answered', text: 'ok: Second.' });
      expect(JSON.stringify(played.events)).not.toContain('OLD');
    },
  );

  it('its price is that of the turn, and tokens that it does not tell are unknown', async () => {
    const priced = await stage('acp', { misbehaves: 'tells cost' });
    const used = ({ events }: Played) => events.flatMap((event) => (event.type === 'usage' ? [event.usage] : []));
    expect(used(await priced.turn('First.'))).toMatchObject([{ costUsd: 0.25 }]);
    expect(used(await priced.turn('Second.'))).toMatchObject([{ costUsd: 0.25 }]);
    const silent = await stage('acp', { misbehaves: 'tells no usage' });
    expect(used(await silent.turn('First.'))).toEqual([{ inputTokens: -1, outputTokens: -1 }]);
  });
});

describe.each(KINDS)('a program like %s', (kind) => {
  it.each([
    ['garbage', 'bad_output', /did not speak its protocol/],
    ['flood', 'bad_output', /printed without end|did not speak its protocol/],
    ['endless line', 'bad_output', /printed without end/],
    ['half a line', 'bad_output', /exit code 0, before it gave a result|did not speak its protocol/],
    ['exit 0', 'bad_output', /exit code 0, before it gave a result/],
    ['exit 7', 'crashed', /exit 7: the reason/],
    ['crash', 'crashed', /ended by SIGKILL/],
    ['login', 'unauthorised', /Not logged in/],
  ])('a program that ends in %s fails the turn as %s', async (misbehaves, why, message) => {
    const { turn } = await stage(kind, { misbehaves, limits: { noiseBytes: 100_000 } });
    const { end } = await turn('Work.');
    expect(end).toMatchObject({
      kind: 'failed',
      why: expect.stringMatching(why) as string,
      message: expect.stringMatching(message) as string,
    });
  });

  it('a program may print lines outside of its protocol', async () => {
    const { turn } = await stage(kind, { misbehaves: 'noise' });
    const { end, output } = await turn('Work.');
    expect(end).toMatchObject({ kind: 'answered', text: 'ok: Work.' });
    expect(output).toContain('a banner that is no JSON');
  });

  it('a program is started once for all turns, and again after it has died', async () => {
    const { turn, server } = await stage(kind);
    const first = await turn('The word is apple.');
    expect(pidOf(await turn('Again.'))).toBeUndefined();
    process.kill(pidOf(first) ?? 0, 'SIGKILL');
    const after = await turn('Which word?');
    expect(after.end).toMatchObject({ kind: 'answered', text: 'ok: Which word?' });
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('The word is apple.');
  });

  it('a program that ignores interrupt and signals is killed with all that it started', async () => {
    const limits = { interruptMs: 50, graceMs: 50 };
    const { turn, server, cwd } = await stage(kind, { misbehaves: 'deaf', script: [{ hangs: 'before' }], limits });
    const abort = new AbortController();
    void server.request(1).then(() => abort.abort());
    expect((await turn('Work.', { signal: abort.signal })).end).toEqual({ kind: 'aborted' });
    expect(inDirectory(cwd)).toEqual([]);
  });

  it('a closed program leaves no process, not even in another session', async () => {
    const { turn, agent, cwd } = await stage(kind, { misbehaves: 'stray' });
    await turn('Work.');
    expect(inDirectory(cwd)).toContainEqual('sleep 3600');
    await agent.close();
    expect(inDirectory(cwd)).toEqual([]);
  });

  it('a killed program leaves no process', async () => {
    const bash = { calls: [{ tool: 'Bash', input: { command: 'true' } }] };
    const script: Script = [{ text: 'fine' }, bash, { hangs: 'before' }];
    const { turn, cwd, server } = await stage(kind, { misbehaves: 'stray', script });
    const pid = pidOf(await turn('Work.')) ?? 0;
    const hanging = turn('Hang.', {}, { ok: true, text: '' });
    await server.request(3);
    process.kill(pid, 'SIGKILL');
    expect((await hanging).end).toMatchObject({ kind: 'failed', why: 'crashed' });
    expect(inDirectory(cwd)).toEqual([]);
  });

  it('a turn without its program says so', async () => {
    const { turn } = await stage(kind, { spec: { command: ['no-such-program'] } });
    expect((await turn('Work.')).end).toMatchObject({ kind: 'failed', why: 'not_installed' });
  });

  it('a program asks before it writes, and follows the answer', async () => {
    const write = { calls: [{ tool: 'Write', input: { file_path: 'made', content: 'x' } }] };
    // A program whose protocol has no place for a reason hears it by another prompt.
    const script: Script = ({ results, user }) =>
      results.length === 0 && !user.includes('It is read-only.') ? write : { text: 'done' };
    const { turn, server, cwd } = await stage(kind, { script });
    const { events } = await turn('Write.', {}, { ok: false, why: 'It is read-only.' });
    expect(events.find((event) => event.type === 'asked')).toMatchObject({ effect: 'writes' });
    expect(server.requests.at(-1)?.results.join()).not.toContain('written');
    await turn('Write.', {}, { ok: true, text: '' });
    expect(readFileSync(join(cwd, 'made'), 'utf8')).toBe('x');
  });

  it('a program that is aborted while it asks is ended too', async () => {
    const { agent, input, cwd } = await stage(kind, { script: [{ hangs: 'before', times: 'always' }] });
    const turn = agent.turn(input({ prompt: 'Work.' }));
    expect((await turn.next()).value).toMatchObject({ type: 'started' });
    await turn.return({ kind: 'aborted' });
    expect(inDirectory(cwd)).toEqual([]);
  });

  it('silence while a tool of the program runs is no stall', async () => {
    const { turn } = await stage(kind, {
      script: [{ calls: [{ tool: 'Bash', input: { command: 'sleep 1.2' } }] }, { text: 'fine' }],
    });
    const { end } = await turn('Wait.', { stallMs: 1_000 }, { ok: true, text: '' });
    expect(end).toMatchObject({ kind: 'answered', text: 'fine' });
  });

  it('a program knows its member from the first turn on', async () => {
    const { turn, server } = await stage(kind, { seat: { identity: 'You are ada of team crew.' } });
    await turn('Work.');
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('You are ada of team crew.');
  });

  it('a program is restarted, and continues its session, when a turn needs another environment', async () => {
    const { turn, server, input } = await stage(kind);
    await turn('The word is apple.');
    const env = { ...input({}).env, EXTRA: '1', TEAMS_TASK_ID: '7' };
    expect(pidOf(await turn('Which word?', { env }))).toBeTypeOf('number');
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('The word is apple.');
    expect(pidOf(await turn('Again.', { env: { ...env, TEAMS_TASK_ID: '8' } }))).toBeUndefined();
  });
});

describe('a home', () => {
  it.each([
    ['claude', '.claude', '.credentials.json', 'claude/.credentials.json'],
    ['codex', '.codex', 'auth.json', 'codex/auth.json'],
  ] as const)('the home of %s has the user’s login by reference', async (kind, folder, file, where) => {
    const { turn, cwd, home } = await stage(kind);
    mkdirSync(join(cwd, folder));
    writeFileSync(join(cwd, folder, file), '{}');
    await turn('Work.');
    expect(lstatSync(join(home, where)).isSymbolicLink()).toBe(true);
    writeFileSync(join(cwd, folder, file), '{"renewed":true}');
    expect(readFileSync(join(home, where), 'utf8')).toBe('{"renewed":true}');
  });
});
