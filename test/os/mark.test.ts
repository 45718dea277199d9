import { spawnSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markSchema, type Mark } from '../../src/model/agent/process-mark.ts';
import { createMarks, markedCommand, markEnvironment, matches, prlimitPath } from '../../src/os/mark-environment.ts';
import type { Suspect } from '../../src/os/mark-environment.ts';
import { parseMessage, writeMessage } from '../../src/os/reaper-message.ts';
import { processes } from '../../src/os/process-table.ts';
import { BOOT, fakeTable } from '../fixtures/table.ts';

const RUN = '01JZZZZZZZZZZZZZZZZZZZZZZZ';
const NO_PRLIMIT = 'there is no prlimit here: marks rest on the environment alone';
const limited = (mark: Mark | undefined): Extract<Mark, { kind: 'limit' }> => {
  if (mark?.kind !== 'limit') throw new Error('expected a mark by limit');
  return mark;
};

describe('a top-level lead', () => {
  it('a top-level lead gives each teammate its own block below its limit', (ctx) => {
    if (prlimitPath() === undefined) ctx.skip(NO_PRLIMIT);
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 64 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (blocks, random) => {
          const table = fakeTable(10, [{ pid: 10, limit: blocks * 256 }]);
          const marks = createMarks(blocks, table, () => random, RUN);
          const drawn = marks.flatMap((mark) => (mark.kind === 'limit' ? [mark] : []));
          expect(drawn).toHaveLength(blocks - 1);
          expect(new Set(drawn.map(({ low }) => low)).size).toBe(blocks - 1);
          for (const { low, high, value } of drawn) {
            expect(low % 256).toBe(0);
            expect(low).toBeGreaterThan(0);
            expect([high, value]).toEqual([low + 255, low + 255]);
            expect(high).toBeLessThan(blocks * 256);
          }
        },
      ),
    );
  });

  it('a top-level lead skips a block in which a running process has its limit', (ctx) => {
    if (prlimitPath() === undefined) ctx.skip(NO_PRLIMIT);
    const table = fakeTable(10, [
      { pid: 10, limit: 1024 },
      { pid: 11, limit: 256 + 17 },
      { pid: 12, limit: 768 },
    ]);
    const [mark, rest] = createMarks(2, table, () => 0, RUN);
    expect(mark).toMatchObject({ kind: 'limit', low: 512, high: 767, value: 767 });
    expect(rest).toMatchObject({ kind: 'environment' });
  });

  it('a top-level lead does not treat 2^30 as a limit', (ctx) => {
    if (prlimitPath() === undefined) ctx.skip(NO_PRLIMIT);
    const [mark] = createMarks(1, fakeTable(10, [{ pid: 10, limit: Infinity }]), () => 0.999999999, RUN);
    expect(limited(mark).high).toBe(2 ** 30 - 1);
  });

  it.each([0, 100, 255, 256])('a top-level lead falls back to the environment below two blocks (limit %i)', (limit) => {
    const [mark] = createMarks(1, fakeTable(10, [{ pid: 10, limit }]), Math.random, RUN);
    expect(mark).toMatchObject({ kind: 'environment', run: RUN, bootId: BOOT });
  });

  it('a lead falls back to the environment where limits cannot be read', () => {
    const table = { ...fakeTable(10, [{ pid: 10 }]), limits: () => 'unreadable' as const };
    expect(createMarks(2, table, Math.random, RUN).map(({ kind }) => kind)).toEqual(['environment', 'environment']);
  });
});

describe('a lead inside a block', () => {
  it('a lead inside a block gives single values of its block, never one that looks like a top-level limit', (ctx) => {
    if (prlimitPath() === undefined) ctx.skip(NO_PRLIMIT);
    const table = fakeTable(10, [
      { pid: 10, limit: 515 },
      { pid: 11, limit: 514 },
    ]);
    const marks = createMarks(3, table, () => 0.5, RUN);
    expect(marks.map((mark) => (mark.kind === 'limit' ? [mark.low, mark.high, mark.value] : mark.kind))).toEqual([
      [513, 513, 513],
      'environment',
      'environment',
    ]);
  });

  it('a lead inside a block stays inside the marks of the lead above it', (ctx) => {
    if (prlimitPath() === undefined) ctx.skip(NO_PRLIMIT);
    const outer = limited(createMarks(1, fakeTable(10, [{ pid: 10 }]), Math.random, RUN)[0]);
    const inner = createMarks(5, fakeTable(20, [{ pid: 20, limit: outer.value }]), Math.random, RUN).map(limited);
    for (const { low, high } of inner) expect(outer.low <= low && high < outer.high).toBe(true);
  });
});

describe('a match', () => {
  const mark: Mark = { kind: 'limit', id: 'r-1', run: 'r', since: 100, bootId: BOOT, low: 512, high: 767, value: 767 };
  const plain: Suspect = { isMine: true, startTime: 100, limit: 819_200, environ: [] };
  it.each([
    ['by the limit', mark, { limit: 767 }, true],
    ['by a limit of an inner team', mark, { limit: 513 }, true],
    ['not above the block', mark, { limit: 768 }, false],
    ['not below it', mark, { limit: 511 }, false],
    ['by the environment', mark, { environ: ['A=b', 'TEAMS_MARK=r-1'] }, true],
    ['not by a neighbour in the same run', mark, { environ: ['TEAMS_RUN=r', 'TEAMS_MARK=r-12'] }, false],
    ['not before the run', mark, { limit: 767, startTime: 99 }, false],
    ['not for another user', mark, { limit: 767, isMine: false }, false],
    ['not without a readable limit', mark, { limit: undefined }, false],
  ])('a match: %s', (_, of, seen, answer) => {
    expect(matches(of, { ...plain, ...seen })).toBe(answer);
  });

  it('a match uses the environment alone if the mark does', () => {
    const { id, run, since, bootId } = mark;
    const bare: Mark = { kind: 'environment', id, run, since, bootId };
    expect(matches(bare, { ...plain, limit: 767 })).toBe(false);
    expect(
      matches(bare, { ...plain, environ: Object.entries(markEnvironment(bare)).map((pair) => pair.join('=')) }),
    ).toBe(true);
  });
});

describe('a marked command', () => {
  it('a marked command starts its program with the limit, through setsid and a scrubbed environment', (ctx) => {
    if (prlimitPath() === undefined) ctx.skip(NO_PRLIMIT);
    const mark = limited(createMarks(1, processes, Math.random, RUN)[0]);
    const { file, args } = markedCommand(mark, ['setsid', '-w', 'env', '-i', 'cat', '/proc/self/limits']);
    const { stdout } = spawnSync(file, args, { encoding: 'utf8' });
    expect(stdout).toMatch(new RegExp(`Max msgqueue size +${mark.value} +${mark.value} `));
  });

  it('a marked command is the plain command without a limit', () => {
    const [mark] = createMarks(1, fakeTable(10, [{ pid: 10, limit: 0 }]), Math.random, RUN);
    if (mark === undefined) throw new Error('no mark');
    expect(markedCommand(mark, ['node', '-e', '0'])).toEqual({ file: 'node', args: ['-e', '0'] });
  });
});

describe('a message to the reaper', () => {
  const [mark] = createMarks(1, fakeTable(10, [{ pid: 10 }]), Math.random, RUN);
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
  });
});
