/**
 * What a teammate does next (SPEC §5, S3's work loop with v9's idle cycle): inbox → own unfinished task → a new claim →
 * wait. Mail that waits when its own task goes on comes with that task's turn; before anything new is begun it has a
 * turn of its own.
 */

export interface Situation {
  /** The task in its hands; `asked about`: a person must answer first. */
  readonly own: 'none' | 'workable' | 'asked about';
  /** Mail that its agent must think about. */
  readonly hasMail: boolean;
  /** A ready task that it may have. */
  readonly hasReady: boolean;
}

export type NextStep = 'go on' | 'read' | 'claim' | 'wait';

export function nextStep({ own, hasMail, hasReady }: Situation): NextStep {
  if (own === 'workable') return 'go on';
  if (hasMail) return 'read';
  return own === 'none' && hasReady ? 'claim' : 'wait';
}

export interface IdleState {
  /** Milliseconds since it ran out of work. */
  readonly idleFor: number;
  /** Its agent has done something that its lead was not yet told the end of. */
  readonly hasNews: boolean;
  /** A person must answer before it can go on: it is not idle, and does not leave. */
  readonly waitsForAnswer: boolean;
  /** Leaves after so long without work; undefined: never. */
  readonly timeoutMs: number | undefined;
}

export type IdleAction = 'tell idle' | 'tell blocked' | 'leave';

/** An idle notice is sent when idleness has lasted this long: a short wait is none. */
const IDLE_NOTICE_MS = 1_000;
const BLOCKED_NOTICE_MS = 120_000;

/** What is due while there is nothing to do; the lead is told once a time of idleness. */
export function whileIdle({ idleFor, hasNews, waitsForAnswer, timeoutMs = Infinity }: IdleState): IdleAction[] {
  if (waitsForAnswer) return [];
  return [
    ...(hasNews && idleFor >= IDLE_NOTICE_MS ? (['tell idle'] as const) : []),
    ...(idleFor >= BLOCKED_NOTICE_MS ? (['tell blocked'] as const) : []),
    ...(idleFor >= timeoutMs ? (['leave'] as const) : []),
  ];
}
