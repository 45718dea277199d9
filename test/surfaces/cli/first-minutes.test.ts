/** The first minutes of a newcomer: short flags, words of other programs, a plan by `init`, names almost right. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findProgram } from '../../../src/os/program-path.ts';
import { verbs } from '../../../src/surfaces/cli/verbs/all-verbs.ts';
import { Workplace } from '../../support/cli.ts';

describe('short flags', () => {
  it.each(['-V', '-v'])('%s prints the version', async (flag) => {
    const place = new Workplace();
    expect(await place.teams(flag)).toEqual(await place.teams('--version'));
  });

  it.each(['', 'run', 'task', 'task get'])('`teams %s -h` prints the same help as --help', async (verb) => {
    const place = new Workplace();
    const words = verb.split(' ').filter(Boolean);
    const { code, out } = await place.teams(...words, '-h');
    expect({ code, out }).toEqual({ code: 0, out: (await place.teams(...words, '--help')).out });
  });
});

describe('verbs of other programs', () => {
  const known = new Set(verbs.map(({ name }) => name));

  it.each(['ps', 'stop', 'up', 'show', 'retry', 'skip', 'tail', 'restart'])(
    '`teams %s` names a verb that exists',
    async (habit) => {
      const { code, err } = await new Workplace().teams(habit);
      expect(code).toBe(2);
      const named = [...err.matchAll(/`teams ([a-z]+(?: [a-z]+)?)/g)].map(([, words = '']) => words);
      expect(named.length).toBeGreaterThan(0);
      for (const words of named) expect(known.has(words) || known.has(words.split(' ', 1)[0] ?? '')).toBe(true);
    },
  );
});

it('two plans are no task in words', async () => {
  const place = new Workplace();
  place.put('one.yaml', '');
  const { code, err } = await place.teams('run', 'one.yaml', 'two.yaml');
  expect({ code, err }).toEqual({
    code: 2,
    err: 'teams: One plan at a time: "two.yaml" is too much. A task in words stands in quotes.\n',
  });
});

it('keys of other programs in a plan are answered with their name here', async () => {
  const place = new Workplace();
  const task =
    '{ id: a, name: A, command: ls, needs: [b], depends_on: [b], dependsOn: [b], retires: 2, cwd: a, <<: {} }';
  place.put('plan.yaml', `members: [{ name: ada, agent: { kind: exec } }]\ntasks: [${task}]\nservices: {}\n`);
  const { code, err } = await place.teams('validate', 'plan.yaml');
  expect(code).toBe(2);
  for (const [key, name] of [
    ['id', 'key'],
    ['name', 'subject'],
    ['command', 'run'],
    ['needs', 'blockedBy'],
    ['depends_on', 'blockedBy'],
    ['dependsOn', 'blockedBy'],
    ['services', 'members'],
  ] as const)
    expect(err).toContain(`Unknown key "${key}"; use "${name}"`);
  expect(err).toContain('Unknown key "retires"; did you mean "retries"?');
  expect(err).toContain('Unknown key "cwd"; use "run" that begins with `cd FOLDER &&`');
  expect(err).toContain('Unknown key "<<"; use the keys themselves');
});

describe('a plan by init', () => {
  it('has the scripts of package.json, validates, and is what `teams run` runs', async () => {
    const place = new Workplace();
    place.put('package.json', '{ "scripts": { "build": "echo built > built", "test": "test -e built" } }');
    place.put('node_modules/.keep', '');
    const { code, err } = await place.teams('init', '--yes');
    expect(code).toBe(0);
    expect(err).toContain('a plan with the tasks build, test');
    expect(err).toContain('Next: `teams run`');
    expect((await place.teams('validate')).out).toContain('npm run build');
    const ran = await place.teams('run');
    expect(ran.code, ran.err).toBe(0);
    expect(readFileSync(join(place.root, 'built'), 'utf8')).toBe('built\n');
  });

  it('has the targets of a Makefile, and an example for an empty project', async () => {
    const make = new Workplace();
    make.put('Makefile', 'test:\n\ttrue\n');
    await make.teams('init', '--yes');
    expect(readFileSync(join(make.root, 'teams.yaml'), 'utf8')).toContain('run: make test');
    const empty = new Workplace();
    await empty.teams('init', '--yes');
    expect((await empty.teams('run')).code).toBe(0);
  });

  it('names a program that is missing nowhere, and installs packages first', async () => {
    const place = new Workplace();
    place.put('go.mod', 'module x');
    place.put('package.json', '{ "scripts": { "lint": "true" } }');
    const { PATH = '' } = process.env;
    const { err } = await place.say(['init', '--yes'], { environment: { PATH } });
    // A machine that has Go is told nothing.
    if (!findProgram('go', PATH)) expect(err).toContain('; without go build ./..., go test ./...: not on the PATH');
    const plan = readFileSync(join(place.root, 'teams.yaml'), 'utf8');
    expect(plan).toMatch(/key: install\n.*\n {4}run: npm install\n/);
    expect(plan).toMatch(/key: lint\n.*\n {4}blockedBy: \[install\]\n {4}run: npm run lint/);
  });

  it('overwrites no plan, and `teams run` without one says how to get one', async () => {
    const place = new Workplace();
    expect((await place.teams('run')).err).toMatch(/^teams: Which plan\? There is no teams\.yaml here; `teams init`/);
    place.put('teams.yaml', 'mine');
    await place.teams('init', '--yes');
    expect(readFileSync(join(place.root, 'teams.yaml'), 'utf8')).toBe('mine');
  });
});

describe('teams without a verb', () => {
  it('begins in a project with the plan of its commands', async () => {
    const place = new Workplace();
    place.put('Makefile', 'all:\n\ttrue\ncheck:\n\ttrue\n');
    const { out } = await place.teams();
    expect(out).toContain('In this project:\n\n  teams init\n');
    expect(out).toContain('a plan of the commands of this project: make all, make check');
    expect((await place.teams('init', '--yes')).code).toBe(0);
    expect((await place.teams('run', '--quiet')).code).toBe(0);
  });

  it('says what is in the project and what comes next, and each line works', async () => {
    const place = new Workplace();
    place.put(
      'teams.yaml',
      'name: duo\nmembers: [{ name: ada, agent: { kind: exec } }]\ntasks: [{ subject: A, run: "false" }]\n',
    );
    expect((await place.teams()).out).toContain('teams run\n      run the plan teams.yaml');
    expect((await place.teams('run', '--quiet')).code).toBe(1);
    const { out } = await place.teams();
    expect(out).toContain(
      'teams report duo\n      duo: failed, 0/1 tasks; read why; `teams resume duo --retry-failed` tries again',
    );
    for (const [, line = ''] of out.matchAll(/^ {2}teams (report .*|status .*|list)$/gm))
      expect((await place.teams(...line.split(' '))).code).toBe(0);
  });
});

it.each([
  ['send', 'duo', 'adda', 'hi'],
  ['inbox', 'duo', 'adda'],
])('a member that is almost named is suggested by `teams %s`', async (...words) => {
  const place = new Workplace();
  await place.teams('create', 'duo', '--member', 'ada');
  const { code, err } = await place.teams(...words);
  expect(code).toBe(2);
  expect(err).toContain('Team duo has no member adda; did you mean "ada"?');
});

it.each([
  ['list'],
  ['status'],
  ['status', 'duo'],
  ['why', 'duo'],
  ['send', 'duo', 'ada', 'hi'],
  ['create', 'duo'],
  ['lead', 'duo'],
  ['mcp'],
  ['doctor'],
  ['prune'],
  ['refine', 'Mend it.'],
])('a --root that is missing is named by `teams %s`', async (...words) => {
  const { code, err } = await new Workplace().teams(...words, '--root', '/nowhere/at-all');
  expect({ code, err }).toEqual({
    code: 2,
    err: 'teams: There is no folder /nowhere/at-all; check --root or TEAMS_ROOT.\n',
  });
});
