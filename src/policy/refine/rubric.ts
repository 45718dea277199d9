/**
 * Decides whether a result is good enough to stop (docs/specification.md R9.6). All three items of the rubric must pass
 * for every deliverable, and no critical or major finding may be open. The result of `--validate` overrides every
 * statement. A blanket "looks good" is no critique, and an unreadable answer is no verdict.
 */
import type { Critique, Review, Validation, ReviewVerdict } from '../../model/pipeline/round.ts';
import { sameDeliverable, THE_RESULT } from './deliverables.ts';

export interface Rubric {
  readonly deliverables: readonly string[];
  /** Complexity ≥ 4, or at least two deliverables: in round 1 each needs a critique in words. */
  readonly isComplex: boolean;
}

export interface CandidateStanding {
  readonly converged: boolean;
  /** What prevents convergence, the worst first; empty after convergence. */
  readonly unresolved: readonly string[];
  /** Compared from left to right; a higher number is better. */
  readonly rank: readonly number[];
}

/** Tasks of this complexity or more are complex (docs/specification.md R9.6). */
export const COMPLEX_FROM = 4;

export function standingOf(
  review: Review,
  validation: Validation | undefined,
  round: number,
  rubric: Rubric,
): CandidateStanding {
  const invalid = invalidIn(review, validation);
  const hardly = validation?.passed === false ? 0 : 1;
  if (review.kind !== 'verdict') {
    const why = review.kind === 'unreadable' ? 'gave an unreadable verdict' : 'gave no verdict';
    return { converged: false, unresolved: [...invalid, `${review.by} ${why}: ${review.why}`], rank: [0, 0, hardly] };
  }
  const { verdict } = review;
  const unresolved = [
    ...invalid,
    ...findingsIn(verdict),
    ...(review.isMechanical ? [] : failedIn(verdict)),
    ...missingIn(review, round, rubric),
  ];
  const converged = unresolved.length === 0;
  return { converged, unresolved, rank: [converged ? 1 : 0, 1, hardly, share(verdict), ...severities(verdict)] };
}

/** A failed validation, unless the review is only that validation. */
function invalidIn(review: Review, validation: Validation | undefined): string[] {
  if (validation === undefined || validation.passed) return [];
  const isSame = review.kind === 'verdict' && review.evidence?.command === validation.command;
  return isSame ? [] : [`validation failed: ${validation.command} (${validation.message})`];
}

/** @returns below 0 if `a` is worse, above 0 if it is better, 0 if both are equal */
export function compareStandings({ rank: a }: CandidateStanding, { rank: b }: CandidateStanding): number {
  const at = Array.from({ length: Math.max(a.length, b.length) }, (_, index) => index);
  return at.map((index) => (a[index] ?? 0) - (b[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

const ORDER = ['critical', 'major'] as const;

/** Critical findings first; minor ones do not prevent convergence. */
const findingsIn = ({ findings }: ReviewVerdict): string[] =>
  ORDER.flatMap((severity) =>
    findings
      .filter((finding) => finding.severity === severity)
      .map(({ text, where }) => `${severity}: ${text}${where === undefined ? '' : ` (${where})`}`),
  );

const failedIn = ({ deliverables }: ReviewVerdict): string[] =>
  deliverables.flatMap((critique) => {
    const failed = failedItems(critique);
    return failed.length === 0 ? [] : [`${critique.name}: ${failed.join(', ')}`];
  });

function failedItems({ accepted, safe, validation, reason }: Critique): string[] {
  const notDone = validation === 'failed' || (validation === 'skipped' && reason.trim() === '');
  return [
    ...(accepted ? [] : ['acceptance criteria are not met']),
    ...(safe ? [] : ['there are critical risks or correctness issues']),
    ...(notDone ? [validation === 'failed' ? 'its validation failed' : 'it was not validated, without a reason'] : []),
  ];
}

/** Deliverables without a verdict of their own, and in a complex first round those without a critique in words. */
function missingIn(
  { verdict, isMechanical }: Extract<Review, { kind: 'verdict' }>,
  round: number,
  { deliverables, isComplex }: Rubric,
): string[] {
  if (isMechanical) return [];
  const found = deliverables.map((name) => ({ name, critique: critiqueOf(name, deliverables, verdict) }));
  const unseen = found.filter(({ critique }) => critique === undefined).map(({ name }) => `${name}: not reviewed`);
  if (round > 1 || !isComplex) return unseen;
  const said = found.flatMap(({ critique }) => (critique === undefined ? [] : [critique.critique]));
  return [
    ...unseen,
    ...found
      .filter(({ critique }) => critique !== undefined && !isCritique(critique.critique, said))
      .map(({ name }) => `${name}: approved in round 1 without a critique of its own`),
  ];
}

function critiqueOf(name: string, all: readonly string[], { deliverables }: ReviewVerdict): Critique | undefined {
  // A single unnamed deliverable may have any name in the verdict.
  if (all.length === 1 && name === THE_RESULT) return deliverables[0];
  return deliverables.find((critique) => sameDeliverable(critique.name, name));
}

const FEWEST_WORDS = 3;
const BLANKET =
  /^(?:it |this |that |all |everything |the \w+ )?(?:looks?|is|are|seems?) (?:all |very |quite )?(?:good|fine|ok|okay|great|correct)(?: to me)?[.!]*$/i;

/** Whether a critique has its own words: neither a blanket phrase nor a copy of another critique. */
const isCritique = (text: string, all: readonly string[]): boolean =>
  text.split(/\s+/).filter((word) => word !== '').length >= FEWEST_WORDS &&
  !BLANKET.test(text.trim()) &&
  all.filter((other) => other.trim() === text.trim()).length === 1;

/** The share of all rubric items that pass. */
function share({ deliverables }: ReviewVerdict): number {
  const items = 3 * deliverables.length;
  return (items - deliverables.flatMap(failedItems).length) / items;
}

const severities = ({ findings }: ReviewVerdict): number[] =>
  (['critical', 'major', 'minor'] as const).map(
    (severity) => -findings.filter((finding) => finding.severity === severity).length,
  );
