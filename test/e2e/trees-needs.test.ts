/** What a tree gets besides the files that git knows: `lend:`, `setup:` and `teardown:` of `isolation`. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import * as z from 'zod';
import { EXEC as ALL, git, scene, withDependencies } from '../support/tree-scene.ts';

const EXEC = ALL.slice(0, 2);

const isolation = (needs: object): object => ({ isolation: { mode: 'trees', ...needs } });

it.each([
  ['a path that git knows', ['a.txt'], 'git does not ignore a.txt'],
  ['the repository', ['.git'], 'git'],
  ['the folder of teams', ['.teams'], "the team's own files"],
  ['settings of an agent', ['.claude'], 'configuration of agents'],
])('%s cannot be lent, and nothing is started', async (_, lend, said) => {
  const { at, teams } = scene({ ...isolation({ lend }), tasks: [{ subject: 'One', run: 'echo ran >ran.txt' }] });
  const { code, err } = await teams('run', 'p.json', '--quiet');
  expect(code, err).toBe(5);
  expect(err).toContain(said);
  expect(existsSync(join(at, '.teams/p'))).toBe(false);
});

it.each(['/etc', '../other', 'a/../b', 'a/'])('%s is no path of the project', async (path) => {
  const { teams } = scene({ ...isolation({ lend: [path] }), tasks: [{ subject: 'One', run: 'true' }] });
  const { code, err } = await teams('run', 'p.json', '--quiet');
  expect(code).toBe(2);
  expect(err).toContain('a path of the project');
});

it('a setup that fails in the tree of the gates refuses the run before anything is started', async () => {
  const setup = 'echo x >>"$HOME/tries"; test "$TEAMS_MEMBER" != ""';
  const tasks = [{ subject: 'One', run: 'echo ran >ran.txt' }];
  const plan = { ...isolation({ setup }), members: EXEC, tasks, gates: { test: 'true' } };
  const { at, teams } = scene(plan);
  const { code, err } = await teams('run', 'p.json', '--quiet');
  expect(code, err).toBe(5);
  expect(err).toContain('the setup of the tree in which gates run failed: echo x');
  expect(git(at, 'for-each-ref', 'refs/teams')).not.toContain('attempts');
});

it('a teardown that fails is told, and the run ends as it did', async () => {
  const tasks = [{ subject: 'One', owner: 'ada', run: 'echo x >x.txt' }];
  const { teams } = scene({ ...isolation({ teardown: 'exit 9' }), members: EXEC, tasks });
  const { code, out, err } = await teams('run', 'p.json', '--quiet');
  expect(code, `${out}${err}`).toBe(0);
  expect((await teams('log', 'p', '--json')).out).toContain('teardown of the tree ada: exit 9');
});

it('a plan says what its trees need before it runs', async () => {
  const { teams } = scene({
    ...isolation({ lend: ['node_modules'], setup: 'npm ci', teardown: ['down'] }),
    tasks: [{ subject: 'One', run: 'true' }],
  });
  const { out } = await teams('validate', 'p.json');
  expect(out).toContain('Lent to trees: node_modules\nSetup of a tree: npm ci\nTeardown of a tree: down');
});

/**
 * Kills the process of a member in the middle of its work. Its pid is that of its lease: on a busy machine a look at all
 * processes takes longer than the work.
 */
async function killed(at: string, member: string, isMidway: () => boolean): Promise<void> {
  const lease = join(at, '.teams/p/processes', `${member}.lease.json`);
  const often = { timeout: 60_000, interval: 2 };
  const { pid } = await vi.waitFor(() => owner.parse(JSON.parse(readFileSync(lease, 'utf8'))), often);
  await vi.waitFor(() => expect(isMidway()).toBe(true), often);
  process.kill(pid, 'SIGKILL');
}

const owner = z.object({ pid: z.number() });
const SLOW = { timeout: 180_000 };

it(
  'a member that is killed while it copies what is lent leaves no part of it, and its next process copies all',
  SLOW,
  async () => {
    const COUNT = 3_000;
    const run = 'ls node_modules/left | wc -l >seen.txt';
    const { at, teams, landed } = withDependencies({
      ...isolation({ lend: ['node_modules'] }),
      members: EXEC.slice(0, 1),
      tasks: [{ subject: 'Use', run, owner: 'ada', retries: 3 }],
    });
    for (let n = 0; n < COUNT; n += 1) writeFileSync(join(at, `node_modules/left/${n}.js`), `${n}`.repeat(1_000));
    const running = teams('run', 'p.json', '--quiet');
    const trees = join(at, '.teams/p/trees');
    await killed(at, 'ada', () => existsSync(join(trees, '.left-ada-lent')));
    expect(existsSync(join(trees, 'ada/node_modules/left'))).toBe(false);
    const { code, out, err } = await running;
    expect(code, `${out}${err}`).toBe(0);
    expect(Number(landed('seen.txt'))).toBe(COUNT + 1);
    expect(existsSync(join(trees, '.left-ada-lent'))).toBe(false);
  },
);

it(
  'a member that is killed in its setup: the next process runs the setup again, from its beginning',
  SLOW,
  async () => {
    const setup = ['echo more >>tries.log; test "$(wc -l <tries.log)" -gt 1 || sleep 600', 'echo ready >ready.log'];
    const tasks = [{ subject: 'One', owner: 'ada', run: 'cat tries.log ready.log >seen.txt', retries: 3 }];
    const { at, teams, landed } = scene({ ...isolation({ setup }), members: EXEC.slice(0, 1), tasks });
    const running = teams('run', 'p.json', '--quiet');
    await killed(at, 'ada', () => existsSync(join(at, '.teams/p/trees/ada/tries.log')));
    const { code, out, err } = await running;
    expect(code, `${out}${err}`).toBe(0);
    expect(landed('seen.txt')).toBe('more\nmore\nready\n');
  },
);

it('a folder is lent with names that are not UTF-8', async () => {
  const run = 'LC_ALL=C ls -b node_modules/left >seen.txt; cat node_modules/left/link >>seen.txt';
  const { at, teams, landed } = withDependencies({
    ...isolation({ lend: ['node_modules'] }),
    members: EXEC.slice(0, 1),
    tasks: [{ subject: 'Use', run, owner: 'ada' }],
  });
  const odd = Buffer.from([0xff]);
  const left = Buffer.from(`${at}/node_modules/left/`);
  writeFileSync(Buffer.concat([left, odd]), 'odd\n');
  symlinkSync(odd, Buffer.concat([left, Buffer.from('link')]));
  const { code, out, err } = await teams('run', 'p.json', '--quiet');
  expect(code, `${out}${err}`).toBe(0);
  expect(landed('seen.txt')).toBe('index.js\nlink\n\\377\nodd\n');
});

it('what is larger than may be copied is left out, and named; the work goes on', async () => {
  const run = 'ls node_modules .cache >seen.txt';
  const { at, teams, landed } = withDependencies({
    ...isolation({ lend: ['.cache', 'node_modules'] }),
    members: EXEC.slice(0, 1),
    tasks: [{ subject: 'Use', run, owner: 'ada' }],
  });
  writeFileSync(join(at, '.gitignore'), '*.log\nnode_modules\n.env\n.cache\n');
  mkdirSync(join(at, '.cache'));
  writeFileSync(join(at, '.cache/large'), '');
  truncateSync(join(at, '.cache/large'), 2 ** 30 + 1);
  const { code, out, err } = await teams('run', 'p.json', '--quiet');
  expect(code, `${out}${err}`).toBe(0);
  expect(landed('seen.txt')).toBe('.cache:\n\nnode_modules:\nleft\n');
  expect((await teams('log', 'p', '--json')).out).toContain('.cache is larger than what may be copied into a tree');
});

it('doctor shows the commands of setup and teardown before it trusts a team of somebody else', SLOW, async () => {
  const tasks = [{ subject: 'One', owner: 'ada', run: 'exit 3' }];
  const { place, at, teams } = scene({
    ...isolation({ setup: 'echo set >up.log', teardown: 'echo taken >down.log' }),
    members: EXEC.slice(0, 1),
    tasks,
  });
  expect((await teams('run', 'p.json', '--quiet')).code).toBe(1);
  // Another user's key: this one gave none of it.
  const environment = { XDG_STATE_HOME: join(place.root, 'other') };
  const asOther = (...argv: string[]) => place.say(argv, { cwd: at, environment });
  vi.stubEnv('XDG_STATE_HOME', environment.XDG_STATE_HOME);
  const refused = await asOther('resume', 'p', '--retry-failed', '--quiet');
  expect([refused.code, refused.err]).toEqual([4, expect.stringContaining('doctor --trust')]);
  const asked = await asOther('doctor', '--trust', 'p');
  expect(asked.code).toBe(2);
  for (const command of ['echo set >up.log', 'echo taken >down.log', 'exit 3']) expect(asked.err).toContain(command);
  expect((await asOther('doctor', '--trust', 'p', '--yes')).code).toBe(0);
  expect((await asOther('resume', 'p', '--retry-failed', '--quiet')).code).toBe(1);
  expect(readFileSync(join(at, '.teams/p/trees/ada/down.log'), 'utf8')).toBe('taken\n');
});
