/** The directory that holds `.teams`: told, or the nearest parent that has one. */
import { resolve } from 'node:path';
import { findRoot, ENV } from '../../../app.ts';
import type { CliContext } from '../context.ts';

export const rootOf = ({ flags, io }: CliContext): string => {
  const told = flags.root ?? (io.environment[ENV.root] || undefined);
  return told === undefined ? findRoot(io.cwd) : resolve(io.cwd, told);
};
