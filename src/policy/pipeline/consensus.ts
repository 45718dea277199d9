/**
 * The consensus of several views of one artifact (docs/specification.md R10.12). The rule is total and reads numbers
 * and lists only: no sentence of a model decides.
 *
 *   HIGH    a requirement is missing, a risk is high or critical, two or more ratings ≤ 2, or the average < 3.0
 *   MEDIUM  else any rating ≤ 2, or a spread ≥ 3
 *   LOW     else a divergent view is recorded
 */
import { titled, type Consensus, type ConsensusSeverity, type View } from '../../model/pipeline/discussion.ts';
import { REVISIONS, revisionOf } from './revision.ts';

/** At least one view: without a view there is no consensus, and the discussion is skipped. */
export type Views = readonly [View, ...View[]];

const POOR = 2;
const WIDE = 3;
const FAIR = 3;

/** @returns undefined if consensus is reached */
export function severityOf(views: Views): ConsensusSeverity | undefined {
  const ratings = views.map(({ rating }) => rating);
  const poor = ratings.filter((rating) => rating <= POOR).length;
  const isMissing = views.some(({ missing_requirements: missing }) => missing.length > 0);
  const isGrave = views.some(({ risks }) => risks.some(isGraveRisk));
  if (isMissing || isGrave || poor >= 2 || total(ratings) < FAIR * ratings.length) return 'HIGH';
  if (poor > 0 || Math.max(...ratings) - Math.min(...ratings) >= WIDE) return 'MEDIUM';
  return views.some(({ divergences }) => divergences.length > 0) ? 'LOW' : undefined;
}

/** @param subject of the task whose artifact was discussed; after its last allowed revision it is escalated */
export function consensusOf(views: Views, subject: string): Consensus {
  const severity = severityOf(views);
  const ratings = Object.fromEntries(views.map(({ perspective, rating }) => [perspective, rating]));
  const average_rating = Math.round((total(Object.values(ratings)) / views.length) * 10) / 10;
  const common = { average_rating, ratings, divergences: divergencesOf(views), action_items: actionsOf(views) };
  if (severity === undefined) return { verdict: 'consensus_reached', ...common, recommendation: 'proceed' };
  const recommendation = recommendationFor(severity, subject);
  return { verdict: 'consensus_blocked', severity, ...common, recommendation };
}

function recommendationFor(severity: ConsensusSeverity, subject: string): Consensus['recommendation'] {
  if (severity === 'LOW') return 'proceed';
  if (severity === 'MEDIUM') return 'proceed-with-caution';
  return revisionOf(subject) >= REVISIONS ? 'escalate' : 'revise';
}

/** What the runtime does after a discussion. No role revises its own work by itself (docs/specification.md R10.13). */
type AfterDiscussion =
  /** The lead gets a message of six lines. Tasks that wait for this one are held until the lead answers. */
  | { readonly do: 'hold' }
  /** The pipeline continues; the report has the warning and the notes. */
  | { readonly do: 'go on'; readonly warning?: string; readonly notes: readonly string[] };

export function afterDiscussion(consensus: Consensus): AfterDiscussion {
  const { divergences, action_items: notes } = consensus;
  if (consensus.verdict === 'consensus_reached') return { do: 'go on', notes };
  switch (consensus.severity) {
    case 'HIGH':
      return { do: 'hold' };
    case 'MEDIUM':
      return { do: 'go on', notes, warning: `consensus_blocked (severity=MEDIUM): ${firstOf(divergences)}` };
    case 'LOW':
      return { do: 'go on', notes: [...divergences, ...notes] };
    default:
      return consensus.severity satisfies never;
  }
}

/** One discussion in a report: `DISCUSS-002: consensus_blocked (severity=LOW), rating 3.7`. */
export const discussLine = (round: string, consensus: Consensus): string =>
  `${round}: ${verdictText(consensus)}, rating ${consensus.average_rating.toFixed(1)}`;

/** `consensus_reached`, `consensus_blocked (severity=LOW)`. */
export const verdictText = (consensus: Consensus): string =>
  consensus.verdict === 'consensus_reached' ? consensus.verdict : `consensus_blocked (severity=${consensus.severity})`;

interface BlockedDiscussion {
  readonly role: string;
  /** The task's own code, or its id. */
  readonly task: string;
  readonly round: string;
  readonly consensus: Consensus;
  readonly artifact: string;
  readonly discussion: string;
}

const MOST_DIVERGENCES = 3;

/** The message to the lead, in six lines (docs/specification.md R10.13). */
export const blockedText = ({ role, task, round, consensus, artifact, discussion }: BlockedDiscussion): string =>
  [
    `[${role}] ${task} complete. Discuss ${round}: ${verdictText(consensus)}`,
    `Divergences: ${firstOf(consensus.divergences)}`,
    `Action items: ${oneLine(consensus.action_items)}`,
    `Recommendation: ${consensus.recommendation}`,
    `Artifact: ${artifact}`,
    `Discussion: ${discussion}`,
  ].join('\n');

const firstOf = (divergences: readonly string[]): string => oneLine(divergences.slice(0, MOST_DIVERGENCES));

/** Joins the items into one line: each field of the message has exactly one. */
const oneLine = (items: readonly string[]): string =>
  items.map((item) => item.replace(/\s+/g, ' ')).join('; ') || 'none';

const total = (ratings: readonly number[]): number => ratings.reduce((sum, rating) => sum + rating, 0);

const isGraveRisk = ({ level }: View['risks'][number]): boolean => level === 'high' || level === 'critical';

/** The most serious first: missing requirements, high risks, divergent views, poor ratings. */
const divergencesOf = (views: Views): string[] =>
  once([
    ...views.flatMap((view) =>
      view.missing_requirements.map((text) => `${titled(view.perspective)}: missing: ${text}`),
    ),
    ...['critical', 'high'].flatMap((wanted) =>
      views.flatMap(({ perspective, risks }) =>
        risks
          .filter(({ level }) => level === wanted)
          .map(({ text }) => `${titled(perspective)}: ${wanted} risk: ${text}`),
      ),
    ),
    ...views.flatMap((view) => view.divergences.map((text) => `${titled(view.perspective)}: ${text}`)),
    ...views.flatMap(({ perspective, rating, summary }) =>
      rating <= POOR ? [`${titled(perspective)}: rates it ${rating}: ${summary}`] : [],
    ),
  ]);

/** Action items of the lowest ratings come first. */
const actionsOf = (views: Views): string[] =>
  once([...views].sort((a, b) => a.rating - b.rating).flatMap(({ action_items: items }) => items));

const once = (texts: readonly string[]): string[] => [...new Set(texts)];
