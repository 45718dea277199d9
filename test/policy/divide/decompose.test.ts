/** From a planner's answer to a division: subtasks, agents, tiers and order; and how the division is shown. */
import type { AgentSpec } from '../../../src/model/agent/agent.ts';
import { describe, expect, it } from 'vitest';
import { decompositionSchema } from '../../../src/model/plan/decomposition.ts';
import { jsonAnswer } from '../../../src/model/text/json-answer.ts';
import { parseName } from '../../../src/model/text/names.ts';
import { parseRoleSpec, type RoleSpec } from '../../../src/model/pipeline/role-spec.ts';
import type { RunSpec } from '../../../src/model/plan/run-spec.ts';
import { parseTemplate } from '../../../src/model/plan/template.ts';
import { decompose } from '../../../src/policy/divide/decompose.ts';
import { planOfDivision } from '../../../src/policy/divide/division-plan.ts';
import { divisionText } from '../../../src/policy/divide/division-text.ts';
import type { Staffing } from '../../../src/policy/divide/staffing.ts';
import { configSchema } from '../../../src/model/config/config.ts';

const role = (name: string, head: string): RoleSpec =>
  parseRoleSpec(parseName('role', name), { text: `---\n${head}\n---\nYou are ${name}.`, file: name }).role;
const ROLES = [
  role('architect', 'tier: opus'),
  role('executor', 'tier: sonnet'),
  role('designer', 'capabilities: [implement, review]'),
  role('test-engineer', 'capabilities: [test, review]'),
  role('style-reviewer', 'read_only: true\ncapabilities: [review]'),
];

const CONFIG = configSchema.parse({});
const staffing = (spec: RunSpec, more: Partial<Staffing> = {}): Staffing => ({
  spec,
  config: CONFIG,
  roles: new Map(ROLES.map((one) => [one.name, one])),
  usual: { label: 'claude', agent: { kind: 'claude' } },
  available: new Map([['claude', { kind: 'claude' }]]),
  ...more,
});
const count = (n: number, name = 'executor'): RunSpec => ({ kind: 'count', count: n, role: parseName('role', name) });
const ALL = new Map((['claude', 'codex', 'gemini'] as const).map((kind) => [kind, { kind }]));

interface Told {
  subject?: string;
  files?: string[];
  dependencies?: unknown[];
  worker?: string;
}
const answer = (...subtasks: Told[]) =>
  decompositionSchema.parse({
    subtasks: subtasks.map((one, at) => ({
      subject: `Fix part ${at + 1}`,
      description: 'All of it.',
      acceptance: ['it works'],
      files: [`part-${at + 1}/**`],
      ...one,
    })),
  });
const FILES = [
  'package.json',
  'src/auth/a.ts',
  'src/api/b.ts',
  'src/components/c.tsx',
  'src/types/api.ts',
  'tsconfig.json',
];

const divided = (told: ReturnType<typeof answer>, by: Staffing) => {
  const result = decompose(told, FILES, by);
  if (!result.ok) throw new Error(result.problems.join('\n'));
  return result.division;
};
const problems = (told: ReturnType<typeof answer>, by: Staffing) => {
  const result = decompose(told, FILES, by);
  return result.ok ? [] : result.problems;
};

describe('an answer of a planner', () => {
  it("a planner's answer with an unknown key is refused, since the key may mean a dependency", () => {
    const subtask = { subject: 'Build', description: 'It.', acceptance: ['works'], blockedBy: ['api'] };
    expect(jsonAnswer(decompositionSchema, JSON.stringify({ subtasks: [subtask] }))).toMatchObject({
      ok: false,
      why: expect.stringContaining('"blockedBy"') as unknown,
    });
  });
});

describe('a division', () => {
  it('a division is shown in the form of docs/specification.md R8.5', () => {
    const told = decompositionSchema.parse({
      ...answer(
        { subject: 'Fix type errors in the auth server', files: ['src/auth/**', 'src/types/api.ts'] },
        {
          subject: 'Fix type errors in src/',
          files: ['src/api/**'],
          dependencies: [{ task: 1, why: 'shared auth types' }],
        },
        { subject: 'Fix type errors in the UI components', files: ['src/components'] },
      ),
      boundary: ['src/types/api.ts'],
    });
    const division = divided(told, staffing({ kind: 'open' }, { available: ALL }));
    expect(divisionText(division, { task: 'fix all TypeScript\n errors', template: 'custom' })).toBe(
      `TEAM DECOMPOSITION
Task: "fix all TypeScript errors"
Workers: 3 | Template: custom

  #1 [codex]  Fix type errors in the auth server (worker-1, executor, sonnet)
     Files: src/auth/**, src/types/api.ts
     Dependencies: none

  #2 [claude]  Fix type errors in src/ (worker-2, executor, haiku)
     Files: src/api/**
     Dependencies: blocked by #1 (shared auth types)

  #3 [gemini]  Fix type errors in the UI components (worker-3, designer, haiku)
     Files: src/components/**
     Dependencies: none

  Shared files (coordinator only): package.json, tsconfig.json
  Boundary files: src/types/api.ts (assigned to worker-1)`,
    );
  });

  it('a division keeps the requested role, and the flag decides before all else', () => {
    const flag = { label: 'fast', agent: { kind: 'codex' as const, tier: 'opus' as const } };
    const { workers } = divided(
      answer({ subject: 'Fix the UI layout' }, {}),
      staffing(count(2), { flag, available: ALL }),
    );
    expect(workers.map(({ name, role: as, label, tier }) => [name, as, label, tier])).toEqual([
      ['worker-1', 'executor', 'fast', 'opus'],
      ['worker-2', 'executor', 'fast', 'opus'],
    ]);
  });

  it('a division falls back to the default agent and keeps role and tier', () => {
    const { workers } = divided(answer({ subject: 'Fix the UI layout' }), staffing({ kind: 'open' }));
    expect(workers[0]).toMatchObject({ role: 'designer', label: 'claude', agent: { kind: 'claude', tier: 'haiku' } });
  });

  it('a division names a tier as the configuration names it', () => {
    const config = configSchema.parse({ models: { claude: { haiku: 'small-one' } } });
    const { workers } = divided(answer({}), staffing(count(1), { config }));
    expect(workers[0]?.agent).toEqual({ kind: 'claude', tier: 'haiku', model: 'small-one' });
  });

  it.each([
    [
      'more subtasks than workers',
      answer({}, {}, {}),
      staffing(count(2)),
      /There are 3 subtasks, and at most 2 are allowed/,
    ],
    [
      'a role that does not fit the work',
      answer({ subject: 'Fix it' }),
      staffing(count(1, 'style-reviewer')),
      /"Fix it" is implement work, and the role style-reviewer is for review, and changes no files\./,
    ],
    [
      'one code for two subtasks',
      answer({ subject: 'AUTH-001 Fix a' }, { subject: 'AUTH-001 Fix b' }),
      staffing(count(2)),
      /Subtasks 1 and 2 both begin with the code AUTH-001/,
    ],
    ['a dependency on an unknown subtask', answer({ dependencies: [7] }), staffing(count(1)), /Subtask 1 depends on 7/],
    [
      'a cycle',
      answer({ dependencies: [2] }, { dependencies: [1] }),
      staffing(count(2)),
      /Subtasks 1, 2 wait for each other/,
    ],
    ['a change without files', answer({ files: [] }), staffing(count(1)), /Subtask 1 changes files but owns none/],
    [
      'shared files only',
      answer({ files: ['package.json'] }, {}),
      staffing(count(2)),
      /Subtask 1 changes files but owns none/,
    ],
  ])('a division is refused with the reason: %s', (_, told, by, why) => {
    expect(problems(told, by).join('\n')).toMatch(why);
  });
});

const BUILD = parseTemplate(parseName('team', 'build-team'), {
  file: 't.yaml',
  text: `workers:
  - {role: architect, tier: opus, route: [claude]}
  - {role: executor, tier: sonnet, route: [codex], phase: B}
  - {role: designer, tier: sonnet, route: [gemini], phase: B}
  - {role: test-engineer, tier: haiku, phase: C}
cascade: {executor: none, test-engineer: review}`,
});
const TEMPLATE = staffing({ kind: 'template', template: BUILD.name }, { template: BUILD, available: ALL });

describe('a template', () => {
  const told = answer(
    { worker: 'worker-1', subject: 'Design it', files: [] },
    { worker: 'worker-2' },
    { worker: 'designer', subject: 'Build the page' },
    { worker: 'worker-4', subject: 'Write tests for it', dependencies: [{ task: 2, why: 'its API' }] },
  );

  it('a template gives role, tier and route to each worker, and phases as dependencies', () => {
    const { tasks } = divided(told, TEMPLATE);
    expect(tasks.map(({ owner }) => [owner.role, owner.tier, owner.label])).toEqual([
      ['architect', 'opus', 'claude'],
      ['executor', 'sonnet', 'codex'],
      ['designer', 'sonnet', 'gemini'],
      ['test-engineer', 'haiku', 'claude'],
    ]);
    expect(tasks.map(({ dependencies }) => dependencies)).toEqual([
      [],
      [{ on: 0, why: 'phase A' }],
      [{ on: 0, why: 'phase A' }],
      [
        { on: 1, why: 'its API' },
        { on: 2, why: 'phase B' },
      ],
    ]);
  });

  it.each([
    [
      'without a subtask',
      answer({ worker: 'worker-1' }, { worker: 'worker-2' }),
      /worker-3 \(designer\) has no subtask/,
    ],
    ['that is unknown', answer({ worker: 'bob' }), /Subtask 1 needs a "worker": one of worker-1/],
    [
      'before its phase',
      answer(
        { worker: 'worker-1', dependencies: [2] },
        { worker: 'worker-2' },
        { worker: 'worker-3' },
        { worker: 'worker-4', subject: 'Write tests' },
      ),
      /wait for each other because of the template's phases/,
    ],
  ])('a template refuses a worker %s', (_, wrong, why) => {
    expect(problems(wrong, TEMPLATE).join('\n')).toMatch(why);
  });

  it('a template becomes a plan with its follow-up rules and one retry', () => {
    const run = {
      name: parseName('team', 'x'),
      task: 'all of it',
      staffing: TEMPLATE,
      planner: TEMPLATE.usual.agent,
      config: CONFIG,
    };
    expect(planOfDivision(divided(told, TEMPLATE), run)).toMatchObject({
      members: [{ name: 'worker-1', role: 'architect', prompt: 'You are architect.' }, {}, {}, {}],
      tasks: [
        { owner: 'worker-1', retries: 1, tier: 'opus', acceptance: ['it works'] },
        { blockedBy: [1] },
        {},
        { blockedBy: [2, 3] },
      ],
      gates: { build: true, test: true, lint: true, crossVerify: true },
      lead: TEMPLATE.usual.agent,
      cascade: { executor: 'none', 'test-engineer': 'review' },
      decomposed: { task: 'all of it', spec: 'build-team', template: 'build-team' },
    });
  });

  it('a template of read-only workers has no files and no gates, and a sandbox', () => {
    const by = staffing(count(1, 'style-reviewer'));
    const division = divided(answer({ subject: 'Review the style', files: ['src'] }), by);
    const planner: AgentSpec = { kind: 'exec', command: ['plan'] };
    const run = { name: parseName('team', 'x'), task: 't', staffing: by, planner, config: CONFIG };
    const plan = planOfDivision(division, run);
    // A planner command was written for planning only, so it is not the lead's agent.
    expect(plan).not.toHaveProperty('lead');
    expect(plan.members[0]).toMatchObject({ sandbox: 'read-only' });
    expect(plan.tasks[0]).toMatchObject({ files: [], description: 'All of it.\n\nLook at: src' });
    expect(plan.gates).toEqual({ crossVerify: false });
  });
});
