/** The refine loop with real workers: their prompts, their order, and what is left at the end. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { refine } from '../../../../src/index.ts';
import type { AgentSpec } from '../../../../src/model/agent/agent.ts';
import type { Clock } from '../../../../src/model/text/clock.ts';
import { configSchema } from '../../../../src/model/config/config.ts';
import { limitsOf } from '../../../../src/runtime/runs/session-options.ts';
import { refineAt, type RefineProgress, type RefineRun } from '../../../../src/runtime/runs/refine/run-refine.ts';
import type { RefineReport } from '../../../../src/runtime/runs/refine/refine-report.ts';
import type { RefineAsk, RefinePlace } from '../../../../src/runtime/runs/refine/refine-setup.ts';
import { storeOptions } from '../../../../src/runtime/team/team-handle.ts';
import { openForReading } from '../../../../src/store/team/team-reader.ts';
import { listTeams } from '../../../../src/store/team/team-list.ts';
import { ModelServer } from '../../../fixtures/model-server/server.ts';
import { until, Workplace } from '../../../support/cli.ts';
import { fastClock } from '../../../support/clock-fast.ts';
import { realClock } from '../../../support/clock.ts';
import { scripted } from '../../../support/session.ts';

interface Scene {
  readonly agents?: Record<string, AgentSpec>;
  readonly clock?: Clock;
  readonly relayTimeoutMs?: number;
  readonly environment?: Record<string, string>;
}

function placeOf(
  work: Workplace,
  { agents = {}, clock = realClock, relayTimeoutMs = 60_000, environment = {} }: Scene = {},
): RefinePlace {
  const all = { ...work.environment, ...environment };
  return {
    cwd: work.root,
    open: { root: work.root, environment: all },
    environment: all,
    envPass: [],
    fallback: [],
    agents: new Map(Object.entries(agents)),
    relayTimeoutMs,
    session: {
      limits: limitsOf(configSchema.parse({})),
      monitorIntervalMs: 30_000,
      unattended: true,
      endsWhenDone: true,
      shutdownTimeoutMs: 10_000,
      store: { ...storeOptions({}), clock },
    },
  };
}

const run = (work: Workplace, ask: RefineAsk, scene: Scene = {}, more: RefineRun = {}): Promise<RefineReport> =>
  refineAt(ask, placeOf(work, scene), more);

/** The events of the archived team's log, in order. */
function logOf({ root }: Workplace): string[] {
  const [team] = listTeams(root).filter(({ archivedAt }) => archivedAt !== undefined);
  if (team === undefined) return [];
  const reader = openForReading(team.paths, { clock: realClock });
  try {
    return [...reader.board.log.history()].flatMap(({ event, outcome }) => {
      const changes = event.type === 'batch' ? event.changes : [event];
      return outcome.ok ? changes.map((change) => `${change.type}${'task' in change ? ` #${change.task}` : ''}`) : [];
    });
  } finally {
    reader.close();
  }
}

/** A command that runs the next script at each call: the first at the first call, the last one from then on. */
const inTurn = (work: Workplace, name: string, ...scripts: string[]): string => {
  const cases = scripts.map((script, at) => `${at + 1 === scripts.length ? '*' : at}) ${script} ;;`).join('\n');
  const head = `n=$(cat ${name}.count 2>/dev/null || echo 0); echo $((n + 1)) > ${name}.count`;
  work.put(`${name}.sh`, `${head}\ncat > ${name}.prompt.$n\ncase $n in\n${cases}\nesac\n`);
  return `exec:sh ${name}.sh`;
};

const GREEN = 'exec:grep -q good work.txt';

describe('a team of one', () => {
  it('one worker fixes until the tests pass; its first task is delivered with the spawn', async () => {
    const work = new Workplace();
    const backend = inTurn(work, 'fix', 'echo bad > work.txt; echo tried', 'echo good > work.txt; echo fixed');
    const report = await run(work, { task: 'Fix work.txt', backends: [backend], reviewer: GREEN });
    expect(report).toMatchObject({
      converged: true,
      exitCode: 0,
      outcome: 'succeeded',
      sandbox: 'workspace-write',
      unresolved: [],
      result: 'fixed\n',
      resultFrom: { backend: 'exec', round: 2 },
      team: 'phone-a-team-fix-work-txt',
      rounds: [
        { n: 1, verdict: 'issues', backends: [{ name: 'exec', outcome: 'success' }] },
        { n: 2, verdict: 'pass' },
      ],
      members: [{ name: 'relay-worker', role: 'relay', tasks: 2 }],
    });
    const log = logOf(work);
    expect(log.indexOf('task.created #1')).toBeLessThan(log.indexOf('member.started'));
    expect(log.indexOf('member.started')).toBeLessThan(log.indexOf('task.created #2'));
    expect(log.at(-1)).toBe('team.closed');
  });

  it('the next round gets the findings, and only those', async () => {
    const work = new Workplace();
    const backend = inTurn(work, 'fix', 'echo ONE', 'echo TWO', 'echo good > work.txt; echo THREE');
    const reviewer = inTurn(
      work,
      'check',
      'echo first complaint; exit 1',
      'echo second complaint >&2; exit 1',
      'exit 0',
    );
    await run(work, { task: 'Fix work.txt', backends: [backend], reviewer });
    const [first, second, third] = [0, 1, 2].map((at) => readFileSync(join(work.root, `fix.prompt.${at}`), 'utf8'));
    expect(first).toMatch(/^Fix work\.txt\n\nMake the changes/);
    for (const said of ['ONE', 'first complaint', 'round 2 of at most 3']) expect(second).toContain(said);
    for (const said of ['TWO', 'second complaint', 'round 3 of at most 3']) expect(third).toContain(said);
    for (const past of ['ONE', 'first complaint']) expect(third).not.toContain(past);
  });

  it('the loop stops at the cap with the best result and what is unresolved', async () => {
    const work = new Workplace();
    const report = await run(work, {
      task: 'Name a colour',
      backends: ['exec:echo red'],
      reviewer: 'exec:echo too red; exit 4',
      maxRounds: 2,
    });
    expect(report).toMatchObject({
      ending: 'cap',
      converged: false,
      exitCode: 1,
      outcome: 'failed',
      result: 'red\n',
      sandbox: 'read-only',
    });
    expect(report.unresolved[0]).toContain('exit 4');
    expect(report.rounds).toHaveLength(2);
    expect(report.text).toContain('Forced stop after 2 rounds');
    expect(readFileSync(join(report.folder ?? '', 'report.md'), 'utf8')).toBe(
      `${report.text.split('\n').slice(0, -2).join('\n')}\n`,
    );
  });

  it('the loop goes on after five failures in a row: the lead quarantines no backend', async () => {
    const work = new Workplace();
    const report = await run(work, {
      task: 'Try',
      backends: ['exec:cat >/dev/null; exit 9'],
      reviewer: 'exec:true',
      maxRounds: 5,
    });
    expect(report.rounds.map(({ backends }) => backends[0]?.outcome)).toEqual(
      Array.from({ length: 5 }, () => 'crashed'),
    );
    expect(report).toMatchObject({
      ending: 'cap',
      result: null,
      accomplished: 'Nothing: no backend delivered a result.',
    });
  });

  it('the team of a loop takes the next free name', async () => {
    const work = new Workplace();
    const held = join(work.root, '.teams', 'phone-a-team-say-it');
    work.put('.teams/phone-a-team-say-it/x', '');
    const report = await run(work, { task: 'Say it', backends: ['exec:echo it'], reviewer: 'exec:true' });
    expect(report.team).toBe('phone-a-team-say-it-2');
    expect(existsSync(held)).toBe(true);
  });
});

describe('two backends', () => {
  const meet = (mine: string, other: string): string =>
    `exec:cat >/dev/null; touch ${mine}; until [ -e ${other} ]; do sleep 0.02; done; echo ${mine}`;

  it('two read-only backends work side by side, each as its own worker, and the better one counts', async () => {
    const work = new Workplace();
    const report = await run(work, {
      task: 'Name one',
      backends: [meet('a', 'b'), meet('b', 'a')],
      maxRounds: 1,
      reviewer: 'exec:! grep -q "^a$"',
    });
    expect(report).toMatchObject({ converged: true, result: 'b\n', rounds: [{ agreement: 'conflict' }] });
    expect(report.members.map(({ name }) => name)).toEqual(['exec-worker', 'exec-2-worker']);
    expect(report.text).toContain('the verdicts differ: exec-2 passes the rubric and exec does not');
  });

  it('two writing backends work in turn, the second on the files of the first', async () => {
    const work = new Workplace();
    const report = await run(work, {
      task: 'Fix work.txt',
      backends: ['exec:cat >/dev/null; echo go > work.txt', 'exec:cat > seen; echo good >> work.txt'],
      reviewer: 'exec:[ "$(cat work.txt)" = "go\ngood" ]',
    });
    expect(report).toMatchObject({ converged: true, rounds: [{ n: 1 }], resultFrom: { backend: 'exec-2' } });
    expect(readFileSync(join(work.root, 'seen'), 'utf8')).toContain('exec worked at the same task');
  });

  it('if the first of two backends fails, the second still works', async () => {
    const work = new Workplace();
    const report = await run(work, {
      task: 'Fix work.txt',
      backends: ['exec:cat >/dev/null; exit 3', 'exec:cat >/dev/null; echo good > work.txt'],
      reviewer: GREEN,
    });
    expect(report).toMatchObject({
      converged: true,
      rounds: [
        {
          backends: [
            { name: 'exec', outcome: 'crashed' },
            { name: 'exec-2', outcome: 'success' },
          ],
        },
      ],
    });
  });
});

describe.each([
  ['by a worker', true],
  ['directly', false],
])('the outcome of a call %s', (_, team) => {
  it('the outcome of each failed call is the failure class of its agent', async () => {
    const work = new Workplace();
    const classes = ['timeout', 'crashed', 'bad_output', 'overflow', 'unauthorised', 'not_installed'] as const;
    const names = classes.map((why) => why.replace('_', '-'));
    const agents = Object.fromEntries(
      classes.map((why) => [
        why.replace('_', '-'),
        scripted({ fails: { why, message: `it was ${why}` }, repeat: true }),
      ]),
    );
    const report = await run(
      work,
      { task: 'Say it', backends: names, reviewer: 'exec:true', maxRounds: 1, team },
      { agents },
    );
    const backends = classes.map((outcome, at) => ({ name: names[at], outcome }));
    expect(report.rounds).toMatchObject([{ n: 1, backends, verdict: null }]);
    for (const [at, { what }] of report.contributions.entries()) expect(what).toContain(`it was ${classes[at]}`);
  });

  it('the limit of a single backend is waited for, and then gives a result of the same round', async () => {
    const work = new Workplace();
    const wait = { fails: { why: 'rate_limited', message: '429', retryAfterMs: 1 } } as const;
    const agents = { mock: team ? scripted(wait, { answers: 'it' }) : scripted({ ...wait, repeat: true }) };
    const told: RefineProgress[] = [];
    const report = await run(
      work,
      { task: 'Say it', backends: ['mock'], reviewer: 'exec:true', maxRounds: 1, team },
      { agents },
      { onProgress: (progress) => told.push(progress) },
    );
    expect(told.filter(({ phase }) => phase === 'wait')).toHaveLength(1);
    expect(report.rounds).toMatchObject([{ n: 1, backends: [{ outcome: team ? 'success' : 'rate_limited' }] }]);
  });
});

describe('without a team', () => {
  const ask = (work: Workplace): RefineAsk => ({
    task: 'Fix work.txt',
    reviewer: GREEN,
    backends: [inTurn(work, 'fix', 'echo bad > work.txt; echo tried', 'echo good > work.txt; echo fixed')],
  });
  const essence = ({ rounds, converged, result, resultFrom, unresolved, sandbox }: RefineReport) => ({
    rounds,
    converged,
    result,
    resultFrom,
    unresolved,
    sandbox,
  });

  it('without a team the loop gives the same result and keeps the synthesis', async () => {
    const [with_, without] = [new Workplace(), new Workplace()];
    const byTeam = await run(with_, ask(with_));
    const directly = await run(without, { ...ask(without), team: false });
    expect(essence(directly)).toEqual(essence(byTeam));
    expect(directly).toMatchObject({ team: null, members: [], tasks: [] });
    expect(readdirSync(directly.folder ?? '').sort()).toEqual(['report.json', 'report.md']);
    expect(directly.notes).toContain('Worked without a team: --no-team is set.');
  });

  it('the loop works if no team can be created, and says why', async () => {
    const work = new Workplace();
    writeFileSync(join(work.root, '.teams'), 'in the way');
    const report = await run(work, ask(work));
    expect(report).toMatchObject({ converged: true, team: null, folder: null });
    expect(report.notes.join('\n')).toMatch(/Worked without a team from here on: .*\.teams/);
  });

  it('the loop goes on if the team falls silent: 600 s and 30 s', async () => {
    const work = new Workplace();
    const clock = fastClock();
    const backend = inTurn(work, 'fix', 'sleep 600', 'echo good > work.txt; echo fixed');
    const report = await run(
      work,
      { task: 'Fix work.txt', backends: [backend], reviewer: GREEN },
      { clock, relayTimeoutMs: 600_000 },
      {
        onProgress: ({ text }) => {
          if (text.startsWith('asked by'))
            void until(() => existsSync(join(work.root, 'fix.prompt.0')), 'it works').then(() => clock.jump(631_000));
        },
      },
    );
    expect(report).toMatchObject({ converged: true, rounds: [{ n: 1, verdict: 'pass' }], result: 'fixed\n' });
    expect(report.notes).toContain('Worked without a team from here on: exec did not answer');
    expect(logOf(work).at(-1)).toBe('team.closed');
  });
});

const verdict = (names: string[], more: object = {}): string =>
  JSON.stringify({
    deliverables: names.map((name) => ({
      name,
      accepted: true,
      safe: true,
      validation: 'passed',
      critique: `${name} is what was asked for`,
    })),
    findings: [],
    summary: 'Read it all.',
    ...more,
  });

describe('a review', () => {
  it('an unreadable review is requested once more, and then counts as not converged', async () => {
    const work = new Workplace();
    const agents = {
      mock: scripted({ answers: 'the work', repeat: true }),
      critic: scripted(
        { match: 'could not be read', answers: verdict(['the result']), repeat: true },
        { answers: 'Looks good!', repeat: true },
      ),
      praise: scripted({ answers: 'Looks good!', repeat: true }),
    };
    const ask = { task: 'Say it', backends: ['mock'], maxRounds: 1, team: false };
    expect(await run(work, { ...ask, reviewer: 'critic' }, { agents })).toMatchObject({ converged: true });
    expect(await run(work, { ...ask, reviewer: 'praise' }, { agents })).toMatchObject({
      converged: false,
      rounds: [{ verdict: 'unreadable' }],
      unresolved: ['praise gave an unreadable verdict: it contains no JSON object'],
    });
  });

  it('a review of several deliverables needs a verdict for each', async () => {
    const work = new Workplace();
    const agents = {
      mock: scripted({ answers: 'both', repeat: true }),
      half: scripted({ answers: verdict(['a.md']), repeat: true }),
      whole: scripted({ answers: verdict(['a.md', 'b.md']), repeat: true }),
    };
    const ask = { task: 'Compare a.md and b.md', backends: ['mock'], maxRounds: 1, team: false };
    expect((await run(work, { ...ask, reviewer: 'half' }, { agents })).unresolved).toEqual(['b.md: not reviewed']);
    expect((await run(work, { ...ask, reviewer: 'whole' }, { agents })).converged).toBe(true);
  });

  it('a review does not count if --validate fails', async () => {
    const work = new Workplace();
    const backend = inTurn(work, 'fix', 'echo bad > work.txt', 'echo good > work.txt');
    const report = await run(work, {
      task: 'Fix work.txt',
      backends: [backend],
      reviewer: 'exec:true',
      validate: 'grep good work.txt',
    });
    expect(report).toMatchObject({
      converged: true,
      gates: { test: 'pass' },
      rounds: [{ validation: { passed: false } }, { validation: { passed: true, command: 'grep good work.txt' } }],
    });
  });

  it('a command without another reviewer is reviewed by the validation alone', async () => {
    const work = new Workplace();
    const backend = inTurn(work, 'fix', 'echo bad > work.txt', 'echo good > work.txt');
    const report = await run(work, { task: 'Fix work.txt', backends: [backend], validate: 'grep good work.txt' });
    expect(report).toMatchObject({ converged: true, rounds: [{ verdict: 'issues' }, { verdict: 'pass' }] });
    expect(report.notes).toContain(
      'The validating command alone decides: no reviewer was asked for, and a command did the work.',
    );
  });

  it('a review by a missing command ends the loop', async () => {
    const report = await run(new Workplace(), {
      task: 'Say it',
      backends: ['exec:echo it'],
      reviewer: 'exec:no-such-command-here',
    });
    expect(report).toMatchObject({ ending: 'reviewer', result: 'it\n', rounds: [{ n: 1 }], exitCode: 1 });
  });
});

describe.each([true, false])('model APIs (with a team: %s)', (team) => {
  it('model APIs work and review, and a reviewer of another vendor is chosen', async () => {
    const verdictOf = (accepted: boolean): string =>
      verdict(['the result'], { deliverables: [{ name: 'the result', accepted, safe: true, validation: 'passed' }] });
    const server = await ModelServer.start({
      script: [
        { when: { user: 'Judge each deliverable', anywhere: 'DRAFT ONE' }, text: verdictOf(false) },
        { when: { user: 'Judge each deliverable', anywhere: 'DRAFT TWO' }, text: verdictOf(true) },
        { when: { user: 'Say it well', anywhere: 'acceptance criteria are not met' }, text: 'DRAFT TWO' },
        { when: { user: 'Say it well' }, text: 'DRAFT ONE' },
      ],
    });
    onTestFinished(() => server.close());
    const work = new Workplace();
    const spec = { model: 'mock-model', baseUrl: server.url, options: { maxRetries: 1 } };
    const agents: Record<string, AgentSpec> = {
      mine: { kind: 'openai', ...spec, baseUrl: `${server.url}/v1` },
      other: { kind: 'anthropic', ...spec },
    };
    const environment = { OPENAI_API_KEY: 'none', ANTHROPIC_API_KEY: 'none' };
    const place = { ...placeOf(work, { agents, environment }), fallback: ['mine', 'other'] };
    const report = await refineAt({ task: 'Say it well', backends: ['mine'], team }, place);
    expect(report).toMatchObject({
      converged: true,
      result: 'DRAFT TWO',
      rounds: [{ verdict: 'issues' }, { verdict: 'pass' }],
    });
    expect(report.notes).toContain('Reviewer: other (from another vendor than mine).');
  });
});

describe('before anything starts', () => {
  it.each([
    ['no agent can review', { backends: ['exec:echo it'] }, 'No agent can review'],
    ['the task is empty', { task: ' ', backends: ['exec:true'], reviewer: 'exec:true' }, 'The task is empty'],
    [
      'the backend is not installed',
      { backends: ['codex'] },
      'codex CLI not found. Install: `npm install -g @openai/codex`. Probed:',
    ],
    ['ollama does not answer', { backends: ['ollama'] }, 'ollama'],
    [
      'there is no repository',
      { backends: ['exec:true'], reviewer: 'exec:true', includeDiff: true },
      'needs a git repository',
    ],
  ])('a loop is refused when %s', async (_, ask, why) => {
    const work = new Workplace({ PATH: '/usr/bin:/bin', OLLAMA_HOST: '127.0.0.1:1' });
    await expect(run(work, { task: 'Say it', ...ask })).rejects.toThrow(why);
    expect(existsSync(join(work.root, '.teams'))).toBe(false);
  });

  it.each([{ TEAMS_MEMBER: 'ada' }, { TEAMS_REFINE: '1' }])(
    'a loop is refused inside %j: no loop within a loop',
    async (environment) => {
      await expect(
        run(new Workplace(), { task: 'x', backends: ['exec:true'], reviewer: 'exec:true' }, { environment }),
      ).rejects.toMatchObject({ code: 'POLICY_DENIED' });
    },
  );
});

it('the loop is one call in the library', async () => {
  const { root } = new Workplace();
  const report = await refine('Say it', {
    root,
    cwd: root,
    backends: ['mock'],
    reviewer: 'exec:grep -q it',
    maxRounds: 1,
    agents: { mock: scripted({ answers: 'it' }) },
  });
  expect(report).toMatchObject({ converged: true, result: 'it', team: 'phone-a-team-say-it' });
});
