/**
 * What a teammate does next (docs/specification.md R3.9): inbox → own unfinished task → a new claim → wait. In a pause it waits. Mail that
 * arrives during its own task comes with that task's next turn. Before a new task begins, mail gets a turn of its own.
 */

export interface Situation {
  /** The team is paused: the turn before was the last one. */
  readonly isPaused: boolean;
  /** Its task in progress; `asked about`: a person must answer first. */
  readonly own: 'none' | 'workable' | 'asked about';
  /** There is mail for its agent. */
  readonly hasMail: boolean;
  /** There is a ready task that it may claim. */
  readonly hasReady: boolean;
}

export type NextStep = 'go on' | 'read' | 'claim' | 'wait';

export function nextStep({ isPaused, own, hasMail, hasReady }: Situation): NextStep {
  if (isPaused) return 'wait';
  if (own === 'workable') return 'go on';
  if (hasMail) return 'read';
  return own === 'none' && hasReady ? 'claim' : 'wait';
}

interface IdleState {
  /** Milliseconds since its last task or mail. */
  readonly idleFor: number;
  /** Its agent has worked since the last idle notice to the lead. */
  readonly hasNews: boolean;
  /** A person must answer before it can continue: it is not idle and does not stop. */
  readonly waitsForAnswer: boolean;
  /** It stops after this many milliseconds without work; undefined: never. */
  readonly timeoutMs: number | undefined;
}

export type IdleAction = 'tell idle' | 'tell blocked' | 'leave';

/** Milliseconds of idleness before an idle notice is sent; a shorter pause is not reported. */
const IDLE_NOTICE_MS = 1_000;
const BLOCKED_NOTICE_MS = 120_000;

/** What to do while there is no work; the lead is told once per idle time. */
export function whileIdle({ idleFor, hasNews, waitsForAnswer, timeoutMs = Infinity }: IdleState): IdleAction[] {
  if (waitsForAnswer) return [];
  return [
    ...(hasNews && idleFor >= IDLE_NOTICE_MS ? (['tell idle'] as const) : []),
    ...(idleFor >= BLOCKED_NOTICE_MS ? (['tell blocked'] as const) : []),
    ...(idleFor >= timeoutMs ? (['leave'] as const) : []),
  ];
}
