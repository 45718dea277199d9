/** Opens the trees of a run: the team's own repository, and the queue of its lead. */
import { AgentError } from '../../model/text/errors.ts';
import { cwdOf, stateIn } from '../../store/team/team-reader.ts';
import { GitFailure } from '../process/git-tree.ts';
import { knownOf } from '../process/safety-ref.ts';
import { hasVault } from '../../store/trees/vault.ts';
import { fetchCommit } from '../trees/shared-commits.ts';
import { openVault } from '../trees/vault.ts';
import { UNGATED, type GatedPlan } from './gates.ts';
import { LandingQueue, type LandingFilter, type LandingSession } from './landing-queue.ts';

export const noIsolation = (why: string): AgentError =>
  new AgentError('NO_ISOLATION', `\`isolation: trees\` is not possible here: ${why.replace(/\.$/, '')}.`);

/**
 * @param plan without one nothing is judged: changes are only merged
 * @param accepts whether a change may land; without it each may
 * @param unkept why there is no safety point, which is what trees begin from
 * @throws AgentError `NO_ISOLATION`, before anything is started
 */
export async function openLanding(
  session: LandingSession,
  plan: GatedPlan = UNGATED,
  unkept: string | undefined,
  signal: AbortSignal = new AbortController().signal,
  accepts?: LandingFilter,
): Promise<LandingQueue> {
  const { store, children } = session;
  const { start } = stateIn(store) ?? {};
  const { common } = store.board.fold();
  let why: string | undefined;
  try {
    why = await children.run(async (marker) => {
      const how = { signal, marker };
      // The team was led on another machine: the store has what landed.
      if (common !== undefined && !hasVault(store.disk, store.paths)) await fetchCommit(store, common, how);
      else if (start === undefined) return unkept ?? 'the working directory is in no git repository';
      else return openVault(store, { known: knownOf(store, start), cwd: cwdOf(store), commit: start.commit }, how);
      return undefined;
    });
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    why = error.message;
  }
  if (why !== undefined) throw noIsolation(why);
  const queue = new LandingQueue(session, plan, accepts);
  const unready = await queue.makeReady(signal);
  if (unready !== undefined) throw noIsolation(unready);
  queue.start();
  return queue;
}
