/** The end of an agent's turn: what every adapter returns and every policy judges. */
import type { FailureClass } from './agent.ts';

/**
 * How a turn ended. `exit` is the program's own verdict on the task; the other classes are faults of the agent
 * (docs/specification.md R7.3).
 */
export type TurnEnd =
  | { readonly kind: 'answered'; readonly text: string; readonly exitCode?: number | undefined }
  | {
      readonly kind: 'failed';
      readonly why: FailureClass | 'exit';
      readonly text: string;
      readonly message: string;
      readonly exitCode?: number | undefined;
      readonly retryAfterMs?: number | undefined;
    }
  | { readonly kind: 'aborted' };
