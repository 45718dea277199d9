/**
 * Which of several results of one round counts (docs/specification.md R9.7). Each is judged by itself, and the better
 * one is taken, with a rationale. No reviewer reads
 * two results together, so none is said to agree with another.
 */
import type { Candidate } from '../../model/pipeline/round.ts';
import { compareStandings, type CandidateStanding } from './rubric.ts';

export interface RatedCandidate {
  readonly candidate: Candidate;
  readonly standing: CandidateStanding;
}

export interface Selection {
  readonly chosen: RatedCandidate;
  /**
   * `alike`: all converged, or none did; each was reviewed by itself, so that nothing is said about what they say.
   * `conflict`: some converged and others did not.
   */
  readonly agreement: 'alone' | 'alike' | 'conflict';
  /** Why this result was chosen; absent if there was only one. */
  readonly rationale?: string;
}

/** @returns undefined if there is no result */
export function select(judged: readonly RatedCandidate[]): Selection | undefined {
  const [first, ...others] = judged;
  if (first === undefined) return undefined;
  const chosen = others.reduce((best, one) => (compareStandings(one.standing, best.standing) > 0 ? one : best), first);
  if (others.length === 0) return { chosen, agreement: 'alone' };
  const agreement = judged.every(({ standing }) => standing.converged === first.standing.converged)
    ? 'alike'
    : 'conflict';
  const left = judged.filter((one) => one !== chosen);
  return { chosen, agreement, rationale: rationaleOf(chosen, left, agreement) };
}

function rationaleOf(chosen: RatedCandidate, left: readonly RatedCandidate[], agreement: 'alike' | 'conflict'): string {
  const [name, names] = [chosen.candidate.backend, left.map(({ candidate }) => candidate.backend).join(', ')];
  const [why] = left.flatMap(({ standing }) => standing.unresolved);
  if (agreement === 'conflict')
    return `${name} passes the rubric and ${names} does not${why === undefined ? '' : ` (${why})`}: ${name}'s is taken.`;
  const isTie = left.every(({ standing }) => compareStandings(standing, chosen.standing) === 0);
  const verdict = chosen.standing.converged ? 'pass' : 'fail';
  return isTie
    ? `${name} and ${names} ${verdict} the rubric alike; ${name}'s is taken, being first.`
    : `${name} and ${names} both ${verdict} the rubric; ${name}'s is taken for fewer and lesser findings.`;
}
