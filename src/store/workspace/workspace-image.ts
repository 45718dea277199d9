/** Images of a workspace, known by their first bytes, never by their name. */
import { closeSync, readSync } from 'node:fs';
import { UsageError } from '../../model/text/errors.ts';
import { quoted } from '../../model/text/document-problem.ts';
import { at, type ResolvedPath } from './resolved-path.ts';
import { openFile } from './workspace-text.ts';

/** Larger images are refused by vendors, in bytes. */
const LARGEST = 5 * 1024 * 1024;
/** Bytes that tell the kind. */
const HEAD = 12;

const KINDS: readonly (readonly [mediaType: string, isSo: (head: string) => boolean])[] = [
  ['image/png', (head) => head.startsWith('\x89PNG\r\n\x1a\n')],
  ['image/jpeg', (head) => head.startsWith('\xff\xd8\xff')],
  ['image/gif', (head) => head.startsWith('GIF87a') || head.startsWith('GIF89a')],
  ['image/webp', (head) => head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP'],
];

/**
 * @returns undefined if the file is no PNG, JPEG, GIF or WebP
 * @throws UsageError `USAGE` for a file that is missing, or an image over 5 MiB; `POLICY_DENIED` for one with several names
 */
export const readImage = (place: ResolvedPath): { readonly mediaType: string; readonly bytes: Buffer } | undefined =>
  at(place, { make: false }, (name) => {
    const { fd, stat } = openFile(name, place);
    try {
      const mediaType = mediaTypeOf(read(fd, HEAD));
      if (mediaType === undefined) return undefined;
      if (stat.size > LARGEST)
        throw new UsageError(
          'USAGE',
          `${quoted(place.path)} is an image over 5 MiB; make a smaller copy with a command.`,
        );
      return { mediaType, bytes: read(fd, LARGEST) };
    } finally {
      closeSync(fd);
    }
  });

function mediaTypeOf(head: Buffer): string | undefined {
  const text = head.toString('latin1');
  return KINDS.find(([, isSo]) => isSo(text))?.[0];
}

/** The first bytes of a file, at most `most`. */
function read(fd: number, most: number): Buffer {
  const buffer = Buffer.alloc(most);
  let length = 0;
  for (let got = -1; got !== 0 && length < most; length += got)
    got = readSync(fd, buffer, length, most - length, length);
  return buffer.subarray(0, length);
}
