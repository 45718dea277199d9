/** How long a verb waits for the relay that it needs. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { parseEngineAddress, shownAddress } from '../../../src/model/config/engine-address.ts';
import type { Clock } from '../../../src/model/text/clock.ts';
import { keepRelay } from '../../../src/runtime/relay/keep-relay.ts';
import { holdReplica } from '../../../src/store/engine/replica-place.ts';
import type { Workplace } from '../../support/cli.ts';
import { realClock } from '../../support/clock.ts';
import { fastClock } from '../../support/clock-fast.ts';
import { heldStart } from '../../support/held-start.ts';
import { allowLeft } from '../../support/leftovers.ts';
import { storePlace } from '../../support/machine.ts';
import { hasPostgres, Postgres } from '../../support/postgres.ts';
import { running } from '../../support/processes.ts';

describe.skipIf(!hasPostgres)('a relay that a verb needs', { timeout: 60_000 }, () => {
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
    allowLeft();
  });

  const relays = () => running().filter(({ command }) => command.includes(`relay --root ${place.root}`));

  function asked(environment: Record<string, string> = {}) {
    const root = join(place.root, 'replica');
    const store = shownAddress(parseEngineAddress(url, 'environment'));
    mkdirSync(root, { recursive: true });
    const fast = fastClock();
    const sleeps: number[] = [];
    const told: string[] = [];
    const sleep: Clock['sleep'] = (ms, signal) => {
      sleeps.push(ms);
      return fast.sleep(ms, signal);
    };
    const options = {
      clock: { ...fast, sleep },
      environment: { ...place.environment, ...environment },
      tell: (text: string) => void told.push(text),
    };
    const kept = keepRelay({ root, url, store }, options);
    const end = kept.then(
      (relay) => relay[Symbol.dispose](),
      (error: unknown) => error,
    );
    onTestFinished(async () => {
      await end;
      for (const { pid } of relays()) process.kill(pid, 'SIGKILL');
      await vi.waitUntil(() => relays().length === 0, { timeout: 10_000, interval: 5 });
    });
    /** So much time passes, and it looks again after a sleep of at least `ofMs`. */
    const pass = async (ms: number, ofMs = 0): Promise<void> => {
      fast.jump(ms);
      const before = sleeps.length;
      const looks = () => sleeps.slice(before).filter((one) => one >= ofMs).length;
      await Promise.race([end, vi.waitUntil(() => looks() > 1, { timeout: 20_000, interval: 5 })]);
    };
    return { kept, pass, told };
  }

  it('is waited for as long as its process lives', async () => {
    const folder = join(place.root, 'held');
    mkdirSync(folder);
    const held = heldStart(folder);
    onTestFinished(held.goOn);
    const { kept, pass } = asked(held.environment);
    await held.begun();
    await pass(60_000);
    held.goOn();
    await expect(kept).resolves.toBeDefined();
    expect(relays()).toHaveLength(1);
  });

  it('is waited for as long as another process has the lock of the root', async () => {
    const root = join(place.root, 'replica');
    const release = holdReplica(root, shownAddress(parseEngineAddress(url, 'environment')), realClock);
    onTestFinished(release);
    const { kept, pass, told } = asked();
    // Each relay that is started beside it is refused.
    await pass(60_000, 250);
    release();
    await expect(kept).resolves.toBeDefined();
    expect([told, relays().length]).toEqual([[], 1]);
  });
});
