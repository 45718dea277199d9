/** Hosts: members that the lead of a team places on other machines. */
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Workplace } from '../../support/cli.ts';
import { allowLeft } from '../../support/leftovers.ts';
import { storePlace } from '../../support/machine.ts';
import { hasPostgres, Postgres } from '../../support/postgres.ts';
import { killRunning, running } from '../../support/processes.ts';
import { ended, served, type Served } from '../../support/served.ts';
import { StoreUser } from '../../support/store-user.ts';

const planOf = (members: readonly string[], tasks: number, run: string): string =>
  JSON.stringify({
    name: 'login',
    members: members.map((name) => ({ name, agent: 'exec' })),
    tasks: Array.from({ length: tasks }, (_, n) => ({ subject: `t${String(n + 1)}`, run })),
    gates: { build: false, test: false, lint: false },
  });

describe.skipIf(!hasPostgres)('a host', { timeout: 120_000 }, () => {
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

  const serving = (user: StoreUser, ...argv: string[]): Served => served(user.process([...argv, '--store', url]));

  async function host(user: StoreUser, name: string, ...more: string[]) {
    const process = serving(user, 'host', '--name', name, ...more);
    await expect.poll(process.said, { timeout: 20_000 }).toContain(`Host ${name} starts up to`);
    return process;
  }

  const logOf = (user: StoreUser): string => user.file('.tasks', 'login', 'log.jsonl');
  const count = (text: string, type: string): number =>
    text.split('\n').filter((line) => line.includes(`"type":"${type}"`)).length;
  /** The tasks that were completed under a claim that had not been taken back, once for each such record. */
  const handedIn = (log: string): string[] => {
    const released = new Set<string>();
    return [...log.matchAll(/"type":"task\.(released|completed)","task":"(\d+)","epoch":(\d+)/g)].flatMap(
      ([, what, task = '', epoch = '']) => {
        if (what === 'released') released.add(`${task} ${epoch}`);
        return what === 'completed' && !released.has(`${task} ${epoch}`) ? [task] : [];
      },
    );
  };
  const membersOf = (user: StoreUser): string[] =>
    running()
      .filter(({ command }) => command.includes('teammate.cjs') && command.includes(user.state))
      .map(({ command }) => / login ([a-z0-9-]+)/.exec(command)?.[1] ?? '');

  it('has the members of a run, in the directory where it was started; without a free slot the lead has them', async () => {
    const [a, b] = StoreUser.two(place);
    const one = await host(b, 'build-7', '--slots', '2');
    writeFileSync(join(a.project, 'plan.json'), planOf(['ada', 'bob', 'cy'], 12, 'pwd; sleep 0.3'));
    const run = await a.ok('run', 'plan.json', '--store', url);
    expect(run.out).toContain('12');
    const log = logOf(a);
    expect(count(log, 'task.completed')).toBe(12);
    expect(count(log, 'member.started')).toBe(3);
    const results = await Promise.all(
      Array.from(
        { length: 12 },
        async (_, n) => (await a.ok('task', 'get', 'login', String(n + 1), '--store', url)).out,
      ),
    );
    const there = results.filter((text) => text.includes(b.project)).length;
    expect(there).toBeGreaterThan(0);
    expect(there + results.filter((text) => text.includes(`${a.project}\n`)).length).toBeGreaterThanOrEqual(12);
    await expect.poll(() => membersOf(b)).toEqual([]);
    one.child.kill('SIGTERM');
    expect(await ended(one.child), one.said()).toBe(143);
    expect(readFileSync(join(b.root ?? '', '.tasks', 'login', 'log.jsonl'), 'utf8')).toBe(logOf(a));
  });

  const pidsOf = (user: StoreUser): number[] =>
    running()
      .filter(({ command }) => command.includes('teammate.cjs') && command.includes(user.state))
      .map(({ pid }) => pid);

  /** Which host each member that has not ended is placed on, as a replica shows it. */
  const placedOn = (user: StoreUser): Record<string, string> =>
    Object.fromEntries(
      [...user.file('.teams', 'login', 'hosts.json').matchAll(/"member":"(\w+)","number":\d+,"host":"(\S+?)"[^}]*\}/g)]
        .filter(([whole]) => !whole.includes('"ended"'))
        .map(([, member = '', name = '']) => [member, name]),
    );

  function three(): [StoreUser, StoreUser, StoreUser] {
    const [a, b] = StoreUser.two(place);
    const c = new StoreUser(place, 'c');
    mkdirSync(join(c.state, 'teams'), { recursive: true });
    cpSync(join(a.state, 'teams', 'key'), join(c.state, 'teams', 'key'));
    return [a, b, c];
  }

  function run(user: StoreUser, members: readonly string[], tasks: number, command: string) {
    writeFileSync(join(user.project, 'plan.json'), planOf(members, tasks, command));
    return serving(user, 'run', 'plan.json');
  }

  it('has the members that need its labels, also when it comes back, and no other machine has them', async () => {
    const [a, b, c] = three();
    await host(b, 'plain');
    const first = await host(c, 'strong', '--labels', 'gpu,arm64');
    const plan = JSON.parse(planOf(['ada', 'bob'], 0, '')) as { members: object[] };
    const tasks = Array.from({ length: 20 }, (_, n) => ({ subject: `t${n}`, run: 'pwd; sleep 0.3', owner: 'ada' }));
    writeFileSync(
      join(a.project, 'plan.json'),
      JSON.stringify({ ...plan, members: [{ name: 'ada', agent: 'exec', where: ['gpu'] }, plan.members[1]], tasks }),
    );
    const run = serving(a, 'run', 'plan.json');
    await expect.poll(() => count(logOf(a), 'task.completed'), { timeout: 30_000 }).toBeGreaterThan(2);
    expect(placedOn(a)['ada']).toBe('strong');
    first.child.kill('SIGTERM');
    await ended(first.child);
    // It waits: the other host, and the lead's machine, are not what it needs.
    const done = count(logOf(a), 'task.completed');
    await expect.poll(() => pidsOf(c)).toEqual([]);
    expect(membersOf(a)).not.toContain('ada');
    expect(membersOf(b)).not.toContain('ada');
    expect(count(logOf(a), 'task.completed') - done).toBeLessThan(2);
    await host(c, 'another', '--labels', 'gpu');
    expect(await ended(run.child), run.said()).toBe(0);
    for (let n = 1; n <= 20; n += 1)
      expect((await a.ok('task', 'get', 'login', String(n), '--store', url)).out).toContain(c.project);
  });

  it('is asked for at once: without one that has the labels nothing starts', async () => {
    const [a, b] = StoreUser.two(place);
    await host(b, 'plain', '--labels', 'arm64');
    const plan = {
      name: 'login',
      members: [{ name: 'ada', agent: 'exec', where: ['gpu'] }],
      tasks: [{ subject: 't', run: 'true' }],
    };
    writeFileSync(join(a.project, 'plan.json'), JSON.stringify(plan));
    const run = await a.teams(['run', 'plan.json', '--store', url]);
    expect(run).toMatchObject({
      code: 5,
      err: expect.stringContaining(
        'No host of the store has gpu, which ada needs (`where`): start one with `teams host --labels gpu`.',
      ) as string,
    });
    // Refused before anything is made: neither in the store nor here.
    expect((await a.ok('list', '--all', '--store', url)).out).not.toContain('login');
    mkdirSync(join(a.project, '.git', 'info'), { recursive: true });
    writeFileSync(join(a.project, '.git', 'HEAD'), 'ref: refs/heads/main\n');
    const files = await a.teams(['run', 'plan.json', '--root', a.project]);
    expect(readdirSync(join(a.project, '.git', 'info'))).toEqual([]);
    expect(readdirSync(a.project)).toEqual(expect.not.arrayContaining(['.teams']));
    expect(files).toMatchObject({
      code: 2,
      err: expect.stringContaining(
        'ada needs a host with gpu (`where`), and only a team in a store has hosts',
      ) as string,
    });
    expect(await a.teams(['host', '--store', url, '--labels', 'a b'])).toMatchObject({
      code: 2,
      err: 'teams: --labels: Expected letters, digits, dots and dashes, got "a b".\n',
    });
  });

  it('whose member is lost with its machine: the next process waits for its lease, one of a person does not', async () => {
    const [a, b] = StoreUser.two(place);
    const first = run(a, ['ada'], 1, 'sleep 60');
    await expect.poll(() => count(logOf(a), 'task.claimed'), { timeout: 20_000 }).toBe(1);
    allowLeft();
    first.child.kill('SIGKILL');
    await expect.poll(() => membersOf(a)).toEqual([]);
    let lost = serving(b, 'worker', 'login', 'ada', '--agent', 'exec');
    const isElsewhere = (): boolean => {
      if (lost.child.exitCode === 3) lost = serving(b, 'worker', 'login', 'ada', '--agent', 'exec');
      return a.file('.teams', 'login', 'elsewhere.json').includes('"ada"');
    };
    await expect.poll(isElsewhere, { timeout: 30_000 }).toBe(true);
    lost.child.kill('SIGKILL');
    killRunning(b.state);
    expect(await a.teams(['worker', 'login', 'ada', '--agent', 'exec', '--store', url])).toMatchObject({
      code: 3,
      err: expect.stringContaining('ada is running already') as string,
    });
    // What the lost one had begun is in the log by now.
    const before = count(logOf(a), 'member.started');
    const next = spawn(process.execPath, [resolve('bin/teammate.cjs'), a.root ?? '', 'login', 'ada', a.project], {
      env: { ...a.environment, TEAMS_TOKEN: 'token' },
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    let told = '';
    next.stderr.setEncoding('utf8').on('data', (text: string) => (told += text));
    onTestFinished(() => void next.kill('SIGKILL'));
    await expect.poll(() => [count(logOf(a), 'member.started'), told], { timeout: 20_000 }).toEqual([before + 1, '']);
    next.kill('SIGTERM');
    expect(await ended(next)).toBe(0);
  });

  it('refuses its own flags before it asks the store', async () => {
    const [a] = StoreUser.two(place);
    const nowhere = ['--store', 'postgres://owner@127.0.0.1:1/none'];
    for (const [flag, value] of [
      ['--slots', '0'],
      ['--name', '../one'],
      ['--labels', 'a b'],
      ['--trust', 'none'],
    ] as const) {
      const { code, err } = await a.teams(['host', flag, value, ...nowhere]);
      expect([code, err]).toEqual([2, expect.stringMatching(new RegExp(`^teams: ${flag}: [^\\n]*\\n$`))]);
    }
    expect((await a.teams(['host', ...nowhere])).code).not.toBe(2);
  });

  it('has the password of the store in its own environment, and in that of no member', async () => {
    const [a, b] = StoreUser.two(place);
    const secret = 'pLanted-s3cret';
    const one = b.process(['host', '--name', 'one'], { TEAMS_STORE: url.replace('owner@', `owner:${secret}@`) });
    let told = '';
    for (const stream of [one.stdout, one.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (told += text));
    onTestFinished(() => void one.kill('SIGKILL'));
    await expect.poll(() => told, { timeout: 20_000 }).toContain('Host one starts up to');
    const lead = run(a, ['ada'], 1, 'env; cat /proc/$PPID/environ; pwd');
    expect(await ended(lead.child), lead.said()).toBe(0);
    const { out } = await a.ok('task', 'get', 'login', '1', '--store', url);
    expect(out).toContain(b.project);
    expect(out).toContain('TEAMS_MEMBER=ada');
    expect(out).not.toContain(secret);
    expect(out).not.toContain('TEAMS_STORE=');
    one.kill('SIGTERM');
    expect(await ended(one), told).toBe(143);
    expect(told).not.toContain(secret);
    const files = readdirSync(place.root, { recursive: true, encoding: 'utf8' }).filter((file) =>
      statSync(join(place.root, file)).isFile(),
    );
    expect(files.filter((file) => readFileSync(join(place.root, file), 'utf8').includes(secret))).toEqual([]);
  });

  it('that is killed loses its members to another host, and no task is lost', async () => {
    const [a, b, c] = three();
    allowLeft();
    const first = await host(b, 'one', '--slots', '2');
    const lead = run(a, ['ada', 'bob'], 30, 'sleep 0.5');
    await expect.poll(() => placedOn(a), { timeout: 20_000 }).toEqual({ ada: 'one', bob: 'one' });
    await expect.poll(() => count(logOf(a), 'task.completed'), { timeout: 20_000 }).toBeGreaterThan(3);
    await host(c, 'two', '--slots', '2');
    first.child.kill('SIGKILL');
    await expect.poll(() => pidsOf(b)).toEqual([]);
    await expect.poll(() => placedOn(a), { timeout: 40_000 }).toEqual({ ada: 'two', bob: 'two' });
    expect(await ended(lead.child), lead.said()).toBe(0);
    expect(count(logOf(a), 'task.completed')).toBe(30);
    // Each member twice: here, and there.
    expect(count(logOf(a), 'member.started')).toBe(4);
    expect(membersOf(a)).toEqual([]);
  });

  it('that is gone before a member of a new run has started there does not end the run', async () => {
    const [a, b] = StoreUser.two(place);
    allowLeft();
    const first = await host(b, 'one', '--slots', '1');
    const frozen = [first.child.pid ?? 0, ...b.relays().map(({ pid }) => pid)];
    for (const pid of frozen) process.kill(pid, 'SIGSTOP');
    const lead = run(a, ['ada'], 2, 'true');
    await expect.poll(() => placedOn(a), { timeout: 20_000 }).toEqual({ ada: 'one' });
    expect(await ended(lead.child), lead.said()).toBe(0);
    for (const pid of frozen) process.kill(pid, 'SIGCONT');
    expect(handedIn(logOf(a)).toSorted()).toEqual(['1', '2']);
    await expect.poll(() => membersOf(b), { timeout: 20_000 }).toEqual([]);
  });

  it('that was stopped with its members for longer than their leases ends them: they have another place', async () => {
    const [a, b, c] = three();
    const first = await host(b, 'one', '--slots', '1');
    const lead = run(a, ['ada'], 3, 'sleep 3');
    await expect.poll(() => count(logOf(a), 'task.claimed'), { timeout: 20_000 }).toBe(1);
    expect(placedOn(a)).toEqual({ ada: 'one' });
    await host(c, 'two', '--slots', '1');
    const frozen = [first.child.pid ?? 0, ...pidsOf(b), ...b.relays().map(({ pid }) => pid)];
    for (const pid of frozen) process.kill(pid, 'SIGSTOP');
    await expect.poll(() => placedOn(a), { timeout: 40_000 }).toEqual({ ada: 'two' });
    await expect.poll(() => membersOf(c), { timeout: 20_000 }).toEqual(['ada']);
    for (const pid of frozen) process.kill(pid, 'SIGCONT');
    await expect.poll(() => membersOf(b), { timeout: 30_000 }).toEqual([]);
    expect(first.child.exitCode, first.said()).toBeNull();
    expect(await ended(lead.child), lead.said()).toBe(0);
    // The woken member may still hand in its task: a record for a claim that was taken back, which the board refuses.
    expect(handedIn(logOf(a)).toSorted()).toEqual(['1', '2', '3']);
  });

  it('keeps its members when the lead is killed: the next lead takes them up, and starts none twice', async () => {
    const [a, b] = StoreUser.two(place);
    allowLeft();
    await host(b, 'one', '--slots', '2');
    const first = run(a, ['ada', 'bob'], 40, 'sleep 0.5');
    await expect.poll(() => count(logOf(a), 'task.completed'), { timeout: 20_000 }).toBeGreaterThan(2);
    // A child of a member that has not begun its own program yet has the member's command line.
    await expect.poll(() => pidsOf(b)).toHaveLength(2);
    first.child.kill('SIGKILL');
    await ended(first.child);
    const next = serving(a, 'resume', 'login');
    expect(await ended(next.child), next.said()).toBe(0);
    expect(count(logOf(a), 'task.completed')).toBe(40);
    expect(count(logOf(a), 'member.started')).toBe(2);
  });

  it('ends with its members within ten seconds, and gives its name back', async () => {
    const [a, b] = StoreUser.two(place);
    const one = await host(b, 'one', '--slots', '1');
    const lead = run(a, ['ada'], 2, 'sleep 8');
    await expect.poll(() => count(logOf(a), 'task.claimed'), { timeout: 20_000 }).toBe(1);
    const begun = performance.now();
    one.child.kill('SIGTERM');
    expect(await ended(one.child), one.said()).toBe(143);
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(pidsOf(b)).toEqual([]);
    await expect.poll(() => a.file('.teams', 'login', 'hosts.json')).toBe('{"version":1,"hosts":[],"placements":[]}\n');
    // Without a host the lead starts it here.
    expect(await ended(lead.child), lead.said()).toBe(0);
    expect(count(logOf(a), 'task.completed')).toBe(2);
  });

  it('that is started again after SIGKILL has its name at once', async () => {
    const [, b] = StoreUser.two(place);
    allowLeft();
    const first = await host(b, 'one');
    const again = await b.teams(['host', '--name', 'one', '--store', url]);
    expect([again.code, again.err]).toEqual([3, expect.stringContaining('Host one runs already on ')]);
    first.child.kill('SIGKILL');
    await ended(first.child);
    await host(b, 'one');
  });

  it('goes on with a team that is damaged, and with others', async () => {
    const [a, b] = StoreUser.two(place);
    await a.ok('create', 'other', '--member', 'zoe', '--store', url);
    const one = await host(b, 'one', '--slots', '1');
    b.put(['.teams', 'other', 'hosts.json'], '{"version":1,');
    rmSync(join(b.root ?? '', '.teams', 'other', 'config.json'));
    const lead = run(a, ['ada'], 2, 'echo hi');
    expect(await ended(lead.child), lead.said()).toBe(0);
    await a.ok('delete', 'other', '--yes', '--store', url);
    await a.ok('delete', 'login', '--yes', '--store', url);
    const second = run(a, ['ada'], 2, 'echo hi');
    expect(await ended(second.child), second.said()).toBe(0);
    expect(one.child.exitCode, one.said()).toBeNull();
  });

  it.each<[string, string[], RegExp]>([
    ['no slot', ['--slots', '0'], /--slots: Expected 1 to 512 members at once, got 0/],
    ['too many slots', ['--slots', '513'], /Expected 1 to 512/],
    ['slots that are no number', ['--slots', 'many'], /--slots: Expected a whole number/],
    ['a label with a space', ['--labels', 'gpu,a b'], /--labels: Expected letters, digits, dots and dashes, got "a b"/],
    ['an empty label', ['--labels', 'gpu,'], /--labels: .* got ""/],
    ['a name with a slash', ['--name', 'a/b'], /--name: .* got "a\/b"/],
    ['a team that is no name', ['--team', 'A B'], /team/],
    ['a word', ['more'], /Too many arguments/],
  ])('is refused with %s', async (_what, argv, why) => {
    const [a] = StoreUser.two(place);
    const answer = await a.teams(['host', ...argv, '--store', url]);
    expect([answer.code, answer.err]).toEqual([2, expect.stringMatching(why)]);
  });

  it('is refused without a store, and with a server that does not answer', async () => {
    const [a] = StoreUser.two(place);
    const without = await a.teams(['host']);
    expect([without.code, without.err]).toEqual([2, expect.stringContaining('--store URL or TEAMS_STORE')]);
    const away = await a.teams(['host', '--store', 'postgres://owner@127.0.0.1:1/agents']);
    expect(away.code).toBe(4);
  });
});
