/** The files of the web page, which the build puts beside our other programs. */
import { join } from 'node:path';
import { StoreError } from '../../model/text/errors.ts';
import { readUserFile } from '../../store/user/user-file.ts';
import { packageRoot } from '../process/package.ts';

const read = new Map<string, string>();

/**
 * @param name of one of our own files, never a name from a request
 * @throws StoreError `CORRUPT` without a build
 */
export function builtPage(name: string): string {
  const known = read.get(name);
  if (known !== undefined) return known;
  const path = join(packageRoot, 'dist', 'web', name);
  const text = readUserFile(path);
  if (text === undefined) throw new StoreError('CORRUPT', `${path} is missing; \`npm run build\` makes it.`, { path });
  read.set(name, text);
  return text;
}
