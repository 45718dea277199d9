/** The directory that holds `.teams`: from `--root` or `TEAMS_ROOT`, else the nearest parent directory with one. */
import { resolve } from 'node:path';
import { findRoot, ENV } from '../../../app.ts';
import type { CliContext } from '../context.ts';

export const rootOf = ({ flags, io }: CliContext): string => {
  const given = flags.root ?? (io.environment[ENV.root] || undefined);
  return given === undefined ? findRoot(io.cwd) : resolve(io.cwd, given);
};
