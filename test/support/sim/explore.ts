/** Runs a scenario over many seeds until one breaks an invariant. */
import { check, type Violation } from './check.ts';
import type { Machine } from './machine.ts';

export type Scenario = (seed: number) => Promise<Machine>;

interface Exploration {
  readonly schedules: number;
  readonly steps: number;
  readonly ms: number;
  /** The first seed that broke an invariant, with the violations. */
  readonly found?: { readonly seed: number; readonly violations: readonly Violation[] };
}

/** Schedules after which the event loop gets its turn. */
const STRIDE = 50;

/** @param counts which violations count */
export async function explore(
  scenario: Scenario,
  { from = 1, to }: { readonly from?: number; readonly to: number },
  counts: (violation: Violation) => boolean = () => true,
): Promise<Exploration> {
  const begun = performance.now();
  let steps = 0;
  for (let seed = from; seed <= to; seed += 1) {
    const machine = await tracelessly(() => scenario(seed));
    steps += machine.steps;
    const violations = check(machine).filter(counts);
    const done = { schedules: seed - from + 1, steps, ms: performance.now() - begun };
    if (violations.length > 0) return { ...done, found: { seed, violations } };
    if (seed === to) return done;
    if (seed % STRIDE === 0) await new Promise((resolve) => setTimeout(resolve, 0));
  }
  return { schedules: 0, steps: 0, ms: 0 };
}

/** A stack is the most expensive part of an error, and most errors here are expected. */
async function tracelessly<T>(work: () => Promise<T>): Promise<T> {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return await work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** One line that runs a seed again, with what it broke. */
export const reproduction = (name: string, { found }: Exploration): string =>
  found
    ? `SIM=${name}:${found.seed} npx vitest run test/store/simulation.test.ts · ${found.violations.map(({ id, what }) => `${id} ${what}`).join(' · ')}`
    : '';
