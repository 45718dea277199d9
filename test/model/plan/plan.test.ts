import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { advance } from '../../../src/model/board/advance.ts';
import { emptyBoard } from '../../../src/model/board/board.ts';
import { UsageError } from '../../../src/model/text/errors.ts';
import { LOG_VERSION, type Author, type Body } from '../../../src/model/board/event.ts';
import { LEAD } from '../../../src/model/text/names.ts';
import { planChanges } from '../../../src/model/plan/plan-changes.ts';
import { describePlan } from '../../../src/model/plan/plan-view.ts';
import { canonicalPlan, parsePlan, planName, type Plan } from '../../../src/model/plan/plan.ts';

const parse = (text: string, vars: Record<string, string> = {}, file = 'plan.yaml'): Plan =>
  parsePlan({ text, file, format: file.endsWith('.json') ? 'json' : 'yaml' }, vars);

/** A plan with one exec member and these tasks. */
const withTasks = (tasks: string): string => `members: [{name: ada, agent: {kind: exec}}]\ntasks:\n${tasks}`;

const FULL = `
name: audit
profile: v8
cwd: packages/api
members:
  - {name: ada, role: executor, agent: {kind: exec}, sandbox: full, env: {PORT: 8080, V: 1.10, CI: true}}
  - {name: bob, role: code-reviewer, agent: claude, planApproval: true}
  - {name: eve, role: designer, agent: auto}
tasks:
  - key: build
    subject: Build it
    owner: ada
    run: "make && echo $HOME \${HOME} {{x}}"
    verify: [true, test -s out.txt]
    files: [src/**]
    timeout: 90
    retries: 2
    artifact: out.txt
    env: {A: b}
  - {subject: REVIEW-001 Look at it, role: code-reviewer, blockedBy: [build, Draw it], required: false}
  - {subject: Draw it, role: designer, description: With care, prompt: Draw., blockedBy: [1]}
gates: {build: make, test: true, lint: [npm, run, lint], crossVerify: true}
cascade: true
sharedFiles: [package.json]
envPass: [NPM_TOKEN]
sandbox: { lend: { read: [~/data] } }
`;

describe('a plan', () => {
  test('a plan is read with all its keys', () => {
    expect(parse(FULL)).toEqual({
      name: 'audit',
      profile: 'v8',
      cwd: 'packages/api',
      cascade: true,
      sharedFiles: ['package.json'],
      envPass: ['NPM_TOKEN'],
      lend: { read: ['~/data'], write: [], sockets: [] },
      members: [
        {
          name: 'ada',
          role: 'executor',
          agent: { kind: 'exec' },
          sandbox: 'full',
          env: { PORT: '8080', V: '1.10', CI: 'true' },
          planApproval: false,
        },
        { name: 'bob', role: 'code-reviewer', agent: { kind: 'claude' }, env: {}, planApproval: true },
        { name: 'eve', role: 'designer', env: {}, planApproval: false },
      ],
      tasks: [
        {
          key: 'build',
          subject: 'Build it',
          description: '',
          owner: 'ada',
          retries: 2,
          required: true,
          metadata: {},
          blockedBy: [],
          work: {
            run: 'make && echo $HOME ${HOME} {{x}}',
            verify: ['true', 'test -s out.txt'],
            files: ['src/**'],
            timeoutMs: 90_000,
            artifact: 'out.txt',
            env: { A: 'b' },
          },
        },
        {
          subject: 'REVIEW-001 Look at it',
          description: '',
          role: 'code-reviewer',
          retries: 0,
          required: false,
          metadata: {},
          blockedBy: [0, 2],
          work: { verify: [], files: [], env: {}, timeoutMs: 600_000 },
        },
        {
          subject: 'Draw it',
          description: 'With care',
          role: 'designer',
          retries: 0,
          required: true,
          metadata: {},
          blockedBy: [0],
          work: { verify: [], files: [], env: {}, timeoutMs: 600_000, prompt: 'Draw.' },
        },
      ],
      gates: { build: { run: 'make' }, test: 'detect', lint: { run: ['npm', 'run', 'lint'] }, crossVerify: true },
    });
  });

  test('a plan has no gate, cascade or cross-verification that it does not name', () => {
    const plan = parse(withTasks('  - {subject: x, run: x}'));
    expect(plan).toMatchObject({ profile: 'forge', cascade: false, sharedFiles: [], envPass: [] });
    expect(plan.gates).toEqual({ crossVerify: false });
  });

  test('a plan means the same in JSON', () => {
    const json =
      '{"members":[{"name":"ada","agent":{"kind":"exec"}}],"tasks":[{"subject":"x","run":["a","b"],"blockedBy":[]}]}';
    const yaml = withTasks('  - {subject: x, run: [a, b]}');
    expect(canonicalPlan(parse(json, {}, 'p.json'))).toBe(canonicalPlan(parse(yaml, {}, 'p.yaml')));
  });

  test('a plan may use anchors and aliases', () => {
    const text = `members: [{name: ada, agent: &sh {kind: exec}}, {name: bob, agent: *sh}]\ntasks: [{subject: x, run: x}]`;
    expect(parse(text).members.map(({ agent }) => agent)).toEqual([{ kind: 'exec' }, { kind: 'exec' }]);
  });

  test('a plan may name a configured agent', () => {
    const text = 'members: [{name: ada, agent: fast}]\ntasks: [{subject: x}]';
    const agents = new Map([['fast', { kind: 'codex', tier: 'haiku' } as const]]);
    expect(parsePlan({ text, file: 'p', format: 'yaml' }, {}, agents).members[0]?.agent).toEqual({
      kind: 'codex',
      tier: 'haiku',
    });
  });

  test('an exec agent with a command gets the text of a task on stdin', () => {
    const text = 'members: [{name: ada, agent: {kind: exec, command: wc -w}}]\ntasks: [{subject: x}]';
    expect(parse(text).members[0]?.agent).toEqual({ kind: 'exec', command: ['/bin/sh', '-c', 'wc -w'] });
  });

  test.each([
    ['plans/Nightly Audit.yaml', 'nightly-audit'],
    ['C:\\plans\\audit.yml', 'audit'],
    ['audit.JSON', 'audit'],
    ['all.yaml', 'plan-all'],
    ['-', 'plan'],
  ])('the team of the plan file %s is called %s', (file, name) => {
    expect(planName(file)).toBe(name);
    expect(parse(withTasks('  - {subject: x, run: x}'), {}, file).name).toBe(name);
  });
});

describe('blockedBy', () => {
  test.each([
    ['a key', '  - {key: b, subject: 1 first, run: x}', 'b'],
    ['a key before a subject', '  - {key: second, subject: x, run: x}', 'second'],
    ['an exact subject', '  - {subject: Do it now, run: x}', 'Do it now'],
    ['the code at the head of a subject', '  - {subject: "[lead] IMPL-001 Do it", run: x}', 'IMPL-001'],
    ['a number from 1', '  - {subject: x, run: x}', '1'],
    ['a number with a hash', '  - {subject: x, run: x}', '"#1"'],
  ])('blockedBy names a task by %s', (_, task, reference) => {
    expect(
      parse(withTasks(`${task}\n  - {subject: second, run: x, blockedBy: [${reference}]}`)).tasks[1]?.blockedBy,
    ).toEqual([0]);
  });

  test('blockedBy counts a repeated task once', () => {
    expect(
      parse(withTasks('  - {key: a, subject: s, run: x}\n  - {subject: t, run: x, blockedBy: [a, s, 1]}')).tasks[1]
        ?.blockedBy,
    ).toEqual([0]);
  });
});

describe('--var', () => {
  const TASK = withTasks(
    '  - {subject: "Fix {{where}}", run: "cd {{ where }} && echo ${where} $where {{.Name}}", env: {W: "{{where}}"}}',
  );

  test('--var replaces {{name}} in values and does not touch shell variables', () => {
    const [task] = parse(TASK, { where: 'src' }).tasks;
    expect(task).toMatchObject({
      subject: 'Fix src',
      work: { run: 'cd src && echo ${where} $where {{.Name}}', env: { W: 'src' } },
    });
  });

  test('a plan without variables is unchanged', () => {
    expect(parse(TASK).tasks[0]?.subject).toBe('Fix {{where}}');
  });

  test('--var changes no structure, and its value is not expanded again', () => {
    const where = '{{where}}\\n- }, {subject: evil';
    expect(parse(TASK, { where }).tasks).toHaveLength(1);
    expect(parse(TASK, { where }).tasks[0]?.subject).toBe(`Fix ${where}`);
  });

  test('--var gives a number or a boolean where the schema wants one', () => {
    const text = withTasks('  - {subject: x, run: x, retries: "{{n}}", required: "{{r}}", timeout: "{{n}}m"}');
    expect(parse(text, { n: '3', r: 'false' }).tasks[0]).toMatchObject({
      retries: 3,
      required: false,
      work: { timeoutMs: 180_000 },
    });
  });
});

describe('a plan on the board', () => {
  const author: Author = { lead: '0'.repeat(26), epoch: 1 };
  const event = (id: number, body: Body) => ({
    ...body,
    id: String(id).padStart(26, '0'),
    v: LOG_VERSION,
    at: 'now',
    author,
  });

  test('a plan is accepted by the board in one batch, with its numbers as ids and its edges in both directions', () => {
    const plan = parse(FULL);
    const board = emptyBoard();
    const bodies: Body[] = [
      { type: 'log.opened', team: '0'.repeat(26), name: plan.name },
      { type: 'lead.took', epoch: 1 },
      ...plan.members.map(({ name, role }): Body => ({ type: 'member.joined', name, role, prefixes: [] })),
      { type: 'batch', changes: planChanges(plan) },
    ];
    const [opened, ...rest] = bodies.map((body, index) => event(index, body));
    const opener: Author = { person: LEAD, epoch: 0 };
    if (opened) advance(board, { ...opened, author: opener });
    for (const one of rest) expect(advance(board, one)).toMatchObject({ ok: true });
    expect([...board.tasks.values()].map(({ id, blockedBy }) => [id, blockedBy])).toEqual([
      ['1', []],
      ['2', ['1', '3']],
      ['3', ['1']],
    ]);
  });
});

test('the canonical text does not depend on the order of keys and differs for different plans', () => {
  const a = parse('members: [{name: ada, agent: {kind: exec}}]\ntasks: [{subject: x, run: x}]');
  const b = parse('tasks: [{run: x, subject: x}]\nmembers: [{agent: {kind: exec}, name: ada}]');
  expect(canonicalPlan(a)).toBe(canonicalPlan(b));
  expect(canonicalPlan(a)).not.toBe(canonicalPlan(parse(withTasks('  - {subject: x, run: y}'))));
});

test('the description names members, agents, routes, dependencies and gates, and no value of the environment', () => {
  expect(describePlan(parse(FULL))).toMatchInlineSnapshot(`
    "Plan audit (v8): 3 members, 3 tasks
      working directory: packages/api

    Members
      ada (executor): exec, full, sets PORT, V, CI
      bob (code-reviewer): claude, plan approval
      eve (designer): default agent

    Tasks
      #1 Build it [build]
         by ada · timeout 90s · retries 2
         run: make && echo $HOME \${HOME} {{x}}
         verify: true
         verify: test -s out.txt
         files: src/**
         artifact: out.txt
      #2 REVIEW-001 Look at it
         by any code-reviewer (bob) · after #1, #3 · timeout 10m · not required
      #3 Draw it
         by any designer (eve) · after #1 · timeout 10m

    Gates: build (make) · test (configured or detected) · lint (["npm","run","lint"]) · cross-verification
    Cascade: on
    Shared files: package.json
    Lent to isolated programs: ~/data (read)
    Environment passed on: NPM_TOKEN"
  `);
});

describe('any text', () => {
  const words = fc.constantFrom(
    'members:',
    'tasks:',
    '- ',
    '  ',
    '\n',
    '{',
    '}',
    '[',
    ']',
    'name: ',
    'a',
    'subject: ',
    'run: ',
    '&a ',
    '*a',
    '"',
    "'",
    '|',
    '>',
    '? ',
    ': ',
    'blockedBy: ',
    '{{x}}',
    '---\n',
    '%YAML 1.1\n',
    '!!set ',
    '!x ',
    '<<: ',
    '#',
    '\t',
    '\r\n',
    'owner: ',
    'gates: ',
    '~',
    '1e9',
    '__proto__: ',
  );
  const texts = fc.oneof(
    fc.string(),
    fc.json(),
    fc.array(words, { maxLength: 40 }).map((list) => list.join('')),
  );

  test('any text is a plan or a UsageError with a place in each line', () => {
    fc.assert(
      fc.property(
        texts,
        fc.constantFrom('p.yaml', 'p.json'),
        fc.dictionary(fc.string(), fc.string(), { maxKeys: 2 }),
        (text, file, vars) => {
          try {
            parse(text, vars, file);
          } catch (error) {
            if (!(error instanceof UsageError)) throw error;
            expect(error.code).toBe('PLAN_INVALID');
            for (const line of error.message.split('\n'))
              expect(line).toMatch(/^p\.(?:yaml|json):[1-9][0-9]*:[1-9][0-9]*: \S/);
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
