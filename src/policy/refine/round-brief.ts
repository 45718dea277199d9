/**
 * What a backend is told about earlier rounds (docs/specification.md R9.9): the last output, the findings of its
 * review, and a summary of two or three sentences. Only the last round is included, so the brief does not grow.
 */
import type { Candidate, ReviewVerdict } from '../../model/pipeline/round.ts';
import { withoutEnd } from '../../model/text/repeated-characters.ts';
import { present, type Loop, type Reviewed, type Round } from './refine-loop.ts';

export interface Brief {
  readonly round: number;
  readonly maxRounds: number;
  /** Two or three sentences; absent in the first round. */
  readonly summary?: string;
  readonly previous?: Candidate | undefined;
  /** What must be put right, the worst first. */
  readonly findings: readonly string[];
  /** The end of the output of a command that did not pass. */
  readonly evidence?: { readonly command: string; readonly printed: string } | undefined;
}

export function briefOf(loop: Loop): Brief {
  const { n: round } = present(loop);
  const { maxRounds } = loop.settings;
  const past = loop.rounds.slice(0, -1);
  if (past.length === 0) return { round, maxRounds, findings: [] };
  const last = lastReviewed(past);
  const previous = last?.candidate ?? loop.best?.candidate;
  const evidence = last === undefined ? undefined : evidenceOf(past.at(-1), last);
  return {
    round,
    maxRounds,
    summary: summaryOf(past, maxRounds),
    findings: last === undefined ? [] : findingsOf(last),
    previous,
    evidence,
  };
}

function lastReviewed(past: readonly Round[]): Reviewed | undefined {
  const round = past.findLast(({ selection }) => selection !== undefined);
  return round?.reviewed.find(({ candidate }) => candidate === round.selection?.chosen.candidate);
}

/** At most this many findings for one round; the worst come first. */
const MOST_FINDINGS = 50;
const LONGEST_FINDING = 2_000;

function findingsOf({ standing, review }: Reviewed): string[] {
  const minor = review.kind === 'verdict' ? minorIn(review.verdict) : [];
  const all = [...standing.unresolved, ...minor].map((text) => cut(text, LONGEST_FINDING));
  const left = all.length - MOST_FINDINGS;
  return left <= 0 ? all : [...all.slice(0, MOST_FINDINGS), `and ${left} more`];
}

const minorIn = ({ findings }: ReviewVerdict): string[] =>
  findings.filter(({ severity }) => severity === 'minor').map(({ text }) => `minor: ${text}`);

function evidenceOf(round: Round | undefined, { review }: Reviewed): Brief['evidence'] {
  const { validation } = round ?? {};
  if (validation?.passed === false) return { command: validation.command, printed: validation.printed };
  return review.kind === 'verdict' ? review.evidence : undefined;
}

/** Two or three sentences. */
function summaryOf(past: readonly Round[], maxRounds: number): string {
  const last = past.at(-1);
  const before = past.slice(0, -1);
  const sentences = [
    `This is round ${past.length + 1} of at most ${maxRounds}.`,
    ...(last === undefined ? [] : [roundSentence(last)]),
    ...(before.length === 0 ? [] : [`Before that, ${before.map(roundPhrase).join('; ')}.`]),
  ];
  return sentences.join(' ');
}

const LONGEST_SUMMARY = 300;

function roundSentence(round: Round): string {
  const chosen = lastReviewed([round]);
  const said =
    chosen?.review.kind === 'verdict' ? ` - ${cut(oneSentence(chosen.review.verdict.summary), LONGEST_SUMMARY)}` : '';
  return `In ${roundPhrase(round)}${said}.`;
}

/** Joins the sentences of a summary into one, because it becomes part of one sentence. */
export const oneSentence = (text: string): string =>
  withoutEnd(text.replaceAll(/\s+/g, ' ').replaceAll(/(?<![.!?])[.!?]+(?=\s|$)/g, ';'), '; ');

/** `round 2 codex delivered, and gemini left 3 open points (gemini: timeout)`; without a full stop. */
function roundPhrase(round: Round): string {
  const failures = [...round.outcomes].flatMap(([name, one]) => (one.kind === 'failed' ? [`${name}: ${one.why}`] : []));
  const chosen = lastReviewed([round]);
  const failed = failures.length === 0 ? '' : ` (${failures.join(', ')})`;
  if (chosen === undefined) return `round ${round.n} no backend delivered${failed}`;
  const { candidate, review, standing } = chosen;
  const open = standing.unresolved.length;
  return `round ${round.n} ${candidate.backend} delivered, and ${review.by} left ${open} open ${open === 1 ? 'point' : 'points'}${failed}`;
}

const cut = (text: string, longest: number): string => (text.length <= longest ? text : `${text.slice(0, longest)}…`);
