/** A store that a verb names: `--store`, `TEAMS_STORE`, `store` of the configuration. The relay starts by itself. */
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Workplace } from '../../support/cli.ts';
import { allowLeft } from '../../support/leftovers.ts';
import { storePlace, told } from '../../support/machine.ts';
import { hasPostgres, Postgres } from '../../support/postgres.ts';
import { StoreUser } from '../../support/store-user.ts';

describe.skipIf(!hasPostgres)('a store that a verb names', { timeout: 90_000 }, () => {
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

  it('has its teams on both machines by --store, TEAMS_STORE and `store:`, and nothing in the projects', async () => {
    const [a, b] = StoreUser.two(place);
    const made = await a.ok('create', 'login', '--member', 'ada', '--store', url);
    expect(made.out).toContain('in the store');
    await a.ok('task', 'create', 'login', 'One', '--store', url);
    // The second machine has only the address.
    expect((await b.ok('status', 'login', '--store', url)).out).toContain('login');
    const answer = await b.teams(['task', 'claim', 'login', '1', '--as', 'ada'], { TEAMS_STORE: url });
    expect(answer.code, told(answer)).toBe(0);
    mkdirSync(join(b.project, '.teams'));
    const config = join(b.project, '.teams', 'config.yaml');
    writeFileSync(config, `store: ${url}\n`);
    // A file that may have come with a clone names no store.
    expect((await b.teams(['list'])).out).not.toContain('login');
    await b.ok('doctor', '--trust', '--yes');
    expect((await b.ok('task', 'list', 'login')).out).toContain('in_progress');
    await b.ok('send', 'login', 'ada', 'hello');
    await expect.poll(async () => (await a.ok('inbox', 'login', 'ada', '--store', url)).out).toContain('hello');
    expect((await a.ok('take', 'login', 'ada', '--store', url)).out).toContain('hello');
    expect((await a.ok('why', 'login', '1', '--store', url)).out).toContain('ada');
    expect((await a.ok('log', 'login', '--store', url)).out).toContain('began #1');
    expect(readdirSync(a.project)).toEqual([]);
    for (const one of [a, b]) {
      expect(one.relays()).toHaveLength(1);
      expect(one.file('.tasks', 'login', 'log.jsonl')).toBe(a.file('.tasks', 'login', 'log.jsonl'));
      expect(statSync(one.root ?? '').mode & 0o077).toBe(0);
    }
  });

  it('gets one relay of many verbs that need it at once', async () => {
    const [a] = StoreUser.two(place);
    await a.ok('create', 'login', '--member', 'ada', '--store', url);
    expect(await a.endRelays()).toBe(true);
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        a.teams(['task', 'create', 'login', `t${String(index)}`, '--store', url]),
      ),
    );
    expect(
      answers.map(({ code }) => code),
      answers.map(told).join('\n'),
    ).toEqual([0, 0, 0, 0, 0]);
    // One that was started and found another one there ends by itself.
    await expect.poll(() => a.relays().length, { timeout: 20_000 }).toBe(1);
  });

  it('goes on after its relay was killed, without a person', async () => {
    allowLeft();
    const [a] = StoreUser.two(place);
    await a.ok('create', 'login', '--member', 'ada', '--store', url);
    const worker = a.process(['worker', 'login', 'ada', '--agent', 'exec', '--store', url]);
    let said = '';
    worker.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
    worker.stdout?.resume();
    const ended = once(worker, 'exit');
    onTestFinished(() => void worker.kill('SIGKILL'));
    await expect.poll(() => said, { timeout: 20_000 }).toContain('ada works for team');
    await a.endRelays('SIGKILL');
    await expect.poll(() => a.relays().length, { timeout: 20_000 }).toBe(1);
    await a.ok('task', 'create', 'login', 'One', '--run', 'echo done', '--store', url);
    await expect
      .poll(async () => (await a.ok('task', 'list', 'login', '--store', url)).out, { timeout: 20_000 })
      .toContain('completed');
    worker.kill('SIGTERM');
    await ended;
    expect(worker.exitCode, said).toBe(0);
  });

  it('that is away is one sentence: nothing is made, and what is here is shown', async () => {
    const own = await Postgres.start();
    try {
      const made = await storePlace(own);
      const [a, b] = StoreUser.two(made.place);
      const there = own.url('owner', made.database);
      await a.ok('create', 'login', '--member', 'ada', '--store', there);
      await a.endRelays();
      await own.kill();
      const first = await b.teams(['status', 'login', '--store', there]);
      expect([first.code, first.err]).toEqual([4, expect.stringMatching(/^teams: .*refuses the connection.*\n$/)]);
      expect(b.root).toBeUndefined();
      const known = await a.teams(['status', 'login', '--store', there]);
      expect([known.code, known.out, known.err]).toEqual([
        0,
        expect.stringContaining('login'),
        expect.stringMatching(/^teams: .*refuses the connection.* What is shown may be old\.\n$/),
      ]);
      const write = await a.teams(['task', 'create', 'login', 'One', '--store', there]);
      expect([write.code, write.err]).toEqual([4, expect.stringContaining('No relay runs')]);
    } finally {
      await own.stop();
    }
  });

  it('is refused in one sentence where it cannot be', async () => {
    const [a] = StoreUser.two(place);
    await a.ok('create', 'login', '--member', 'ada', '--store', url);
    const secret = url.replace('owner@', 'owner:pLanted@');
    const member = { TEAMS_MEMBER: 'ada', TEAMS_TEAM: 'login' };
    const cases: readonly [words: string[], environment: Record<string, string>, code: number, why: RegExp][] = [
      [['list', '--store', secret], {}, 2, /has a password, which other users of this machine can read/],
      [['list', '--store', 'mysql://h/x'], {}, 2, /is no URL of PostgreSQL/],
      [['list', '--store', `${url}?sslmode=require`, '--root', a.root ?? ''], {}, 2, /is the replica of .*, not of/],
      [['store', 'check', '--store', url], {}, 2, /takes no --store: name it as a word/],
      [['doctor', '--store', url], {}, 2, /`teams doctor` takes no --store\./],
      [['list', '--store', url], member, 2, /A teammate cannot name a store/],
    ];
    for (const [words, environment, code, why] of cases) {
      const answer = await a.teams(words, environment);
      expect([words, answer.code, answer.err]).toEqual([words, code, expect.stringMatching(why)]);
      expect(answer.err.trim().split('\n')).toHaveLength(1);
      expect(answer.err).not.toContain('pLanted');
    }
    mkdirSync(join(a.project, '.teams'));
    writeFileSync(join(a.project, '.teams', 'config.yaml'), `store: ${secret}\n`);
    await a.teams(['doctor', '--trust', '--yes']);
    const answer = await a.teams(['list']);
    expect([answer.code, answer.err]).toEqual([2, expect.stringMatching(/has a password, which stays in a file/)]);
    expect(answer.err).not.toContain('pLanted');
  });

  it('loses its relay when nobody has asked it for a while', async () => {
    const root = join(place.root, 'idle');
    const relay = place.start('store', 'relay', '--root', root, '--idle', '1s');
    onTestFinished(() => void relay.child.kill('SIGKILL'));
    await expect.poll(() => existsSync(join(root, '.teams', '.relay')), { timeout: 20_000 }).toBe(true);
    const answer = await relay.ended;
    expect([answer.code, answer.err]).toEqual([0, '']);
    expect(readFileSync(join(root, '.teams', '.replica.json'), 'utf8')).toContain('postgres://');
  });
});
