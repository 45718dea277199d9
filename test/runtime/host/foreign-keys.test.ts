/**
 * Machines of one user with state directories of their own: each has its key, and what one has written runs on another
 * that was told the public key (docs/decisions/151-signatures-across-machines.md).
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasPostgres } from '../../support/postgres.ts';
import { countIn, ended, membersOf, useStore } from '../../support/store-scene.ts';
import { StoreUser } from '../../support/store-user.ts';

const planOf = (members: readonly string[], tasks: number, run: string): string =>
  JSON.stringify({
    name: 'login',
    members: members.map((name) => ({ name, agent: 'exec' })),
    tasks: Array.from({ length: tasks }, (_, n) => ({ subject: `t${String(n + 1)}`, run })),
    gates: { build: false, test: false, lint: false },
  });

describe.skipIf(!hasPostgres)('a machine with a key of its own', { timeout: 120_000 }, () => {
  const store = useStore();
  const ranOn = (user: StoreUser): number =>
    existsSync(join(user.project, 'ran')) ? countIn(readFileSync(join(user.project, 'ran'), 'utf8'), 'x') : 0;
  /** Each task leaves a mark where it ran. */
  const RUN = `echo '"type":"x"' >> ran; sleep 0.1`;

  it('as a host runs the members of a run elsewhere once it is told the key that signs there', async () => {
    const [a, b] = StoreUser.apart(store.place);
    await store.host(b, 'build-7', '--slots', '2', '--trust', a.key);
    writeFileSync(join(a.project, 'plan.json'), planOf(['ada', 'bob'], 8, RUN));
    const run = await a.ok('run', 'plan.json', '--store', store.url);
    expect(run.out).toContain('8');
    expect(countIn(a.log, 'task.completed')).toBe(8);
    expect([ranOn(a), ranOn(b)]).toEqual([0, 8]);
    await expect.poll(() => membersOf(b)).toEqual([]);
  });

  it.each([
    ['no key', () => []],
    ['a key that signed nothing here', (user: StoreUser) => ['--trust', user.key]],
  ])('as a host that was told %s runs nothing, says so once, and the run goes on elsewhere', async (_, more) => {
    const [a, b] = StoreUser.apart(store.place);
    const c = new StoreUser(store.place, 'c');
    const host = await store.host(b, 'build-7', '--slots', '2', ...more(c));
    writeFileSync(join(a.project, 'plan.json'), planOf(['ada', 'bob'], 4, RUN));
    await a.ok('run', 'plan.json', '--store', store.url);
    expect([ranOn(a), ranOn(b)]).toEqual([4, 0]);
    expect(host.said().match(/is not served/g), host.said()).toHaveLength(1);
    expect(host.said()).toContain(`--trust ${a.key}`);
    expect(host.said()).not.toContain(`--trust ${c.key}`);
    host.child.kill('SIGTERM');
    expect(await ended(host.child), host.said()).toBe(143);
  });

  const labelled = (...names: string[]): string => {
    const plan = JSON.parse(planOf(names, 3, RUN)) as { members: object[] };
    return JSON.stringify({ ...plan, members: plan.members.map((one) => ({ ...one, where: ['gpu'] })) });
  };

  it('as the only host with a label that was not told the key, ends the start of a run at once', async () => {
    const [a, b] = StoreUser.apart(store.place);
    await store.host(b, 'build-7', '--labels', 'gpu');
    writeFileSync(join(a.project, 'plan.json'), labelled('ada'));
    const begun = performance.now();
    const { code, err } = await a.teams(['run', 'plan.json', '--store', store.url]);
    expect([code, err]).toEqual([
      5,
      expect.stringMatching(
        /^teams: No host with gpu runs ada: build-7 was not told the key .*`teams store check`.*\.$/m,
      ),
    ]);
    // A member that is not ready is waited for half a minute.
    expect(performance.now() - begun).toBeLessThan(20_000);
    expect([ranOn(a), ranOn(b)]).toEqual([0, 0]);
  });

  it('as one of two hosts with a label, leaves the members to the other one', async () => {
    const [a, b] = StoreUser.apart(store.place);
    const c = new StoreUser(store.place, 'c');
    await store.host(b, 'build-7', '--labels', 'gpu', '--slots', '9');
    await store.host(c, 'build-8', '--labels', 'gpu', '--slots', '1', '--trust', a.key);
    // The second one waits for a slot, and the run begins without it.
    writeFileSync(join(a.project, 'plan.json'), labelled('ada', 'bob'));
    await a.ok('run', 'plan.json', '--store', store.url);
    expect([ranOn(a), ranOn(b), ranOn(c)]).toEqual([0, 0, 3]);
  });

  /** A team of the first machine: a member without an agent, and tasks whose commands leave marks. */
  async function madeTeam(user: StoreUser, tasks: number): Promise<void> {
    await user.ok('create', 'login', '--member', 'ada', '--store', store.url);
    for (let n = 1; n <= tasks; n += 1)
      await user.ok('task', 'create', 'login', `t${String(n)}`, '--run', RUN, '--store', store.url);
  }
  const work = ['worker', 'login', 'ada', '--agent', 'exec', '--idle-timeout', '500ms'];

  it('has a worker that is told the key do the tasks, and no other one', async () => {
    const [a, b] = StoreUser.apart(store.place);
    await madeTeam(a, 2);
    const at = ['--store', store.url];
    for (const more of [[], ['--trust', b.key]]) {
      const refused = await b.teams([...work, ...at, ...more]);
      expect([refused.code, ranOn(b)], refused.err).toEqual([4, 0]);
      expect(refused.err).toContain(`--trust ${a.key}`);
    }
    const before = a.file('.teams', 'login', 'config.json');
    const told = await b.teams([...work, ...at, '--trust', b.key, '--trust', a.key]);
    expect([told.code, ranOn(b)], told.err).toEqual([0, 2]);
    // A worker that changed nothing signed nothing: the machine of the team needs not know its key.
    expect(a.file('.teams', 'login', 'config.json')).toBe(before);
    // Without work it left the team; that it comes back changes nothing, either.
    await a.ok('task', 'create', 'login', 'more', '--run', RUN, ...at);
    const again = await b.teams([...work, ...at, '--trust', a.key]);
    expect([again.code, ranOn(b)], again.err).toEqual([0, 3]);
    expect(again.err).not.toContain('is signed with');
    expect(a.file('.teams', 'login', 'config.json')).toBe(before);
    await a.ok('task', 'create', 'login', 'last', '--run', RUN, ...at);
    expect((await a.teams([...work, ...at])).code).toBe(0);
    expect([ranOn(a), ranOn(b)]).toEqual([1, 3]);
  });

  it('signs what it changes with its own key, and says so: the machine of the team needs to be told that one', async () => {
    const [a, b] = StoreUser.apart(store.place);
    await madeTeam(a, 1);
    const at = ['--store', store.url];
    const joined = ['worker', 'login', 'bob', '--join', '--agent', 'exec', '--idle-timeout', '500ms', ...at];
    const { code, err } = await b.teams([...joined, '--trust', a.key]);
    expect([code, ranOn(b)], err).toEqual([0, 1]);
    expect(err).toContain(`machines with other keys need \`--trust ${b.key}\``);
    await a.ok('task', 'create', 'login', 'more', '--run', RUN, ...at);
    const refused = await a.teams([...work, ...at]);
    expect([refused.code, ranOn(a)], refused.err).toEqual([4, 0]);
    expect(refused.err).toContain(`--trust ${b.key}`);
    await a.ok(...work, ...at, '--trust', b.key);
    expect(ranOn(a)).toBe(1);
  });

  it('needs no word where the key is the same, also for what lost its mac on the way', async () => {
    const [a, b] = StoreUser.two(store.place);
    await madeTeam(a, 1);
    const bare = `regexp_replace(line, '"mac":"[0-9a-f]*",', '')`;
    await store.engine.query(`update teams.log set line = ${bare} where line like '%"mac"%'`, store.database);
    await b.ok(...work, '--store', store.url);
    expect(ranOn(b)).toBe(1);
    expect(b.log).not.toContain('"mac"');
  });

  it('keeps a key for all its verbs with `teams doctor --trust KEY`, until its file is removed', async () => {
    const [a, b] = StoreUser.apart(store.place);
    await madeTeam(a, 1);
    const { err } = await b.teams(['doctor', '--trust', a.key, '--root', b.project]);
    const [file = ''] = /\S+trusted\S+/.exec(err) ?? [];
    expect((await b.teams(['store', 'check', store.url])).out).toContain(a.key);
    await b.ok(...work, '--store', store.url);
    expect(ranOn(b)).toBe(1);
    rmSync(file);
    expect((await b.teams([...work, '--store', store.url])).code).toBe(4);
  });

  it('trusts one team with `teams doctor --trust TEAM`, and the machine of the team goes on trusting it', async () => {
    const [a, b] = StoreUser.apart(store.place);
    await madeTeam(a, 1);
    expect((await b.teams([...work, '--store', store.url])).code).toBe(4);
    const { out, err } = await b.teams(['doctor', '--trust', 'login', '--yes', '--root', b.root ?? '']);
    expect(err).toContain('run: echo');
    expect(out).toMatch(/ok +login: seal +yours/);
    await b.ok(...work, '--store', store.url);
    expect(ranOn(b)).toBe(1);
    await a.ok('task', 'create', 'login', 'more', '--run', RUN, '--store', store.url);
    await a.ok(...work, '--store', store.url);
    expect(ranOn(a)).toBe(1);
    // What came later was not shown.
    await a.ok('task', 'create', 'login', 'later', '--run', RUN, '--store', store.url);
    await b.ok(...work, '--store', store.url);
    expect(ranOn(b)).toBe(1);
    expect(b.file('.teams', 'login', 'events.jsonl')).toContain('"task.untrusted"');
  });

  it('leads a team of another machine in the background, and starts members, with the key from a flag or a variable', async () => {
    const [a, b] = StoreUser.apart(store.place);
    await madeTeam(a, 1);
    const at = ['--store', store.url];
    await b.ok('lead', 'login', '--detach', '--trust', a.key, ...at);
    const spawned = await b.teams(['spawn', 'login', 'bob', '--agent', 'exec', ...at], { TEAMS_TRUST: a.key });
    expect(spawned.code, spawned.err).toBe(0);
    await expect.poll(() => countIn(a.log, 'task.completed'), { timeout: 30_000 }).toBe(1);
    expect(ranOn(a)).toBe(1);
    await b.ok('delete', 'login', '--yes', ...at);
    expect(membersOf(b)).toEqual([]);
  });

  it('trusts the configuration of a team that was moved into the store, and no command from before', async () => {
    const [a, b] = StoreUser.apart(store.place);
    await a.ok('create', 'login', '--member', 'ada');
    await a.ok('task', 'create', 'login', 'before', '--run', RUN);
    const config = (): string => readFileSync(join(a.project, '.teams', 'login', 'config.json'), 'utf8');
    expect(config()).not.toContain('signature');
    await a.ok('migrate', 'login', '--to', store.url);
    await a.ok('task', 'create', 'login', 'after', '--run', RUN, '--store', store.url);
    await b.ok(...work, '--store', store.url, '--trust', a.key);
    expect(ranOn(b)).toBe(1);
    expect((await b.ok('task', 'list', 'login', '--store', store.url)).out).toMatch(/#1 +pending[^]*#2 +completed/);
    await b.teams(['doctor', '--trust', 'login', '--yes', '--root', b.root ?? '']);
    await b.ok(...work, '--store', store.url, '--trust', a.key);
    expect(ranOn(b)).toBe(2);
    // Back in files nothing is signed any more that is written there.
    await a.ok('migrate', 'login', '--to', 'files', '--from', store.url, '--root', a.project);
    expect(config()).toContain('signature');
    await a.ok('worker', 'login', 'bob', '--join', '--agent', 'exec', '--idle-timeout', '100ms');
    expect(config()).not.toContain('signature');
  });

  it('goes on as the lead with a run that another machine began, once it is told its key', async () => {
    const [a, b] = StoreUser.apart(store.place);
    writeFileSync(join(a.project, 'plan.json'), planOf(['ada'], 3, `${RUN}; test -e go`));
    expect((await a.teams(['run', 'plan.json', '--store', store.url])).code).toBe(1);
    writeFileSync(join(a.project, 'go'), '');
    const retry = ['resume', 'login', '--retry-failed', '--store', store.url];
    const refused = await b.teams(retry);
    expect([refused.code, ranOn(a)], refused.err).toEqual([4, 3]);
    expect(refused.err).toContain(`--trust ${a.key}`);
    expect((await b.teams(['lead', 'login', '--detach', '--store', store.url])).code).toBe(4);
    const told = await b.teams([...retry, '--trust', a.key]);
    expect([told.code, ranOn(a)], told.err).toEqual([0, 6]);
  });

  it.each([['host'], ['worker', 'login', 'ada'], ['lead', 'login'], ['resume', 'login'], ['doctor']])(
    'says in one sentence that a key is none: teams %s',
    async (...verb: string[]) => {
      const [a] = StoreUser.apart(store.place);
      const named = verb[0] === 'doctor' ? [] : ['--store', store.url];
      for (const key of ['ed25519:short', `${a.key}A`, `ed25519:${'_'.repeat(43)}`, 'x:y']) {
        const { code, err } = await a.teams([...verb, '--trust', key, ...named]);
        expect([code, err]).toEqual([2, expect.stringMatching(/^teams: --trust: Expected a public key .*\n$/)]);
      }
      if (verb[0] === 'doctor') return;
      const { code, err } = await a.teams([...verb, ...named], { TEAMS_TRUST: `${a.key},nothing` });
      expect([code, err]).toEqual([2, expect.stringMatching(/^teams: TEAMS_TRUST: Expected a public key .*\n$/)]);
    },
  );

  it('hears its key from `store init` and `store check`', async () => {
    const [a] = StoreUser.apart(store.place);
    const [init, check] = [await a.ok('store', 'init', store.url), await a.teams(['store', 'check', store.url])];
    for (const { out } of [init, check]) expect(out).toContain(`teams host --trust ${a.key}`);
    expect(check.out).toContain('no other key');
    const made = JSON.parse((await a.ok('store', 'init', store.url, '--json')).out) as object;
    expect(made).toMatchObject({ key: a.key });
  });
});
