/**
 * What the team's tools work on: a team, the caller's mail, and for a lead the functions that make teams and start
 * teammates.
 */
import type { AgentSpec } from '../../model/agent/agent.ts';
import type { Message, Side } from '../../model/team/message.ts';
import type { Prices } from '../../model/team/spending-sum.ts';
import type { Task } from '../../model/board/task.ts';
import type { Name } from '../../model/text/names.ts';
import type { ChangedFile } from '../process/working-tree.ts';
import type { Skill } from '../../store/session/skills.ts';
import type { ToolResult } from './tool-answer.ts';
import type { SubagentTask, Subagents } from './subagents.ts';
import type { TeamHandle } from '../team/team-handle.ts';
import type { ProgramIsolate } from '../../policy/sandbox/program-isolation.ts';
import type { Workspace } from './tool-workspace.ts';
import type { CloseResult } from '../../model/member/member-status.ts';
import type { ToolInputs, ToolName } from '../../model/team/tool.ts';
import type { ToolOutputs } from '../../model/team/tool-output.ts';

/** The caller's own mail; each message is handed out once. */
export interface Mailbox {
  /** Updates {@link waiting} with mail that has come. */
  look(): Promise<void>;
  /** Waiting mail, oldest first, without taking it. */
  waiting(): Iterable<Message>;
  /** Takes the first `max` messages and hands them to `use`. If `use` throws, they are delivered again. */
  take<T>(max: number, use: (messages: readonly Message[]) => T): Promise<T>;
}

export interface ToolContext {
  readonly side: Side;
  /** The team; undefined for a lead that has not made one yet. */
  readonly team: TeamHandle | undefined;
  /** What became of the team that was led, or worked in, before. */
  readonly ended?: string | undefined;
  readonly mail: Mailbox | undefined;
  /** The mail of the present turn: what is sent during the turn counts as an answer to it. */
  readonly cause?: readonly Message[];
  readonly lead?: LeadToolContext;
  /** By model; they override the known prices. */
  readonly prices?: Prices | undefined;
  /** The isolation of the program that calls. */
  readonly isolate?: ToolCall['isolate'];
  /** The directory of the shell and file tools; without it they are not offered. */
  readonly workspace?: Workspace | undefined;
}

export interface SpawnRequest {
  readonly name: string;
  readonly prompt: string;
  readonly role?: string | undefined;
  readonly agent: AgentSpec;
  readonly planApproval: boolean;
}

/** A team that a model makes. */
type TeamRequest = Pick<ToolInputs['TeamCreate'], 'name' | 'profile' | 'isolation' | 'review'> & {
  readonly about: string | undefined;
};

/** What an apply brought. */
export interface AppliedChanges {
  /** How many changes of tasks. */
  readonly landed: number;
  readonly files: readonly ChangedFile[];
  /** What is told if there are no files. */
  readonly nothing: string;
}

export interface LeadToolContext {
  /**
   * @throws ConflictError `REFUSED` while another team is led, `TEAM_EXISTS`; UsageError `BAD_NAME`; AgentError
   *   `NO_ISOLATION`
   */
  create(team: TeamRequest): Promise<{ readonly name: Name; readonly isolation: 'trees' | 'off' }>;
  /** @throws ConflictError `STILL_RUNNING` naming the members that refuse, `REFUSED` while work that landed is not applied */
  remove(name: string, force: boolean): Promise<CloseResult>;
  /** @throws ConflictError `QUOTA`; AgentError `AGENT_CRASHED` when its process does not start */
  spawnMember(recruit: SpawnRequest): Promise<Name>;
  /**
   * Brings what landed, or the change of one task, into the project's files.
   *
   * @throws UsageError `USAGE`; ConflictError `REFUSED` naming the files that a person changed at the same place
   */
  apply(task: Task | undefined, signal: AbortSignal): Promise<AppliedChanges>;
  /**
   * Answers a change that waits for the lead before it lands.
   *
   * @throws ConflictError `REFUSED`, `FINAL`; UsageError `POLICY_DENIED` for one that waits for a person, `USAGE`
   */
  review(task: string, answer: { readonly approve: boolean; readonly text: string }): Promise<Task>;
  /** @throws UsageError `USAGE` for an unknown agent; AgentError if none is configured */
  agent(name: string | undefined, model: string | undefined): Promise<AgentSpec>;
  /** Names that {@link agent} accepts. */
  agentNames(): string[];
  readonly subagents: Subagents;
  /** Call it before a subagent starts: what it writes is judged as it was written. */
  readonly noteWriter: (agent: AgentSpec) => Promise<void>;
  /** What a subagent needs besides its prompt. */
  readonly subagentContext: (
    spec: AgentSpec,
    role: string | undefined,
  ) => Pick<SubagentTask, 'cwd' | 'env' | 'sandbox' | 'timeoutMs'>;
  skills(): readonly Skill[];
  /** Sandboxes of subagents that were not enforced while there was no team to keep it; each once. */
  untold(): string[];
}

/** A call in progress, for its tool. */
export interface ToolCall {
  /** Aborts when the caller no longer wants an answer. */
  readonly signal: AbortSignal;
  /** The isolation of the program that calls. */
  readonly isolate?: ProgramIsolate | undefined;
  /** Reports that a wait goes on. */
  readonly progress: (text: string) => void;
  /** Bytes that an answer may have; without it the limits of the tools apply. */
  readonly mostBytes?: number;
  /** Whether an answer may have an image. */
  readonly showsImages?: boolean;
}

export type ToolHandler<T extends ToolName> = (
  input: ToolInputs[T],
  context: ToolContext,
  call: ToolCall,
) => Promise<ToolResult<ToolOutputs[T]>>;
