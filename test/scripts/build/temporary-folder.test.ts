/** Where the build has its temporary files: a wrong TMPDIR ended `npm ci` with a stack trace. */
import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../support/temp.ts';

type Made = { readonly folder: string } | { readonly reason: string };

const { makeTemporaryFolder } = (await import(
  pathToFileURL(join(import.meta.dirname, '../../../scripts/build/temporary-folder.mjs')).href
)) as { makeTemporaryFolder: (places: readonly string[]) => Made };

describe('the temporary folder of the build', () => {
  it('is made in the next place where the first does not exist', () => {
    const place = tempDir();
    const made = makeTemporaryFolder(['/nonexistent', place]);
    const folder = 'folder' in made ? made.folder : '';
    expect(dirname(folder)).toBe(place);
    expect(existsSync(folder)).toBe(true);
    rmSync(folder, { recursive: true });
  });

  it('names the first place and its errno where none can be written', () => {
    expect(makeTemporaryFolder(['/nonexistent', '/proc'])).toEqual({ reason: '/nonexistent: ENOENT' });
  });
});
