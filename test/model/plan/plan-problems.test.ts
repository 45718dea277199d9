import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../src/model/text/errors.ts';
import { parsePlan } from '../../../src/model/plan/plan.ts';

const refusal = (text: string, vars: Record<string, string> = {}, file = 'p.yaml'): string[] => {
  try {
    parsePlan({ text, file, format: file.endsWith('.json') ? 'json' : 'yaml' }, vars);
  } catch (error) {
    if (error instanceof UsageError && error.code === 'PLAN_INVALID') return error.message.split('\n');
    throw error;
  }
  return [];
};

const MARK = '▸';

/** Removes {@link MARK} from a text. The mark is the expected place of the problem, given as `file:line:col`. */
const marked = (text: string): { text: string; place: string } => {
  const before = text.slice(0, text.indexOf(MARK)).split('\n');
  return { text: text.replace(MARK, ''), place: `p.yaml:${before.length}:${(before.at(-1) ?? '').length + 1}` };
};

/** A plan with two members and these tasks. */
const tasks = (...lines: string[]): string =>
  [
    'members:',
    '  - {name: ada, agent: {kind: exec}}',
    '  - {name: bob, role: tester, agent: claude}',
    'tasks:',
    ...lines,
  ].join('\n');

/** A plan with one task and these keys. */
const top = (...lines: string[]): string =>
  ['members: [{name: ada, agent: {kind: exec}}]', 'tasks: [{subject: x, run: x}]', ...lines].join('\n');

/** A plan with these members. */
const members = (...lines: string[]): string => ['tasks: [{subject: x}]', 'members:', ...lines].join('\n');

const task = (rest: string): string => tasks(`  - {subject: s, owner: ada, run: x, ${rest}}`);

describe('the text itself', () => {
  test.each<[string, string]>([
    ['▸', 'Expected this to be a map, got nothing.'],
    ['▸- a', 'Expected this to be a map, got a list.'],
    [top('name: [a▸'), 'Flow sequence'],
    [top('▸\tname: a'), 'Tabs are not allowed as indentation.'],
    [top('name: "a▸'), 'Missing closing "quote.'],
    [top('cwd: a', '▸cwd: b'), '"cwd" is here twice.'],
    [top('▸---', 'name: b'), 'Expected one YAML document, found several.'],
    [top('name: {▸{n}}'), 'A key must be a text; a value that begins with {{ needs quotes.'],
    [
      tasks('  - {subject: s, owner: ada, run: echo ▸{{who}} and {{whom}}}'),
      'A value with {{ }} inside of { } or [ ] needs quotes.',
    ],
    [top('? ▸[a]', ': b'), 'A key must be a text; a value that begins with {{ needs quotes.'],
    [top('name: ▸!!js/function "x"'), 'Unresolved tag: tag:yaml.org,2002:js/function.'],
    [top('name: ▸*x'), 'There is no anchor "&x" before this.'],
    [top('▸__proto__: {a: 1}'), '"__proto__" cannot be a key.'],
    [top(`files: ${'['.repeat(65)}▸${'['.repeat(35)}`), 'This is nested deeper than 64 levels.'],
    [top('a: &a [▸*a]'), 'This is nested deeper than 64 levels, or its aliases multiply without end.'],
  ])('%#: %j', (row, sentence) => {
    const { text, place } = marked(row);
    expect(refusal(text)).toEqual([expect.stringContaining(`${place}: ${sentence}`)]);
  });

  test('a text over 4 MiB is refused unread', () => {
    expect(refusal('#'.repeat(4 * 1024 * 1024 + 1))).toEqual(['p.yaml:1:1: The file is larger than 4 MiB.']);
  });

  test('aliases that multiply are refused before they are expanded', () => {
    const levels = Array.from('bcdefghij').map(
      (name, at) => `${name}: &${name} [${Array(10).fill(`*${'abcdefghi'[at]}`).join(', ')}]`,
    );
    expect(refusal(['a: &a [x, x]', ...levels].join('\n'))).toEqual([expect.stringContaining('aliases multiply')]);
  });

  test('a .json file must be valid JSON', () => {
    expect(refusal("{'members': []}", {}, 'p.json')[0]).toMatch(/^p\.json:1:\d+: This is not JSON: /);
    expect(refusal('{"members": [], "tasks": [1,]}', {}, 'p.json')[0]).toContain('This is not JSON');
  });
});

describe('one mistake, one line with its place', () => {
  test.each<[string, string]>([
    // top level
    [
      '▸tasks: [{subject: x, run: x}]',
      '"members" is missing: add for example `members: [{name: ada, agent: {kind: exec}}]`.',
    ],
    ['▸members: [{name: ada}]', '"tasks" is missing.'],
    ['members: ▸[]\ntasks: [{subject: x}]', 'Expected "members" not to be empty.'],
    ['members: [{name: ada}]\ntasks: ▸[]', 'Expected "tasks" not to be empty.'],
    [top('▸nmae: x'), 'Unknown key "nmae"; did you mean "name"?'],
    [top('▸xyzzy: x'), 'Unknown key "xyzzy".'],
    [
      top('name: ▸Bad Name'),
      '"Bad Name" is not a team name: use 1 to 64 lower-case letters, digits and inner hyphens.',
    ],
    [top('name: ▸all'), '"all" is a reserved word; choose another team name.'],
    [
      top('profile: ▸forg'),
      'Expected "profile" to be one of v8, forge, relay, pipeline, got "forg"; did you mean "forge"?',
    ],
    [top('cascade: ▸maybe'), 'Expected "cascade" to be true or false or a map, got "maybe".'],
    [top('cwd:▸'), 'Expected "cwd" to be a text, got nothing.'],
    [top('gates: {▸tset: true}'), 'Unknown key "tset"; did you mean "test"?'],
    [top('gates: {test: ▸3}'), 'Expected "test" to be true or false or a text or a list, got 3.'],
    [top('gates: {crossVerify: ▸claude}'), 'Expected "crossVerify" to be true or false, got "claude".'],
    [top('sharedFiles: ▸a.json'), 'Expected "sharedFiles" to be a list, got "a.json".'],
    [top('envPass: [A, ▸"B C"]'), 'Expected the name of an environment variable: letters, digits and "_".'],
    // members
    [members('  - ▸{role: x}'), '"name" is missing.'],
    [members('  - {name: ada}', '  - {name: ▸ada}'), '"ada" is already the name of member 1.'],
    [members('  - name: ▸lead'), '"lead" is a reserved word; choose another member name.'],
    [members('  - name: ada', '    ▸rol: x'), 'Unknown key "rol"; did you mean "role"?'],
    [members('  - {name: ada, agent: ▸cluade}'), 'Unknown agent "cluade"; did you mean "claude"?'],
    [members('  - {name: ada, agent: {kind: ▸cluade}}'), 'Expected "kind" to be one of exec, scripted,'],
    [members('  - {name: ada, agent: {kind: claude, ▸modl: x}}'), 'Unknown key "modl"; did you mean "model"?'],
    [members('  - {name: ada, agent: ▸{model: x}}'), '"kind" is missing; it is one of exec, scripted,'],
    [members('  - {name: ada, agent: ▸[claude]}'), 'Expected "agent" to be a text or a map, got a list.'],
    [members('  - {name: ada, agent: {kind: claude, command: ▸claude}}'), 'Expected "command" to be a list'],
    [
      members('  - {name: ada, sandbox: ▸readonly}'),
      'Expected "sandbox" to be one of read-only, workspace-write, full, got "readonly"; did you mean "read-only"?',
    ],
    [
      members('  - {name: ada, env: {▸1A: x}}'),
      'Expected the name of an environment variable: letters, digits and "_".',
    ],
    [members('  - {name: ada, planApproval: ▸yes}'), 'Expected "planApproval" to be true or false, got "yes".'],
    [
      members('  ▸ada: {agent: {kind: exec}}'),
      'Expected "members" to be a list, got a map: write each as `- {name: ada, agent: {kind: exec}}`.',
    ],
    [members('  - ▸ada'), 'Each of members is a map, got "ada": write `{name: ada, agent: {kind: exec}}`.'],
    // tasks
    [
      tasks('  ▸build: {run: make}'),
      'Expected "tasks" to be a list, got a map: write each as `- {key: build, subject: Build it, run: make}`.',
    ],
    [tasks('  - ▸{run: x, owner: ada}'), '"subject" is missing.'],
    [tasks('  - {subject: ▸"", run: x, owner: ada}'), 'Expected "subject" not to be empty.'],
    [tasks('  - {subject: ▸"a\\nb", run: x, owner: ada}'), 'Expected one line of text, without control characters.'],
    [
      tasks('  - subject: s', '    owner: ada', '    ▸runn: x', '    run: x'),
      'Unknown key "runn"; did you mean "run"?',
    ],
    [task('timeout: ▸soon'), 'Expected a duration such as 30s, 10m or 1h (a bare number is seconds), got "soon".'],
    [task('timeout: ▸0'), 'Expected a duration such as 30s, 10m or 1h (a bare number is seconds), got "0".'],
    [task('timeout: ▸800h'), 'Expected at most 596h, got "800h".'],
    [task('retries: ▸x'), 'Expected "retries" to be a number, got "x".'],
    [task('retries: ▸1.5'), 'Expected "retries" to be a whole number, got 1.5.'],
    [task('retries: ▸101'), 'Expected "retries" to be at most 100, got 101.'],
    [task('required: ▸no'), 'Expected "required" to be true or false, got "no".'],
    [task('verify: ▸npm test'), 'Expected "verify" to be a list, got "npm test".'],
    [task('files: [a, ▸{b: c}]'), 'Expected an entry of "files" to be a text, got a map.'],
    [task('env: {A: ▸[x]}'), 'Expected "A" to be a text or a number or true or false, got a list.'],
    [task('env: {A: ▸"x\\0y"}'), 'Expected a text without NUL characters.'],
    [tasks('  - {subject: s, owner: ada, run: ▸[]}'), 'Expected "run" not to be empty.'],
    [tasks('  - {subject: s, owner: ada, run: ▸{a: b}}'), 'Expected "run" to be a text or a list, got a map.'],
    // rules across keys
    [tasks('  - {subject: s, owner: ▸adda, run: x}'), 'There is no member "adda"; did you mean "ada"?'],
    [tasks('  - {subject: s, owner: ▸lead, run: x}'), 'There is no member "lead".'],
    [tasks('  - {subject: s, role: ▸testre}'), 'No member has the role "testre"; did you mean "tester"?'],
    [tasks('  - {subject: s, owner: bob, role: ▸tester}'), 'A task has either "owner" or "role", this one has both.'],
    [task('prompt: ▸y'), 'A task has either "run" or "prompt", this one has both.'],
    [
      tasks('  - {subject: s, owner: bob, run: ▸x}'),
      '"run" needs an exec agent, and bob has claude: name an "owner" with `agent: {kind: exec}`.',
    ],
    [tasks('  - {subject: s, run: ▸x}'), '"run" needs an exec agent, and bob has claude'],
    [
      'members: [{name: ada}]\ntasks: [{subject: s, run: ▸x}]',
      '"run" needs an exec agent, and ada has the default agent',
    ],
    [
      tasks('  - ▸{subject: s, owner: ada, prompt: x}'),
      'There is nothing to run: give the task "run", or the exec agent of ada a "command".',
    ],
    [
      tasks('  - {key: k, subject: s, role: tester}', '  - {key: ▸k, subject: t, role: tester}'),
      '"k" is already the key of task 1.',
    ],
    [
      tasks('  - {subject: DEV-001 s, role: tester}', '  - {subject: ▸DEV-001 t, role: tester}'),
      '"DEV-001" is already the code of task 1.',
    ],
    [task('key: build, blockedBy: [▸biuld]'), 'There is no task "biuld"; did you mean "build"?'],
    [task('blockedBy: [▸2]'), 'There is no task "2".'],
    [task('blockedBy: [▸s]'), 'A task cannot wait for itself.'],
    [task('blockedBy: [▸1]'), 'A task cannot wait for itself.'],
    [
      tasks(
        '  - {subject: s, role: tester}',
        '  - {subject: s, role: tester}',
        '  - {subject: t, role: tester, blockedBy: [▸s]}',
      ),
      '"s" names tasks 1 and 2; use a key.',
    ],
    [
      tasks(
        '  - {key: a, subject: s, role: tester, blockedBy: ▸[c]}',
        '  - {key: b, subject: t, role: tester, blockedBy: [a]}',
        '  - {key: c, subject: u, role: tester, blockedBy: [b]}',
      ),
      'These tasks wait for each other: "a" → "c" → "b" → "a".',
    ],
  ])('%#: %j', (row, sentence) => {
    const { text, place } = marked(row);
    expect(refusal(text)).toEqual([expect.stringContaining(`${place}: ${sentence}`)]);
  });
});

describe('variables', () => {
  const text = task('description: "in {{target}}"');

  test.each<[Record<string, string>, string[]]>([
    [{ target: 'x' }, []],
    [{ tagret: 'x' }, ['--var tagret is not used', 'No --var gives {{target}}; did you mean "tagret"?']],
    [{ target: 'x', other: 'y' }, ['--var other is not used: this plan has no {{other}}.']],
    [{ 'a b': 'x', target: 'y' }, ['--var "a b" is not a name of letters, digits, "_" and "-".']],
  ])('%j', (vars, sentences) => {
    const lines = refusal(text, vars);
    expect(lines).toHaveLength(sentences.length);
    for (const [at, sentence] of sentences.entries()) expect(lines[at]).toContain(sentence);
  });

  test('a variable cannot insert what the schema would refuse', () => {
    expect(refusal(tasks('  - {subject: "{{x}}", owner: ada, run: x}'), { x: 'a\nb' })).toEqual([
      'p.yaml:5:15: Expected one line of text, without control characters.',
    ]);
  });
});

test('every mistake of a plan is reported, in the order of the file', () => {
  const text = [
    'nmae: x',
    'members: [{name: ada, agent: {kind: exec}}, {name: ada, agent: x}]',
    'tasks:',
    '  - {subject: s, owner: adda, timeout: soon}',
  ];
  expect(refusal(text.join('\n'))).toEqual([
    'p.yaml:1:1: Unknown key "nmae"; did you mean "name"?',
    'p.yaml:2:52: "ada" is already the name of member 1.',
    'p.yaml:2:64: Unknown agent "x".',
    'p.yaml:4:25: There is no member "adda"; did you mean "ada"?',
    'p.yaml:4:40: Expected a duration such as 30s, 10m or 1h (a bare number is seconds), got "soon".',
  ]);
});

test('a plan with thousands of mistakes reports the first hundred', () => {
  const lines = Array.from(
    { length: 3_000 },
    (_, at) => `  - {subject: s${at}, owner: ada, run: x, blockedBy: [no${at}]}`,
  );
  expect(refusal(tasks(...lines))).toHaveLength(100);
});
