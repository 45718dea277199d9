/** What differs between persistent programs: how each is started, and how to speak with it. */
import { withoutLoader } from '../../model/agent/loader-variables.ts';
import type { AgentContext, TurnInput } from '../agent-contract.ts';
import type { JsonObject } from './json-lines.ts';
import type { Peer } from './peer.ts';
import type { ProcessEnd } from './process.ts';
import type { AgentStep } from './agent-step.ts';

export interface Dialect {
  /** Its program is isolated by the sandbox of the turn that starts it. */
  readonly isIsolated: boolean;
  /** What to start for a turn, and for the session to continue. */
  launch(input: TurnInput, session: string | undefined): Launch;
  /** Begins to speak with a program that has just started. */
  open(line: DialectContext): DialectSession;
  /** Whether a program that ended at its start did so because the session cannot be continued. */
  isSessionLost(end: ProcessEnd): boolean;
}

export interface Launch {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Wraps the program in the isolation of its agent context. */
export const isolatedLaunch = (launch: Launch, { isolate }: AgentContext, turn: Pick<TurnInput, 'sandbox'>): Launch =>
  isolate === undefined ? launch : { argv: isolate(launch.argv, launch.env, turn), env: withoutLoader(launch.env) };

export interface DialectContext {
  readonly send: Peer['send'];
  readonly tell: (step: AgentStep) => void;
  /** The session to continue, if there is one. */
  readonly session: string | undefined;
  readonly cwd: string;
}

/** One running program. Turns come one at a time; each ends with the `end` step of the program. */
export interface DialectSession {
  heard(message: JsonObject): void;
  begin(input: TurnInput): void;
  /**
   * Passes on mail that came while the turn runs; absent if the program cannot take it. Mail passed on is not lost: the
   * program gets it in this turn.
   */
  readonly steer?: (text: string) => void;
  /** Asks the program to end the turn; the program stays. */
  interrupt(): void;
  /** The program has ended. */
  closed(): void;
}
