/**
 * Whether the members of a new team get trees of their own: what its plan, the command line and the configuration ask
 * for. Without trees no module of theirs is loaded.
 */
import type { TreeNeeds } from '../../model/team/isolation.ts';
import { AgentError } from '../../model/text/errors.ts';
import { askedIsolation, type AskedModes, type TreesSubject } from '../../policy/landing/isolation-choice.ts';
import { isReplica } from '../relay/new-team.ts';

/** What the command line and the configuration say about trees. */
export type SaidOfTrees = AskedModes & { readonly say: (text: string) => void };

/** Of a plan, or of what takes its place. */
interface Needing {
  readonly trees?: TreeNeeds | undefined;
}

interface TreesPlace {
  readonly cwd: string;
  /** What holds `.teams`. */
  readonly root: string;
}

/**
 * @param of a plan, or what takes its place in a pipeline or a refine loop
 * @param said without it only `of` counts
 * @throws AgentError `NO_ISOLATION`
 */
export async function treesFor(
  of: TreesSubject & Needing,
  said: SaidOfTrees | undefined,
  place: TreesPlace,
): Promise<'trees' | undefined> {
  const wished = said === undefined ? (of.isolation ?? 'off') : askedIsolation(of, said);
  // Members in a store work where they run, unless somebody asked for trees.
  const asked = wished === 'auto' && isReplica(place.root) ? 'off' : wished;
  if (asked === 'off') {
    requireNoTrees(of, 'isolation is off');
    return undefined;
  }
  const { chooseIsolation } = await import('../landing/choose-isolation.ts');
  const lend = (of.trees ?? said?.needs)?.lend ?? [];
  const choice = await chooseIsolation(of, asked, { ...place, lend, say: said?.say });
  if ('isolation' in choice) return choice.isolation;
  said?.say(`The members work in your files, without trees of their own: ${choice.why}.`);
  requireNoTrees(of, choice.why);
  return undefined;
}

/** @throws AgentError `NO_ISOLATION` for a plan that needs trees */
function requireNoTrees({ trees }: Needing, why: string): void {
  if (trees?.review === undefined) return;
  throw new AgentError(
    'NO_ISOLATION',
    `\`review: ${trees.review}\` holds changes of trees, and members have none (${why}): ask for trees in \`isolation\`, or leave \`review\` out.`,
  );
}
