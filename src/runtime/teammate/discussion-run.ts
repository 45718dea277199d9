/**
 * A discussion of an artifact (docs/specification.md R10.10): one agent for each perspective, all at once. Fixed rules
 * turn their views into a verdict, which is recorded under `discussions/`. A perspective that no agent could answer is
 * left out with a warning. If none is left, the discussion is skipped with a warning. A verdict from an earlier process
 * is used again.
 */
import { randomBytes } from 'node:crypto';
import { readOpinion, titled, type Consensus, type View } from '../../model/pipeline/discussion.ts';
import { isRound, PERSPECTIVES, type Perspective } from '../../model/pipeline/role-spec.ts';
import { consensusOf, type Views } from '../../policy/pipeline/consensus.ts';
import { revisionOf } from '../../policy/pipeline/revision.ts';
import { chooseFrom, ROUTES } from '../../policy/pipeline/subagent-choice.ts';
import { discussionRecord, discussPrompt } from '../../policy/pipeline/subagent-wording.ts';
import { Discussions } from '../../store/session/discussions.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { withArtifact } from './artifact-place.ts';
import type { RoleSubagents } from './role-subagents.ts';
import { ENV } from '../../model/text/environment.ts';

export interface Discussion {
  readonly round: string;
  /** Empty means all perspectives. */
  readonly perspectives: readonly Perspective[];
  readonly requirement: string;
  /** The subject of the task. */
  readonly subject: string;
  /** The path as agents name it. */
  readonly artifact: string;
}

type DiscussionEnd =
  | {
      readonly kind: 'verdict';
      readonly consensus: Consensus;
      /** The path of the full record. */
      readonly record: string;
      readonly warnings: readonly string[];
    }
  | { readonly kind: 'skipped'; readonly warning: string }
  | { readonly kind: 'aborted' };

interface CollectedViews {
  readonly views: readonly View[];
  readonly warnings: readonly string[];
}

export async function discuss(
  store: TeamStore,
  subagents: RoleSubagents,
  discussion: Discussion,
  signal: AbortSignal,
): Promise<DiscussionEnd> {
  const { round, artifact, subject } = discussion;
  // The board may come from somebody else.
  if (!isRound(round)) return skipped(round, 'it is no id of a round');
  const discussions = new Discussions(store);
  const place = { cwd: subagents.cwd, store };
  const revision = revisionOf(subject);
  const name = revision === 0 ? round : `${round}-R${revision}`;
  const record = discussions.record(name);
  const known = withArtifact(place, artifact, (file) => discussions.verdict(name, file));
  if (known) return { kind: 'verdict', consensus: known, record, warnings: [] };
  const text = withArtifact(place, artifact, (file) => discussions.artifact(file));
  if (text === undefined) return skipped(round, `${artifact} does not exist`);
  const collected = await collectViews(subagents, discussion, { text, context: discussions.context() }, signal);
  if (collected === 'aborted') return { kind: 'aborted' };
  const [first, ...others] = collected.views;
  if (first === undefined) return skipped(round, collected.warnings.join('; '));
  const views: Views = [first, ...others];
  const consensus = consensusOf(views, subject);
  const by = [...new Set(views.map((view) => view.by))].join(', ');
  discussions.keep(name, discussionRecord({ round, artifact, by }, views, consensus, collected.warnings));
  return { kind: 'verdict', consensus, record, warnings: collected.warnings };
}

const skipped = (round: string, why: string): DiscussionEnd => ({
  kind: 'skipped',
  warning: `${round} was skipped: ${why}`,
});

interface Material {
  readonly text: string;
  readonly context: string | undefined;
}

/** Asks all perspectives at once; one that fails does not end the others. */
async function collectViews(
  subagents: RoleSubagents,
  discussion: Discussion,
  material: Material,
  signal: AbortSignal,
): Promise<CollectedViews | 'aborted'> {
  const { perspectives } = discussion;
  const wanted = perspectives.length === 0 ? PERSPECTIVES : perspectives;
  const answers = await Promise.all(
    wanted.map((one) => ask(subagents, discussion, { ...material, perspective: one }, signal)),
  );
  if (answers.includes('aborted')) return 'aborted';
  const collected = answers.flatMap((one) => (one === 'aborted' ? [] : [one]));
  return { views: collected.flatMap(({ views }) => views), warnings: collected.flatMap(({ warnings }) => warnings) };
}

async function ask(
  subagents: RoleSubagents,
  { round, requirement, artifact }: Discussion,
  { perspective, text, context }: Material & { readonly perspective: Perspective },
  signal: AbortSignal,
): Promise<CollectedViews | 'aborted'> {
  const choice = chooseFrom(subagents.pool, ROUTES[perspective]);
  const boundary = randomBytes(9).toString('hex');
  const brief = { round, perspective, requirement, artifact: { path: artifact, text }, context, boundary };
  const fetched = await subagents.run(
    {
      kind: 'discuss',
      about: `${round} ${titled(perspective)}`,
      choice,
      prompt: discussPrompt(brief),
      variables: { [ENV.round]: round, [ENV.perspective]: perspective, [ENV.artifact]: artifact },
      read: readOpinion,
    },
    signal,
  );
  if (fetched.kind === 'aborted') return 'aborted';
  const replaced = choice.note === undefined ? [] : [`${titled(perspective)}: ${choice.note}`];
  if (fetched.kind === 'answer')
    return { views: [{ ...fetched.value, perspective, by: fetched.by }], warnings: replaced };
  return { views: [], warnings: [`no agent answered for ${titled(perspective)} (${fetched.why})`] };
}
