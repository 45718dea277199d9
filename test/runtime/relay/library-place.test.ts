/** A program that uses the library makes and leads a team in a store that it names, or that `TEAMS_STORE` names. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Answer } from '../../support/cli.ts';
import { BIN } from '../../support/cli.ts';
import { storePlace, told } from '../../support/machine.ts';
import { hasPostgres, Postgres } from '../../support/postgres.ts';
import { StoreUser } from '../../support/store-user.ts';

const LIBRARY = pathToFileURL(join(BIN, '..', '..', 'dist', 'index.js')).href;

/** Makes and leads a team; prints where it is. Its first argument is what `createTeam` gets, as JSON. */
const LEADS = `
import { agents, createTeam } from '${LIBRARY}';
const members = [{ name: 'ada', agent: agents.exec('echo looked; pwd') }];
const team = await createTeam('login', { ...JSON.parse(process.argv[2]), members });
await team.start();
await team.board.add({ subject: 'Look', owner: 'ada' });
await team.done();
console.log(team.folder);
await team[Symbol.asyncDispose]();
`;

/** Opens the team of another machine, and writes to a member. */
const WRITES = `
import { openTeam } from '${LIBRARY}';
const team = await openTeam('login', JSON.parse(process.argv[2]));
await team.send('ada', 'hello from there');
console.log(team.status().tasks.completed);
await team[Symbol.asyncDispose]();
`;

const LOOKS = `
import { openTeam } from '${LIBRARY}';
const team = await openTeam('login');
const { name } = team.status().members[0];
console.log(team.name, name);
await team[Symbol.asyncDispose]();
`;

async function run(user: StoreUser, program: string, options: object, more: Record<string, string> = {}) {
  const file = join(user.project, 'program.mjs');
  writeFileSync(file, program);
  const child = spawn(process.execPath, [file, JSON.stringify(options)], {
    cwd: user.project,
    env: { ...user.environment, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code: child.exitCode ?? -1, out, err } satisfies Answer;
}

describe.skipIf(!hasPostgres)('a program that uses the library', { timeout: 90_000 }, () => {
  let engine: Postgres;
  let url = '';
  let here: StoreUser;
  let there: StoreUser;
  beforeAll(async () => {
    engine = await Postgres.start();
  });
  afterAll(() => engine.stop());
  beforeEach(async () => {
    const { place, database } = await storePlace(engine);
    url = engine.url('owner', database);
    [here, there] = StoreUser.two(place);
  });

  it.each([
    ['its option `store`', () => ({ options: { store: url }, environment: {} })],
    ['TEAMS_STORE', () => ({ options: {}, environment: { TEAMS_STORE: url } })],
  ])('leads a team in the store of %s, with its working directory, and is met there by others', async (_, named) => {
    const { options, environment } = named();
    const led = await run(here, LEADS, options, environment);
    expect(led.code, told(led)).toBe(0);
    expect(led.err).toBe('');
    expect(led.out).toContain(join(here.state, 'teams', 'replicas'));
    expect(existsSync(join(here.project, '.teams'))).toBe(false);
    const wrote = await run(there, WRITES, options, environment);
    expect(wrote, told(wrote)).toMatchObject({ code: 0, out: '1\n', err: '' });
    expect((await here.ok('inbox', 'login', 'ada', '--store', url)).out).toContain('hello from there');
    expect((await there.ok('task', 'get', 'login', '1', '--store', url)).out).toContain(here.project);
    for (const user of [here, there]) expect(user.relays()).toHaveLength(1);
  });

  it('has the replica in the folder that it names, and gets no store in a folder of other teams', async () => {
    const root = join(here.state, 'mine');
    const led = await run(here, LEADS, { store: url, root });
    expect(led, told(led)).toMatchObject({ code: 0, out: `${join(root, '.teams', 'login')}\n` });
    const onFiles = await run(there, LEADS, {});
    expect(onFiles.out).toBe(`${join(there.project, '.teams', 'login')}\n`);
    const refused = await run(there, LEADS, { store: url, root: there.project });
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('has teams of its own');
    expect(there.relays()).toEqual([]);
    expect(here.relays()).toHaveLength(1);
  });

  it('of a member works on its own team, wherever it runs', async () => {
    await here.ok('create', 'login', '--member', 'ada', '--store', url);
    const of = { TEAMS_ROOT: here.root ?? '', TEAMS_TEAM: 'login', TEAMS_MEMBER: 'bob', TEAMS_STORE: 'postgres://no' };
    const looked = await run(here, LOOKS, {}, of);
    expect(looked, told(looked)).toMatchObject({ code: 0, out: 'login ada\n' });
  });

  it.each([
    ['an address that is none', { store: 'mysql://db' }, {}, 'The address of the store is no URL of PostgreSQL'],
    ['a server that does not answer', { store: 'postgres://127.0.0.1:1/none' }, {}, 'ENGINE_UNREACHABLE'],
    ['a member’s program that names one', { store: 'postgres://db/none' }, { TEAMS_MEMBER: 'ada' }, 'POLICY_DENIED'],
  ])('is refused with %s, and nothing is written', async (_, options, environment, why) => {
    const before = readdirSync(here.project);
    const refused = await run(here, LEADS, options, environment);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain(why);
    expect(readdirSync(here.project)).toEqual([...before, 'program.mjs']);
    expect(existsSync(join(here.state, 'teams', 'replicas'))).toBe(false);
  });
});
