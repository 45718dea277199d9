/** The file that a person names for what a verb writes. */
import { relative, resolve } from 'node:path';
import { UsageError } from '../../../app.ts';

/**
 * @param file relative to `cwd`
 * @returns its path
 * @throws UsageError `USAGE` for a place among the files of teams: a log that is overwritten is lost
 */
export function outFile(cwd: string, root: string, file: string): string {
  const path = resolve(cwd, file);
  const [first, , third] = relative(root, path).split('/');
  if (first === '.tasks' || (first === '.teams' && third !== 'trees'))
    throw new UsageError('USAGE', `${path} is among the files of teams; choose another place.`);
  return path;
}
