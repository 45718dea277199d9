/** The directory that holds `.teams`: from `--root` or `TEAMS_ROOT`, else the nearest parent directory with one. */
import { isAbsolute, resolve } from 'node:path';
import { findRoot, ENV } from '../../../app.ts';
import type { CliContext } from '../context.ts';

const warned = new WeakMap<CliContext, Set<string>>();

function warnOnce(context: CliContext, text: string): void {
  const before = warned.get(context) ?? new Set();
  if (!before.has(text)) context.warn(text);
  warned.set(context, before.add(text));
}

/** @throws StoreError `UNTRUSTED` if the `.teams` of this directory is not this user's */
export const rootOf = (context: CliContext): string => {
  const { flags, io } = context;
  const given = flags.root ?? (io.environment[ENV.root] || undefined);
  if (given === undefined) return findRoot(io.cwd, undefined, (text) => warnOnce(context, text));
  // Without asking for the working directory, which may be gone.
  return isAbsolute(given) ? resolve(given) : resolve(io.cwd, given);
};
