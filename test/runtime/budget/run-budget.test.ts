/** Runs with a budget: real teammates, a model server that bills, members and leads that are killed. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { AgentSpec } from '../../../src/model/agent/agent.ts';
import { configSchema } from '../../../src/model/config/config.ts';
import type { BudgetLimits } from '../../../src/model/team/budget.ts';
import { setLimits } from '../../../src/runtime/budget/limits.ts';
import { runTeam } from '../../../src/runtime/runs/run.ts';
import { sessionOptions } from '../../../src/runtime/runs/session-options.ts';
import type { SessionOptions } from '../../../src/runtime/runs/session.ts';
import type { Script } from '../../fixtures/model-server/script.ts';
import { ModelServer } from '../../fixtures/model-server/server.ts';
import { allowLeft } from '../../support/leftovers.ts';
import { team, type Team } from '../../support/session.ts';

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

const options = (limits: BudgetLimits): SessionOptions => ({
  ...sessionOptions(configSchema.parse({})),
  budget: [{ how: 'set', limits }],
});
const account = ({ handle }: Team) => handle.store.ledger.look();
/** What the server billed, by what it was asked: the usage of its script, within the most that was asked for. */
const usdOf = (calls: number, { input, output }: { input: number; output: number }): number =>
  (calls * (input * 2 + output * 10)) / 1e6;

describe('the budget of a team', () => {
  const usage = { input: 4_000, output: 400 };

  it('members share it to the last call, and none is made that could cost more', async () => {
    const server = await serve([{ text: 'Done.', times: 'always', usage }]);
    const members = ['ada', 'bob', 'cyd'].map((name) => ({ name, agent: agentAt(server) }));
    const tasks = Array.from({ length: 60 }, (_, at) => ({ subject: `Task ${at}` }));
    const on = await team({ members, tasks });
    const report = await runTeam(on.paths, undefined, options({ team: { cost: 0.2 } }));
    expect(report).toMatchObject({ outcome: 'interrupted', exitCode: 1 });
    const billed = usdOf(server.requests.length, usage);
    expect(billed).toBeLessThanOrEqual(0.2);
    expect(account(on)?.spent.get('team')?.cost).toBeCloseTo(billed, 9);
    expect(account(on)?.all).toEqual([]);
    expect(JSON.stringify(report.notes)).toContain('The budget is used up');
    // The last calls were allowed a short answer only.
    const asked = server.requests.map(({ body }) => Number(body['max_tokens']));
    expect(Math.min(...asked)).toBeLessThan(32_000);
    expect(on.events('budget.low')).toHaveLength(1);
  });

  it('a higher limit lets an interrupted run go on', async () => {
    const server = await serve([{ text: 'Done.', times: 'always', usage }]);
    const on = await team({ members: [{ name: 'ada', agent: agentAt(server) }], tasks: [{ subject: 'Work' }] });
    const first = await runTeam(on.paths, undefined, options({ team: { tokens: 1_000 } }));
    expect(first).toMatchObject({ outcome: 'interrupted', exitCode: 1 });
    expect(server.requests).toEqual([]);
    expect(JSON.stringify(first.notes)).toMatch(/0 tokens are used of the 1,000 tokens of the team, and/);
    // Its turn was ended with the run: it waits no more.
    expect(account(on)?.waiting.size).toBe(0);
    const second = await runTeam(on.paths, undefined, options({ team: { tokens: 100_000 } }));
    expect(second).toMatchObject({ outcome: 'succeeded', exitCode: 0 });
    expect(account(on)?.spent.get('team')).toMatchObject({ tokens: 4_400, turns: expect.any(Number) as number });
  });

  it('a limit of a member holds for it alone, and another member goes on', async () => {
    const server = await serve([{ text: 'Done.', times: 'always', usage }]);
    const members = ['ada', 'bob'].map((name) => ({ name, agent: agentAt(server) }));
    const tasks = [
      { subject: 'Hers', owner: 'ada' },
      { subject: 'His', owner: 'bob' },
    ];
    const on = await team({ members, tasks });
    const report = await runTeam(on.paths, undefined, options({ 'member.ada': { turns: 0 } }));
    expect(on.task('2').status).toBe('completed');
    expect(report).toMatchObject({ outcome: 'interrupted', exitCode: 1 });
    expect(JSON.stringify(report.notes)).toContain('of member ada');
  });

  it('a member that waits for what another holds ends with it, when that one can never go on', async () => {
    const server = await serve([{ text: 'Done.', times: 'always', usage }]);
    const members = ['ada', 'bob'].map((name) => ({ name, agent: agentAt(server) }));
    const tasks = [
      { subject: 'Hers', owner: 'ada' },
      { subject: 'His', owner: 'bob' },
    ];
    const on = await team({ members, tasks });
    // One turn at a time, and no call fits: whoever has the turn never gives it back.
    const report = await runTeam(on.paths, undefined, options({ team: { turns: 1, tokens: 1_000 } }));
    expect(report).toMatchObject({ outcome: 'interrupted', exitCode: 1 });
    expect(JSON.stringify(report.notes)).toContain('1,000 tokens of the team');
    expect(server.requests).toEqual([]);
  });

  it('a turn that has used its time ends, and is no failed attempt', async () => {
    const on = await team({ members: ['ada'], tasks: [{ subject: 'Sleep', work: { run: 'sleep 30' } }] });
    const report = await runTeam(on.paths, undefined, options({ 'task.1': { time: 300 } }));
    expect(report).toMatchObject({ outcome: 'interrupted', exitCode: 1 });
    expect(on.task('1')).toMatchObject({ status: 'pending', attempts: 0 });
    expect(JSON.stringify(on.events('budget.reached'))).toContain('it has used the time that its budget allows');
  });

  it('what a killed member had reserved counts, and the run goes on with the rest', async () => {
    allowLeft();
    const server = await serve([{ hangs: 'midway' }, { text: 'Done.', times: 'always', usage }]);
    const on = await team({ members: [{ name: 'ada', agent: agentAt(server) }], tasks: [{ subject: 'Work' }] });
    const led = runTeam(on.paths, undefined, options({ team: { cost: 5 } }));
    await vi.waitUntil(() => server.requests.length === 1, { timeout: 30_000 });
    const reserved = account(on)?.reserved('team', 'cost') ?? 0;
    process.kill(on.pid('ada'), 'SIGKILL');
    expect(await led).toMatchObject({ outcome: 'succeeded' });
    expect(account(on)?.spent.get('team')?.cost).toBeCloseTo(reserved + usdOf(1, usage), 9);
    expect(on.events('budget.settled')).toMatchObject([{ member: 'ada' }, { member: 'ada' }]);
  });

  it('a call that the vendor refused costs nothing', async () => {
    const server = await serve([{ fail: 529 }, { text: 'Done.', times: 'always', usage }]);
    const on = await team({ members: [{ name: 'ada', agent: agentAt(server) }], tasks: [{ subject: 'Work' }] });
    expect(await runTeam(on.paths, undefined, options({ team: { cost: 5 } }))).toMatchObject({ outcome: 'succeeded' });
    expect(account(on)?.spent.get('team')?.cost).toBeCloseTo(usdOf(1, usage), 9);
  });

  it('an answer that breaks off counts as reserved, since nobody told what it used', async () => {
    const server = await serve([
      { text: 'Half', cut: true },
      { text: 'Done.', times: 'always', usage },
    ]);
    const on = await team({ members: [{ name: 'ada', agent: agentAt(server) }], tasks: [{ subject: 'Work' }] });
    expect(await runTeam(on.paths, undefined, options({ team: { cost: 5 } }))).toMatchObject({ outcome: 'succeeded' });
    expect(account(on)?.spent.get('team')?.cost).toBeGreaterThan(0.3);
  });

  it('what was used before the first limit counts', async () => {
    const server = await serve([{ text: 'Done.', times: 'always', usage }]);
    const on = await team({ members: [{ name: 'ada', agent: agentAt(server) }], tasks: [{ subject: 'Work' }] });
    await runTeam(on.paths, undefined, options({}));
    expect(account(on)).toBeUndefined();
    await setLimits(on.handle.store, [{ how: 'set', limits: { team: { cost: 1 } } }]);
    expect(account(on)?.spent.get('team')).toMatchObject({ cost: usdOf(1, usage), tokens: 4_400 });
    expect(account(on)?.spent.get('task.1')).toMatchObject({ tokens: 4_400 });
  });

  it('a damaged ledger ends the run, and nothing more is asked', async () => {
    const server = await serve([{ text: 'Done.', times: 'always', usage }]);
    const on = await team({ members: [{ name: 'ada', agent: agentAt(server) }], tasks: [{ subject: 'Work' }] });
    await setLimits(on.handle.store, [{ how: 'set', limits: { team: { cost: 1 } } }]);
    await setLimits(on.handle.store, [{ how: 'set', limits: { team: { cost: 2 } } }]);
    const { readFileSync, writeFileSync } = await import('node:fs');
    writeFileSync(on.paths.ledger, readFileSync(on.paths.ledger, 'utf8').replace('"cost":1', '"cost":9'));
    await expect(runTeam(on.paths, undefined, options({}))).rejects.toMatchObject({ code: 'CORRUPT', exitCode: 4 });
    expect(server.requests).toEqual([]);
  });
});
