/** What an attempt at a task works with: the member's agent, its store, and how a task is carried out. */
import type { Agent, ToolCallEvent, CallAnswer, TurnEnd, TurnInput } from '../../agents/agent-contract.ts';
import type { AgentSpec, Command, Sandbox } from '../../model/agent/agent.ts';
import type { Change } from '../../model/board/event.ts';
import type { Message } from '../../model/team/message.ts';
import type { ClaimedTask, Task } from '../../model/board/task.ts';
import type { FaultyTurn, RemedyResult } from '../../policy/outcome.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import type { AgentLedger } from '../agents/agent-ledger.ts';
import type { MemberOutput } from '../views/member-output.ts';
import type { Speaker } from '../team/authentication.ts';

export interface RunnerEnvironment {
  readonly store: TeamStore;
  readonly speaker: Speaker & { kind: 'member' };
  readonly spec: AgentSpec;
  readonly agent: Agent;
  readonly sandbox: Sandbox;
  readonly cwd: string;
  /** Tells a task in another way than its text does. */
  readonly brief?: ((task: Task) => string) | undefined;
  readonly output: MemberOutput;
  /** The child environment of this member, without what belongs to one task. */
  readonly environment: Readonly<Record<string, string>>;
  readonly ledger: AgentLedger;
  /** What is done about an agent that failed by its own fault; undefined where nothing ever is. */
  readonly remedy: (end: FaultyTurn) => Promise<RemedyResult | undefined>;
  /** What its turns get besides: tools, and mail that comes meanwhile. */
  readonly around: () => Promise<Pick<TurnInput, 'tools' | 'mail' | 'stallMs'>>;
  /** Carries out a tool that the agent calls. */
  readonly call: (event: ToolCallEvent) => Promise<CallAnswer>;
  /** The user's, about each task that it finished. */
  readonly hook?: Command | undefined;
  /** Whether its agent waits for the lead's answer about the task: to what it asked in this turn. */
  readonly isAsking: () => boolean;
  /** How a role works on a task, in several turns; without it an attempt is one turn. */
  readonly carryOut?: CarryOut;
}

/** One turn about the task, with variables of its own. */
export type RunTaskTurn = (prompt: string, env?: Readonly<Record<string, string>>) => Promise<TurnEnd>;

export type CarryOut = (
  task: ClaimedTask,
  mail: readonly Message[],
  hold: RunTaskTurn,
) => Promise<CompletionExtras & { readonly end: TurnEnd }>;

/** What goes into the record of a task's completion, or nowhere. */
export interface CompletionExtras {
  /** What the board is told of the task. */
  readonly metadata?: Readonly<Record<string, string | number | string[]>>;
  readonly changes?: readonly Change[];
}
