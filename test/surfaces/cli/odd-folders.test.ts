/** Verbs in odd folders: a stale `.git`, remains of a removed team, a deleted directory. */
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { until, Workplace } from '../../support/cli.ts';
import { isRoot } from '../../support/user.ts';

describe('a `.git` that cannot be used', () => {
  it.each([
    ['names a folder that is missing', 'gitdir: /nowhere/repo/.git/worktrees/wt\n'],
    ['is empty', ''],
  ])('and that %s gets no folder, and the team is made', async (_, text) => {
    const place = new Workplace();
    place.put('.git', text);
    const { code, err } = await place.teams('create', 'duo', '--member', 'ada');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(existsSync('/nowhere')).toBe(false);
    expect((await place.teams('init', '--yes')).code).toBe(0);
  });

  it.skipIf(isRoot)('and that may not be written costs one warning', async () => {
    const place = new Workplace();
    mkdirSync(join(place.root, '.git/info'), { recursive: true });
    place.put('.git/HEAD', 'ref: refs/heads/main\n');
    for (const folder of ['.git/info', '.git']) chmodSync(join(place.root, folder), 0o500);
    onTestFinished(() => {
      for (const folder of ['.git', '.git/info']) chmodSync(join(place.root, folder), 0o700);
    });
    const { code, err } = await place.teams('create', 'duo', '--member', 'ada');
    expect(code).toBe(0);
    expect(err).toMatch(/^teams: git does not ignore .*EACCES.*\n$/);
    expect((await place.teams('init', '--yes')).err).toContain('git does not ignore');
  });

  it('and whose exclude list is a folder costs one warning', async () => {
    const place = new Workplace();
    mkdirSync(join(place.root, '.git/info/exclude'), { recursive: true });
    place.put('.git/HEAD', 'ref: refs/heads/main\n');
    const { code, err } = await place.teams('create', 'duo', '--member', 'ada');
    expect(code).toBe(0);
    expect(err).toMatch(/^teams: git does not ignore .*\n$/);
  });
});

describe('remains of a team whose board was removed', () => {
  it('are listed, named by doctor, and put away by delete', async () => {
    const place = new Workplace();
    await place.teams('create', 'duo', '--member', 'ada');
    await place.teams('send', 'duo', 'ada', 'hi');
    rmSync(join(place.root, '.tasks'), { recursive: true });
    expect((await place.teams('create', 'duo')).err).toContain('`teams delete duo`');
    expect((await place.teams('list', '--all')).out).toMatch(/^duo .*board missing/);
    expect((await place.teams('doctor')).out).toMatch(/duo: board.*missing.*teams delete duo/s);
    const { code, out } = await place.teams('delete', 'duo');
    expect({ code, out }).toEqual({
      code: 0,
      out: 'The remains of team duo, whose board was missing, were archived.\n',
    });
    expect(readdirSync(join(place.root, '.teams')).filter((name) => name === 'duo')).toEqual([]);
    expect((await place.teams('create', 'duo')).code).toBe(0);
  });
});

describe('a directory that was removed', () => {
  it.each(['--version', '--help', '', 'list', 'list --json', 'send x y', 'run', 'create a', 'doctor', 'nonsense'])(
    '`teams %s` prints no stack trace there',
    async (words) => {
      const { code, out, err } = await new Workplace().shell(
        `mkdir gone && cd gone && rmdir ../gone && teams ${words}`,
      );
      expect(`${out}${err}`).not.toMatch(/\n {4}at |uv_cwd/);
      expect(code).toBe(words === 'nonsense' ? 2 : words === '' || words.startsWith('--') ? 0 : 4);
    },
  );

  it('and an absolute --root needs no working directory', async () => {
    const place = new Workplace();
    const { code } = await place.shell(`mkdir gone && cd gone && rmdir ../gone && teams list --root ${place.root}`);
    expect(code).toBe(0);
  });
});

describe('a HOME that is not absolute', () => {
  it.each(['', 'relative/home'])('(%j) leads no key, cache or configuration into the project', async (home) => {
    const place = new Workplace();
    const given = `env -u XDG_STATE_HOME -u XDG_CONFIG_HOME -u XDG_CACHE_HOME HOME='${home}'`;
    mkdirSync(join(place.root, 'project'));
    const { code } = await place.shell(`cd project && ${given} teams list && ${given} teams doctor; exit 0`);
    expect(code).toBe(0);
    expect(readdirSync(join(place.root, 'project'))).toEqual([]);
  });
});

describe.skipIf(isRoot)("a HOME that is another user's, or missing", () => {
  it.each([
    ['/root', 'belongs to root'],
    ['/nowhere', 'does not exist or cannot be reached'],
  ])('(%s) is named with its cure', async (home, what) => {
    const place = new Workplace();
    const { code, err } = await place.shell(`env -u XDG_STATE_HOME -u XDG_CONFIG_HOME HOME=${home} teams create duo`);
    expect(code).toBe(4);
    expect(err).toContain(`HOME is ${home}, which ${what}: set HOME`);
    expect(err).toContain('XDG_STATE_HOME');
  });
});

it('too few file descriptors are named with their cure, by a run and by the verbs that look', async () => {
  const place = new Workplace();
  place.put(
    'plan.yaml',
    'name: duo\nmembers: [{ name: ada, agent: { kind: exec } }]\ntasks: [{ subject: A, run: "true" }]\n',
  );
  // Below its own least number Node fails before any program begins.
  const empty = place.put('empty.js', '');
  place.put('package.json', '{}');
  let least = 20;
  while ((await place.shell(`ulimit -n ${least} && "${process.execPath}" ${empty}`)).code !== 0) least += 1;
  for (const limit of [least, 24, 28]) {
    const { code, out, err } = await place.shell(`ulimit -n ${limit} && teams run plan.yaml --fresh`);
    expect(`${out}${err}`).not.toMatch(/\n {4}at |bug in teams/);
    expect({ code, said: err.includes('`ulimit -n 1024`') }, `${limit}: ${err}`).toEqual({ code: 4, said: true });
  }
  expect((await place.shell(`ulimit -n ${least} && teams list --all; teams doctor; exit 0`)).err).not.toMatch(
    /\n {4}at /,
  );
});

it('a working directory whose name is not UTF-8 is named as the cause', async () => {
  const place = new Workplace();
  const folder = String.raw`"$(printf 'a\377')"`;
  const { code, err } = await place.shell(
    `mkdir ${folder} && cd ${folder} && echo 'tasks: []' > plan.yaml && teams run plan.yaml`,
  );
  expect(code).toBe(4);
  expect(err).toContain('is not UTF-8');
});

it('a team that was archived is called so', async () => {
  const place = new Workplace();
  await place.teams('create', 'duo', '--member', 'ada');
  await place.teams('delete', 'duo');
  const { code, err } = await place.teams('send', 'duo', 'ada', 'hi');
  expect(code).toBe(2);
  expect(err).toMatch(/^teams: Team duo was archived on 20\d\d-\d\d-\d\d;.*`teams report duo`.*\n$/);
});

it('a misspelt team of a verb that may also name a task is told the nearest team', async () => {
  const place = new Workplace();
  await place.teams('create', 'audit', '--member', 'ada');
  const { code, err } = await place.teams('diff', 'audti');
  expect([code, err]).toEqual([
    2,
    'teams: There is neither a team audti nor a task audti of team audit; did you mean "audit"? `teams list --all` and `teams task list audit` list both.\n',
  ]);
});

it('teams are listed by number, each with the time since its last change', async () => {
  const place = new Workplace();
  for (const team of ['team-10', 'team-2', 'team-1']) await place.teams('create', team);
  const { out } = await place.teams('list');
  expect(
    out
      .trim()
      .split('\n')
      .map((line) => line.split(/\s+/)[0]),
  ).toEqual(['team-1', 'team-2', 'team-10']);
  expect(out).toMatch(/^team-1 .* \d+m?\d*s ago {2}/);
});

it('a stopped lead is named with its cure by status, list, why and whoever wants to lead', async () => {
  const place = new Workplace();
  await place.teams('create', 'duo', '--member', 'ada');
  const { child, ended } = place.start('lead', 'duo');
  const isLed = async (): Promise<boolean> => (await place.teams('status', 'duo')).out.includes('led by pid');
  await until(isLed, 'the lead leads', 30_000);
  child.kill('SIGSTOP');
  const cure = `\`kill -CONT ${child.pid}\``;
  await until(async () => (await place.teams('status', 'duo')).out.includes('which is stopped'), 'it is stopped');
  expect((await place.teams('status', 'duo')).out).toContain(cure);
  expect((await place.teams('list')).out).toContain('lead stopped');
  expect((await place.teams('why', 'duo')).out).toContain(cure);
  const refused = await place.teams('lead', 'duo');
  expect(refused.code).toBe(3);
  expect(refused.err).toContain(cure);
  child.kill('SIGCONT');
  child.kill('SIGTERM');
  await ended;
});

it.each(['status', 'create a', 'send a b c', 'run', 'list', 'prune', 'doctor', 'task list'])(
  'a --root that is a file is named, by `teams %s`',
  async (verb) => {
    const place = new Workplace();
    const root = place.put('file', '');
    const { code, out } = await place.say(['--root', root, '--json', ...verb.split(' ')]);
    expect(code).toBe(2);
    expect(JSON.parse(out)).toMatchObject({
      error: { code: 'USAGE', message: `${root} is not a folder; check --root or TEAMS_ROOT.` },
    });
  },
);
