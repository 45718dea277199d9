/** Output that cannot be written: a full log disk neither ends a run nor prints a stack trace. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BIN, until, Workplace } from '../../support/cli.ts';

const PLAN = JSON.stringify({
  name: 'duo',
  members: [{ name: 'ada', agent: { kind: 'exec' } }],
  tasks: [{ subject: 'Write', owner: 'ada', run: 'echo done > done.txt' }],
});
const FULL =
  'teams: The output could not be written (ENOSPC: no space left on device); what the command did is kept. ' +
  'Write the output to another place.\n';

describe('a full device on stdout', () => {
  it.each([
    '--help',
    '--version',
    '',
    'nonsense --json',
    'list --json',
    'create duo --member ada',
    'config show',
    'completion bash',
    'validate plan.json',
    'doctor',
  ])('`teams %s` ends with one sentence and exit 4', async (words) => {
    const place = new Workplace();
    place.put('plan.json', PLAN);
    const { code, err } = await place.shell(`teams ${words} > /dev/full`);
    const said = err.replace('There is no team here; `teams` without a verb shows first steps.\n', '');
    expect({ code, err: said }).toEqual({ code: words.startsWith('nonsense') ? 2 : 4, err: FULL });
  });

  it('says nothing where stderr is full too', async () => {
    const { code, err } = await new Workplace().shell('teams --version > /dev/full 2>&1');
    expect({ code, err }).toEqual({ code: 4, err: '' });
  });

  it('keeps the work of a run, whose exit code becomes 4', async () => {
    const place = new Workplace();
    place.put('plan.json', PLAN);
    const { code, err } = await place.shell('teams run plan.json > /dev/full');
    expect(code).toBe(4);
    expect(err).toContain(FULL);
    expect(existsSync(join(place.root, 'done.txt'))).toBe(true);
  });
});

describe('a pipe that nobody reads', () => {
  const LOUD = "head -c 20000000 /dev/zero | tr '\\0' x | fold -w 200";
  const start = (place: Workplace, run: string): ChildProcess => {
    const members = [{ name: 'ada', agent: { kind: 'exec' } }];
    place.put('plan.json', JSON.stringify({ name: 'duo', members, tasks: [{ subject: 'Say', owner: 'ada', run }] }));
    const child = spawn(process.execPath, [BIN, 'run', 'plan.json'], {
      cwd: place.root,
      env: place.environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    for (const pipe of [child.stdout, child.stderr]) pipe.pause();
    return child;
  };

  it('does not hold up the end of a run', async () => {
    const child = start(new Workplace(), LOUD);
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('does not hold up SIGTERM', async () => {
    const place = new Workplace({ TEAMS_SHUTDOWN_TIMEOUT_MS: '1000' });
    const child = start(place, `${LOUD}; touch begun; sleep 600`);
    await until(() => existsSync(join(place.root, 'begun')), 'everything was said', 30_000);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([143, null]);
  });
});

describe('a file for a person on a full disk', () => {
  /** No file may have more than so many KiB. */
  const within = (kib: number, words: string): string => `(ulimit -f ${String(kib)}; teams ${words})`;

  it('a plan that `init` cannot write whole is not there, so that the next `init` writes it', async () => {
    const place = new Workplace();
    expect((await place.shell(within(0, 'init'))).code).toBe(4);
    expect(existsSync(join(place.root, 'teams.yaml'))).toBe(false);
    expect((await place.shell('teams init')).code).toBe(0);
    expect(readFileSync(join(place.root, 'teams.yaml'), 'utf8')).toContain('tasks:');
  });

  it('a page that `export` cannot write whole leaves the one before, and nothing else', async () => {
    const place = new Workplace();
    place.put('plan.json', PLAN);
    place.put('pages/duo.html', 'before');
    await place.shell('teams run plan.json');
    const { code, err } = await place.shell(within(1, 'export duo --out pages/duo.html'));
    expect(code).toBe(4);
    expect(err).toContain('Cannot write');
    expect([
      readdirSync(join(place.root, 'pages')),
      readFileSync(join(place.root, 'pages', 'duo.html'), 'utf8'),
    ]).toEqual([['duo.html'], 'before']);
  });
});

describe('a full device on stderr', () => {
  it('does not end a run', async () => {
    const place = new Workplace();
    place.put('plan.json', PLAN);
    const { code, out } = await place.shell('teams run plan.json 2> /dev/full');
    expect(code).toBe(0);
    expect(out).toContain('TEAM COMPLETE');
    expect(existsSync(join(place.root, 'done.txt'))).toBe(true);
  });
});
