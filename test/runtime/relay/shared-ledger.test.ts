/** The budget of a team on two machines: one ledger, the same on both, never over, whatever ends in between. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { LedgerEntry } from '../../../src/model/team/budget.ts';
import { parseName } from '../../../src/model/text/names.ts';
import { realClock } from '../../../src/os/system-clock.ts';
import { setDayLimits } from '../../../src/runtime/budget/limits.ts';
import { SpenderLedgers } from '../../../src/runtime/budget/spender-ledgers.ts';
import { newIds } from '../../../src/store/files/new-ids.ts';
import { teamPaths } from '../../../src/store/files/paths.ts';
import { openStore, type TeamStore } from '../../../src/store/team/team-store.ts';
import type { Workplace } from '../../support/cli.ts';
import { allowLeft } from '../../support/leftovers.ts';
import { Machine, storePlace } from '../../support/machine.ts';
import { hasPostgres, Postgres } from '../../support/postgres.ts';

const PATIENCE = { timeout: 20_000, interval: 50 };
const newId = newIds();
const id = (): string => newId(realClock.now());

describe.skipIf(!hasPostgres)('a budget on two machines', { timeout: 90_000 }, () => {
  let engine: Postgres;
  let place: Workplace;
  beforeAll(async () => {
    engine = await Postgres.start();
  });
  afterAll(() => engine.stop());
  beforeEach(async () => {
    ({ place } = await storePlace(engine));
    // The key of the user, and the ledger of the day.
    for (const name of ['HOME', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME']) vi.stubEnv(name, place.environment[name]);
    onTestFinished(() => void vi.unstubAllEnvs());
  });

  function storeOn({ root }: Machine): TeamStore {
    const store = openStore(teamPaths(root, parseName('team', 'login')), { clock: realClock });
    onTestFinished(() => store.close());
    return store;
  }
  const ledgerOf = ({ root }: Machine): string => readFileSync(join(root, '.teams', 'login', 'ledger.jsonl'), 'utf8');

  /** Spends dollars, one reservation after the other, until nothing is left. @returns what was granted */
  async function spend(store: TeamStore, member: string): Promise<number> {
    const ledgers = new SpenderLedgers({ store, member, by: id() });
    let granted = 0;
    for (;;) {
      const ask = { id: id(), task: undefined, agent: 'claude', isUrgent: false };
      const wanted = () => ({ want: { cost: 1 }, least: { cost: 1 } });
      const admission = await ledgers.ask({ ...ask, wanted });
      if (admission.do === 'refuse') return granted;
      if (admission.do === 'wait') await realClock.sleep(10);
      if (admission.do === 'grant') {
        granted += 1;
        await ledgers.write([{ do: 'settle', id: ask.id, used: { cost: 1 } } satisfies LedgerEntry]);
      }
    }
  }

  it('is spent to the last dollar by eight members, over relays that are killed', async () => {
    const machines = await Machine.two(place, 'ada');
    allowLeft();
    const [a, b] = machines;
    await a.ok('budget', 'login', '--set', 'cost=60');
    const stores = machines.map(storeOn);
    await expect.poll(() => stores.map((store) => store.ledger.look()?.limits.size), PATIENCE).toEqual([1, 1]);
    const spent = Promise.all(
      stores.flatMap((store, at) => [1, 2, 3, 4].map((n) => spend(store, `w${String(at)}${String(n)}`))),
    );
    for (const one of [a, b, a]) {
      await one.stop('SIGKILL');
      expect(await one.start(), one.said).toBeNull();
    }
    const granted = await spent;
    expect(granted.reduce((sum, one) => sum + one, 0)).toBe(60);
    await expect.poll(() => ledgerOf(a) === ledgerOf(b), PATIENCE).toBe(true);
    for (const store of stores) expect(store.ledger.look()?.spent.get('team')?.cost).toBe(60);
    expect((await b.ok('budget', 'login')).out).toContain('$60.0000 of $60.0000 spent');
  });

  it('counts with the limit of the day, and gives back what only one of them grants', async () => {
    const [a, b] = await Machine.two(place, 'ada');
    await a.ok('budget', 'login', '--set', 'cost=30');
    const stores = [a, b].map(storeOn) as [TeamStore, TeamStore];
    await setDayLimits(stores[0].day, [{ how: 'set', limits: { day: { cost: 7 } } }]);
    await expect.poll(() => stores[1].ledger.look()?.limits.size, PATIENCE).toBe(1);
    const granted = await Promise.all(
      stores.flatMap((store, at) => [1, 2, 3].map((n) => spend(store, `w${String(at)}${String(n)}`))),
    );
    expect(granted.reduce((sum, one) => sum + one, 0)).toBe(7);
    await expect.poll(() => ledgerOf(a) === ledgerOf(b), PATIENCE).toBe(true);
    for (const store of stores) {
      expect(store.ledger.look()?.spent.get('team')?.cost).toBe(7);
      expect(store.ledger.look()?.open.size).toBe(0);
    }
  });
});
