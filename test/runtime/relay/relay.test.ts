/** Two machines, as two roots with a relay each, and one store: a PostgreSQL server of the test's own. */
import { appendFileSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseEngineAddress } from '../../../src/model/config/engine-address.ts';
import { parseName } from '../../../src/model/text/names.ts';
import { realClock } from '../../../src/os/system-clock.ts';
import { initEngine } from '../../../src/store/engine/engine-setup.ts';
import { teamPaths } from '../../../src/store/files/paths.ts';
import { openStore } from '../../../src/store/team/team-store.ts';
import { LastingConnection } from '../../../src/os/connection/lasting-connection.ts';
import { Workplace } from '../../support/cli.ts';
import { Machine, storePlace, told } from '../../support/machine.ts';
import { hasPostgres, Postgres } from '../../support/postgres.ts';

describe.skipIf(!hasPostgres)('a relay', { timeout: 120_000 }, () => {
  let engine: Postgres;
  let database = '';
  let place: Workplace;
  beforeAll(async () => {
    engine = await Postgres.start();
  });
  afterAll(() => engine.stop());
  beforeEach(() => useStore(engine));

  async function useStore(server: Postgres): Promise<void> {
    ({ place, database } = await storePlace(server));
  }

  /** The engine's log as the bytes of a replica. */
  async function stored(server = engine): Promise<string> {
    const client = await server.session('owner', database);
    const { rows } = await client.query<{ line: string }>('select line from teams.log order by number');
    await client.end();
    return rows.map(({ line }) => `\n${line}\n`).join('');
  }

  const two = (): Promise<[Machine, Machine]> => Machine.two(place, 'ada');

  const isEqual = (machines: readonly Machine[], server = engine) =>
    expect
      .poll(
        async () => {
          const bytes = await stored(server);
          return machines.map((one) => readFileSync(one.log(), 'utf8') === bytes);
        },
        { timeout: 20_000 },
      )
      .toEqual(machines.map(() => true));

  it('two machines work on one board, and have its log byte for byte', async () => {
    const [a, b] = await two();
    const subjects = Array.from({ length: 12 }, (_, index) => `t${String(index)}`);
    await Promise.all(subjects.map((subject, index) => (index % 2 === 0 ? a : b).ok('task', 'create', subject)));
    await isEqual([a, b]);
    for (const one of [a, b]) {
      const { out } = await one.ok('task', 'list', '--json');
      const { tasks } = JSON.parse(out) as { tasks: { id: string; subject: string }[] };
      expect(tasks.map(({ id }) => Number(id)).toSorted((x, y) => x - y)).toEqual(
        subjects.map((_, index) => index + 1),
      );
      expect(tasks.map(({ subject }) => subject).toSorted()).toEqual(subjects.toSorted());
    }
    // Of two that claim one task, one wins.
    const claims = await Promise.all([a, b].map((one) => one.teams('task', 'claim', '1')));
    expect(claims.map(({ code }) => code).toSorted()[0], claims.map(told).join('\n')).toBe(0);
    await isEqual([a, b]);
  });

  it('eight members of two machines that ask for the next task at once get eight, and lose no claim', async () => {
    const [a, b] = await two();
    const members = Array.from({ length: 8 }, (_, index) => `m${String(index)}`);
    await a.ok('create', 'crowd', ...members.flatMap((member) => ['--member', member]));
    for (let task = 0; task < 12; task += 1) await a.ok('task', 'create', 'crowd', `t${String(task)}`);
    const asked = (await stored()).length;
    await expect
      .poll(() => existsSync(b.log('crowd')) && statSync(b.log('crowd')).size)
      .toBe(statSync(a.log('crowd')).size);
    await Promise.all(
      members.map((member, index) => (index % 2 === 0 ? a : b).ok('task', 'claim', 'crowd', '--next', '--as', member)),
    );
    const claims = (await stored()).slice(asked).match(/"type":"task.claimed"/g) ?? [];
    expect(claims).toHaveLength(8);
  });

  it('a relay and an engine that are killed under load lose nothing that was acknowledged', async () => {
    const own = await Postgres.start();
    const machines: Machine[] = [];
    try {
      await useStore(own);
      const [a, b] = await two();
      machines.push(a, b);
      const done: string[] = [];
      const over = new AbortController();
      const writer = async (machine: Machine, name: string): Promise<void> => {
        for (let number = 0; !over.signal.aborted; number += 1) {
          const subject = `${name}-${String(number)}`;
          const answer = await machine.teams('task', 'create', subject);
          if (answer.code === 0) done.push(subject);
        }
      };
      const writers = [writer(a, 'a1'), writer(a, 'a2'), writer(b, 'b1'), writer(b, 'b2')];
      const more = (by: number) => {
        const before = done.length;
        return expect.poll(() => done.length - before, { timeout: 30_000 }).toBeGreaterThan(by);
      };
      await more(10);
      await a.stop('SIGKILL');
      expect(await a.start(), a.said).toBeNull();
      await more(10);
      await own.kill();
      await own.run();
      await more(10);
      await b.stop('SIGKILL');
      expect(await b.start(), b.said).toBeNull();
      await more(10);
      over.abort();
      await Promise.all(writers);
      await isEqual([a, b], own);
      const { out } = await b.ok('task', 'list', '--json');
      const { tasks } = JSON.parse(out) as { tasks: { subject: string }[] };
      const kept = new Set(tasks.map(({ subject }) => subject));
      expect(done.filter((subject) => !kept.has(subject))).toEqual([]);
      // None twice: a record that is sent again keeps its number.
      expect(tasks.length).toBe(kept.size);
    } finally {
      for (const one of machines) await one.stop();
      await own.stop();
    }
  });

  it('a promoted standby is followed, and an old primary that comes back is not', async () => {
    const primary = await Postgres.start(["synchronous_standby_names = '*'", 'synchronous_commit = local']);
    const machines: Machine[] = [];
    let standby: Postgres | undefined;
    try {
      await primary.query(`create database pair`);
      const one = primary.url('owner', 'pair');
      standby = await primary.standby(["synchronous_standby_names = ''"]);
      await initEngine(parseEngineAddress(one, 'environment'), [], realClock);
      database = 'pair';
      place = new Workplace({ TEAMS_STORE: one.replace('/pair', `,127.0.0.1:${String(standby.port)}/pair`) });
      const [a, b] = await two();
      machines.push(a, b);
      await a.ok('task', 'create', 'Before');
      await primary.kill();
      const later = b.ok('task', 'create', 'Meanwhile');
      await standby.query('select pg_promote()');
      await later;
      await primary.run();
      // Both are asked again, and both take writes.
      await standby.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'teams'`);
      await a.ok('task', 'create', 'After');
      await isEqual([a, b], standby);
      const { out } = await b.ok('task', 'list');
      for (const subject of ['Before', 'Meanwhile', 'After']) expect(out).toContain(subject);
      expect(await stored(primary)).not.toContain('After');
    } finally {
      for (const one of machines) await one.stop();
      await standby?.stop();
      await primary.stop();
    }
  });

  it('a standby that is promoted while its primary says nothing is followed within seconds', async () => {
    const primary = await Postgres.start(["synchronous_standby_names = '*'", 'synchronous_commit = local']);
    const machines: Machine[] = [];
    let standby: Postgres | undefined;
    try {
      await primary.query(`create database pair`);
      const one = primary.url('owner', 'pair');
      standby = await primary.standby(["synchronous_standby_names = ''"]);
      await initEngine(parseEngineAddress(one, 'environment'), [], realClock);
      place = new Workplace({ TEAMS_STORE: one.replace('/pair', `,127.0.0.1:${String(standby.port)}/pair`) });
      const [a, b] = await two();
      machines.push(a, b);
      await a.ok('task', 'create', 'Before');
      primary.signal('SIGSTOP');
      const waits = [a, b].map((machine) => machine.ok('task', 'create', 'Meanwhile'));
      await standby.query('select pg_promote()');
      const promoted = performance.now();
      await Promise.all(waits);
      // Without a look at the others: 60 s.
      expect(performance.now() - promoted).toBeLessThan(10_000);
      expect((await b.ok('task', 'list')).out).toContain('Meanwhile');
    } finally {
      for (const one of machines) await one.stop();
      primary.signal('SIGCONT');
      await standby?.stop();
      await primary.stop();
    }
  });

  it('a machine where nobody leads has a checkpoint of a long log, which a process there begins with', async () => {
    const [a, b] = await two();
    for (let at = 0; at < 6; at += 1)
      await a.ok('task', 'create', 'login', `t${String(at)}`, '--description', 'x'.repeat(4_000));
    const paths = teamPaths(b.root, parseName('team', 'login'));
    await expect.poll(() => existsSync(paths.checkpoint), { timeout: 10_000 }).toBe(true);
    const store = openStore(paths, { clock: realClock });
    try {
      expect(store.board.fold().lastTaskId).toBe(6);
      expect(store.board.log.begunAt).toBeGreaterThan(0);
    } finally {
      await store.close();
    }
  });

  it('without its relay a replica is read, and not written', async () => {
    const a = new Machine(place, 'a');
    expect(await a.start(), a.said).toBeNull();
    await a.ok('create', 'login', '--member', 'ada');
    await a.ok('task', 'create', 'One');
    await a.stop();
    expect((await a.ok('status')).out).toContain('login');
    const before = readFileSync(a.log());
    expect(await a.teams('task', 'create', 'Two')).toMatchObject({
      code: 4,
      err: expect.stringMatching(/No relay runs for .*teams store relay --root/) as string,
    });
    expect(readFileSync(a.log()).equals(before)).toBe(true);
  });

  it('a record that a crash cut off is completed, byte for byte', async () => {
    const [a, b] = await two();
    await b.stop();
    await a.ok('task', 'create', 'One');
    const next = (await stored()).slice(statSync(b.log()).size);
    appendFileSync(b.log(), next.slice(0, 40));
    expect(await b.start(), b.said).toBeNull();
    await isEqual([a, b]);
  });

  it('a relay stops when the store has lost what it had read, and nothing is written there any more', async () => {
    const [a, b] = await two();
    await a.ok('task', 'create', 'One');
    await isEqual([a, b]);
    const seen = readFileSync(a.log());
    // What an asynchronous standby did not have yet when it was promoted.
    await engine.query(
      `delete from teams.log where number = (select last from teams.head); update teams.head set last = last - 1;
       select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}' and pid <> pg_backend_pid()`,
      database,
    );
    expect([await a.ended(), await b.ended()]).toEqual([4, 4]);
    expect(a.said).toMatch(/The store does not have record \d+ of team login/);
    expect(await a.teams('task', 'create', 'Two')).toMatchObject({
      code: 4,
      err: expect.stringContaining('The store does not have record') as string,
    });
    expect(await a.start()).toBe(4);
    expect(readFileSync(a.log()).equals(seen)).toBe(true);
  });

  it('trees that the project cannot have are refused with one sentence, and nothing is written', async () => {
    const [a] = await two();
    const before = await stored();
    const plan = 'members: [{name: ada, agent: exec}]\ntasks: [{subject: one, run: "true"}]\n';
    place.put('plan.yaml', `name: trees\n${plan}`);
    place.put('own.yaml', `name: own\nisolation: trees\n${plan}`);
    for (const words of ['run plan.yaml --isolation trees', 'run own.yaml']) {
      const answer = await a.teams(...words.split(' '));
      expect([words, answer.code, answer.err]).toEqual([
        words,
        5,
        expect.stringMatching(/^teams: `isolation: trees` is not possible here: .*git.*\n$/),
      ]);
    }
    expect(await stored()).toBe(before);
  });

  it('a folder has one relay, of one store, and no teams of its own', async () => {
    const a = new Machine(place, 'a');
    expect(await a.start(), a.said).toBeNull();
    const second = await place.teams('store', 'relay', '--root', a.root);
    expect(second).toMatchObject({ code: 3, err: expect.stringContaining('is the relay of') as string });
    await a.stop();
    await engine.query(`create database other_${database}`);
    const other = engine.url('owner', `other_${database}`);
    await initEngine(parseEngineAddress(other, 'environment'), [], realClock);
    expect(await place.teams('store', 'relay', other, '--root', a.root)).toMatchObject({
      code: 2,
      err: expect.stringContaining('is the replica of') as string,
    });
    await place.say(['create', 'own', '--root', place.root], { environment: { TEAMS_STORE: '' } });
    expect(await place.teams('store', 'relay', '--root', place.root)).toMatchObject({
      code: 2,
      err: expect.stringContaining('has teams of its own') as string,
    });
    expect(await place.teams('store', 'relay')).toMatchObject({ code: 2 });
  });

  it('a process without the user’s key is not heard', async () => {
    const [a] = await two();
    const before = await stored();
    const head = JSON.stringify({ do: 'append', team: 'login', seal: 'f'.repeat(64) });
    const line = (before.trim().split('\n').at(-1) ?? '').replace(/"id":"./, '"id":"0');
    const relay = LastingConnection.to(join(a.root, '.teams', '.relay'));
    const answer = await relay.ask(`${head}\n${line}`, 5_000);
    relay.leave();
    expect(answer).toContain('does not know who asks');
    expect(statSync(join(a.root, '.teams', '.relay')).mode & 0o077).toBe(0);
    expect(await stored()).toBe(before);
  });

  it('a password in TEAMS_STORE is in no file, no log and no argument', async () => {
    const secret = 'pLanted-s3cret';
    place.environment['TEAMS_STORE'] = engine.url('owner', database).replace('owner@', `owner:${secret}@`);
    const a = new Machine(place, 'a');
    expect(await a.start(), a.said).toBeNull();
    await a.ok('create', 'login', '--member', 'ada');
    await a.ok('task', 'create', 'One');
    expect(readFileSync(`/proc/${String(a.relay?.pid)}/cmdline`, 'utf8')).not.toContain(secret);
    const files = readdirSync(place.root, { recursive: true, encoding: 'utf8' }).filter((file) =>
      statSync(join(place.root, file)).isFile(),
    );
    expect(files.length).toBeGreaterThan(5);
    expect(files.filter((file) => readFileSync(join(place.root, file), 'utf8').includes(secret))).toEqual([]);
    expect(a.said).not.toContain(secret);
  });
});
