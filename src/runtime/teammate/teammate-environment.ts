/** What a teammate needs: its team, its agent, and the rules of its profile and its lead. */
import type { Command, Sandbox } from '../../model/agent/agent.ts';
import type { Task } from '../../model/board/task.ts';
import type { ShownTree } from '../../policy/sandbox/lent-path.ts';
import type { Lease } from '../../store/team/lease.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import type { JudgingRules } from '../../policy/sandbox/judged-work.ts';
import type { RoleOf } from './load-role.ts';
import type { OpenedAgent } from '../agents/open-agent.ts';
import type { AgentSlotsEnvironment } from '../agents/agent-slots.ts';
import type { SendRate } from '../team/send-rate.ts';
import type { Speaker } from '../team/authentication.ts';
import type { AttemptTree } from '../trees/tree-attempt.ts';

export interface TeammateEnvironment {
  readonly store: TeamStore;
  readonly speaker: Speaker & { kind: 'member' };
  readonly lease: Lease;
  /** Its agent, and the agents that may replace it. */
  readonly slots: Omit<AgentSlotsEnvironment, 'session'>;
  readonly sandbox: Sandbox;
  readonly cwd: string;
  /** What commands in isolation see of that tree. */
  readonly shown?: ShownTree | undefined;
  /** The tree of its own in which it works. */
  readonly tree?: AttemptTree | undefined;
  readonly rate: SendRate;
  /** In a pipeline: the role that it works by, or the reason why its file is unusable. */
  readonly role?: RoleOf | undefined;
  /** Whether mail alone starts a turn; an `exec` agent gets its mail with its next task. */
  readonly answersMail: boolean;
  /** The prompt of a task for a command; an agent with a conversation knows its role already. */
  readonly brief?: ((task: Task) => string) | undefined;
  /** How commands that judge work are isolated. */
  readonly judging: {
    readonly rules: JudgingRules;
    readonly environment: Readonly<Record<string, string | undefined>>;
  };
  /** The user's hook, which may refuse a completed task. */
  readonly hook?: Command | undefined;
  /** Milliseconds without a sign of its agent that end a turn. */
  readonly stallMs?: number | undefined;
  /** Milliseconds without a word of the team's store after which it ends; undefined: the usual time. */
  readonly cutOffAfterMs?: number | undefined;
  /** Milliseconds without work after which it exits; undefined: it never does. */
  readonly idleTimeoutMs?: number | undefined;
  /** It sends a plan and waits for the lead's approval before it changes files. */
  readonly planApproval?: boolean;
  /** For a command: opens it in an isolation that only reads, for one planning turn. */
  readonly openPlanner?: (() => Promise<OpenedAgent | string>) | undefined;
  /**
   * After this many failed tasks in a row it claims nothing new and its lead quarantines it. Without a lead it goes
   * on.
   */
  readonly mostFailures?: number;
  /** Its agent is asked before it stops, unless it is forced. */
  readonly asksBeforeStop: boolean;
}
