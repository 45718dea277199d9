/**
 * Layer 2 of docs/reliability.md: in every operation the n-th call fails in every way, for every n, and recovery
 * follows.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { FAULTS } from '../support/faulty/disk.ts';
import { template, trial, type Again } from '../support/faulty/trial.ts';
import { checkpoint, claim, complete } from '../support/faulty/works/board.ts';
import { events } from '../support/faulty/works/events.ts';
import { send, sendLong, take } from '../support/faulty/works/mail.ts';
import { spawning } from '../support/faulty/works/spawn.ts';
import { config, create, putAway, recover } from '../support/faulty/works/team.ts';
import { figure } from '../support/figures.ts';
import { Random } from '../support/sim/random.ts';
import { SIZES, TIMEOUT_MS } from '../support/sizes.ts';
import { tempDir } from '../support/temp.ts';

const WORKS = [send, sendLong, take, claim, complete, checkpoint, events, config, create, putAway, spawning, recover];

/** No operation has so many calls. More calls mean an endless loop. */
const MOST = 2_000;
/** About the number of calls of a recovery. */
const RECOVERY = 60;

/** The points of the recovery at which a second fault occurs. */
function seconds(n: number): Again[] {
  const random = new Random(n);
  const [first, ...rest] = FAULTS;
  return Array.from({ length: SIZES.secondFaults }, () => ({
    fault: random.of([first, ...rest]),
    n: 1 + random.below(RECOVERY),
  }));
}

describe.each(WORKS.map((work) => [work.name, work] as const))('%s', (name, work) => {
  it.each(FAULTS)('the operation survives %s at every call', { timeout: 2 * TIMEOUT_MS }, async (fault) => {
    vi.stubEnv('XDG_STATE_HOME', tempDir());
    const from = await template(work);
    let n = 1;
    while (await trial(work, from, fault, n)) {
      for (const again of seconds(n)) await trial(work, from, fault, n, again);
      n += 1;
      expect(n).toBeLessThan(MOST);
    }
    for (const file of readdirSync(from)) rmSync(join(from, file), { recursive: true });
    figure({ area: `${name}: ${fault} at every call`, count: n - 1, violations: 0 });
    vi.unstubAllEnvs();
  });
});
