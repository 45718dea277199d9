/** What a vendor asked one machine for is known on the others of its user, each with a home of its own. */
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { parseName } from '../../../src/model/text/names.ts';
import { realClock } from '../../../src/os/system-clock.ts';
import { VendorPace } from '../../../src/runtime/process/vendor-pace.ts';
import { hashText } from '../../../src/store/board/results.ts';
import { realDisk } from '../../../src/store/files/disk.ts';
import { teamPaths } from '../../../src/store/files/paths.ts';
import { openStore } from '../../../src/store/team/team-store.ts';
import { VendorFile } from '../../../src/store/team/vendor-file.ts';
import type { Workplace } from '../../support/cli.ts';
import { allowLeft } from '../../support/leftovers.ts';
import { Machine, storePlace } from '../../support/machine.ts';
import { hasPostgres, Postgres } from '../../support/postgres.ts';

const PATIENCE = { timeout: 20_000, interval: 50 };

describe.skipIf(!hasPostgres)('the calls of two machines', { timeout: 60_000 }, () => {
  let engine: Postgres;
  let place: Workplace;
  beforeAll(async () => {
    engine = await Postgres.start();
  });
  afterAll(() => engine.stop());
  beforeEach(async () => {
    ({ place } = await storePlace(engine));
    onTestFinished(() => void vi.unstubAllEnvs());
  });

  const homeOf = (name: string): Record<string, string> => ({
    HOME: join(place.root, 'homes', name),
    XDG_STATE_HOME: join(place.root, 'homes', name, 'state'),
    XDG_CONFIG_HOME: join(place.root, 'homes', name, 'config'),
  });
  function on<Made>({ environment }: Machine, make: () => Made): Made {
    for (const name of Object.keys(homeOf(''))) vi.stubEnv(name, environment[name]);
    return make();
  }
  /** A caller of a member in the team of a machine. */
  function callerOn(machine: Machine, caller: string, credential = 'acme'): VendorPace {
    return on(machine, () => {
      const store = openStore(teamPaths(machine.root, parseName('team', 'login')), { clock: realClock });
      onTestFinished(() => store.close());
      const tell = (told: Parameters<typeof store.relay.tellPace>[0]): Promise<void> => store.relay.tellPace(told);
      return new VendorPace({ clock: realClock, folder: store.paths.folder, tell }, credential, caller);
    });
  }
  const knownOn = (machine: Machine, credential = 'acme') =>
    on(machine, () => {
      const hash = hashText(credential).slice(0, 32);
      return new VendorFile({ disk: realDisk, clock: realClock }, hash).read();
    });

  it('pause on both for what the vendor asked one for, also over a relay that is killed', async () => {
    const [a, b] = await Machine.twoOf(place, ['ada'], homeOf);
    allowLeft();
    const [ada, bob] = [callerOn(a, 'ada'), callerOn(b, 'bob')];
    expect([await ada.begin(), await bob.begin()]).toEqual([0, 0]);
    await bob.answered();
    await expect.poll(() => knownOn(a)?.machines?.count, PATIENCE).toBe(2);
    await b.stop('SIGKILL');
    const pause = await ada.refused(40_000);
    expect(pause).toBeGreaterThan(39_000);
    expect(await b.start(), b.said).toBeNull();
    await expect.poll(() => bob.left(), PATIENCE).toBeGreaterThan(20_000);
    expect(bob.left()).toBeLessThanOrEqual(pause + 1_000);
    expect(await bob.begin()).toBeGreaterThan(20_000);
    expect(knownOn(b)).toMatchObject({ refusals: 1, machines: { count: 2 } });
    // A credential of another key is not the same.
    expect(callerOn(b, 'eve', 'other').left()).toBe(0);
  });

  it('share what the vendor tells that is left', async () => {
    const [a, b] = await Machine.twoOf(place, ['ada'], homeOf);
    const [ada, bob] = [callerOn(a, 'ada'), callerOn(b, 'bob')];
    expect([await ada.begin(), await bob.begin()]).toEqual([0, 0]);
    await expect.poll(() => knownOn(a)?.machines?.count, PATIENCE).toBe(2);
    await ada.allowed({ left: 9, resetMs: 60_000, limit: 20 });
    expect(knownOn(a)).toMatchObject({ allowance: { left: 4 } });
  });

  it('begin while the store is away', async () => {
    const [a] = await Machine.twoOf(place, ['ada'], homeOf);
    engine.signal('SIGSTOP');
    try {
      const ada = callerOn(a, 'ada');
      expect(await ada.begin()).toBe(0);
      await ada.answered();
      expect(ada.left()).toBe(0);
    } finally {
      engine.signal('SIGCONT');
    }
  });
});
