/** The ledger of a user's day: what a new day takes over, clocks that jump, processes that are gone, damage. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
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

  const plant = (name: string, text = ''): void => writeFileSync(join(directory, name), text);
  const copyTo = (name: string): void => plant(name, readFileSync(join(directory, '2026-03-10.jsonl'), 'utf8'));
  const oldest = (): void => plant('2026-03-12.jsonl', '{"v":1,"chain":"00","at":"2026-03-12T00:00:00.000Z"}');

  it.each<[what: string, put: () => void]>([
    ['an empty file', () => plant('9999-12-31.jsonl')],
    ['an empty file of tomorrow', () => plant('2026-03-11.jsonl')],
    ['an empty file of a day that is none', () => plant('2026-99-99.jsonl')],
    ['text', () => plant('2027-01-01.jsonl', 'not a record\n')],
    ['the beginning of a record', oldest],
    ['a copy of the ledger', () => copyTo('9999-12-31.jsonl')],
    ['a copy for tomorrow', () => copyTo('2026-03-11.jsonl')],
    ['a directory', () => mkdirSync(join(directory, '9999-12-31.jsonl', 'sub'), { recursive: true })],
    ['a directory of tomorrow', () => mkdirSync(join(directory, '2026-03-11.jsonl', 'sub'), { recursive: true })],
    ['a link', () => symlinkSync('2026-03-10.jsonl', join(directory, '9999-12-31.jsonl'))],
    ['a link of tomorrow to itself', () => symlinkSync('2026-03-11.jsonl', join(directory, '2026-03-11.jsonl'))],
    ['a second name', () => linkSync(join(directory, '2026-03-09.jsonl'), join(directory, '9999-12-31.jsonl'))],
    ['a pipe', () => execFileSync('mkfifo', [join(directory, '9999-12-31.jsonl')])],
    ['a pipe of tomorrow', () => execFileSync('mkfifo', [join(directory, '2026-03-11.jsonl')])],
    [
      'a large file without contents',
      () => execFileSync('truncate', ['-s', '60G', join(directory, '9999-12-31.jsonl')]),
    ],
    [
      'a directory in the place of what is made',
      () => mkdirSync(join(directory, '2026-03-11.tmp', 'sub'), { recursive: true }),
    ],
  ])('%s with the name of another day neither lifts the limit nor stops that day or the next', async (_, put) => {
    now -= DAY_MS;
    await append(openDay(), LIMIT);
    now += DAY_MS;
    const running = openDay();
    await append(running, reserved('a', 2));
    put();
    for (const ledger of [running, openDay()]) {
      expect(ledger.day).toBe('2026-03-10');
      expect(ledger.look()?.limits.get('day')).toEqual({ cost: 10 });
      expect(ledger.look()?.all.map(({ id }) => id)).toEqual(['a']);
      await append(ledger, reserved('b', 1), { do: 'settle', id: 'b', used: { cost: 1 } });
    }
    expect(spent(openDay())).toBe(2);
    now += DAY_MS;
    for (const ledger of [running, openDay()]) {
      await append(ledger, reserved('c', 1), { do: 'settle', id: 'c', used: { cost: 1 } });
      expect(ledger.day).toBe('2026-03-11');
      expect(ledger.look()?.limits.get('day')).toEqual({ cost: 10 });
      expect(ledger.look()?.all.map(({ id }) => id)).toEqual(['a']);
    }
    expect(spent(openDay())).toBe(2);
  });

  it('strange files of far days are no reason to remove the ledgers of the last days', async () => {
    const ledger = openDay();
    await append(ledger, LIMIT);
    for (let n = 1; n < 60; n += 1) plant(`9998-01-${String(n).padStart(2, '0')}.jsonl`);
    now += DAY_MS;
    await append(ledger);
    expect(readdirSync(directory)).toEqual(expect.arrayContaining(['2026-03-10.jsonl', '2026-03-11.jsonl']));
    expect(openDay().look()?.limits.get('day')).toEqual({ cost: 10 });
  });

  it('a ledger of today that was emptied begins again with the limit of yesterday', async () => {
    now -= DAY_MS;
    await append(openDay(), LIMIT);
    now += DAY_MS;
    await append(openDay());
    for (const text of ['', 'not a record\n']) {
      plant('2026-03-10.jsonl', text);
      expect(openDay().look()?.limits.get('day')).toEqual({ cost: 10 });
      await append(openDay(), reserved('a', 1));
      expect(
        openDay()
          .look()
          ?.all.map(({ id }) => id),
      ).toEqual(['a']);
    }
  });

  it('a first record that was torn by a kill is no reason to leave the ledger', async () => {
    const ledger = openDay();
    mkdirSync(directory, { recursive: true });
    plant('2026-03-10.jsonl', '\n{"v":1,"chain":"00');
    await append(ledger, LIMIT);
    expect(openDay().look()?.limits.get('day')).toEqual({ cost: 10 });
    now -= DAY_MS;
    expect(openDay().day).toBe('2026-03-10');
  });

  it('a ledger of today with a second name stops what would be spent', async () => {
    await append(openDay(), LIMIT);
    linkSync(join(directory, '2026-03-10.jsonl'), join(directory, 'copy'));
    expect(() => openDay().look()).toThrow(/several links/);
  });
});
