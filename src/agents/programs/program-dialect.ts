/** What differs between the programs that stay: how each is started, and how it is spoken with. */
import type { AgentContext, TurnInput } from '../agent-contract.ts';
import type { JsonObject } from './json-lines.ts';
import type { Peer } from './peer.ts';
import type { ProcessEnd } from './process.ts';
import type { AgentStep } from './agent-step.ts';

export interface Dialect {
  /** What to start for a turn, and for the session to go on with. */
  launch(input: TurnInput, session: string | undefined): Launch;
  /** Begins to speak with a program that has just been started. */
  open(line: DialectContext): DialectSession;
  /** Whether a program that ended at its start ended because the session cannot be gone on with. */
  isSessionLost(end: ProcessEnd): boolean;
}

export interface Launch {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A program as its seat has it held in. */
export const isolatedLaunch = (launch: Launch, { isolate }: AgentContext): Launch =>
  isolate === undefined ? launch : { ...launch, argv: isolate(launch.argv) };

export interface DialectContext {
  readonly send: Peer['send'];
  readonly tell: (step: AgentStep) => void;
  /** The session to go on with, if there is one. */
  readonly session: string | undefined;
  readonly cwd: string;
}

/** One program's life. Turns come one at a time; each is ended by the `end` that it tells. */
export interface DialectSession {
  heard(message: JsonObject): void;
  begin(input: TurnInput): void;
  /** Hands in what came while the turn runs; absent where the program cannot take it. What is handed in is not lost: it is heard in this turn. */
  readonly steer?: (text: string) => void;
  /** Asks for the end of the turn; the program stays. */
  interrupt(): void;
  /** The program has ended. */
  closed(): void;
}
