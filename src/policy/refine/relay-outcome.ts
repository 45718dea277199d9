/** What the end of a turn means for the loop: a turn of a backend, a reviewer or a validating command. */
import { FAILURE_CLASSES, type FailureClass, type Sandbox } from '../../model/agent/agent.ts';
import { readReviewVerdict, type RelayOutcome, type Review, type Validation } from '../../model/pipeline/round.ts';
import type { TurnEnd } from '../../model/agent/turn-end.ts';

export type EndedCall = Exclude<TurnEnd, { kind: 'aborted' }> & {
  /** The end of the program's output. */
  readonly printed?: string;
};

/** A program with an exit code other than 0 has crashed. An empty answer is no answer, unless the work is in files. */
export function relayOutcome(end: EndedCall, sandbox: Sandbox): RelayOutcome {
  if (end.kind === 'answered') {
    const isEmpty = end.text.trim() === '' && sandbox === 'read-only';
    return isEmpty
      ? { kind: 'failed', why: 'bad_output', message: 'its answer was empty' }
      : { kind: 'success', text: end.text };
  }
  const why = end.why === 'exit' ? 'crashed' : end.why;
  const pause = end.retryAfterMs === undefined ? {} : { retryAfterMs: end.retryAfterMs };
  return { kind: 'failed', why, message: end.message, ...pause };
}

const isFailureClass = (value: unknown): value is FailureClass => FAILURE_CLASSES.some((one) => one === value);

/** A failed call, read from a worker's record; an unknown failure counts as a crash. */
export function failedCall(fault: unknown, message: string, retryAfterMs: unknown): EndedCall {
  const why = isFailureClass(fault) ? fault : 'crashed';
  const pause = typeof retryAfterMs === 'number' ? { retryAfterMs } : {};
  return { kind: 'failed', why, text: '', message, ...pause };
}

export function validationOf(command: string, end: EndedCall): Validation {
  const printed = (end.printed ?? end.text).trimEnd();
  return end.kind === 'answered'
    ? { command, passed: true, message: 'exit 0', printed }
    : { command, passed: false, message: end.message, printed };
}

/** A reviewer's answer in words. */
export function reviewOf(by: string, end: EndedCall): Review {
  if (end.kind === 'failed') {
    const forGood = end.why === 'not_installed' || end.why === 'unauthorised';
    return { kind: 'failed', by, why: `${end.why}: ${end.message}`, forGood };
  }
  const read = readReviewVerdict(end.text);
  return read.ok
    ? { kind: 'verdict', by, verdict: read.verdict, isMechanical: false }
    : { kind: 'unreadable', by, why: read.why };
}

/** Exit codes of a shell for a command that was not found or is not executable. */
const NO_COMMAND = new Set([126, 127]);

/**
 * A command as a reviewer. JSON on its stdout is the verdict, and its exit code must agree with it. Without JSON, the
 * exit code is the verdict for every deliverable.
 */
export function commandReview(
  { label, command }: { readonly label: string; readonly command: string },
  end: EndedCall,
  deliverables: readonly string[],
): Review {
  const isTold = end.kind === 'answered' || end.why === 'exit';
  const isThere = isTold && !NO_COMMAND.has(end.exitCode ?? 0);
  if (!isThere) {
    const message = end.kind === 'failed' ? end.message : `exit ${end.exitCode}`;
    return { kind: 'failed', by: label, why: message, forGood: end.kind === 'answered' || end.why !== 'timeout' };
  }
  const read = readReviewVerdict(end.text);
  const { passed, message, printed } = validationOf(command, end);
  if (read.ok)
    return withExitCode({ kind: 'verdict', by: label, verdict: read.verdict, isMechanical: false }, passed, message);
  return exitCodeReview(label, { command, passed, message, printed }, deliverables);
}

function withExitCode(review: Extract<Review, { kind: 'verdict' }>, passed: boolean, message: string): Review {
  if (passed) return review;
  const finding = { severity: 'critical' as const, text: `${review.by} ended with ${message}` };
  return { ...review, verdict: { ...review.verdict, findings: [finding, ...review.verdict.findings] } };
}

/** The verdict that an exit code means. */
export function exitCodeReview(by: string, validation: Validation, deliverables: readonly string[]): Review {
  const { command, passed, message, printed } = validation;
  const said = `${command}: ${message}`;
  return {
    kind: 'verdict',
    by,
    isMechanical: true,
    verdict: {
      deliverables: deliverables.map((name) => ({
        name,
        accepted: passed,
        safe: passed,
        validation: passed ? 'passed' : 'failed',
        reason: said,
        critique: said,
      })),
      findings: passed ? [] : [{ severity: 'critical', text: said }],
      summary: said,
    },
    ...(passed ? {} : { evidence: { command, printed } }),
  };
}
