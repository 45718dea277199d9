/** What subagents of model APIs may use: each of their calls is reserved, and waits for the vendor that all teams share. */
import { expect, it, onTestFinished } from 'vitest';
import type { AgentSpec } from '../../../src/model/agent/agent.ts';
import type { BudgetLimits } from '../../../src/model/team/budget.ts';
import { realClock } from '../../../src/os/system-clock.ts';
import { credentialOf } from '../../../src/policy/vendor.ts';
import { ownSpender } from '../../../src/runtime/budget/own-ledger.ts';
import { VendorPace } from '../../../src/runtime/process/vendor-pace.ts';
import { Subagents, type SubagentTask } from '../../../src/runtime/tools/subagents.ts';
import { ModelServer } from '../../fixtures/model-server/server.ts';
import type { Script } from '../../fixtures/model-server/script.ts';
import { tempDir } from '../../support/temp.ts';

const never = new AbortController().signal;
const usage = { input: 4_000, output: 400 };

async function place(script: Script, limits: BudgetLimits) {
  const server = await ModelServer.start({ script });
  const spender = await ownSpender({ budget: [{ how: 'set', limits }], store: { clock: realClock } });
  const spec: AgentSpec = { kind: 'anthropic', model: 'claude-sonnet-5-5', baseUrl: server.url };
  const lines: string[] = [];
  const spent: unknown[] = [];
  const subagents = new Subagents({
    surroundings: { setting: 'auto', environment: process.env, team: () => [], onNotEnforced: () => {} },
    spender: () => spender,
    onSpent: (event) => spent.push(event),
  });
  onTestFinished(async () => {
    await subagents.close();
    await server.close();
  });
  const task: SubagentTask = {
    about: 'a test',
    spec,
    prompt: 'say it',
    cwd: tempDir(),
    sandbox: 'full',
    timeoutMs: 30_000,
    env: { PATH: process.env['PATH'] ?? '', ANTHROPIC_API_KEY: 'none' },
  };
  const run = () => subagents.run(task, never, (line) => lines.push(line));
  return { server, spender, spec, task, run, lines, spent };
}

it('share a budget to the last call, within a turn, too, and none is made that could cost more', async () => {
  const again = { calls: [{ tool: 'Bash', input: { command: 'true' } }], usage, times: 'always' } as const;
  const { server, spender, run, spent } = await place([again], { team: { cost: 0.1 } });
  const ends = await Promise.all([run(), run(), run()]);
  for (const end of ends) expect(end).toMatchObject({ kind: 'failed', why: 'refused' });
  expect(JSON.stringify(ends)).toContain('Its budget: ');
  const billed = (server.requests.length * (usage.input * 2 + usage.output * 10)) / 1e6;
  expect(server.requests.length).toBeGreaterThan(3);
  expect(billed).toBeLessThanOrEqual(0.1);
  expect(spender.store.ledger.look()?.spent.get('team')?.cost).toBeCloseTo(billed, 9);
  expect(spender.store.ledger.look()?.all).toEqual([]);
  expect(spent).toHaveLength(server.requests.length);
});

it('wait for a vendor that asked another team for a pause', async () => {
  const { server, spec, task, run, lines } = await place([{ text: 'Done.', usage }], {});
  const other = new VendorPace({ clock: realClock, folder: tempDir() }, credentialOf(spec, task.env) ?? '', 'ada');
  await other.begin();
  const pause = await other.refused(1_500);
  const since = performance.now();
  expect(await run()).toMatchObject({ kind: 'answered', text: 'Done.' });
  expect(performance.now() - since).toBeGreaterThanOrEqual(pause - 100);
  expect(lines.join('\n')).toContain('It waits: its vendor asked for a pause.');
  expect(server.requests).toHaveLength(1);
  // It gave its place back.
  expect(await other.begin()).toBe(0);
});
