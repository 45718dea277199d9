/** The directory that holds `.teams`: told, or the nearest parent that has one. */
import { resolve } from 'node:path';
import { findRoot } from '../../../index.ts';
import type { Frame } from '../context.ts';

export const rootOf = ({ flags, outside }: Frame): string => {
  const told = flags.root ?? (outside.environment['TEAMS_ROOT'] || undefined);
  return told === undefined ? findRoot(outside.cwd) : resolve(outside.cwd, told);
};
