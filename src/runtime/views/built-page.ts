/** The files of the web page, as the build left them beside our other programs. */
import { join } from 'node:path';
import { StoreError } from '../../model/text/errors.ts';
import { readUserFile } from '../../store/user/user-file.ts';
import { packageRoot } from '../process/package.ts';

const read = new Map<string, string>();

/** @param name of a file of ours, never one that was asked for by anybody @throws StoreError `CORRUPT` without a build */
export function builtPage(name: string): string {
  const known = read.get(name);
  if (known !== undefined) return known;
  const path = join(packageRoot, 'dist', 'web', name);
  const text = readUserFile(path);
  if (text === undefined) throw new StoreError('CORRUPT', `${path} is missing; \`npm run build\` makes it.`, { path });
  read.set(name, text);
  return text;
}
