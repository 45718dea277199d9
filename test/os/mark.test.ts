import { spawnSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BLOCK, LOCK_MARKS, markSchema, type Mark } from '../../src/model/agent/process-mark.ts';
import { drawerOf, MarkSource } from '../../src/os/draw-marks.ts';
import {
  markedCommand,
  markEnvironment,
  matches,
  noteSweep,
  prlimitPath,
  type Suspect,
} from '../../src/os/mark-environment.ts';
import { parseMessage, writeMessage } from '../../src/os/reaper-message.ts';
import { BOOT, fakeTable, LIMIT_MARK } from '../fixtures/table.ts';

const RUN = '01JZZZZZZZZZZZZZZZZZZZZZZZ';
const NO_PRLIMIT = 'there is no prlimit here: marks rest on the environment alone';
/** A limit of locks that an administrator set. */
const FOREIGN = 1_024;
type LimitMark = Extract<Mark, { kind: 'limit' }>;
const limited = (mark: Mark | undefined): LimitMark => {
  if (mark?.kind !== 'limit') throw new Error('expected a mark by limit');
  return mark;
};
const lowest = (from: number): number => from;
const highest = (_: number, to: number): number => to - 1;
const fraction =
  (part: number) =>
  (from: number, to: number): number =>
    Math.min(to - 1, from + Math.floor(part * (to - from)));

describe('a top-level lead', () => {
  it.each([
    ['lowest', lowest],
    ['highest', highest],
  ])(
    'a top-level lead gives each teammate its own block of RLIMIT_LOCKS, without its first value (%s)',
    (_, random) => {
      if (prlimitPath() === undefined) return;
      const marks = new MarkSource(fakeTable(10, [{ pid: 10 }]), random).draw(50, RUN).map(limited);
      expect(new Set(marks.map(({ low }) => low)).size).toBe(50);
      for (const mark of marks) {
        expect(mark.resource).toBe('locks');
        expect(mark.low % BLOCK.locks).toBe(1);
        expect([mark.high, mark.value]).toEqual([mark.low + BLOCK.locks - 2, mark.high]);
        expect(mark.low).toBeGreaterThan(LOCK_MARKS.from);
        expect(mark.high).toBeLessThan(LOCK_MARKS.to);
        expect(markSchema.parse(JSON.parse(JSON.stringify(mark)))).toEqual(mark);
      }
    },
  );

  it('a top-level lead reads no other process to draw a block of RLIMIT_LOCKS', (ctx) => {
    if (prlimitPath() === undefined) ctx.skip(NO_PRLIMIT);
    const table = {
      ...fakeTable(10, [{ pid: 10 }]),
      list: () => {
        throw new Error('the table was listed');
      },
    };
    expect(limited(new MarkSource(table).draw(1, RUN)[0]).resource).toBe('locks');
  });

  it('a top-level lead draws from the whole range: 5,000 marks of 100 leads are all different', (ctx) => {
    if (prlimitPath() === undefined) ctx.skip(NO_PRLIMIT);
    const drawn = Array.from({ length: 100 }, () => new MarkSource(fakeTable(10, [{ pid: 10 }])).draw(50, RUN)).flat();
    expect(new Set(drawn.map((mark) => limited(mark).low)).size).toBe(5_000);
    expect(new Set(drawn.map(({ id }) => id)).size).toBe(5_000);
  });

  it('a lead falls back to the environment where limits cannot be read', () => {
    const table = { ...fakeTable(10, [{ pid: 10 }]), limits: () => 'unreadable' as const };
    expect(new MarkSource(table).draw(2, RUN).map(({ kind }) => kind)).toEqual(['environment', 'environment']);
  });
});

describe('a lead whose own limit of locks is a mark', () => {
  const outer = (): LimitMark => limited(new MarkSource(fakeTable(10, [{ pid: 10 }])).draw(1, RUN)[0]);

  it('a lead whose own limit of locks is a mark draws unused values of the same block', (ctx) => {
    if (prlimitPath() === undefined) ctx.skip(NO_PRLIMIT);
    const { low, high, value } = outer();
    const table = fakeTable(20, [
      { pid: 20, locks: value },
      { pid: 21, locks: low },
    ]);
    const inner = new MarkSource(table, lowest).draw(5, RUN).map(limited);
    expect(inner.map((mark) => mark.value)).toEqual([low + 1, low + 2, low + 3, low + 4, low + 5]);
    for (const mark of inner) {
      expect([mark.resource, mark.low, mark.high]).toEqual(['locks', mark.value, mark.value]);
      expect(low <= mark.low && mark.high < high).toBe(true);
    }
  });

  it('a lead whose own limit of locks is a mark draws no value twice, until it is given back', (ctx) => {
    if (prlimitPath() === undefined) ctx.skip(NO_PRLIMIT);
    const source = new MarkSource(fakeTable(20, [{ pid: 20, locks: outer().low + 2 }]), lowest);
    const [first, second] = source.draw(2, RUN);
    expect(source.draw(1, RUN)[0]?.kind).toBe('environment');
    if (first === undefined || second === undefined) throw new Error('no mark');
    source.giveBack(first);
    expect(limited(source.draw(1, RUN)[0]).value).toBe(limited(first).value);
  });
});

describe('a lead below a foreign limit of locks', () => {
  it('a lead below a foreign limit of locks gives each teammate its own block of RLIMIT_MSGQUEUE', (ctx) => {
    if (prlimitPath() === undefined) ctx.skip(NO_PRLIMIT);
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 64 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (blocks, part) => {
          const table = fakeTable(10, [{ pid: 10, locks: FOREIGN, limit: blocks * 256 }]);
          const marks = new MarkSource(table, fraction(part)).draw(blocks, RUN);
          const drawn = marks.flatMap((mark) => (mark.kind === 'limit' ? [mark] : []));
          expect(drawn).toHaveLength(blocks - 1);
          expect(new Set(drawn.map(({ low }) => low)).size).toBe(blocks - 1);
          for (const { resource, low, high, value } of drawn) {
            expect(resource).toBe('msgqueue');
            expect(low % 256).toBe(1);
            expect([high, value]).toEqual([low + 254, low + 254]);
            expect(high).toBeLessThan(blocks * 256);
          }
        },
      ),
    );
  });

  it('a lead below a foreign limit of locks skips a block in which a running process has its limit', (ctx) => {
    if (prlimitPath() === undefined) ctx.skip(NO_PRLIMIT);
    const table = fakeTable(10, [
      { pid: 10, locks: FOREIGN, limit: 1024 },
      { pid: 11, limit: 256 + 17 },
      { pid: 12, limit: 768 },
    ]);
    const [mark, rest] = new MarkSource(table, lowest).draw(2, RUN);
    expect(mark).toMatchObject({ kind: 'limit', low: 513, high: 767, value: 767 });
    expect(rest).toMatchObject({ kind: 'environment' });
  });

  it('a lead below a foreign limit of locks skips its own earlier marks, and recorded marks of this boot', (ctx) => {
    if (prlimitPath() === undefined) ctx.skip(NO_PRLIMIT);
    const source = new MarkSource(fakeTable(10, [{ pid: 10, locks: FOREIGN, limit: 4 * 256 }]), lowest);
    const [first] = source.draw(1, RUN);
    const other: Mark = { ...limited(first), low: 513, high: 767, value: 767 };
    expect(limited(source.draw(1, RUN, () => [other])[0]).low).toBe(769);
    const fresh = new MarkSource(fakeTable(10, [{ pid: 10, locks: FOREIGN, limit: 4 * 256 }]), lowest);
    expect(limited(fresh.draw(1, RUN, () => [{ ...limited(first), bootId: 'boot-0' }])[0]).low).toBe(257);
  });

  it('a lead below a foreign limit of locks does not treat 2^30 as a limit', (ctx) => {
    if (prlimitPath() === undefined) ctx.skip(NO_PRLIMIT);
    const [mark] = new MarkSource(fakeTable(10, [{ pid: 10, locks: FOREIGN, limit: Infinity }]), highest).draw(1, RUN);
    expect(limited(mark).high).toBe(2 ** 30 - 1);
  });

  it.each([0, 100, 255, 256])(
    'a lead below a foreign limit uses the environment below two blocks (limit %i)',
    (limit) => {
      const [mark] = new MarkSource(fakeTable(10, [{ pid: 10, locks: FOREIGN, limit }])).draw(1, RUN);
      expect(mark).toMatchObject({ kind: 'environment', run: RUN, bootId: BOOT });
    },
  );

  it('a lead inside a block of RLIMIT_MSGQUEUE gives single values of it, never its first one', (ctx) => {
    if (prlimitPath() === undefined) ctx.skip(NO_PRLIMIT);
    const table = fakeTable(10, [
      { pid: 10, locks: FOREIGN, limit: 515 },
      { pid: 11, limit: 514 },
    ]);
    const marks = new MarkSource(table, fraction(0.5)).draw(3, RUN);
    expect(marks.map((mark) => (mark.kind === 'limit' ? [mark.low, mark.high, mark.value] : mark.kind))).toEqual([
      [513, 513, 513],
      'environment',
      'environment',
    ]);
  });
});

describe('a match', () => {
  const mark = LIMIT_MARK;
  const plain: Suspect = { isMine: true, startTime: 100, limits: { locks: Infinity, msgqueue: 819_200 }, environ: [] };
  it.each([
    ['by the limit', mark, { limits: { locks: Infinity, msgqueue: 767 } }, true],
    ['by a limit of an inner team', mark, { limits: { locks: Infinity, msgqueue: 513 } }, true],
    ['not above the block', mark, { limits: { locks: Infinity, msgqueue: 768 } }, false],
    ['not below it', mark, { limits: { locks: Infinity, msgqueue: 511 } }, false],
    ['not by the other resource', mark, { limits: { locks: 767, msgqueue: 819_200 } }, false],
    ['by the environment', mark, { environ: ['A=b', 'TEAMS_MARK=r-1'] }, true],
    ['not by a neighbour in the same run', mark, { environ: ['TEAMS_RUN=r', 'TEAMS_MARK=r-12'] }, false],
    ['not before the run', mark, { limits: { locks: Infinity, msgqueue: 767 }, startTime: 99 }, false],
    ['not for another user', mark, { limits: { locks: Infinity, msgqueue: 767 }, isMine: false }, false],
    ['not without a readable limit', mark, { limits: undefined }, false],
  ])('a match: %s', (_, of, seen, answer) => {
    expect(matches(of, { ...plain, ...seen })).toBe(answer);
  });

  it('a match uses the environment alone if the mark does', () => {
    const { id, run, since, bootId } = mark;
    const bare: Mark = { kind: 'environment', id, run, since, bootId };
    expect(matches(bare, { ...plain, limits: { locks: Infinity, msgqueue: 767 } })).toBe(false);
    expect(
      matches(bare, { ...plain, environ: Object.entries(markEnvironment(bare)).map((pair) => pair.join('=')) }),
    ).toBe(true);
  });
});

describe('a marked command', () => {
  it('a marked command starts its program with the limit, through setsid and a scrubbed environment', (ctx) => {
    if (prlimitPath() === undefined) ctx.skip(NO_PRLIMIT);
    const mark = limited(new MarkSource().draw(1, RUN)[0]);
    const { file, args } = markedCommand(mark, ['setsid', '-w', 'env', '-i', 'cat', '/proc/self/limits']);
    const { stdout } = spawnSync(file, args, { encoding: 'utf8' });
    expect(stdout).toMatch(new RegExp(`Max file locks +${mark.value} +${mark.value} `));
  });

  it('a marked command is the plain command without a limit', () => {
    const [mark] = new MarkSource(fakeTable(10, [{ pid: 10, locks: FOREIGN, limit: 0 }])).draw(1, RUN);
    if (mark === undefined) throw new Error('no mark');
    expect(markedCommand(mark, ['node', '-e', '0'])).toEqual({ file: 'node', args: ['-e', '0'] });
  });

  it('a marked command serves one start, and none once a sweep of its mark has begun', () => {
    const [started, swept] = new MarkSource(fakeTable(10, [{ pid: 10 }])).draw(2, RUN);
    if (started === undefined || swept === undefined) throw new Error('no mark');
    markedCommand(started, ['true']);
    expect(() => markedCommand(started, ['true'])).toThrow(/serves one start; .* was started before/);
    noteSweep(swept);
    expect(() => markedCommand(swept, ['true'])).toThrow(/serves one start; .* was swept before/);
  });

  it('a marked command names the process that drew its mark', () => {
    const [mark] = new MarkSource(fakeTable(10, [{ pid: 10, startTime: '77' }])).draw(1, RUN);
    if (mark === undefined) throw new Error('no mark');
    const environ = Object.entries(markEnvironment(mark)).map((pair) => pair.join('='));
    expect(drawerOf(environ)).toEqual({ pid: 10, startTime: '77' });
    expect(drawerOf([`TEAMS_MARK=${RUN}-3kd0`])).toBeUndefined();
    expect(drawerOf([])).toBeUndefined();
  });
});

describe('a message to the reaper', () => {
  const [mark] = new MarkSource(fakeTable(10, [{ pid: 10 }])).draw(1, RUN);
  const who = { pid: 5, startTime: '7', bootId: BOOT, pidNamespace: 'pid:[1]' };

  it('a message to the reaper is read as it was written', () => {
    if (mark === undefined) throw new Error('no mark');
    for (const message of [
      { add: mark, pids: [who] },
      { add: mark, pids: [] },
      { remove: mark.id },
      { done: true },
    ] as const)
      expect(parseMessage(writeMessage(message).trimEnd())).toEqual(message);
  });

  it('a message to the reaper is refused unless it is complete', () => {
    const line = JSON.stringify({ add: mark, pids: [who] });
    for (let length = 0; length < line.length; length += 1) expect(parseMessage(line.slice(0, length))).toBeUndefined();
    fc.assert(fc.property(fc.jsonValue(), (value) => parseMessage(JSON.stringify(value)) === undefined));
    expect(parseMessage(JSON.stringify({ add: mark, pids: [{ ...who, pid: 0 }] }))).toBeUndefined();
  });

  it('a message to the reaper is refused if its limits could match the whole host', () => {
    const wide = { kind: 'limit', id: 'r-1', run: 'r', since: 1, bootId: BOOT, low: 256, high: 819_200, value: 511 };
    expect(markSchema.safeParse(wide).success).toBe(false);
    expect(markSchema.parse({ ...wide, high: 511 })).toMatchObject({ high: 511 });
    expect(markSchema.safeParse({ ...wide, low: 0, high: 200, value: 200 }).success).toBe(false);
    const block = 7 * LOCK_MARKS.from;
    const locks = { ...wide, resource: 'locks', low: block + 1, high: block + BLOCK.locks - 1, value: block + 5 };
    expect(markSchema.safeParse(locks).success).toBe(true);
    for (const off of [
      { low: block },
      { high: block + BLOCK.locks },
      { low: FOREIGN, high: FOREIGN, value: FOREIGN },
      { low: LOCK_MARKS.to + 1, high: LOCK_MARKS.to + 1, value: LOCK_MARKS.to + 1 },
    ])
      expect(markSchema.safeParse({ ...locks, ...off }).success).toBe(false);
  });

  it('a mark of an earlier version, which names no resource, is one of RLIMIT_MSGQUEUE', () => {
    const earlier = { kind: 'limit', id: 'r-1', run: 'r', since: 1, bootId: BOOT, low: 512, high: 767, value: 767 };
    expect(markSchema.parse(earlier)).toMatchObject({ resource: 'msgqueue', low: 512, high: 767 });
  });
});
