/** `teams store`, with servers of the test's own. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseEngineAddress } from '../../../src/model/config/engine-address.ts';
import { realClock } from '../../../src/os/system-clock.ts';
import { checkedStore, madeStore } from '../../../src/surfaces/cli/shapes/engine-shapes.ts';
import { checkEngine } from '../../../src/store/engine/engine-setup.ts';
import { type Answer, Workplace } from '../../support/cli.ts';
import { hasPostgres, Postgres } from '../../support/postgres.ts';

const refused = (code: number, words: RegExp): object => ({
  code,
  out: '',
  err: expect.stringMatching(words) as string,
});

describe('an address of a store', () => {
  it('with a password on the command line is refused, and named nowhere', async () => {
    const answer = await new Workplace().teams('store', 'check', 'postgres://ada:p4ss@127.0.0.1/x');
    expect(answer).toMatchObject(refused(2, /^teams: The address of the store has a password.*TEAMS_STORE/));
    expect(answer.err).not.toContain('p4ss');
  });

  it('that is missing is asked for', async () => {
    expect(await new Workplace().teams('store', 'check')).toMatchObject(refused(2, /Name the store/));
  });

  it('where nobody listens', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    const answer = await new Workplace().teams('store', 'check', `postgres://ada@127.0.0.1:${String(port)}/x`);
    expect(answer).toMatchObject(
      refused(4, new RegExp(`^teams: The engine at 127.0.0.1:${String(port)} refuses the connection: is it running`)),
    );
  });

  it('where somebody listens and says nothing', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const sockets: Socket[] = [];
    server.on('connection', (socket) => sockets.push(socket));
    const answer = await new Workplace().teams('store', 'check', `postgres://ada@127.0.0.1:${String(port)}/x`);
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
    expect(answer).toMatchObject(refused(4, /^teams: The engine at [0-9.:]+ did not answer in 5 s\.\n$/));
  });

  it('of a server that is no PostgreSQL', async () => {
    const server = createServer((socket) => socket.resume().end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(
      0,
      '127.0.0.1',
    );
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const answer = await new Workplace().teams('store', 'check', `postgres://ada@127.0.0.1:${String(port)}/x`);
    server.close();
    await once(server, 'close');
    expect(answer).toMatchObject(
      refused(4, /^teams: The engine at .* closed the connection: is it a PostgreSQL server\?\n$/),
    );
    expect(answer.err.trim().split('\n')).toHaveLength(1);
  });

  it('of a machine that nobody knows', async () => {
    const answer = await new Workplace().teams('store', 'check', 'postgres://ada@nobody.invalid/x');
    expect(answer).toMatchObject(refused(4, /^teams: The engine at nobody.invalid:5432 has a host name that/));
  });
});

describe.skipIf(!hasPostgres)('a store', () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await Postgres.start();
    await postgres.query('create role keeper login createdb; create role host login; create role guest login');
    await postgres.query('create database agents owner keeper');
    await postgres.query('create database foreign_one owner keeper');
    await postgres.query('create schema teams', 'foreign_one');
  });
  afterAll(async () => postgres.stop());

  it('is set up once, by any number of people at once, and then checked', async () => {
    const place = new Workplace({ TEAMS_STORE: postgres.url('keeper', 'agents') });
    expect((await place.teams('store', 'check')).code).toBe(1);
    const answers = await Promise.all(
      [1, 2, 3].map(async () => place.teams('store', 'init', '--grant', 'host', '--json')),
    );
    expect(answers.map(({ code }) => code)).toEqual([0, 0, 0]);
    const results = answers.map(({ out }) => madeStore.parse(JSON.parse(out)));
    expect(results.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(results[0]).toMatchObject({
      store: `postgres://keeper@127.0.0.1:${String(postgres.port)}/agents`,
      roles: [{ role: 'host' }],
    });
    const { code, out } = await place.teams('store', 'check', postgres.url('host', 'agents'));
    expect(out).toMatch(/ok +schema +version 9/);
    expect(out).toMatch(/ok +standbys +none: /);
    expect(code).toBe(0);
    await place.json(checkedStore, 'store', 'check', postgres.url('host', 'agents'));
  });

  it.each<[string, string, () => string, RegExp]>([
    [
      'a role without a word',
      'check',
      () => postgres.url('guest', 'agents'),
      /This role may not use the schema "teams".*--grant ROLE/,
    ],
    [
      'a role that may make no schema',
      'init',
      () => postgres.url('guest'),
      /The role may not do this at .*grant create on database/,
    ],
    [
      'a role that is unknown',
      'check',
      () => postgres.url('nobody'),
      /refuses the role: role "nobody" does not exist\./,
    ],
    ['a database that is unknown', 'check', () => postgres.url('owner', 'nowhere'), /has no such database: /],
    [
      'a schema of somebody else',
      'init',
      () => postgres.url('keeper', 'foreign_one'),
      /has a schema "teams" that teams did not make/,
    ],
  ])('%s is one sentence', async (_what, verb, url, words) => {
    const answer = await new Workplace().teams('store', verb, url());
    expect(answer).toMatchObject(refused(4, words));
    expect(answer.err.trim().split('\n')).toHaveLength(1);
  });

  it.each<[string, () => string, RegExp]>([
    ['no schema', () => postgres.url('owner'), /has no schema "teams": `teams store init` makes it there/],
    [
      'a schema of somebody else',
      () => postgres.url('keeper', 'foreign_one'),
      /has a schema "teams" that teams did not make/,
    ],
    [
      'a role without a word',
      () => postgres.url('guest', 'agents'),
      /This role may not use the schema "teams".*--grant ROLE/,
    ],
  ])('%s is the same sentence to a verb that works with it', async (_what, url, words) => {
    const place = new Workplace();
    expect((await place.teams('create', 'login')).code).toBe(0);
    const answer = await place.teams('migrate', 'login', '--to', url());
    expect(answer).toMatchObject(refused(4, words));
    expect(answer.err.trim().split('\n')).toHaveLength(1);
  });

  it('whose role is missing, or misspelled, changes nothing', async () => {
    await postgres.query('create database half owner keeper');
    const place = new Workplace({ TEAMS_STORE: postgres.url('keeper', 'half') });
    expect(await place.teams('store', 'init', '--grant', 'host', '--grant', 'hots')).toMatchObject(
      refused(4, /The engine has no role "hots"/),
    );
    expect(await place.teams('store', 'init', '--grant', 'ada=login/ada')).toMatchObject(
      refused(2, /--grant is ROLE, or/),
    );
    expect((await place.teams('store', 'check')).out).toMatch(/NOT OK +schema +none/);
  });

  it('of a build before the first release is named, with what to do', async () => {
    await postgres.query('create database earlier');
    const url = postgres.url('keeper', 'earlier');
    await postgres.query('grant create on database earlier to keeper');
    const place = new Workplace();
    expect(await place.teams('store', 'init', url)).toMatchObject({ code: 0 });
    await postgres.query('update teams.about set version = 1', 'earlier');
    for (const verb of ['init', 'check'])
      expect(await place.teams('store', verb, url)).toMatchObject(
        refused(4, /schema of the store has version 1, .*drop schema teams cascade/),
      );
  });

  it('of a newer version of teams is not used', async () => {
    await postgres.query('create database newer owner keeper');
    const place = new Workplace({ TEAMS_STORE: postgres.url('keeper', 'newer') });
    await place.teams('store', 'init');
    await postgres.query('update teams.about set version = 99', 'newer');
    for (const verb of ['init', 'check'])
      expect(await place.teams('store', verb)).toMatchObject(
        refused(4, /schema of the store has version 99, this program knows 9/),
      );
  });

  it('says that its role is a superuser', async () => {
    await postgres.query('create database super');
    const place = new Workplace({ TEAMS_STORE: postgres.url('owner', 'super') });
    expect((await place.teams('store', 'init')).err).toMatch(/this role is a superuser/);
    expect((await place.teams('store', 'check')).out).toMatch(/NOT OK +role +a superuser/);
  });
});

describe.skipIf(!hasPostgres)('a server that is not fit', () => {
  it('because it may lose what it acknowledged', async () => {
    const postgres = await Postgres.start(['fsync = off']);
    try {
      expect(await new Workplace().teams('store', 'init', postgres.url())).toMatchObject(
        refused(4, /runs with fsync=off/),
      );
    } finally {
      await postgres.stop();
    }
  });

  it('because it is a standby: of several hosts the primary is used, also one that was promoted', async () => {
    const primary = await Postgres.start();
    const standby = await primary.standby().catch(async (error: unknown) => {
      await primary.stop();
      throw error;
    });
    try {
      const place = new Workplace();
      const [one, two] = [primary, standby].map(({ port }) => `127.0.0.1:${String(port)}`);
      expect(await place.teams('store', 'check', standby.url())).toMatchObject(
        refused(4, /is a standby, which takes no writes/),
      );
      const both = `postgres://owner@${two},${one}/postgres`;
      expect((await place.teams('store', 'init', both)).code).toBe(0);
      expect((await place.teams('store', 'check', both)).out).toMatch(/timeline 1\n/);
      await standby.query('select pg_promote()');
      // The old primary still takes writes; the engine is the one on the higher timeline.
      expect((await place.teams('store', 'check', `postgres://owner@${one},${two}/postgres`)).out).toMatch(
        /timeline 2\n/,
      );
    } finally {
      await standby.stop();
      await primary.stop();
    }
  });

  it('because nobody told its password, or a wrong one', async () => {
    const postgres = await Postgres.start([], 'scram-sha-256');
    try {
      const home = await postgres.session('owner', 'postgres', postgres.home);
      await home.query("alter role owner password 'p4ss'");
      await home.end();
      const at = `127.0.0.1:${String(postgres.port)}/postgres`;
      const check = async (url: string): Promise<Answer> => new Workplace({ TEAMS_STORE: url }).teams('store', 'check');
      expect(await check(`postgres://owner@${at}`)).toMatchObject(
        refused(4, /asks for a password: put it into ~\/\.pgpass/),
      );
      expect(await check(`postgres://owner:wr0ng@${at}`)).toMatchObject(refused(4, /refuses the password: look at/));
      const right = await check(`postgres://owner:p4ss@${at}`);
      expect(right.out).toMatch(/ok +server/);
      expect(right.out + right.err).not.toContain('p4ss');
    } finally {
      await postgres.stop();
    }
  });

  it('because it does not encrypt, or its certificate is not trusted', async () => {
    const postgres = await Postgres.start();
    try {
      const check = async (query: string): Promise<Answer> =>
        new Workplace().teams('store', 'check', `${postgres.url()}?${query}`);
      expect(await check('sslmode=require')).toMatchObject(refused(4, /does not encrypt: set ssl = on/));
      await postgres.kill();
      postgres.encrypt();
      await postgres.run();
      expect(await check('sslmode=verify-full')).toMatchObject(refused(4, /has a certificate that is not trusted/));
      expect((await check('sslmode=require')).out).toMatch(/connection +encrypted/);
      expect((await check(`sslmode=verify-full&sslrootcert=${postgres.certificate}`)).out).toMatch(
        /connection +encrypted/,
      );
      expect(await check(`sslmode=verify-full&sslrootcert=/nowhere`)).toMatchObject(
        refused(4, /\/nowhere.*cannot be read/),
      );
      expect((await check('sslmode=disable')).out).toMatch(/connection +not encrypted/);
    } finally {
      await postgres.stop();
    }
  });

  it('because its clock differs by ten minutes', async () => {
    const postgres = await Postgres.start();
    try {
      const { server } = await checkEngine(parseEngineAddress(postgres.url(), 'argument'), {
        ...realClock,
        now: () => realClock.now() + 600_000,
      });
      expect(server.heard - server.now).toBeGreaterThan(590_000);
    } finally {
      await postgres.stop();
    }
  });

  it('because it is set to read only', async () => {
    const postgres = await Postgres.start(['default_transaction_read_only = on']);
    try {
      expect(await new Workplace().teams('store', 'init', postgres.url())).toMatchObject(
        refused(4, /is set to read only/),
      );
    } finally {
      await postgres.stop();
    }
  });
});
