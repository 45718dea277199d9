/** What a teammate is made of: its team, its agent, and the rules that its profile and its lead give it. */
import type { Agent } from '../agents/agent.ts';
import type { Lease } from '../store/lease.ts';
import type { TeamStore } from '../store/team-store.ts';
import type { MindEnvironment } from './mind.ts';
import type { RoleOf } from './role-of.ts';
import type { SendRate } from './send-rate.ts';
import type { Speaker } from './speaker.ts';
import type { Workspace } from './workspace.ts';

export interface TeammateEnvironment {
  readonly store: TeamStore;
  readonly speaker: Speaker & { kind: 'member' };
  readonly lease: Lease;
  readonly agent: Agent;
  readonly workspace?: Workspace;
  readonly runner: MindEnvironment['runner'];
  readonly rate: SendRate;
  /** Of a pipeline: the role that it works by; an error, where its file cannot be used. */
  readonly role?: RoleOf;
  /** Whether mail alone makes a turn; an `exec` agent gets its mail with its next task. */
  readonly answersMail: boolean;
  /** Leaves after so many milliseconds without work; never, without it. */
  readonly idleTimeoutMs?: number;
  /** Says what it is going to do and waits for the lead before it does it. */
  readonly planApproval?: boolean;
  /** After so many failed attempts in a row it takes nothing new, and its lead quarantines it; without a lead it goes on. */
  readonly mostFailures?: number;
  /** An agent that refuses to stop, as long as it is not forced. */
  readonly refusesShutdown?: string;
}
