/**
 * What a role does after a task (docs/specification.md R10.6). Phase 5-L takes the next task of its prefixes in the
 * same process; Phase 5-F ends the process with a report. Two conditions interrupt the loop at once.
 */

/** After this many failures in one process, a role stops and leaves the rest to the lead. */
const MOST_ERRORS = 3;

export interface RoleProgress {
  readonly innerLoop: boolean;
  /** Number of pending tasks of its prefixes. */
  readonly pending: number;
  readonly errors: number;
  /** The discussion of its last task ended with severity HIGH. */
  readonly isBlocked: boolean;
}

export type Variant = '5-L' | '5-F' | 'interrupt';

export function loopVariantOf({ innerLoop, pending, errors, isBlocked }: RoleProgress): Variant {
  if (isBlocked || errors >= MOST_ERRORS) return 'interrupt';
  return innerLoop && pending > 0 ? '5-L' : '5-F';
}

interface Steps {
  readonly completes: boolean;
  readonly logs: boolean;
  readonly accumulates: boolean;
  readonly reports: boolean;
  readonly fastAdvances: boolean;
}

/** The steps of each variant (docs/specification.md R10.6); an interrupt reports and starts no other member. */
export const PHASE_5: Readonly<Record<Variant, Steps>> = {
  '5-L': { completes: true, logs: true, accumulates: true, reports: false, fastAdvances: false },
  '5-F': { completes: true, logs: true, accumulates: false, reports: true, fastAdvances: true },
  interrupt: { completes: true, logs: true, accumulates: true, reports: true, fastAdvances: false },
};
