/** Members that join a team in a store while it runs, from any machine: its configuration is shared. */
import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Workplace } from '../../support/cli.ts';
import { storePlace } from '../../support/machine.ts';
import { hasPostgres, Postgres } from '../../support/postgres.ts';
import { served, type Served } from '../../support/served.ts';
import { StoreUser } from '../../support/store-user.ts';

const config = z.looseObject({ members: z.array(z.looseObject({ name: z.string() })) });

describe.skipIf(!hasPostgres)('a team in a store that grows', { timeout: 90_000 }, () => {
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

  const membersOn = (user: StoreUser): string[] =>
    config.parse(JSON.parse(user.file('.teams', 'login', 'config.json'))).members.map(({ name }) => name);
  const isSame = async (users: readonly StoreUser[], names: readonly string[]): Promise<void> => {
    for (const one of users) await expect.poll(() => membersOn(one).toSorted(), { timeout: 10_000 }).toEqual(names);
    expect(new Set(users.map((one) => one.file('.teams', 'login', 'config.json'))).size).toBe(1);
  };

  it('by workers of both machines at once gets each of them once, and all machines know them', async () => {
    const [a, b] = StoreUser.two(place);
    await a.ok('create', 'login', '--member', 'ada', '--store', url);
    const lead = serving(a, 'lead', 'login');
    const names = ['bob', 'cy', 'dan', 'eve'];
    const workers = names.map((name, index) => {
      const user = index % 2 === 0 ? a : b;
      return { name, ...serving(user, 'worker', 'login', name, '--join', '--agent', 'exec') };
    });
    for (const { name, said } of workers)
      await expect.poll(said, { timeout: 30_000 }).toContain(`${name} works for team`);
    await isSame([a, b], ['ada', ...names]);
    for (let task = 0; task < 8; task += 1)
      await a.ok('task', 'create', 'login', `t${String(task)}`, '--run', 'sleep 0.3; echo done', '--store', url);
    await expect
      .poll(async () => (await b.ok('task', 'list', 'login', '--store', url)).out.match(/completed/g)?.length, {
        timeout: 30_000,
      })
      .toBe(8);
    expect(lead.child.exitCode).toBeNull();
  });

  it('gets a name once, however many ask for it', async () => {
    const [a, b] = StoreUser.two(place);
    await a.ok('create', 'login', '--member', 'ada', '--store', url);
    await b.ok('list', '--store', url);
    const both = [a, b].map((user) => serving(user, 'worker', 'login', 'bob', '--join', '--agent', 'exec'));
    const ended = await Promise.race(
      both.map(async ({ child, said }) => {
        await once(child, 'exit');
        return { code: child.exitCode, said: said() };
      }),
    );
    expect(ended).toMatchObject({ code: 3 });
    await expect.poll(() => both.map(({ said }) => said()).join(), { timeout: 20_000 }).toContain('bob works for team');
    await isSame([a, b], ['ada', 'bob']);
  });

  it('has its configuration as the store has it, also where a file was exchanged', async () => {
    const [a, b] = StoreUser.two(place);
    await a.ok('create', 'login', '--member', 'ada', '--store', url);
    const { child } = serving(b, 'worker', 'login', 'bob', '--join', '--agent', 'exec', '--role', 'explorer');
    await expect
      .poll(async () => (await a.ok('status', 'login', '--store', url)).out, { timeout: 20_000 })
      .toMatch(/bob +explorer/);
    await isSame([a, b], ['ada', 'bob']);
    const before = a.file('.teams', 'login', 'config.json');
    a.put(['.teams', 'login', 'config.json'], '{}');
    await expect.poll(() => a.file('.teams', 'login', 'config.json'), { timeout: 10_000 }).toBe(before);
    expect(child.exitCode).toBeNull();
  });
});
