/** The directory and settings of `refine` and `relay`, from this command line. */
import { resolve } from 'node:path';
import { UsageError, isDirectory, type RefinePlace } from '../../../app.ts';
import type { CliContext } from '../context.ts';
import { askedIsolationOf, type IsolationFlag } from './asked-isolation.ts';
import { withLimits, type BudgetFlags } from './limit-change.ts';
import { settings } from './settings.ts';

/**
 * @param repo the value of `--repo`
 * @param limits of what its agents may use, and whether they have trees
 * @throws UsageError `USAGE` when it is not a directory, or naming a limit
 */
export function refinePlace(
  context: CliContext,
  repo: string | undefined,
  limits: BudgetFlags & IsolationFlag,
): RefinePlace {
  const { merged, agents, session, open } = settings(context);
  const { fallback, envPass, relayTimeoutMs } = merged.config;
  const { environment, cwd: here } = context.io;
  const cwd = resolve(here, repo ?? '.');
  if (!isDirectory(cwd)) throw new UsageError('USAGE', `--repo: there is no directory ${cwd}.`);
  const budgeted = withLimits(session, limits);
  const isolation = askedIsolationOf(context, limits);
  return { cwd, open, session: budgeted, isolation, environment, envPass, agents, fallback, relayTimeoutMs };
}
