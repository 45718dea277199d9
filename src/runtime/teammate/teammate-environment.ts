/** What a teammate is made of: its team, its agent, and the rules that its profile and its lead give it. */
import type { Command, Sandbox } from '../../model/agent/agent.ts';
import type { Task } from '../../model/board/task.ts';
import type { Lease } from '../../store/team/lease.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import type { RoleOf } from './load-role.ts';
import type { AgentSlotsEnvironment } from '../agents/agent-slots.ts';
import type { SendRate } from '../team/send-rate.ts';
import type { Speaker } from '../team/authentication.ts';

export interface TeammateEnvironment {
  readonly store: TeamStore;
  readonly speaker: Speaker & { kind: 'member' };
  readonly lease: Lease;
  /** Who thinks for it, and who may stand in. */
  readonly slots: Omit<AgentSlotsEnvironment, 'session'>;
  readonly sandbox: Sandbox;
  readonly cwd: string;
  readonly rate: SendRate;
  /** Of a pipeline: the role that it works by; an error, where its file cannot be used. */
  readonly role?: RoleOf | undefined;
  /** Whether mail alone makes a turn; an `exec` agent gets its mail with its next task. */
  readonly answersMail: boolean;
  /** Tells a command its task; an agent that stays knows who it is. */
  readonly brief?: ((task: Task) => string) | undefined;
  /** The user's own, which may refuse what was completed. */
  readonly hook?: Command | undefined;
  /** Milliseconds without any sign of its agent that end a turn. */
  readonly stallMs?: number | undefined;
  /** Leaves after so many milliseconds without work; never, without it. */
  readonly idleTimeoutMs?: number | undefined;
  /** Says what it is going to do and waits for the lead before it does it. */
  readonly planApproval?: boolean;
  /** After so many failed attempts in a row it takes nothing new, and its lead quarantines it; without a lead it goes on. */
  readonly mostFailures?: number;
  /** An agent that refuses to stop, as long as it is not forced. */
  readonly refusesShutdown?: string | undefined;
}
