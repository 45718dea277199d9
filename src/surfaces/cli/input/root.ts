/** The directory that holds `.teams`: from `--root` or `TEAMS_ROOT`, else the nearest parent directory with one. */
import { isAbsolute, resolve } from 'node:path';
import { findRoot, ENV } from '../../../app.ts';
import type { CliContext } from '../context.ts';

export const rootOf = ({ flags, io }: CliContext): string => {
  const given = flags.root ?? (io.environment[ENV.root] || undefined);
  if (given === undefined) return findRoot(io.cwd);
  // Without asking for the working directory, which may be gone.
  return isAbsolute(given) ? resolve(given) : resolve(io.cwd, given);
};
