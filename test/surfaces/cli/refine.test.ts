/** `refine` and `relay` on the command line: words and flags in, a synthesis and an exit code out. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { failureSchema, until, Workplace, type Answer } from '../../support/cli.ts';
import { running } from '../../support/processes.ts';

const errorOf = ({ code, out }: Answer) => {
  const { error } = failureSchema.parse(JSON.parse(out));
  return { exit: code, code: error.code, message: error.message };
};

const shapeSchema = z.looseObject({
  schemaVersion: z.literal(2),
  team: z.string().nullable(),
  outcome: z.string(),
  durationMs: z.number(),
  folder: z.string(),
  members: z.array(z.looseObject({ name: z.string() })),
  tasks: z.array(z.looseObject({ id: z.string() })),
  gates: z.looseObject({ test: z.string() }),
  rounds: z.array(
    z.looseObject({
      n: z.number(),
      backends: z.array(z.object({ name: z.string(), outcome: z.string() })),
      verdict: z.string().nullable(),
      findings: z.array(z.looseObject({ severity: z.string(), text: z.string() })),
    }),
  ),
  converged: z.boolean(),
  unresolved: z.array(z.string()),
  sandbox: z.string(),
  result: z.string().nullable(),
});

const QUICK = ['--backend', 'exec:echo it', '--reviewer', 'exec:true', '--no-team'];

const archived = ({ root }: Workplace): string[] => {
  const shelf = join(root, '.teams', '.archive');
  return existsSync(shelf) ? readdirSync(shelf) : [];
};
const workIn = ({ root }: Workplace) =>
  running().filter(
    ({ pid, cwd, command }) => pid !== process.pid && (cwd?.startsWith(root) === true || command.includes(root)),
  );

describe('refine', () => {
  it('refine makes the tests of a real repository pass, without any model', async () => {
    const place = new Workplace();
    place.put('sum.js', 'export const sum = (a, b) => a - b;\n');
    const test =
      "import { test } from 'node:test';\nimport assert from 'node:assert';\nimport { sum } from './sum.js';\n";
    place.put('sum.test.js', `${test}test('sum', () => assert.equal(sum(2, 3), 5));\n`);
    place.put('package.json', '{"type": "module"}');
    // It changes the code only after it has seen the output of the tests.
    place.put('fix.sh', "grep -q 'not ok\\|failing' && sed -i 's/a - b/a + b/' sum.js; echo done\n");
    await place.shell('git init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -qm start');
    const argv = ['--backend', 'exec:sh fix.sh', '--reviewer', 'exec:node --test sum.test.js', '--max-rounds=2'];
    const { code, out, err } = await place.teams('refine', 'make', 'the', 'tests', 'pass', ...argv);
    expect(out).toMatch(/^REFINE CONVERGED: make the tests pass\n/);
    expect(code).toBe(0);
    for (const part of [
      'Accomplished:',
      'Backends:',
      'Rounds: Converged in 2 rounds',
      'Convergence: all',
      'Sandbox: workspace-write was used',
    ])
      expect(out).toContain(`\n${part}`);
    expect(out.trimEnd().split('\n').at(-1)).toBe(join(place.root, '.teams', '.archive', archived(place)[0] ?? ''));
    expect(err).toMatch(/^round 1\/2 {2}do {8}exec {2}\S+( \S+)? {2}delivered$/m);
    expect(err).toMatch(/^round 2\/2 {2}decide {4}exec {2}\S+( \S+)? {2}converged$/m);
    expect((await place.shell('git status --porcelain')).out).toContain(' M sum.js');
  });

  it('refine --json prints one object of the specified shape', async () => {
    const place = new Workplace();
    const { code, out } = await place.teams(
      'refine',
      'Say it',
      '--backend',
      'exec:echo it',
      '--reviewer',
      'exec:exit 3',
      '--max-rounds',
      '1',
      '--json',
    );
    expect(code).toBe(1);
    expect(shapeSchema.parse(JSON.parse(out))).toMatchObject({
      team: 'phone-a-team-say-it',
      outcome: 'failed',
      converged: false,
      sandbox: 'read-only',
      result: 'it\n',
      members: [{ name: 'relay-worker' }],
      tasks: [{ id: '1' }],
      rounds: [
        {
          n: 1,
          backends: [{ name: 'exec', outcome: 'success' }],
          verdict: 'issues',
          findings: [{ severity: 'critical' }],
        },
      ],
    });
    expect(existsSync(join(z.object({ folder: z.string() }).parse(JSON.parse(out)).folder, 'report.json'))).toBe(true);
  });

  it.each([
    ['flags before the task', [...QUICK, '--max-rounds', '2', 'Say it'], 'Say it', 2],
    [
      'the = form',
      ['Say it', '--max-rounds=4', '--backend=exec:echo it', '--reviewer=exec:true', '--no-team'],
      'Say it',
      4,
    ],
    ['-- before a word like a flag', [...QUICK, '--', 'Explain', '--backend'], 'Explain --backend', 3],
    ['a cap in prose', [...QUICK, 'Say it, max 2 rounds'], 'Say it', 2],
    ['a flag and a cap in prose', [...QUICK, 'Say it, max 2 rounds', '--max-rounds', '5'], 'Say it', 5],
    ['no cap', [...QUICK, 'Say it'], 'Say it', 3],
    ['a cap too high', [...QUICK, 'Say it', '--max-rounds', '99'], 'Say it', 5],
    ['a cap too low', [...QUICK, 'Say it', '--max-rounds', '-7'], 'Say it', 1],
  ])('refine accepts %s', async (_, argv, task, maxRounds) => {
    const { code, out } = await new Workplace().teams('refine', '--json', '--quiet', ...argv);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ task, maxRounds });
  });

  it('refine reads a task from stdin unchanged, and says that a cap was removed', async () => {
    const place = new Workplace();
    const { out } = await place.say(['refine', '-', ...QUICK, '--json'], { stdin: 'Say it, max 2 rounds\n' });
    expect(JSON.parse(out)).toMatchObject({ task: 'Say it, max 2 rounds', maxRounds: 3 });
    expect((await place.teams('refine', 'Say it, max 2 rounds', ...QUICK)).err).toContain(
      '"max 2 rounds" is read as the limit of rounds',
    );
  });

  it.each([
    [
      'an unknown backend',
      ['x', '--backend', 'invalid'],
      2,
      'USAGE',
      'Valid are codex, gemini, ollama, claude, opencode, both, all, exec:CMD',
    ],
    ['no task', QUICK, 2, 'USAGE', 'The task is missing'],
    ['a task of nothing but a cap', ['max 2 rounds', ...QUICK], 2, 'USAGE', 'The task is missing'],
    [
      'a cap that is no number',
      ['x', ...QUICK, '--max-rounds', 'many'],
      2,
      'USAGE',
      '--max-rounds: Expected a whole number',
    ],
    ['a cap that is a fraction', ['x', ...QUICK, '--max-rounds', '2.5'], 2, 'USAGE', '--max-rounds: Expected'],
    ['a cap that is missing', ['x', ...QUICK, '--max-rounds'], 2, 'USAGE', 'max-rounds'],
    ['a cap that is another flag', ['x', '--max-rounds', '--no-team'], 2, 'USAGE', 'got "--no-team"'],
    ['an unknown sandbox', ['x', ...QUICK, '--sandbox', 'none'], 2, 'USAGE', '--sandbox'],
    [
      'an unknown reviewer',
      ['x', '--backend', 'exec:true', '--reviewer', 'nobody'],
      2,
      'USAGE',
      'Unknown agent "nobody"',
    ],
    ['a run without a possible reviewer', ['x', '--backend', 'exec:true'], 2, 'USAGE', 'No agent can review'],
    [
      'a directory that does not exist',
      ['x', ...QUICK, '--repo', 'nowhere'],
      2,
      'USAGE',
      '--repo: there is no directory',
    ],
    [
      'a backend that is not installed',
      ['x'],
      5,
      'AGENT_UNAVAILABLE',
      'codex CLI not found. Install: `npm install -g @openai/codex`. Probed: ',
    ],
    [
      'two backends that are not installed',
      ['x', '--backend', 'both'],
      5,
      'AGENT_UNAVAILABLE',
      'No backends available. Install at least one',
    ],
    [
      'a reviewer that is not installed',
      ['x', '--backend', 'exec:true', '--reviewer', 'claude'],
      5,
      'AGENT_UNAVAILABLE',
      'The reviewer is not available. Probed: ',
    ],
  ])('refine refuses %s', async (_, argv, exit, code, message) => {
    const place = new Workplace({ PATH: '/usr/bin:/bin' });
    const error = errorOf(await place.teams('refine', ...argv, '--json', '--quiet'));
    expect(error).toMatchObject({ exit, code });
    expect(error.message).toContain(message);
    expect(existsSync(join(place.root, '.teams'))).toBe(false);
  });

  it('refine starts no loop within a loop', async () => {
    const place = new Workplace();
    const inner = `exec:teams refine inner --backend exec:true --reviewer exec:true --json`;
    const { out } = await place.teams(
      'refine',
      'Say it',
      '--backend',
      inner,
      '--reviewer',
      'exec:grep -q POLICY_DENIED',
      '--max-rounds',
      '1',
      '--json',
    );
    expect(JSON.parse(out)).toMatchObject({ rounds: [{ backends: [{ outcome: 'crashed' }] }] });
    const directly = await place.teams(
      'refine',
      'Say it',
      '--backend',
      inner,
      '--reviewer',
      'exec:true',
      '--max-rounds',
      '1',
      '--no-team',
      '--json',
    );
    expect(JSON.parse(directly.out)).toMatchObject({ rounds: [{ backends: [{ outcome: 'crashed' }] }] });
  });

  it('refine ends with 124 and the best result when its time is over', async () => {
    const place = new Workplace();
    const { code, out } = await place.teams(
      'refine',
      'Say it',
      '--backend',
      'exec:echo it',
      '--reviewer',
      'exec:sleep 55.5',
      '--timeout',
      '3s',
      '--no-team',
    );
    expect(code).toBe(124);
    expect(out).toMatch(/^REFINE INTERRUPTED/);
  });
});

describe('Ctrl-C', () => {
  const phases: [string, string[], boolean][] = [
    ['a worker works', ['--backend', 'exec:echo half; touch here; sleep 45.5', '--reviewer', 'exec:true'], false],
    [
      'a backend is called directly',
      ['--backend', 'exec:touch here; sleep 45.5', '--reviewer', 'exec:true', '--no-team'],
      false,
    ],
    ['a reviewer reviews', ['--backend', 'exec:echo whole', '--reviewer', 'exec:touch here; setsid sleep 45.5'], true],
    ['a command validates', ['--backend', 'exec:echo whole', '--validate', 'touch here; sleep 45.5'], true],
  ];

  it.each(phases)(
    'Ctrl-C while %s leaves no process, and prints a synthesis of the results so far',
    async (_, argv, hasResult) => {
      const place = new Workplace();
      const { child, ended } = place.start('refine', 'Say it', ...argv);
      await until(() => existsSync(join(place.root, 'here')), 'it is at work');
      child.kill('SIGINT');
      const { code, out } = await ended;
      expect(code).toBe(130);
      expect(out).toMatch(/^REFINE INTERRUPTED: Say it\n/);
      for (const part of ['Accomplished:', 'Backends:', 'Rounds: Interrupted', 'Convergence: no.', 'Sandbox:'])
        expect(out).toContain(`\n${part}`);
      expect(out.includes('\nwhole\n')).toBe(hasResult);
      expect(workIn(place)).toEqual([]);
      expect(readFileSync(join(out.trimEnd().split('\n').at(-1) ?? '', 'report.md'), 'utf8')).toContain(
        'REFINE INTERRUPTED',
      );
      expect(archived(place)).toHaveLength(1);
    },
  );

  it('Ctrl-C while every backend is rate-limited does not wait', async () => {
    const place = new Workplace();
    const turns = [{ fails: { why: 'rate_limited', message: '429', retryAfterMs: 60_000 }, repeat: true }];
    place.put(
      'home/config/teams/config.yaml',
      JSON.stringify({ agents: { mock: { kind: 'scripted', options: { turns } } } }),
    );
    const { child, ended } = place.start('refine', 'Say it', '--backend', 'mock', '--reviewer', 'exec:true');
    let err = '';
    child.stderr.on('data', (chunk) => (err += String(chunk)));
    await until(() => err.includes('rate-limited'), 'it waits');
    child.kill('SIGTERM');
    const { code, out } = await ended;
    expect({ code, head: out.split('\n')[0] }).toEqual({ code: 143, head: 'REFINE INTERRUPTED: Say it' });
    expect(workIn(place)).toEqual([]);
  });
});

describe('relay', () => {
  it('relay prints the answer of one call, and nothing else', async () => {
    const place = new Workplace();
    expect(await place.teams('relay', '--to', 'exec:tr a-z A-Z', '--prompt', 'say it', '--quiet')).toEqual({
      code: 0,
      err: '',
      out: 'SAY IT\n\nANSWER WITH THE WHOLE RESULT AS TEXT, NOT ONLY WITH WHAT IS NEW. CHANGE NO FILES.\n',
    });
    expect(existsSync(join(place.root, '.teams'))).toBe(false);
  });

  it('relay works in --repo, and sends context and diff', async () => {
    const place = new Workplace();
    place.put('repo/a.txt', 'one\n');
    await place.shell(
      'cd repo && git init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -qm start',
    );
    place.put('repo/a.txt', 'two\n');
    const argv = [
      '--to',
      'exec:pwd; cat',
      '--repo',
      'repo',
      '--prompt',
      '-',
      '--context-text',
      'mind the gap',
      '--include-diff',
    ];
    const { out } = await place.say(['relay', ...argv], { stdin: 'look' });
    for (const said of [join(place.root, 'repo'), 'look', 'mind the gap', '-one', '+two']) expect(out).toContain(said);
  });

  it('relay says on Ctrl-C what it stops, and leaves no process', async () => {
    const place = new Workplace();
    const { child, ended } = place.start(
      'relay',
      '--to',
      'exec:touch began; sleep 46.5',
      '--sandbox',
      'full',
      '--prompt',
      'x',
    );
    await until(() => existsSync(join(place.root, 'began')), 'the backend works');
    child.kill('SIGINT');
    expect(await ended).toMatchObject({
      code: 130,
      out: '',
      err: expect.stringMatching(/^teams: Stopping exec:touch began; sleep 46\.5, at most 2 s\.\n$/) as string,
    });
    expect(workIn(place)).toEqual([]);
  });

  it.each([
    ['nobody', ['--prompt', 'x'], 2, 'USAGE', '--to: Expected a backend'],
    ['nothing', ['--to', 'exec:cat'], 2, 'USAGE', '--prompt'],
    ['several', ['--to', 'both', '--prompt', 'x'], 2, 'USAGE', 'names several'],
    ['an unknown backend', ['--to', 'invalid', '--prompt', 'x'], 2, 'USAGE', 'Unknown backend'],
    [
      'a backend that is not installed',
      ['--to', 'gemini', '--prompt', 'x'],
      5,
      'AGENT_UNAVAILABLE',
      'npm install -g @google/gemini-cli',
    ],
    ['a backend that fails', ['--to', 'exec:echo no >&2; exit 3', '--prompt', 'x'], 5, 'AGENT_CRASHED', 'exit 3: no'],
    [
      'a backend that is too slow',
      ['--to', 'exec:sleep 45.5', '--prompt', 'x', '--timeout', '0.2'],
      124,
      'AGENT_TIMEOUT',
      'Timed out',
    ],
    [
      'too much context',
      ['--to', 'exec:cat', '--prompt', 'x', '--context-text', 'c'.repeat(200_001)],
      2,
      'USAGE',
      'The context is 200,001 bytes; the limit is 200,000.',
    ],
    [
      'a prompt that is too long',
      ['--to', 'exec:cat', '--prompt', 'p'.repeat(500_000)],
      2,
      'USAGE',
      'the limit is 500,000.',
    ],
    [
      'a diff outside of a repository',
      ['--to', 'exec:cat', '--prompt', 'x', '--include-diff'],
      2,
      'USAGE',
      'needs a git repository',
    ],
  ])('relay fails with %s', async (_, argv, exit, code, message) => {
    const place = new Workplace({ PATH: '/usr/bin:/bin' });
    const error = errorOf(await place.teams('relay', ...argv, '--json', '--quiet'));
    expect(error).toMatchObject({ exit, code });
    expect(error.message).toContain(message);
  });

  it('both verbs refuse a diff over 300,000 bytes, and give its size', async () => {
    const place = new Workplace();
    place.put('a.txt', 'one\n');
    await place.shell('git init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -qm start');
    place.put('a.txt', `${'x'.repeat(99)}\n`.repeat(3_500));
    for (const argv of [
      ['relay', '--to', 'exec:cat', '--prompt', 'x'],
      ['refine', 'x', ...QUICK],
    ]) {
      const error = errorOf(await place.teams(...argv, '--include-diff', '--json', '--quiet'));
      expect(error).toMatchObject({ exit: 2, code: 'USAGE' });
      expect(error.message).toMatch(/^The diff is 35\d,\d{3} bytes; the limit is 300,000\.$/);
    }
  });

  it('the diff runs no program that the repository configures', async () => {
    const place = new Workplace();
    place.put('a.txt', 'one\n');
    await place.shell('git init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -qm start');
    await place.shell(
      "git config diff.external 'touch pwned;' && git config core.fsmonitor 'touch pwned;' && git config diff.t.textconv 'touch pwned;' && echo '*.txt diff=t' > .gitattributes",
    );
    place.put('a.txt', 'two\n');
    expect((await place.teams('relay', '--to', 'exec:cat', '--prompt', 'x', '--include-diff')).out).toContain('+two');
    expect(existsSync(join(place.root, 'pwned'))).toBe(false);
  });
});
