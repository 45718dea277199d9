/** The end of a team in a store: from any machine, and on all of them. */
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { parseName } from '../../../src/model/text/names.ts';
import { realClock } from '../../../src/os/system-clock.ts';
import { realDisk } from '../../../src/store/files/disk.ts';
import { folderAt } from '../../../src/store/files/folder-of.ts';
import { rootPaths, teamPaths } from '../../../src/store/files/paths.ts';
import { Locks } from '../../../src/store/lock/lock.ts';
import { openStore } from '../../../src/store/team/team-store.ts';
import type { Workplace } from '../../support/cli.ts';
import { Machine, storePlace } from '../../support/machine.ts';
import { hasPostgres, Postgres } from '../../support/postgres.ts';
import { StoreUser } from '../../support/store-user.ts';

const PLAN = `name: login
members: [{name: ada, agent: exec}]
tasks: [{subject: one, run: "echo first"}]
gates: {build: false, test: false, lint: false}
`;

describe.skipIf(!hasPostgres)('the end of a team in a store', { timeout: 90_000 }, () => {
  let engine: Postgres;
  let place: Workplace;
  let database = '';
  let url = '';
  beforeAll(async () => {
    engine = await Postgres.start();
  });
  afterAll(() => engine.stop());
  beforeEach(async () => {
    const made = await storePlace(engine);
    ({ place, database } = made);
    url = engine.url('owner', made.database);
  });

  const archivesOf = (user: StoreUser): number =>
    readdirSync(join(user.root ?? '/none', '.teams', '.archive')).filter((name) => name.startsWith('login-')).length;

  const archivesIn = ({ root }: Machine): number => {
    const folder = join(root, '.teams', '.archive');
    return existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith('login-')).length : 0;
  };

  it('comes by `delete` of another machine than its run, is seen on both, and its name is free', async () => {
    const [a, b] = StoreUser.two(place);
    writeFileSync(join(a.project, 'plan.yaml'), PLAN);
    await a.ok('run', 'plan.yaml', '--store', url);
    const log = a.file('.tasks', 'login', 'log.jsonl');
    await b.ok('list', '--store', url);
    // Its relay is away meanwhile.
    await a.endRelays();
    expect((await b.ok('delete', 'login', '--yes', '--store', url)).out).toContain('archived');
    expect(b.file('.tasks', 'login', 'log.jsonl')).toBe('');
    expect(archivesOf(b)).toBe(1);
    expect((await b.ok('report', 'login', '--store', url)).out).toContain('one');
    await a.ok('run', 'plan.yaml', '--store', url);
    expect(archivesOf(a)).toBe(1);
    expect(a.file('.tasks', 'login', 'log.jsonl')).not.toContain(log.split('\n')[1] ?? 'none');
    await expect.poll(() => b.file('.tasks', 'login', 'log.jsonl')).toBe(a.file('.tasks', 'login', 'log.jsonl'));
  });

  it('comes by `cancel` here, and ends the lead and the workers there', async () => {
    const [a, b] = StoreUser.two(place);
    await a.ok('create', 'login', '--member', 'ada', '--member', 'bob', '--store', url);
    const children = [
      a.process(['lead', 'login', '--store', url]),
      a.process(['worker', 'login', 'ada', '--agent', 'exec', '--store', url]),
      b.process(['worker', 'login', 'bob', '--agent', 'exec', '--store', url]),
    ];
    for (const child of children) {
      child.stdout?.resume();
      child.stderr?.resume();
      onTestFinished(() => void child.kill('SIGKILL'));
    }
    const ended = Promise.all(children.map(async (child) => once(child, 'exit')));
    await expect
      .poll(async () => (await b.ok('status', 'login', '--store', url)).out, { timeout: 30_000 })
      .toMatch(/led on [^]*ada .* on [^]*bob .* pid/);
    expect((await b.ok('cancel', 'login', '--store', url)).out).toContain('login');
    await ended;
    for (const one of [a, b]) await expect.poll(() => archivesOf(one), { timeout: 10_000 }).toBe(1);
    expect((await a.ok('list', '--store', url)).out).not.toMatch(/login +running/);
  });

  it('comes while a relay tells what happened on its machine: it goes on, and moves its replica', async () => {
    const [a, b] = await Machine.two(place, 'ada');
    const store = openStore(teamPaths(a.root, parseName('team', 'login')), { clock: realClock });
    onTestFinished(() => store.close());
    const other = await engine.session('owner', database);
    onTestFinished(() => other.end());
    // Whoever writes to the team waits until it is known whether it ends.
    await other.query('begin');
    await other.query(`select teams.archive_team(id) from teams.team where name = 'login'`);
    store.events.append({ type: 'agent.said', member: 'ada', text: 'the last words' });
    const waiting = async (): Promise<number> =>
      (await other.query('select from pg_locks where not granted')).rowCount ?? 0;
    await expect.poll(waiting, { timeout: 10_000 }).toBe(1);
    await other.query('commit');
    for (const one of [a, b]) {
      await expect.poll(() => archivesIn(one), { timeout: 10_000, message: one.said }).toBe(1);
      expect(one.relay?.exitCode).toBeNull();
    }
  });

  it('comes while another process holds its name here: the relay moves the replica when the name is free', async () => {
    const [a, b] = await Machine.two(place, 'ada');
    const { tokens, teams, ...paths } = rootPaths(a.root);
    const lock = paths.nameLock(parseName('team', 'login'));
    const locks = new Locks(tokens, {
      disk: realDisk,
      clock: realClock,
      folder: folderAt(realDisk, teams),
      isOurs: true,
    });
    expect(locks.tryTake(lock)).toBeUndefined();
    await b.ok('delete', 'login', '--yes');
    expect(archivesIn(b)).toBe(1);
    await b.ok('create', 'login', '--member', 'bob');
    // A relay that waits for the name comes to no later team, and ends.
    for (const later of ['first', 'second']) {
      await b.ok('create', later, '--member', 'bob');
      await expect.poll(() => existsSync(a.log(later)), { timeout: 10_000, message: a.said }).toBe(true);
    }
    expect([archivesIn(a), a.relay?.exitCode]).toEqual([0, null]);
    locks.giveBack(lock);
    locks.close();
    await expect.poll(() => archivesIn(a), { timeout: 10_000, message: a.said }).toBe(1);
    await expect.poll(() => existsSync(a.log()), { timeout: 10_000 }).toBe(true);
  });
});
