/** The frame of every verb: how a verb is found, how it answers, how it fails. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { verbs } from '../../../src/surfaces/cli/verbs/all-verbs.ts';
import { VERSION } from '../../../src/surfaces/cli/version.ts';
import { failureSchema, Workplace } from '../../support/cli.ts';

const oneSentence = (err: string): void => expect(err).toMatch(/^teams: [^\n]+\n$/);

describe('the table of verbs', () => {
  it('the command line has the version of the package', async () => {
    const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync('package.json', 'utf8')));
    expect(VERSION).toBe(version);
    expect(await new Workplace().teams('--version')).toEqual({ code: 0, out: `${version}\n`, err: '' });
  });

  it('the table names every verb once', () => {
    const names = verbs.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(verbs)('the help of $name has 2 to 4 examples', async ({ name, summary, examples }) => {
    const { code, out, err } = await new Workplace().teams(...name.split(' '), '--help');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.replaceAll(/\s+/g, ' ')).toContain(summary);
    const shown = out
      .slice(out.indexOf('Examples:'))
      .split('\n')
      .filter((line) => line.startsWith('  '));
    expect(shown).toHaveLength(examples.length);
    expect(examples.length).toBeGreaterThanOrEqual(2);
    expect(examples.length).toBeLessThanOrEqual(4);
    for (const { line } of examples) expect(line).toMatch(new RegExp(`teams ${name}\\b`));
  });

  it.each(verbs)('the verb $name can be loaded', async ({ load }) => {
    expect((await load()).act).toBeTypeOf('function');
  });

  it('every verb refuses an unknown option', async () => {
    const place = new Workplace();
    for (const { name } of verbs) {
      const { code, err } = await place.teams(...name.split(' '), '--nonsense');
      expect({ name, code }).toEqual({ name, code: 2 });
      oneSentence(err);
    }
  });
});

describe('completion', () => {
  it.each([
    ['', ['answer', 'init', 'refine', 'relay', 'route']],
    ['task ', ['approve', 'refuse']],
    ['init --', ['--host', '--print']],
    ['spawn --', ['--agent', '--plan-approval']],
  ])('completion of "teams %s" offers %j', async (typed, known) => {
    const words = typed.split(' ').map((word) => (word === '' ? "''" : word));
    const { code, out } = await new Workplace().shell(`teams complete -- ${words.join(' ')}`);
    const told = out.split('\n').map((line) => line.split('\t')[0] ?? '');
    expect({ code, told }).toEqual({ code: 0, told: expect.arrayContaining(known) as string[] });
  });
});

describe('an unknown verb', () => {
  it('an unknown verb is a usage error with a suggestion', async () => {
    const { code, out, err } = await new Workplace().teams('lst');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toBe("teams: Unknown command 'lst'; did you mean list?\n");
  });

  it('an unknown verb is an error in JSON with --json', async () => {
    const { code, out, err } = await new Workplace().teams('stauts', '--json');
    expect({ code, err }).toEqual({ code: 2, err: '' });
    const { error } = failureSchema.parse(JSON.parse(out));
    expect(error).toMatchObject({ class: 'UsageError', code: 'USAGE', retryable: false });
    expect(error.message).toContain('did you mean status?');
  });

  it('a group without a verb lists its verbs', async () => {
    const { code, err } = await new Workplace().teams('config');
    expect(code).toBe(2);
    oneSentence(err);
  });

  it('an unknown verb cannot control the terminal', async () => {
    const { err } = await new Workplace().teams('\u001b]0;title\u0007x\u202e');
    expect(err).not.toMatch(/[\u001b\u0007\u202e]/);
  });
});

describe('names', () => {
  const words = [
    '',
    '.',
    '..',
    '/',
    'a/b',
    'a\\b',
    'A',
    'ä',
    'a b',
    'a_b',
    'a.b',
    '-a',
    'a-',
    'a\nb',
    'a\tb',
    'ａ',
    'lead',
    'all',
    'user',
    'con',
    'com1',
  ];
  const hats: ((word: string) => string)[] = [
    (word) => word,
    (word) => `${word}/`,
    (word) => `../${word}`,
    (word) => `/${word}`,
    (word) => `${word}\u0000`,
    (word) => `${word}:x`,
    (word) => `${word}\u202e`,
    (word) => `${word} `,
    (word) => `${word}.`,
    (word) => `${word}$(touch x)`,
    (word) => `${word}\u001b[31m`,
    (word) => `${word}${'x'.repeat(65)}`,
  ];
  const hostile = [...new Set(words.flatMap((word) => hats.map((hat) => hat(word))))].filter(
    (name) => !/^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/.test(name) || words.includes(name),
  );

  it(`hostile names are refused with one sentence, and nothing is created (${hostile.length} of them)`, async () => {
    expect(hostile.length).toBeGreaterThanOrEqual(200);
    const place = new Workplace();
    for (const name of hostile) {
      const { code, out, err } = await place.teams('create', '--', name);
      expect({ name, code, out }).toEqual({ name, code: 2, out: '' });
      oneSentence(err);
      expect(err).not.toMatch(/[\u0000\u001b\u202e]/);
    }
    expect(existsSync(join(place.root, '.teams'))).toBe(false);
    expect(existsSync(join(place.root, '.tasks'))).toBe(false);
  });

  it('names of members are checked before the team is created', async () => {
    const place = new Workplace();
    const { code, out } = await place.teams('create', 'login', '--member', '../ada', '--json');
    expect({ code, error: failureSchema.parse(JSON.parse(out)).error.code }).toEqual({ code: 2, error: 'BAD_NAME' });
    expect(existsSync(join(place.root, '.teams'))).toBe(false);
  });
});

describe('the team', () => {
  it('the team may be omitted if there is one', async () => {
    const place = new Workplace();
    await place.teams('create', 'login');
    expect(await place.json(z.looseObject({ team: z.string() }), 'status')).toMatchObject({ team: 'login' });
  });

  it('the team must be named if there are several, and they are listed', async () => {
    const place = new Workplace();
    expect((await place.teams('status')).err).toContain('There is no team');
    await place.teams('create', 'login');
    await place.teams('create', 'search');
    const { code, err } = await place.teams('status');
    expect(code).toBe(2);
    expect(err).toContain('login, search');
    expect((await place.say(['status', '--json'], { environment: { TEAMS_TEAM: 'search' } })).out).toContain(
      '"team":"search"',
    );
    expect((await place.say(['status', 'login', '--json'], { environment: { TEAMS_TEAM: 'search' } })).out).toContain(
      '"team":"login"',
    );
  });

  it('an unknown team is a usage error with a suggestion', async () => {
    const place = new Workplace();
    await place.teams('create', 'login');
    const { code, out } = await place.teams('status', 'logni', '--json');
    const { error } = failureSchema.parse(JSON.parse(out));
    expect({ code, error: error.code }).toEqual({ code: 2, error: 'UNKNOWN_TEAM' });
    expect(error.message).toContain('did you mean "login"?');
  });

  it('the team is found from below its root, and elsewhere by --root', async () => {
    const place = new Workplace();
    await place.teams('create', 'login');
    const below = join(place.root, 'a', 'b');
    mkdirSync(below, { recursive: true });
    expect((await place.shell(`cd a/b && teams list`)).out).toContain('login');
    expect((await new Workplace().teams('list', '--root', place.root)).out).toContain('login');
  });
});

describe('bare teams', () => {
  it('teams without a verb prints first steps, every one of which works', async () => {
    const place = new Workplace();
    const { code, out } = await place.teams('--json');
    expect(code).toBe(0);
    const { steps } = z.object({ steps: z.array(z.object({ line: z.string() })).min(4) }).parse(JSON.parse(out));
    const printed = await place.teams();
    for (const { line } of steps) {
      expect(printed.out).toContain(line);
      const answer = await place.shell(line);
      expect({ line, ...answer }).toMatchObject({ line, code: 0 });
      if (line.includes('task get')) expect(answer.out).toContain('hello from ada');
    }
  });
});

describe('streams', () => {
  it('a closed output stream causes no error', async () => {
    const place = new Workplace();
    await place.teams('create', 'login');
    for (const verb of ['list', 'list --json', '--help']) {
      const { out, err } = await place.shell(`teams ${verb} | head -c 0; echo "\${PIPESTATUS[0]}"`);
      expect({ verb, out, err }).toEqual({ verb, out: '0\n', err: '' });
    }
  });

  it('with --json stdout has one object with schemaVersion 2', async () => {
    const place = new Workplace();
    for (const argv of [
      ['create', 'login'],
      ['list'],
      ['status'],
      ['config', 'show', '--origin'],
      ['doctor'],
      ['prune', '--dry-run'],
      ['delete', 'login'],
    ]) {
      const { out } = await place.teams(...argv, '--json');
      expect(out.trimEnd().split('\n')).toHaveLength(1);
      expect(JSON.parse(out)).toMatchObject({ schemaVersion: 2 });
    }
  });

  it('every configuration error gives its place', async () => {
    const place = new Workplace();
    const path = place.put('.teams/config.yaml', 'maxAgents: many\n');
    const { code, err } = await place.teams('config', 'show');
    expect(code).toBe(2);
    expect(err).toContain(path);
    place.put('.teams/config.yaml', 'maxAgent: 3\n');
    expect((await place.teams('config', 'show')).err).toContain('did you mean "maxAgents"?');
  });
});
