/** The ledger of a user's day: what a new day takes over, clocks that jump, processes that are gone, damage. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { LedgerEntry } from '../../../src/model/team/budget.ts';
import type { Clock } from '../../../src/model/text/clock.ts';
import { identityOf, ownIdentity } from '../../../src/os/process-table.ts';
import { realDisk } from '../../../src/store/files/disk.ts';
import { DayLedger } from '../../../src/store/team/day-ledger.ts';
import { realClock } from '../../support/clock.ts';
import { tempDir } from '../../support/temp.ts';

const NOON = Date.UTC(2026, 2, 10, 12);
const DAY_MS = 24 * 3_600_000;

let directory: string;
let now: number;
beforeEach(() => {
  directory = join(tempDir(), 'state', 'spending');
  now = NOON;
});

const clock: Clock = { ...realClock, now: () => now };
function openDay(): DayLedger {
  const ledger = new DayLedger({ disk: realDisk, clock, directory });
  onTestFinished(() => ledger.close());
  return ledger;
}

const append = (ledger: DayLedger, ...entries: LedgerEntry[]): Promise<void> =>
  ledger.change(() => ({ entries, result: undefined }));
const LIMIT: LedgerEntry = { do: 'limit', scope: 'day', limit: { cost: 10 } };
const reserved = (id: string, cost: number, process = ownIdentity()): LedgerEntry => ({
  do: 'reserve',
  id,
  member: id,
  by: id,
  agent: 'claude/',
  hold: { cost },
  process,
});
const spent = (ledger: DayLedger): number | undefined => ledger.look()?.spent.get('day')?.cost;

describe('the ledger of a day', () => {
  it('is no file until something is limited', async () => {
    const ledger = openDay();
    expect(ledger.look()).toBeUndefined();
    expect(existsSync(directory)).toBe(false);
    await append(ledger);
    expect(readdirSync(directory)).toEqual([]);
  });

  it('a new day begins with the limits and with what is still reserved, and nothing spent', async () => {
    const ledger = openDay();
    await append(ledger, LIMIT, reserved('a', 2), reserved('b', 3));
    await append(ledger, { do: 'settle', id: 'a', used: { cost: 1 } });
    expect(spent(ledger)).toBe(1);
    now += DAY_MS;
    const next = openDay();
    await append(next);
    expect(spent(next)).toBeUndefined();
    expect(next.look()?.limits.get('day')).toEqual({ cost: 10 });
    expect(next.look()?.all.map(({ id }) => id)).toEqual(['b']);
    // A process that reserved yesterday tells it today.
    await append(ledger, { do: 'settle', id: 'b', used: { cost: 3 } });
    expect([spent(ledger), spent(openDay())]).toEqual([3, 3]);
    expect(readdirSync(directory)).toEqual(['2026-03-10.jsonl', '2026-03-11.jsonl']);
  });

  it('a clock that is set back gives no new day and loses none', async () => {
    const ledger = openDay();
    await append(ledger, LIMIT, reserved('a', 2));
    await append(ledger, { do: 'settle', id: 'a', used: { cost: 2 } });
    now -= 40 * DAY_MS;
    const earlier = openDay();
    expect(earlier.day).toBe('2026-03-10');
    await append(earlier, reserved('b', 1), { do: 'settle', id: 'b', used: { cost: 1 } });
    expect(spent(earlier)).toBe(3);
    expect(readdirSync(directory)).toEqual(['2026-03-10.jsonl']);
  });

  it('what a process reserved that is gone counts as used', async () => {
    const { pid } = spawnSync('true');
    const ledger = openDay();
    await append(ledger, LIMIT, reserved('gone', 4, { ...ownIdentity(), pid, startTime: '1' }), reserved('here', 1));
    await append(ledger);
    expect(spent(ledger)).toBe(4);
    expect(ledger.look()?.all.map(({ id }) => id)).toEqual(['here']);
    expect(ledger.look()?.untold.get('cost')).toBe(1);
  });

  it('whoever waits sees that a process is gone which had reserved, although nothing is written', async () => {
    const child = spawn('sleep', ['60']);
    onTestFinished(() => void child.kill('SIGKILL'));
    const ledger = openDay();
    await append(ledger, LIMIT, reserved('theirs', 4, identityOf(child.pid ?? 0)));
    const { mark } = ledger;
    expect(ledger.mark).toBe(mark);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(ledger.mark).not.toBe(mark);
    await append(ledger);
    expect(spent(ledger)).toBe(4);
  });

  it('a record that was changed is not believed, also when a new day begins', async () => {
    const ledger = openDay();
    await append(ledger, LIMIT);
    await append(ledger, { ...LIMIT, limit: { cost: 11 } });
    const file = join(directory, '2026-03-10.jsonl');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"cost":10', '"cost":99'));
    expect(() => openDay().look()).toThrow(/damaged: line 1/);
    now += DAY_MS;
    await expect(append(openDay())).rejects.toMatchObject({ code: 'CORRUPT' });
    expect(readdirSync(directory)).toEqual(['2026-03-10.jsonl']);
  });

  it('keeps forty days', async () => {
    const ledger = openDay();
    await append(ledger, LIMIT);
    for (let day = 0; day < 45; day += 1) {
      now += DAY_MS;
      await append(ledger);
    }
    expect(readdirSync(directory)).toHaveLength(40);
    expect(ledger.look()?.limits.get('day')).toEqual({ cost: 10 });
  });
});
