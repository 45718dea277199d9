/** Byte fuzz of the line reader: whatever is between the lines, each whole line is delivered once and in order. */
import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { realDisk } from '../../../src/store/files/disk.ts';
import { mailIn } from '../../../src/store/mail/mail-lines.ts';
import { figure } from '../../support/figures.ts';
import { name, readerOf, teamAt, hang } from '../../support/team.ts';
import { Random } from '../../support/sim/random.ts';
import { SIZES, TIMEOUT_MS } from '../../support/sizes.ts';
import { tempDir } from '../../support/temp.ts';

/** Lines of one file. */
const FILE = 5_000;
const ADA = name('ada');

const line = (n: number): string =>
  JSON.stringify({
    type: 'message',
    sender: 'bob',
    content: `${n} ${'ä\u2028😀'.repeat(n % 40)}`,
    timestamp: n,
    id: `${n}`,
  });

const NASTY: readonly [string, ...string[]] = [
  '\0\0\0\0',
  '\r\n\r\n',
  '\u2028',
  '{"type":"message"',
  '[]',
  'null',
  '}{',
  '{"__proto__":{"x":1}}',
  '\uFEFF',
];

/** What a fault left between two lines: random bytes, some of them newlines, or a part of a real line. */
function splice(random: Random): Buffer {
  const kind = random.below(4);
  if (kind === 0) return Buffer.from(random.of(NASTY));
  if (kind === 1) return Buffer.from('['.repeat(1 + random.below(5_000)));
  if (kind === 2) return Buffer.from(line(0).slice(0, random.below(line(0).length)));
  return Buffer.from(Array.from({ length: 1 + random.below(400) }, () => random.below(256)));
}

/** A file of numbered lines with splices between many of them. Each splice ends in a newline, as the store seals it. */
function fuzzed(seed: number): Buffer {
  const random = new Random(seed);
  const parts = Array.from({ length: FILE }, (_, n) => {
    const whole = Buffer.from(`${line(n)}${n % 7 === 0 ? '\r' : ''}\n`);
    return random.below(3) === 0 ? Buffer.concat([splice(random), Buffer.from('\n'), whole]) : whole;
  });
  return Buffer.concat(parts);
}

/** The numbers of the delivered lines. Only our lines have their number as their id. */
const numbers = (mail: Iterable<{ id: string; sender: string }>): number[] =>
  [...mail].flatMap(({ id, sender }) => (sender === 'bob' && /^\d+$/.test(id) ? [Number(id)] : []));

it('every intact line is read, whatever is spliced in around it', { timeout: TIMEOUT_MS }, () => {
  const path = `${tempDir()}/inbox.jsonl`;
  const files = Math.ceil(SIZES.fuzzedLines / FILE);
  // Each run draws other seeds; a failure prints its seed.
  const first = Date.now();
  for (let seed = first; seed < first + files; seed += 1) {
    writeFileSync(path, fuzzed(seed));
    const good = [...mailIn(realDisk, path)].flatMap((one) => (one.ok ? [one.message] : []));
    expect(missingOf(numbers(good)), `seed ${seed}`).toEqual([]);
  }
  expect(Object.hasOwn(Object.prototype, 'x')).toBe(false);
  figure({ area: 'bad-line fuzz', count: files * FILE, violations: 0 });
});

it('a reader delivers every intact line and sets every other line aside with its reason', async () => {
  const paths = teamAt(tempDir());
  hang(paths, ADA);
  writeFileSync(paths.inbox(ADA).inbox, fuzzed(1));
  let bad = 0;
  const { reader, close } = readerOf(paths, ADA, { onBad: () => (bad += 1) });
  const mail = await reader.take();
  close();
  expect(missingOf(numbers(mail))).toEqual([]);
  expect(bad).toBeGreaterThan(FILE / 10);
});

/** The expected order is 0, 1, 2 …, each once; the differences from it. */
const missingOf = (got: readonly number[]): number[] =>
  Array.from({ length: FILE }, (_, n) => n).filter((n) => got[n] !== n);
