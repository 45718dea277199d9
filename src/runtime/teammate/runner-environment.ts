/** What an attempt at a task uses: the member's agent, its store, and the way in which a task is carried out. */
import type { Agent, ToolCallEvent, CallAnswer, TurnInput } from '../../agents/agent-contract.ts';
import type { TurnEnd } from '../../model/agent/turn-end.ts';
import type { AgentSpec, Command, Sandbox } from '../../model/agent/agent.ts';
import type { Change } from '../../model/board/event.ts';
import type { Message } from '../../model/team/message.ts';
import type { ClaimedTask } from '../../model/board/task.ts';
import type { FaultyTurn, RemedyResult } from '../../policy/outcome.ts';
import type { SightingLog } from '../../store/board/sightings.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import type { AgentLedger } from '../agents/agent-ledger.ts';
import type { Judging } from '../isolation/judging-isolation.ts';
import type { MemberOutput } from '../agents/member-output.ts';
import type { PermissionAsk } from '../agents/permission-gate.ts';
import type { Speaker } from '../team/authentication.ts';
import type { AttemptTree } from '../trees/tree-attempt.ts';

export interface RunnerEnvironment {
  readonly store: TeamStore;
  readonly speaker: Speaker & { kind: 'member' };
  readonly spec: AgentSpec;
  readonly agent: Agent;
  readonly sandbox: Sandbox;
  readonly cwd: string;
  /** The same directory as its isolated program sees it, if that is another path. */
  readonly shownAt?: string | undefined;
  readonly output: MemberOutput;
  /** Where the end of each turn is recorded. */
  readonly sightings: SightingLog;
  /** The environment variables of this member, without those of one task. */
  readonly environment: Readonly<Record<string, string>>;
  readonly ledger: AgentLedger;
  /** Reacts to a failure that is the agent's own fault; undefined if nothing can be done. */
  readonly remedy: (end: FaultyTurn) => Promise<RemedyResult | undefined>;
  /** What its turns get besides: tools, and mail that comes during the turn. */
  readonly around: () => Promise<Pick<TurnInput, 'tools' | 'mail' | 'stallMs' | 'heldMs'>>;
  /** Asks a person about what the sandbox permits. */
  readonly permits?: ((asked: PermissionAsk, signal: AbortSignal) => Promise<CallAnswer>) | undefined;
  /** Why a file may not be written now. */
  readonly refusesWrite: (path: string) => string | undefined;
  /** Executes a tool call of the agent. */
  readonly call: (event: ToolCallEvent) => Promise<CallAnswer>;
  /** How commands that judge its work are isolated; `what` names them for people. */
  readonly judging: (what: string, how?: { readonly keepsNetwork: true }) => Promise<Judging>;
  /** What a tree borrows of the project is mounted for its commands. */
  readonly isMounted: boolean;
  /** The tree of its own in which it works. */
  readonly tree?: AttemptTree | undefined;
  /** The user's hook on each finished task. */
  readonly hook?: Command | undefined;
  /** Whether the agent asked the lead about the task in this turn and waits for the answer. */
  readonly isAsking: () => boolean;
  /** How a task is worked on: in one turn, in the phases of a role, after the approval of a plan. */
  readonly carryOut: CarryOut;
}

/** What one turn has instead of the attempt's own. */
export type TurnBy = Partial<Pick<RunnerEnvironment, 'agent' | 'environment' | 'sandbox'>>;

/** Runs one turn about the task, with environment variables of its own. */
export type RunTaskTurn = (prompt: string, env?: Readonly<Record<string, string>>, by?: TurnBy) => Promise<TurnEnd>;

export type CarryOut = (
  task: ClaimedTask,
  mail: readonly Message[],
  hold: RunTaskTurn,
) => Promise<CompletionExtras & { readonly end: TurnEnd }>;

/** Changes that are written in the same record as the task's completion; if the task does not complete, none is. */
export interface CompletionExtras {
  /** Metadata for the task on the board. */
  readonly metadata?: Readonly<Record<string, string | number | string[]>>;
  readonly changes?: readonly Change[];
}
