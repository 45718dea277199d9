/** The store on a disk that fills up and is freed; the size is in docs/reliability.md "The four layers". */
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import * as z from 'zod';
import { figure } from '../support/figures.ts';
import { allowGuards } from '../support/leftovers.ts';
import { noSmallDisk, onSmallDisk } from '../support/small-disk.ts';
import { SIZES, TIMEOUT_MS } from '../support/sizes.ts';
import { tempDir } from '../support/temp.ts';
import { startStoreBy } from '../support/workers.ts';

beforeEach(allowGuards);

it(
  'everything acknowledged on a disk that fills up and is freed again and again is there',
  { timeout: TIMEOUT_MS },
  async (context) => {
    const reason = noSmallDisk();
    if (reason) return context.skip(reason);
    const root = tempDir();
    const options = { root, team: 'login', filler: join(root, 'filler'), cycles: SIZES.diskFillings, each: 5 };
    const filling = await startStoreBy((command) => onSmallDisk(root, '16m', command), tempDir(), 'fill', options);
    filling.go();
    const said = filledSchema.parse(await filling.result());
    const violations = said.lostMail + said.lostTasks;
    figure({ area: 'a disk filled and freed', count: SIZES.diskFillings, violations });
    expect(said).toMatchObject({ lostMail: 0, lostTasks: 0, refused: { NO_SPACE: expect.any(Number) as number } });
    expect(said.made).toBeGreaterThanOrEqual(SIZES.diskFillings * 5);
  },
);

const filledSchema = z.object({
  lostMail: z.number(),
  lostTasks: z.number(),
  made: z.number(),
  refused: z.record(z.string(), z.number()),
});
