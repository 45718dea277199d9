import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { locate } from '../../../src/store/workspace/resolved-path.ts';
import { readImage } from '../../../src/store/workspace/workspace-image.ts';
import { tempDir } from '../../support/temp.ts';

const PNG = Buffer.from('\x89PNG\r\n\x1a\n and more', 'latin1');

it.each([
  ['a.png', PNG, 'image/png'],
  ['a.txt', PNG, 'image/png'],
  ['b.jpg', Buffer.from('\xff\xd8\xff\xe0 and more', 'latin1'), 'image/jpeg'],
  ['c.gif', Buffer.from('GIF89a and more'), 'image/gif'],
  ['d.webp', Buffer.from('RIFF1234WEBP and more'), 'image/webp'],
  ['wave.webp', Buffer.from('RIFF1234WAVE and more'), undefined],
  ['text.png', Buffer.from('this is text'), undefined],
  ['empty.png', Buffer.alloc(0), undefined],
])('%s is known by its first bytes', (name, bytes, mediaType) => {
  const root = tempDir();
  writeFileSync(join(root, name), bytes);
  const image = readImage(locate(root, name));
  expect(image?.mediaType).toBe(mediaType);
  if (mediaType !== undefined) expect(image?.bytes).toEqual(bytes);
});

it('an image over 5 MiB is refused with a cure', () => {
  const root = tempDir();
  writeFileSync(join(root, 'big.png'), PNG);
  truncateSync(join(root, 'big.png'), 5 * 1024 * 1024 + 1);
  expect(() => readImage(locate(root, 'big.png'))).toThrow(/over 5 MiB; make a smaller copy/);
});
