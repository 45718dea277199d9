/** Planning by a model: what it is shown, and how its report and its mistakes are used. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AgentSpec } from '../../../../src/model/agent/agent.ts';
import { configSchema } from '../../../../src/model/config/config.ts';
import { divideTask } from '../../../../src/runtime/runs/plan/planning.ts';
import { projectFiles } from '../../../../src/runtime/agents/project-files.ts';
import { planInText } from '../../../../src/runtime/runs/plan/plan-source.ts';
import { makeGeneratedTeam } from '../../../../src/runtime/runs/task-run.ts';
import type { Script } from '../../../fixtures/model-server/script.ts';
import { ModelServer } from '../../../fixtures/model-server/server.ts';
import { spendingEvent } from '../../../../src/model/team/spending-sum.ts';
import { runTeam } from '../../../../src/runtime/runs/run.ts';
import { sessionOptions } from '../../../../src/runtime/runs/session-options.ts';
import type { SessionOptions } from '../../../../src/runtime/runs/session.ts';
import { openHandle } from '../../../../src/runtime/team/team-handle.ts';
import { reportOf } from '../../../../src/runtime/views/report.ts';
import { openForReading } from '../../../../src/store/team/team-reader.ts';
import { realClock } from '../../../support/clock.ts';
import { tempDir } from '../../../support/temp.ts';

const PLAN = JSON.stringify({
  subtasks: [{ subject: 'Fix a', description: 'It.', acceptance: ['works'], files: ['src/a.ts'] }],
});
const REPORT = { files: ['src/a.ts'], modules: ['src: all of it'], shared: ['Makefile'], tests: [] };

async function serve(script: Script): Promise<{ server: ModelServer; agent: AgentSpec }> {
  const server = await ModelServer.start({ script });
  onTestFinished(() => server.close());
  const agent: AgentSpec = { kind: 'anthropic', baseUrl: server.url, env: { ANTHROPIC_API_KEY: 'none' }, tier: 'opus' };
  return { server, agent };
}

function project(): string {
  const cwd = tempDir();
  for (const folder of ['src', 'node_modules/x']) mkdirSync(join(cwd, folder), { recursive: true });
  for (const file of ['src/a.ts', 'src/b.log', 'package.json', 'node_modules/x/y.js'])
    writeFileSync(join(cwd, file), '');
  return cwd;
}

async function planned(agent: AgentSpec, cwd = project()) {
  const said: string[] = [];
  const planner = { label: 'model', agent };
  const staffing = {
    spec: { kind: 'open' as const },
    roles: new Map(),
    usual: planner,
    available: new Map(),
    config: configSchema.parse({}),
  };
  const ask = { task: 'mend it', planner, staffing, timeoutMs: 30_000, say: (text: string) => void said.push(text) };
  const place = { cwd, environment: process.env, envPass: [], isolation: 'auto' as const, onNotEnforced: () => {} };
  return { division: await divideTask(ask, place, new AbortController().signal), said };
}

describe('planning by a model', () => {
  it('planning explores with the small tier first, and plans with the result', async () => {
    const { server, agent } = await serve([
      { when: 'You explore a project', text: `Here it is:\n\`\`\`json\n${JSON.stringify(REPORT)}\n\`\`\`` },
      { when: 'You plan the work', text: PLAN },
    ]);
    const { division } = await planned(agent);
    expect(division?.tasks.map(({ files }) => files)).toEqual([['src/a.ts']]);
    const [explored, plan] = server.requests;
    expect([explored?.model, plan?.model]).toEqual(['claude-haiku-5-5', 'claude-opus-5-5']);
    expect(plan?.user).toContain('Modules:\n  src: all of it\n');
    expect(plan?.user).toContain('  package.json\n  Makefile\n');
    expect(plan?.tools).not.toContain('write_file');
  });

  it('planning uses the file names if the explorer returns nothing useful', async () => {
    const { server, agent } = await serve([
      { when: 'You explore a project', text: 'A fine project.' },
      { when: 'You plan the work', text: PLAN },
    ]);
    const { said } = await planned(agent);
    expect(said).toContain('The explorer gave no report; the file names are used instead.');
    expect(server.requests.at(-1)?.user).toContain('Modules:\n  src/ (2 files)\n');
  });

  it('a failed planner gives its reason', async () => {
    const { agent } = await serve([{ fail: 401, times: 'always' }]);
    await expect(planned(agent)).rejects.toMatchObject({ code: 'AGENT_UNAUTHORISED' });
  });
});

describe('the files of a project', () => {
  const files = async (cwd: string) => (await projectFiles(cwd, new AbortController().signal)).files;

  it('the files of a project are those that git does not ignore, otherwise those of a directory walk', async () => {
    const cwd = project();
    expect(await files(cwd)).toEqual(['package.json', 'src/a.ts', 'src/b.log']);
    execFileSync('git', ['init', '-q', cwd]);
    writeFileSync(join(cwd, '.gitignore'), '*.log\nnode_modules\n');
    expect(await files(cwd)).toEqual(['.gitignore', 'package.json', 'src/a.ts']);
  });
});

describe('the team of a divided task', () => {
  it('its events, and so its report, say what of the planner was not enforced', async () => {
    const root = tempDir();
    const text = `members: [{name: ada, agent: exec}]\ntasks: [{subject: One, run: 'true'}]`;
    const named = () => planInText(text, { cwd: root, vars: {}, agents: new Map() });
    const notEnforced = [
      { what: 'the planner (claude)', sandbox: 'read-only' as const, why: 'there is no bubblewrap' },
    ];
    const { paths } = await makeGeneratedTeam({ text: '', notEnforced, spent: [], named }, { root, environment: {} });
    const reader = openForReading(paths, { clock: realClock });
    onTestFinished(() => reader.close());
    expect(reportOf(reader, { exitCode: 0 }).notEnforced).toEqual([
      'the planner (claude): read-only is not enforced: there is no bubblewrap',
    ]);
  });

  it('what its planner used counts for its budget', async () => {
    const root = tempDir();
    const text = `members: [{name: ada, agent: exec}]\ntasks: [{subject: One, run: 'true'}]`;
    const named = () => planInText(text, { cwd: root, vars: {}, agents: new Map() });
    const usage = { inputTokens: 1_000, outputTokens: 100, model: 'claude-sonnet-5-5' };
    const planned = { text: '', notEnforced: [], spent: [spendingEvent('anthropic', usage)], named };
    const { paths } = await makeGeneratedTeam(planned, { root, environment: {} });
    const session: SessionOptions = {
      ...sessionOptions(configSchema.parse({})),
      budget: [{ how: 'set', limits: { team: { tokens: 1_200 } } }],
    };
    const report = await runTeam(paths, undefined, session);
    expect(report.exitCode).toBe(0);
    const handle = openHandle(paths.name, { root, environment: {} });
    onTestFinished(() => handle[Symbol.asyncDispose]());
    expect(handle.store.ledger.look()?.spent.get('team')).toMatchObject({ tokens: 1_100 });
  });
});

describe('a made-up name', () => {
  it('a generated team name uses the next second if the present one is taken', async () => {
    const root = tempDir();
    const named = (name: string) =>
      planInText(`name: ${name}\nmembers: [{name: ada, agent: exec}]\ntasks: [{subject: One, run: 'true'}]`, {
        cwd: root,
        vars: {},
        agents: new Map(),
      });
    const make = () => makeGeneratedTeam({ text: '', notEnforced: [], spent: [], named }, { root, environment: {} });
    const made = await Promise.all([make(), make(), make()]);
    const seconds = made.map(({ paths }) => Number(paths.name.replace('forge-team-', ''))).sort();
    expect(new Set(seconds).size).toBe(3);
    expect(Number(seconds[2]) - Number(seconds[0])).toBeLessThan(60);
    expect(made.map(({ given }) => given.plan.name).sort()).toEqual(seconds.map((second) => `forge-team-${second}`));
  });
});
