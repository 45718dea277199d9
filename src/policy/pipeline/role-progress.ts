/**
 * The course of a role (S4): what follows when a task of it has ended. Phase 5-L goes on to the next task of its prefixes
 * in the same process, Phase 5-F ends it with a report; two conditions break the loop at once.
 */

/** Failures in one life of a role after which it stops and leaves the rest to the lead. */
export const MOST_ERRORS = 3;

export interface RoleProgress {
  readonly innerLoop: boolean;
  /** Tasks of its prefixes that are pending. */
  readonly pending: number;
  readonly errors: number;
  /** A discussion of its last task ended without consensus, gravely. */
  readonly isBlocked: boolean;
}

export type Variant = '5-L' | '5-F' | 'interrupt';

export function loopVariantOf({ innerLoop, pending, errors, isBlocked }: RoleProgress): Variant {
  if (isBlocked || errors >= MOST_ERRORS) return 'interrupt';
  return innerLoop && pending > 0 ? '5-L' : '5-F';
}

export interface Steps {
  readonly completes: boolean;
  readonly logs: boolean;
  readonly accumulates: boolean;
  readonly reports: boolean;
  readonly fastAdvances: boolean;
}

/** S4's table "Phase 5-L vs Phase 5-F"; an interrupt reports and asks for nothing to be started. */
export const PHASE_5: Readonly<Record<Variant, Steps>> = {
  '5-L': { completes: true, logs: true, accumulates: true, reports: false, fastAdvances: false },
  '5-F': { completes: true, logs: true, accumulates: false, reports: true, fastAdvances: true },
  interrupt: { completes: true, logs: true, accumulates: true, reports: true, fastAdvances: false },
};
