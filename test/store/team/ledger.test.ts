/** The ledger on the disk: several writers, a writer that is killed, and a file that somebody changed. */
import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { realDisk } from '../../../src/store/files/disk.ts';
import { Ledger } from '../../../src/store/team/ledger.ts';
import type { TeamPaths } from '../../../src/store/files/paths.ts';
import { realClock } from '../../support/clock.ts';
import { locksOf, teamAt } from '../../support/team.ts';
import { tempDir } from '../../support/temp.ts';

let paths: TeamPaths;
beforeEach(() => {
  paths = teamAt(tempDir());
});

function openLedger(): Ledger {
  const locks = locksOf(paths);
  const ledger = new Ledger({ disk: realDisk, clock: realClock, locks, paths });
  onTestFinished(() => {
    ledger.close();
    locks.close();
  });
  return ledger;
}

const limit = (cost: number) => ({ do: 'limit', scope: 'team', limit: { cost } }) as const;
const set = (ledger: Ledger, cost: number): Promise<void> =>
  ledger.change(() => ({ entries: [limit(cost)], result: undefined }));
const costOf = (ledger: Ledger): number | undefined => ledger.look()?.limits.get('team')?.cost;

describe('a ledger', () => {
  it('is nothing until something is limited', () => {
    expect(openLedger().look()).toBeUndefined();
  });

  it('decisions of two writers are made one after the other, each with what the other wrote', async () => {
    const [one, other] = [openLedger(), openLedger()];
    await set(one, 0);
    const raise = (ledger: Ledger): Promise<void> =>
      ledger.change((account) => {
        const cost = (account.limits.get('team')?.cost ?? 0) + 1;
        return { entries: [limit(cost)], result: undefined };
      });
    await Promise.all(Array.from({ length: 40 }, (_, at) => raise(at % 2 === 0 ? one : other)));
    expect([costOf(one), costOf(other), costOf(openLedger())]).toEqual([40, 40, 40]);
  });

  it('a record whose writer was killed in the middle is as if it had never been', async () => {
    const ledger = openLedger();
    await set(ledger, 1);
    await set(ledger, 2);
    const lines = readFileSync(paths.ledger, 'utf8');
    truncateSync(paths.ledger, lines.length - 20);
    const next = openLedger();
    expect(costOf(next)).toBe(1);
    await set(next, 3);
    expect(costOf(openLedger())).toBe(3);
  });

  it.each([
    ['a figure was changed', (text: string) => text.replace('"cost":1', '"cost":9')],
    [
      'a line is missing',
      (text: string) =>
        text
          .split('\n')
          .filter((line) => !line.includes('"cost":1}'))
          .join('\n'),
    ],
    ['a line stands twice', (text: string) => text.replace(/(\{.*"cost":1\}.*\n)/, '$1\n$1')],
  ])('is not believed when %s', async (_, change) => {
    const ledger = openLedger();
    for (const cost of [1, 2, 3]) await set(ledger, cost);
    writeFileSync(paths.ledger, change(readFileSync(paths.ledger, 'utf8')));
    expect(() => openLedger().look()).toThrow(/ledger.* is damaged: line \d+ does not follow/);
  });

  it('is not believed when it is shorter than it was, by a process that read it', async () => {
    const ledger = openLedger();
    for (const cost of [1, 2]) await set(ledger, cost);
    truncateSync(paths.ledger, 10);
    expect(() => ledger.look()).toThrow(/is damaged/);
    await expect(set(ledger, 3)).rejects.toMatchObject({ code: 'CORRUPT', exitCode: 4 });
  });

  it('lines that are no records are passed over', async () => {
    const ledger = openLedger();
    await set(ledger, 1);
    appendFileSync(paths.ledger, 'by hand\n{"v":2}\n');
    expect(costOf(openLedger())).toBe(1);
  });
});
