/** Layer 2 of RELIABILITY §4: every work with its n-th call failing in every way, for every n, and then recovered from. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { FAULTS } from '../support/faulty/disk.ts';
import { template, trial } from '../support/faulty/trial.ts';
import { claim, complete } from '../support/faulty/works/board.ts';
import { send, sendLong, take } from '../support/faulty/works/mail.ts';
import { config, create, putAway, recover } from '../support/faulty/works/team.ts';
import { figure } from '../support/figures.ts';
import { tempDir } from '../support/temp.ts';

const WORKS = [send, sendLong, take, claim, complete, config, create, putAway, recover];

/** No work has so many calls: who comes here goes round in circles. */
const MOST = 2_000;

describe.each(WORKS.map((work) => [work.name, work] as const))('%s', (name, work) => {
  it.each(FAULTS)('survives %s at every call', { timeout: 120_000 }, async (fault) => {
    vi.stubEnv('XDG_STATE_HOME', tempDir());
    const from = await template(work);
    let n = 1;
    while (await trial(work, from, fault, n)) {
      n += 1;
      expect(n).toBeLessThan(MOST);
    }
    for (const file of readdirSync(from)) rmSync(join(from, file), { recursive: true });
    figure({ area: `${name}: ${fault} at every call`, count: n - 1, violations: 0 });
    vi.unstubAllEnvs();
  });
});
