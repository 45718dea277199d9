/** Trees of members on several machines: what each made goes through the store, and the lead lands it. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { inVault } from '../../../src/runtime/trees/vault.ts';
import { shareCommit } from '../../../src/runtime/trees/shared-commits.ts';
import { teamPaths } from '../../../src/store/files/paths.ts';
import { openStore } from '../../../src/store/team/team-store.ts';
import { openSeal } from '../../../src/store/user/seal.ts';
import { realDisk } from '../../../src/store/files/disk.ts';
import { realClock } from '../../support/clock.ts';
import type { Workplace } from '../../support/cli.ts';
import { storePlace } from '../../support/machine.ts';
import { hasPostgres, Postgres } from '../../support/postgres.ts';
import { ended, served, type Served } from '../../support/served.ts';
import { killAll } from '../../support/store-scene.ts';
import { StoreUser } from '../../support/store-user.ts';
import { name } from '../../support/team.ts';

describe.skipIf(!hasPostgres)('trees of members on several machines', { timeout: 120_000 }, () => {
  let engine: Postgres;
  let place: Workplace;
  let url = '';
  beforeAll(async () => {
    engine = await Postgres.start();
  });
  afterAll(() => engine.stop());
  beforeEach(async () => {
    const made = await storePlace(engine);
    ({ place } = made);
    url = engine.url('owner', made.database);
  });

  const git = (cwd: string, ...args: string[]): string => {
    const { status, stdout, stderr } = spawnSync('git', args, { cwd, encoding: 'utf8', env: place.environment });
    expect(status, stderr).toBe(0);
    return stdout.trim();
  };

  function project({ project: cwd }: StoreUser): void {
    git(cwd, 'init', '--quiet', '-b', 'main');
    mkdirSync(join(cwd, 'src'));
    writeFileSync(join(cwd, 'src', 'shared.txt'), Array.from({ length: 40 }, (_, n) => `line ${n}\n`).join(''));
    writeFileSync(join(cwd, 'binary'), Buffer.from(Array.from({ length: 3_000 }, (_, n) => (n * 7919) % 251)));
    writeFileSync(join(cwd, '.gitignore'), 'plan.json\nout/\n');
    git(cwd, 'add', '.');
    git(cwd, '-c', 'user.name=u', '-c', 'user.email=u@x', 'commit', '--quiet', '-m', 'one');
  }

  const serving = (user: StoreUser, ...argv: string[]): Served => served(user.process([...argv, '--store', url]));

  async function host(user: StoreUser, name: string, ...more: string[]) {
    const process = serving(user, 'host', '--name', name, ...more);
    await expect.poll(process.said, { timeout: 20_000 }).toContain(`Host ${name} starts up to`);
    return process;
  }

  const logOf = (user: StoreUser): string => user.file('.tasks', 'login', 'log.jsonl');
  const count = (user: StoreUser, type: string): number => logOf(user).split(`"type":"${type}"`).length - 1;

  function three(): [StoreUser, StoreUser, StoreUser] {
    const [a, b] = StoreUser.two(place);
    const c = new StoreUser(place, 'c');
    mkdirSync(join(c.state, 'teams'), { recursive: true });
    cpSync(join(a.state, 'teams', 'key'), join(c.state, 'teams', 'key'));
    return [a, b, c];
  }

  const hostsOf = (user: StoreUser): string => user.file('.teams', 'login', 'hosts.json');

  it('begin where the project is not, and what they made lands in it', async () => {
    const [a, b] = StoreUser.two(place);
    project(a);
    await host(b, 'build-7', '--slots', '2');
    const tasks = Array.from({ length: 8 }, (_, n) => ({
      subject: `t${n}`,
      run: `test -f binary && sed -i 's/^line ${n * 5}$/line ${n * 5} of ${n}/' src/shared.txt && echo ${n} > new-${n}.txt && pwd`,
    }));
    const plan = {
      name: 'login',
      isolation: 'trees',
      members: ['ada', 'bob'].map((name) => ({ name, agent: 'exec' })),
      tasks,
      gates: { build: false, lint: false, test: 'test -f binary' },
    };
    writeFileSync(join(a.project, 'plan.json'), JSON.stringify(plan));
    const run = await a.ok('run', 'plan.json', '--store', url);
    expect(run.out).toContain('8');
    expect(run.err + run.out).toContain('landed #8');
    expect(run.err + run.out).not.toContain('into the store');
    expect(count(a, 'task.landed'), logOf(a)).toBe(8);
    expect(readdirSync(b.project)).toEqual([]);
    expect(existsSync(join(b.root ?? '', '.teams', 'login', 'vault.git'))).toBe(true);
    expect(readFileSync(join(a.project, 'src', 'shared.txt'), 'utf8')).not.toContain(' of ');
    await a.ok('apply', 'login', '--yes', '--store', url);
    const text = readFileSync(join(a.project, 'src', 'shared.txt'), 'utf8');
    for (const [n] of tasks.entries()) {
      expect(text).toContain(`line ${n * 5} of ${n}\n`);
      expect(readFileSync(join(a.project, `new-${n}.txt`), 'utf8')).toBe(`${n}\n`);
    }
    expect(logOf(b)).toBe(logOf(a));
  });

  const plan = (run: (n: number) => string, count: number, more: object = {}): string =>
    JSON.stringify({
      name: 'login',
      isolation: 'trees',
      members: ['ada', 'bob', 'cy'].map((name) => ({ name, agent: 'exec' })),
      tasks: Array.from({ length: count }, (_, n) => ({ subject: `t${n}`, run: run(n) })),
      gates: { build: false, lint: false, test: false },
      ...more,
    });

  it('go on elsewhere when a host is killed, and each task lands once', async () => {
    const [a, b, c] = three();
    project(a);
    const lost = await host(b, 'one', '--slots', '2');
    await host(c, 'two', '--slots', '2');
    writeFileSync(
      join(a.project, 'plan.json'),
      plan((n) => `sleep 0.3; echo ${n} > new-${n}.txt`, 24),
    );
    const run = serving(a, 'run', 'plan.json');
    await expect.poll(() => count(a, 'task.landed'), { timeout: 40_000 }).toBeGreaterThan(3);
    expect(hostsOf(a)).toContain('"host":"one"');
    killAll(lost.child, b);
    expect(await ended(run.child), run.said()).toBe(0);
    expect(count(a, 'task.landed')).toBe(24);
    const landed = [...logOf(a).matchAll(/"type":"task\.landed","task":"(\d+)"/g)].map(([, task]) => task);
    expect(new Set(landed).size).toBe(24);
    await a.ok('apply', 'login', '--yes', '--store', url);
    for (let n = 0; n < 24; n += 1) expect(readFileSync(join(a.project, `new-${n}.txt`), 'utf8')).toBe(`${n}\n`);
  });

  it('change the same line: what came back is done again on what landed', async () => {
    const [a, b] = StoreUser.two(place);
    project(a);
    await host(b, 'one', '--slots', '3');
    const append = (n: number): string => `echo entry ${n} >> src/shared.txt; sleep 0.2`;
    writeFileSync(join(a.project, 'plan.json'), plan(append, 6));
    const run = await a.teams(['run', 'plan.json', '--store', url]);
    expect(run.code, run.out + run.err).toBe(0);
    await a.ok('apply', 'login', '--yes', '--store', url);
    const text = readFileSync(join(a.project, 'src', 'shared.txt'), 'utf8');
    for (let n = 0; n < 6; n += 1) expect(text.split(`entry ${n}\n`)).toHaveLength(2);
  });

  it('are judged by what would land of them, not by the files that the process of a member names', async () => {
    const [a, b] = StoreUser.two(place);
    project(a);
    await host(b, 'one', '--slots', '1');
    const go = join(place.root, 'go');
    writeFileSync(
      join(a.project, 'plan.json'),
      JSON.stringify({
        name: 'login',
        isolation: 'trees',
        members: [{ name: 'ada', agent: 'exec' }],
        tasks: [
          { subject: 't', files: ['mine.txt'], run: `echo 1 > mine.txt; until test -e ${go}; do sleep 0.1; done` },
        ],
        gates: { build: false, lint: false, test: false, ownership: true },
      }),
    );
    const run = serving(a, 'run', 'plan.json');
    await expect.poll(() => count(b, 'task.claimed'), { timeout: 30_000 }).toBe(1);
    await submitFalsely(b);
    await expect.poll(() => count(a, 'task.bounced') + count(a, 'task.landed'), { timeout: 20_000 }).toBe(1);
    expect(logOf(a)).toContain('stolen.txt is not among the files of the task');
    writeFileSync(go, '');
    expect(await ended(run.child), run.said()).toBe(0);
    await a.ok('apply', 'login', '--yes', '--store', url);
    expect(readFileSync(join(a.project, 'mine.txt'), 'utf8')).toBe('1\n');
    expect(existsSync(join(a.project, 'stolen.txt'))).toBe(false);
  });

  /** Submits the present claim of `ada` with a change of a file that it does not name. */
  async function submitFalsely(user: StoreUser): Promise<void> {
    const seal = openSeal(realDisk, join(user.state, 'teams', 'key'));
    const store = openStore(teamPaths(user.root ?? '', name('login')), { clock: realClock, seal });
    const { common, members, tasks } = store.board.fold();
    if (common === undefined) throw new Error('The team has no common state.');
    const vault = (args: readonly string[], input?: string): string => {
      const all = [`--git-dir=${store.paths.vault}`, '-c', 'user.name=u', '-c', 'user.email=u@x', ...args];
      const { status, stdout, stderr } = spawnSync('git', all, { input, encoding: 'utf8', env: place.environment });
      expect(status, stderr).toBe(0);
      return stdout.trim();
    };
    const blob = vault(['hash-object', '-w', '--stdin'], 'stolen\n');
    const tree = vault(['mktree'], `${vault(['ls-tree', common.commit])}\n100644 blob ${blob}\tstolen.txt\n`);
    const commit = vault(['commit-tree', tree, '-p', common.commit, '-m', 'one']);
    const how = { signal: new AbortController().signal };
    const { bundle } = await shareCommit(store, { commit, on: common }, inVault(store.paths, how));
    const { outcome } = await store.board.append(
      { by: name('ada'), inc: members.get(name('ada'))?.incarnation ?? '' },
      () => ({
        type: 'task.submitted',
        task: '1',
        epoch: tasks.get('1')?.claims ?? 0,
        result: { summary: 'one', files: ['mine.txt'] },
        attempt: { commit, base: common.commit, bundle },
      }),
    );
    expect(outcome.ok).toBe(true);
    await store.close();
  }

  it('wait while the store is away, and lose nothing', async () => {
    const own = await Postgres.start();
    onTestFinished(() => own.stop());
    const made = await storePlace(own);
    ({ place } = made);
    url = own.url('owner', made.database);
    const [a, b] = StoreUser.two(place);
    project(a);
    await host(b, 'one', '--slots', '2');
    writeFileSync(
      join(a.project, 'plan.json'),
      plan((n) => `sleep 0.3; echo ${n} > new-${n}.txt`, 16),
    );
    const run = serving(a, 'run', 'plan.json');
    await expect.poll(() => count(a, 'task.landed'), { timeout: 40_000 }).toBeGreaterThan(3);
    await own.kill();
    await own.run();
    expect(await ended(run.child), run.said()).toBe(0);
    await a.ok('apply', 'login', '--yes', '--store', url);
    for (let n = 0; n < 16; n += 1) expect(readFileSync(join(a.project, `new-${n}.txt`), 'utf8')).toBe(`${n}\n`);
  });

  it('are landed by a lead on another machine when that of the first is lost', async () => {
    const [a, b, c] = three();
    project(a);
    await host(b, 'one', '--slots', '3');
    writeFileSync(
      join(a.project, 'plan.json'),
      plan((n) => `sleep 0.3; echo ${n} > new-${n}.txt`, 20),
    );
    const run = serving(a, 'run', 'plan.json');
    await expect.poll(() => count(a, 'task.landed'), { timeout: 40_000 }).toBeGreaterThan(3);
    killAll(run.child, a);
    const before = count(b, 'task.landed');
    expect(before).toBeLessThan(20);
    // Until the lease of the lost lead lapses, nobody else leads.
    let next = serving(c, 'lead', 'login');
    const isDone = (): boolean => {
      if (next.child.exitCode === 3) next = serving(c, 'lead', 'login');
      return count(c, 'task.landed') === 20;
    };
    await expect.poll(isDone, { timeout: 60_000, message: next.said() }).toBe(true);
    const vault = join(c.root ?? '', '.teams', 'login', 'vault.git');
    const team = /"type":"log\.opened"[^}]*"team":"([0-9A-Z]{26})"/.exec(logOf(c))?.[1] ?? '';
    const files = git(c.project, `--git-dir=${vault}`, 'ls-tree', '-r', '--name-only', `refs/teams/${team}/main`);
    for (let n = 0; n < 20; n += 1) expect(files.split('\n')).toContain(`new-${n}.txt`);
  });
});
