/** Mail that is read without a generator for each line is the mail that the careful way reads. */
import { closeSync, openSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { realDisk } from '../../../src/store/files/disk.ts';
import { mailIn, takePlainMail, type MailLine } from '../../../src/store/mail/mail-lines.ts';
import { tempDir } from '../../support/temp.ts';

const line = (content: string, more: object = {}): string =>
  `${JSON.stringify({ type: 'message', sender: 'bob', content, timestamp: 1, ...more })}\n`;
const text = fc.string({ unit: 'binary', maxLength: 30 });
const ours = fc.tuple(text, fc.uuid()).map(([content, id]) => line(content, { id, recipient: 'ada' }));
const long = fc.integer({ min: 1, max: 80_000 }).map((length) => line('x'.repeat(length), { id: `long-${length}` }));
const torn = ours.chain((whole) => fc.nat({ max: whole.length - 1 }).map((length) => whole.slice(0, length)));
const bytes = fc.uint8Array({ maxLength: 40 }).map((some) => Buffer.from(some));
const piece = fc.oneof(
  { weight: 8, arbitrary: ours },
  { weight: 2, arbitrary: text.map((content) => line(content)) },
  { weight: 1, arbitrary: long },
  { weight: 1, arbitrary: fc.constantFrom('\n', '\n\n', '[]\n', '{"type":1}\n', '\u{FEFF}', '\r\n') },
  { weight: 1, arbitrary: torn },
  { weight: 1, arbitrary: bytes },
);

function byBoth(file: string, most: number) {
  const all = [...mailIn(realDisk, file)];
  const plain: MailLine[] = [];
  const fd = openSync(file, 'r');
  try {
    const take = (mail: MailLine): boolean => plain.push(mail) < most;
    const isWhole = takePlainMail(realDisk, fd, { file, at: 0, end: statSync(file).size }, take);
    return { all, plain, isWhole };
  } finally {
    closeSync(fd);
  }
}

test('what is passed on begins all mail of the file, and what is not is read by the careful way', () => {
  const file = join(tempDir(), 'inbox.jsonl');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.integer({ min: 1, max: 14 }), (pieces, most) => {
      writeFileSync(file, Buffer.concat(pieces.map((part) => Buffer.from(part))));
      const { all, plain, isWhole } = byBoth(file, most);
      expect(plain).toEqual(all.slice(0, plain.length));
      expect(plain.every(({ ok }) => ok)).toBe(true);
      if (isWhole) expect(plain).toHaveLength(all.length);
      const at = plain.at(-1)?.end ?? 0;
      expect([...plain, ...mailIn(realDisk, file, at)]).toEqual(all);
    }),
    { numRuns: 500 },
  );
});

test('whole mail is passed on whole, over the end of what is read at once, and in any language', () => {
  const file = join(tempDir(), 'inbox.jsonl');
  const texts = Array.from({ length: 2_000 }, (_, n) =>
    n % 7 === 0 ? `größer ${n} 大` : `plain ${n} ${'.'.repeat(n % 90)}`,
  );
  writeFileSync(file, texts.map((content, n) => line(content, { id: `m-${n}` })).join(''));
  const { all, plain, isWhole } = byBoth(file, Infinity);
  expect(isWhole).toBe(true);
  expect(plain).toEqual(all);
});
