/**
 * Layer 4 of docs/reliability.md: real processes kill or stop themselves at a named file call. A survivor then does the
 * same work, and at the end a judge compares every process's history with the files.
 */
import { beforeEach, expect, it } from 'vitest';
import type { Aim } from '../support/aimed/aim.ts';
import { Range, type Signal } from '../support/aimed/range.ts';
import { SCENARIOS } from '../support/aimed/scenarios.ts';
import { figure } from '../support/figures.ts';
import { allowGuards } from '../support/leftovers.ts';
import { SIZES, TIMEOUT_MS } from '../support/sizes.ts';

beforeEach(allowGuards);

const NAMES = Object.keys(SCENARIOS);

/** `count` of the aims, evenly spread; starts again from the first if there are fewer. */
const spread = (aims: readonly Aim[], count: number): Aim[] =>
  Array.from(
    { length: count },
    (_, at) => aims[Math.floor((at * Math.max(1, aims.length / count)) % aims.length)],
  ).flatMap((aim) => aim ?? []);

async function shootAt(name: string, signal: Signal, count: number): Promise<void> {
  const scenario = SCENARIOS[name];
  if (scenario === undefined) throw new Error(`There is no scenario ${name}.`);
  const range = new Range(name, scenario, signal);
  const aims = spread(await range.aims(), count);
  let shots = 0;
  for (let aim = aims[0]; aim !== undefined && range.hits < count && shots < 2 * count; aim = aims[shots % count]) {
    await range.shoot(aim);
    shots += 1;
  }
  const violations = await range.judged();
  const what = signal === 'SIGKILL' ? 'aimed kill -9' : 'SIGSTOP beyond every timeout';
  figure({ area: `${what}: ${name}`, count: range.hits, violations: violations.length, times: range.times });
  expect(violations).toEqual([]);
  expect(range.hits).toBe(count);
  // An existing file costs one call less than a new one, so some aims are never reached.
  expect(shots).toBeLessThan(count / 0.75);
}

it.each(NAMES)(
  'a process killed in the middle of %s leaves nothing lost, doubled or unreadable',
  { timeout: TIMEOUT_MS },
  (name) => shootAt(name, 'SIGKILL', Math.ceil(SIZES.aimedKills / NAMES.length)),
);

it.each(NAMES)(
  'a process stopped in the middle of %s loses no lock, and nothing is lost',
  { timeout: TIMEOUT_MS },
  (name) => shootAt(name, 'SIGSTOP', Math.ceil(SIZES.aimedStops / NAMES.length)),
);
