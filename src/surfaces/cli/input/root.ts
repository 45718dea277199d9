/** The directory that holds `.teams`: from `--root` or `TEAMS_ROOT`, else the nearest parent directory with one. */
import { isAbsolute, resolve } from 'node:path';
import { findRoot, ENV, isDirectory, isNoDirectory, UsageError } from '../../../app.ts';
import type { CliContext } from '../context.ts';

const warned = new WeakMap<CliContext, Set<string>>();

function warnOnce(context: CliContext, text: string): void {
  const before = warned.get(context) ?? new Set();
  if (!before.has(text)) context.warn(text);
  warned.set(context, before.add(text));
}

/**
 * @throws StoreError `UNTRUSTED` if the `.teams` of this directory is not this user's; UsageError `USAGE` for a given root
 * that is no directory
 */
export const rootOf = (context: CliContext): string => {
  const { io } = context;
  if (context.store !== undefined) return context.store.root;
  const given = givenRoot(context);
  if (given === undefined) return projectOf(context);
  if (given === '') throw new UsageError('USAGE', '--root is empty; name a folder, or leave it out.');
  // Without asking for the working directory, which may be gone.
  const root = isAbsolute(given) ? resolve(given) : resolve(io.cwd, given);
  if (isNoDirectory(root)) throw new UsageError('USAGE', `${root} is not a folder; check --root or TEAMS_ROOT.`);
  return root;
};

/** The nearest parent of the working directory with `.teams`: the project where the teams are in a store. */
export const projectOf = (context: CliContext): string =>
  findRoot(context.io.cwd, undefined, (text) => warnOnce(context, text));

/** @throws UsageError `USAGE` for a given root that is missing: without teams it would look like an empty project */
export function requireGivenRoot(context: CliContext, root: string): void {
  if (givenRoot(context) === undefined || isDirectory(root)) return;
  throw new UsageError('USAGE', `There is no folder ${root}; check --root or TEAMS_ROOT.`);
}

/** `--root` or `TEAMS_ROOT`. */
export const givenRoot = ({ flags, io }: CliContext): string | undefined =>
  flags.root ?? (io.environment[ENV.root] || undefined);
