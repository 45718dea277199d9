/** A journal that is followed: what was read before is there, and what came since is read once. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { realDisk } from '../../../src/store/files/disk.ts';
import { Journal } from '../../../src/store/files/journal.ts';
import type { FileLine } from '../../../src/store/files/lines.ts';
import { tempDir } from '../../support/temp.ts';

let path = '';
beforeEach(() => (path = join(tempDir(), 'log.jsonl')));

const isReplaced = new Error('replaced');

/** Follows the file; each call gives the lines that came since the last one. */
function following(): { readonly more: () => string[]; readonly reads: () => number } {
  let [offset, reads] = [0, 0];
  const readSync = (...call: unknown[]): number => {
    reads += 1;
    return Reflect.apply(realDisk.readSync, realDisk, call) as number;
  };
  const journal = new Journal({ ...realDisk, readSync }, path);
  onTestFinished(() => journal.close());
  const more = (): string[] => {
    const found: string[] = [];
    const take = (line: FileLine): boolean => {
      if (line.kind === 'text') found.push(line.text);
      return true;
    };
    offset = journal.follow(offset, () => isReplaced, take) ?? offset;
    journal.remember(offset);
    return found;
  };
  return { more, reads: () => reads };
}

const line = (n: number, length = 200): string => `{"n":${n},"x":"${'x'.repeat(length)}"}`;

describe('a journal that is followed', () => {
  it('gives each line once, and waits for the end of a torn one', () => {
    writeFileSync(path, `${line(1)}\n${line(2)}\n{"n":3`);
    const { more } = following();
    expect(more()).toEqual([line(1), line(2)]);
    expect(more()).toEqual([]);
    appendFileSync(path, `}\n${line(4)}\n`);
    expect(more()).toEqual(['{"n":3}', line(4)]);
  });

  it('asks the system once for what came, and once for nothing', () => {
    writeFileSync(path, `${line(1)}\n`);
    const { more, reads } = following();
    more();
    appendFileSync(path, `${line(2)}\n`);
    const before = reads();
    expect([more(), more()]).toEqual([[line(2)], []]);
    expect(reads() - before).toBe(2);
  });

  it('gives what is not ASCII, and what comes after it', () => {
    const { more } = following();
    const told = ['{"n":"é"}', '{"n":"漢字"}', line(3), '{"n":"😀"}', line(4)];
    for (const text of told) {
      appendFileSync(path, `${text}\n`);
      expect(more()).toEqual([text]);
    }
  });

  it.each([20, 20_000])('gives a line of %i bytes again that was not taken', (length) => {
    writeFileSync(path, [1, 2, 3].map((n) => `${line(n, length)}\n`).join(''));
    const journal = new Journal(realDisk, path);
    onTestFinished(() => journal.close());
    const found: number[] = [];
    const ends = [0];
    const take = (one: FileLine): boolean => {
      if (found.push(one.at) > 2) return false;
      ends.push(one.end);
      return true;
    };
    expect(journal.follow(0, () => isReplaced, take)).toBeUndefined();
    journal.remember(ends[2] ?? 0);
    expect(
      journal.follow(
        ends[2] ?? 0,
        () => isReplaced,
        () => true,
      ),
    ).toBe(readFileSync(path).length);
    expect(found).toEqual(ends);
  });

  it.each([3_000, 32_000, 32_400, 32_768, 40_000, 70_000, 300_000])(
    'gives all of what came, also %i bytes',
    (length) => {
      writeFileSync(path, `${line(1)}\n`);
      const { more } = following();
      more();
      for (let round = 0; round < 3; round += 1) {
        appendFileSync(path, `${line(round, length)}\n${line(9)}\n`);
        expect(more()).toEqual([line(round, length), line(9)]);
      }
      expect(more()).toEqual([]);
    },
  );

  it.each([
    ['another one of the same length', (text: string) => text.replace('"n":2', '"n":7')],
    ['a shorter one', (text: string) => text.slice(0, 230)],
    ['an empty one', () => ''],
    ['a longer one', (text: string) => text.replace('"n":2', '"n":7') + text],
  ])('says when the file is %s now', (_, changed) => {
    writeFileSync(path, `${line(1)}\n${line(2)}\n`);
    const { more } = following();
    more();
    writeFileSync(path, changed(readFileSync(path, 'utf8')));
    expect(more).toThrow(isReplaced);
    expect(more).toThrow(isReplaced);
  });
});
