/** What the team's tools work on: a team, one's mail, and for a lead the power to make teams and start teammates. */
import type { AgentSpec } from '../../model/agent/agent.ts';
import type { Profile } from '../../model/board/event.ts';
import type { Message, Side } from '../../model/team/message.ts';
import type { Name } from '../../model/text/names.ts';
import type { Skill } from '../../store/session/skills.ts';
import type { Errand, Subagents } from './subagents.ts';
import type { TeamHandle } from '../team/team-handle.ts';
import type { Workspace } from './tool-workspace.ts';
import type { CloseResult } from '../../model/team/team-config.ts';

/** One's own mail, each message handed out once. */
export interface Mailbox {
  /** Sees to it that {@link waiting} knows what has come by now. */
  look(): Promise<void>;
  /** What waits, oldest first, without taking it. */
  waiting(): Iterable<Message>;
  /** Takes the first `max`, hands them to `use`, and is done with them when `use` is: if it throws they come again. */
  take<T>(max: number, use: (messages: readonly Message[]) => T): Promise<T>;
}

export interface ToolContext {
  readonly side: Side;
  /** The team that is worked in; undefined for a lead that has made none yet. */
  readonly team: TeamHandle | undefined;
  readonly mail: Mailbox | undefined;
  /** The mail of the turn in which tools are called: what is sent in it answers that. */
  readonly cause?: readonly Message[];
  readonly lead?: LeadToolContext;
  /** The directory that shell and file tools work on; without one they are not offered. */
  readonly workspace?: Workspace | undefined;
}

export interface SpawnRequest {
  readonly name: string;
  readonly prompt: string;
  readonly role?: string | undefined;
  readonly agent: AgentSpec;
  readonly planApproval: boolean;
}

export interface LeadToolContext {
  /** @throws ConflictError `REFUSED` while another team is led, `TEAM_EXISTS`; UsageError `BAD_NAME` */
  create(name: string, profile: Profile | undefined, about: string | undefined): Promise<Name>;
  /** @throws ConflictError `STILL_RUNNING` naming the members that refuse */
  remove(name: string, force: boolean): Promise<CloseResult>;
  /** @throws ConflictError `QUOTA`; AgentError `AGENT_CRASHED` when its process does not start */
  spawnMember(recruit: SpawnRequest): Promise<Name>;
  /** @throws UsageError `USAGE` for an agent that nobody knows; AgentError when none is configured */
  agent(name: string | undefined, model: string | undefined): Promise<AgentSpec>;
  readonly subagents: Subagents;
  /** What a subagent is sent out with, besides what it is to do. */
  readonly subagentContext: (
    spec: AgentSpec,
    role: string | undefined,
  ) => Pick<Errand, 'cwd' | 'env' | 'sandbox' | 'timeoutMs'>;
  skills(): readonly Skill[];
}

/** A call under way, as its tool sees it. */
export interface ToolCall {
  /** Aborts when the caller wants no answer any more. */
  readonly signal: AbortSignal;
  /** Says that a wait goes on. */
  readonly progress: (text: string) => void;
  /** Bytes that an answer may have; without it the tools' own bounds hold. */
  readonly mostBytes?: number;
}

export type ToolHandler<Input> = (input: Input, context: ToolContext, call: ToolCall) => Promise<string>;
