/** The simulation finds what it must find: each mutant, within 2,000 seeds. */
import { expect, it, vi } from 'vitest';
import { check } from '../support/sim/check.ts';
import * as locks from '../support/sim/mutants/locks.ts';
import { lockScenario } from '../support/sim/scenarios/lock.ts';

vi.mock('node:crypto', async (original) => ({ ...(await original()), ...(await import('../support/sim/chance.ts')) }));
vi.mock('ulid', () => import('../support/sim/chance.ts'));

it.each(Object.entries(locks))('%s', async (_, locker) => {
  Error.stackTraceLimit = 0;
  const ids = new Map();
  let first;
  for (let seed = 1; seed <= Number(process.env.N ?? 2000); seed += 1) {
    const machine = await lockScenario(seed, locker);
    const found = check(machine);
    if (found.length) first ??= [seed, found];
    for (const f of found) if (!ids.has(f.id)) ids.set(f.id, [seed, f.what]);
  }
  Error.stackTraceLimit = 10;
  console.log(_, first?.[0], ids);
  expect(first).toBeDefined();
});
