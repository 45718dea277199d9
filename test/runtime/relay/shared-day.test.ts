/** The limit of a user's day on two machines, each with a home of its own: never over, whatever ends in between. */
import { readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { parseEngineAddress } from '../../../src/model/config/engine-address.ts';
import type { LedgerEntry } from '../../../src/model/team/budget.ts';
import { parseName } from '../../../src/model/text/names.ts';
import { ownIdentity } from '../../../src/os/process-table.ts';
import { realClock } from '../../../src/os/system-clock.ts';
import { SpenderLedgers } from '../../../src/runtime/budget/spender-ledgers.ts';
import { takeFromEngine } from '../../../src/runtime/relay/take-from-engine.ts';
import { newIds } from '../../../src/store/files/new-ids.ts';
import { teamPaths } from '../../../src/store/files/paths.ts';
import type { SharedDay } from '../../../src/store/team/shared-day.ts';
import { openStore, type TeamStore } from '../../../src/store/team/team-store.ts';
import type { Workplace } from '../../support/cli.ts';
import { allowLeft } from '../../support/leftovers.ts';
import { Machine, storePlace } from '../../support/machine.ts';
import { hasPostgres, Postgres } from '../../support/postgres.ts';

const PATIENCE = { timeout: 20_000, interval: 50 };
const newId = newIds();
const id = (): string => newId(realClock.now());
const LIMITS = z.object({ limits: z.array(z.object({ limit: z.number(), spent: z.number(), reserved: z.number() })) });

describe.skipIf(!hasPostgres)('the limit of the day on two machines', { timeout: 90_000 }, () => {
  let engine: Postgres;
  let place: Workplace;
  let database: string;
  beforeAll(async () => {
    engine = await Postgres.start();
  });
  afterAll(() => engine.stop());
  beforeEach(async () => {
    ({ place, database } = await storePlace(engine));
    onTestFinished(() => void vi.unstubAllEnvs());
  });

  const homeOf = (name: string): Record<string, string> => ({
    HOME: join(place.root, 'homes', name),
    XDG_STATE_HOME: join(place.root, 'homes', name, 'state'),
    XDG_CONFIG_HOME: join(place.root, 'homes', name, 'config'),
  });
  const twoHomes = (): Promise<[Machine, Machine]> => Machine.twoOf(place, ['ada'], homeOf);
  function storeOn({ root, environment }: Machine): TeamStore {
    for (const name of Object.keys(homeOf(''))) vi.stubEnv(name, environment[name]);
    const store = openStore(teamPaths(root, parseName('team', 'login')), { clock: realClock });
    onTestFinished(() => store.close());
    return store;
  }
  const folderOf = ({ root }: Machine): string => join(root, '.teams', '.spending');
  const filesOf = (one: Machine): string[] =>
    readdirSync(folderOf(one)).map((name) => `${name} ${readFileSync(join(folderOf(one), name), 'utf8')}`);
  async function shown(machine: Machine): Promise<z.infer<typeof LIMITS>['limits']> {
    return LIMITS.parse(JSON.parse((await machine.ok('budget', '--day', '--json')).out)).limits;
  }
  function dayOf({ sharedDay }: TeamStore): SharedDay {
    if (sharedDay === undefined) throw new Error('The team is in no store.');
    return sharedDay;
  }
  const knowsIt = (stores: readonly TeamStore[]): Promise<void> =>
    expect.poll(() => stores.map((store) => dayOf(store).look()?.limits.size), PATIENCE).toEqual(stores.map(() => 1));

  /**
   * Spends dollars, one reservation after the other, until nothing is left.
   *
   * @param waits for what others reserved
   * @returns what was granted
   */
  async function spend(store: TeamStore, member: string, waits = true): Promise<number> {
    const ledgers = new SpenderLedgers({ store, member, by: id() });
    for (let granted = 0; ;) {
      const ask = { id: id(), task: undefined, agent: 'claude', isUrgent: false };
      const wanted = () => ({ want: { cost: 1 }, least: { cost: 1 } });
      const admission = await ledgers.ask({ ...ask, wanted });
      if (admission.do === 'refuse' || (admission.do === 'wait' && !waits)) return granted;
      if (admission.do === 'wait') await realClock.sleep(10);
      if (admission.do === 'grant') {
        granted += 1;
        await ledgers.write([{ do: 'settle', id: ask.id, used: { cost: 1 } } satisfies LedgerEntry]);
      }
    }
  }

  it('is spent to the last dollar by six members, over relays and an engine that are killed', async () => {
    const killed = await Postgres.start();
    onTestFinished(() => killed.stop());
    ({ place } = await storePlace(killed));
    const machines = await twoHomes();
    allowLeft();
    const [a, b] = machines;
    expect((await a.ok('budget', '--day')).out).toContain('Nothing is limited for the day.');
    await a.ok('budget', '--day', '--set', 'cost=60');
    const stores = machines.map(storeOn);
    await knowsIt(stores);
    const spent = Promise.all(
      stores.flatMap((store, at) => [1, 2, 3].map((n) => spend(store, `w${String(at)}${String(n)}`))),
    );
    await a.stop('SIGKILL');
    expect(await a.start(), a.said).toBeNull();
    await killed.kill();
    await killed.run();
    await b.stop('SIGKILL');
    await expect.poll(() => b.start(), PATIENCE).toBeNull();
    const granted = await spent;
    expect(granted.reduce((sum, one) => sum + one, 0)).toBe(60);
    await expect.poll(() => filesOf(a).join('') === filesOf(b).join(''), PATIENCE).toBe(true);
    for (const one of machines) expect(await shown(one)).toMatchObject([{ limit: 60, spent: 60, reserved: 0 }]);
    expect((await b.ok('budget', 'login')).out).toContain('all your teams today: $60.0000 of $60.0000 spent');
  });

  it('counts with the limits of the team and of one machine, and gives back what only some of them grant', async () => {
    const machines = await twoHomes();
    const [a] = machines;
    await a.ok('budget', 'login', '--set', 'cost=30');
    await a.ok('budget', '--day', '--set', 'cost=12');
    const stores = machines.map(storeOn) as [TeamStore, TeamStore];
    await knowsIt(stores);
    await stores[0].day.change(() => ({
      entries: [{ do: 'limit', scope: 'day', limit: { cost: 5 } }],
      result: undefined,
    }));
    // Machine a may use 5 of its own day, so the rest is of machine b.
    const first = await Promise.all([1, 2].map((n) => spend(stores[0], `a${String(n)}`)));
    expect(first.reduce((sum, one) => sum + one, 0)).toBe(5);
    const rest = await Promise.all([1, 2].map((n) => spend(stores[1], `b${String(n)}`)));
    expect(rest.reduce((sum, one) => sum + one, 0)).toBe(7);
    for (const { ledger, sharedDay } of stores) {
      await expect.poll(() => ledger.look()?.spent.get('team')?.cost, PATIENCE).toBe(12);
      expect(ledger.look()?.open.size).toBe(0);
      await expect.poll(() => sharedDay?.look()?.spent.get('day')?.cost, PATIENCE).toBe(12);
      expect(sharedDay?.look()?.open.size).toBe(0);
    }
  });

  const reserved = (name: string, process = ownIdentity()): LedgerEntry => {
    const agent = 'claude/';
    return { do: 'reserve', id: name, member: name, by: name, agent, hold: { cost: 2 }, of: `other/${name}`, process };
  };

  it('counts what a lost process of this machine reserved, and keeps what one of another machine did', async () => {
    const machines = await twoHomes();
    await machines[0].ok('budget', '--day', '--set', 'cost=10');
    const stores = machines.map(storeOn) as [TeamStore, TeamStore];
    await knowsIt(stores);
    const lost = { ...ownIdentity(), pid: 2 ** 22 - 3, startTime: '1' };
    const elsewhere = { ...lost, bootId: 'another boot' };
    await dayOf(stores[0]).change(() => ({
      entries: [reserved('here', lost), reserved('there', elsewhere)],
      result: undefined,
    }));
    await expect.poll(() => dayOf(stores[1]).look()?.open.size, PATIENCE).toBe(2);
    await dayOf(stores[1]).change(() => ({ entries: [], result: undefined }));
    await expect.poll(() => [...(dayOf(stores[0]).look()?.open.keys() ?? [])], PATIENCE).toEqual(['there']);
    expect(await shown(machines[0])).toMatchObject([{ spent: 2, reserved: 2 }]);
  });

  it('begins a new day with the limit and what is reserved, by the clock of the store', async () => {
    const machines = await twoHomes();
    const [a, b] = machines;
    await a.ok('budget', '--day', '--set', 'cost=3');
    const [store] = machines.map(storeOn) as [TeamStore, TeamStore];
    await knowsIt([store]);
    expect(await spend(store, 'w1')).toBe(3);
    await dayOf(store).change(() => ({ entries: [reserved('w2')], result: undefined }));
    await expect.poll(() => filesOf(a).join('') === filesOf(b).join(''), PATIENCE).toBe(true);
    // All that was written is of yesterday.
    for (const one of machines) await one.stop();
    await engine.query(
      'update teams.spending set day = day - 1; update teams.spending_head set day = day - 1',
      database,
    );
    const [name = ''] = readdirSync(folderOf(a));
    const today = name.slice(0, 10);
    const yesterday = new Date(Date.parse(today) - 24 * 3_600_000).toISOString().slice(0, 10);
    for (const one of machines) renameSync(join(folderOf(one), name), join(folderOf(one), `${yesterday}.jsonl`));
    for (const one of machines) expect(await one.start(), one.said).toBeNull();
    const stores = machines.map(storeOn);
    await knowsIt(stores);
    await expect.poll(() => stores.map((one) => dayOf(one).day), PATIENCE).toEqual([today, today]);
    const granted = await Promise.all(stores.map((one, at) => spend(one, `n${String(at)}`, false)));
    // Two of three are reserved still.
    expect(granted.reduce((sum, one) => sum + one, 0)).toBe(1);
    for (const one of machines) expect(await shown(one)).toMatchObject([{ limit: 3, spent: 1, reserved: 2 }]);
  });

  it('stops a machine whose reservations the store has lost, until a person takes what the store has', async () => {
    const machines = await twoHomes();
    const [a] = machines;
    await a.ok('budget', '--day', '--set', 'cost=3');
    const [store] = machines.map(storeOn) as [TeamStore, TeamStore];
    await knowsIt([store]);
    for (const one of machines) await one.stop();
    await engine.query('delete from teams.spending; delete from teams.spending_head', database);
    expect(await a.start()).toBe(4);
    expect(a.said).toMatch(/does not have record 1 of the user's day/);
    await takeFromEngine(a.root, parseEngineAddress(engine.url('owner', database), 'environment'), realClock);
    expect(readdirSync(folderOf(a)).filter((name) => name.includes('only-here'))).toHaveLength(1);
    expect(await a.start(), a.said).toBeNull();
    expect(await shown(a)).toEqual([]);
  });
});
