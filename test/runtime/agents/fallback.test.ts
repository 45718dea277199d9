/**
 * Fallback from one agent to another (docs/specification.md R7.8), in this process and under a lead. The rules are a
 * table in test/policy/supervise/fallback.test.ts.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AgentSpec } from '../../../src/model/agent/agent.ts';
import { configSchema } from '../../../src/model/config/config.ts';
import { agentRulesSchema, TIER_MODELS } from '../../../src/model/agent/models.ts';
import { join } from '../../../src/runtime/teammate/join.ts';
import { runTeam } from '../../../src/runtime/runs/run.ts';
import { encodeAgentRules } from '../../../src/runtime/team/teammate-env.ts';
import type { Step } from '../../fixtures/model-server/script.ts';
import { ModelServer } from '../../fixtures/model-server/server.ts';
import { reopened, team, type Team } from '../../support/session.ts';
import { name } from '../../support/team.ts';
import { sessionOptions } from '../../../src/runtime/runs/session-options.ts';

interface Two {
  readonly server: ModelServer;
  readonly own: AgentSpec;
  readonly other: AgentSpec;
}

/** A server on which one model plays the given step, and another one answers. */
async function two(step: Step): Promise<Two> {
  const script = [
    { ...step, when: { model: 'first' } },
    { when: { model: 'second' }, text: 'Done.', times: 'always' as const },
  ];
  const server = await ModelServer.start({ script });
  onTestFinished(() => server.close());
  const at = { baseUrl: server.url, env: { ANTHROPIC_API_KEY: 'none', OPENAI_API_KEY: 'none' } };
  const other: AgentSpec = { ...at, kind: 'openai', model: 'second', baseUrl: `${server.url}/v1` };
  return { server, own: { ...at, kind: 'anthropic', model: 'first' }, other };
}

const standIns = (...fallback: AgentSpec[]): Record<string, string> =>
  encodeAgentRules({ fallback, models: {}, defaultModel: 'sonnet' });

async function atWork(on: Team, member: string, environment: Record<string, string>): Promise<void> {
  const teammate = await join(reopened(on.paths), name(member), { byHand: true, environment });
  const left = teammate.run();
  onTestFinished(async () => {
    teammate.stop('signal');
    await left;
  });
}

const completed = (on: Team, ...ids: string[]): Promise<void> =>
  on.until(`${ids.join()} done`, (board) => ids.every((id) => board.tasks.get(id)?.status === 'completed'));
const asked = ({ server }: Two, model: string): number => server.requests.filter((one) => one.model === model).length;

describe('a member whose agent fails', () => {
  it('a member whose agent is refused goes on with another for the whole run, and no other member tries the refused one again', async () => {
    const both = await two({ fail: 401, times: 'always' });
    const members = ['ada', 'bob'].map((one) => ({ name: one, agent: both.own }));
    const tasks = [
      { subject: 'First', owner: name('ada') },
      { subject: 'Second', owner: name('ada') },
    ];
    const on = await team({ members, tasks });
    await atWork(on, 'ada', standIns({ ...both.own }, both.other));
    await completed(on, '1', '2');
    await on.handle.board.add({ subject: 'Third', owner: 'bob' });
    await atWork(on, 'bob', standIns(both.other));
    await completed(on, '3');
    expect(asked(both, 'first')).toBe(1);
    expect(on.task('1')).toMatchObject({ attempts: 0 });
    const fell = { type: 'agent.fell_back', fault: 'unauthorised', scope: 'run' };
    const text = expect.stringMatching(/^anthropic → openai for the whole run: unauthorised: /) as string;
    expect(on.events('agent.fell_back')).toMatchObject([
      { ...fell, member: 'ada', task: '1', text },
      { ...fell, member: 'bob', task: '3', text },
    ]);
  });

  it.each(['{', '', 'null', '{"version":99}'])(
    'what another program writes to vendors.json (%j) ends no member, and is replaced when an agent fails',
    async (text) => {
      const both = await two({ fail: 401, times: 'always' });
      const tasks = [{ subject: 'First', owner: name('ada') }];
      const on = await team({ members: [{ name: 'ada', agent: both.own }], tasks });
      writeFileSync(on.paths.vendors, text);
      await atWork(on, 'ada', standIns(both.other));
      await completed(on, '1');
      expect(readFileSync(on.paths.vendors, 'utf8')).toContain('"unauthorised"');
    },
  );

  it('a member gives one task to another agent if its own makes nothing of it, and does the next with its own', async () => {
    const both = await two({ garbage: true, times: 2 });
    const on = await team({
      members: [{ name: 'ada', agent: both.own }],
      tasks: [{ subject: 'First' }, { subject: 'Second' }],
    });
    await atWork(on, 'ada', standIns(both.other));
    await completed(on, '1', '2');
    expect([asked(both, 'first'), asked(both, 'second')]).toEqual([3, 1]);
    expect(on.events('agent.fell_back')).toMatchObject([{ task: '1', fault: 'bad_output', scope: 'task' }]);
    expect(on.task('1')).toMatchObject({ attempts: 0 });
  });

  it('a member fails a task that no agent can do, and names the agents that could not replace its own', async () => {
    const both = await two({ garbage: true, times: 'always' });
    const on = await team({ members: [{ name: 'ada', agent: both.own }], tasks: [{ subject: 'Work' }] });
    await atWork(on, 'ada', standIns({ kind: 'claude', command: ['/no/such/claude'] }));
    await on.until('it failed', (board) => board.tasks.get('1')?.status === 'failed');
    expect(on.task('1')).toMatchObject({
      reason: expect.stringMatching(/No agent can replace anthropic \(claude: /) as string,
    });
  });

  it('a member ends its run at once if no agent can work for it, and is not started again', async () => {
    const both = await two({ fail: 401, times: 'always' });
    const on = await team({ members: [{ name: 'ada', agent: both.own }], tasks: [{ subject: 'Work' }] });
    const options = sessionOptions(configSchema.parse({ fallback: [] }));
    const report = await runTeam(on.paths, undefined, options);
    expect(report).toMatchObject({ exitCode: 1, tasks: [{ status: 'pending' }] });
    expect(on.events('agent.no_fallback')).toMatchObject([{ member: 'ada', fault: 'unauthorised' }]);
    const acts = on.events('lead.decided').map(({ act }) => act);
    expect(acts).toContain('abandon');
    expect(acts).not.toContain('restart');
    expect(asked(both, 'first')).toBe(1);
  });
});

it("a member uses the model of a task's tier for that task only", async () => {
  const server = await ModelServer.start({ script: [{ text: 'Done.', times: 'always' }] });
  onTestFinished(() => server.close());
  const agent: AgentSpec = { kind: 'anthropic', baseUrl: server.url, env: { ANTHROPIC_API_KEY: 'none' } };
  const tasks = [
    { subject: 'Hard', metadata: { tier: 'opus' } },
    { subject: 'Plain' },
    { subject: 'Easy', metadata: { tier: 'haiku' } },
  ];
  const on = await team({ members: [{ name: 'ada', agent }], tasks });
  const rules = { fallback: [], models: { anthropic: { opus: 'strong', sonnet: 'usual' } }, defaultModel: 'sonnet' };
  await atWork(on, 'ada', encodeAgentRules(agentRulesSchema.parse(rules)));
  await completed(on, '1', '2', '3');
  expect(server.requests.map(({ model }) => model)).toEqual(['strong', 'usual', TIER_MODELS.anthropic?.haiku]);
});
