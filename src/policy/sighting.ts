/**
 * The types of supervision: what the lead sees in one look (sighting) and what may follow (verdict). Ages are monotonic
 * milliseconds. A sighting is data, so every rule is a table of sighting → verdicts.
 */
import type { Tier } from '../model/agent/agent.ts';
import type { Board } from '../model/board/board.ts';
import type { Name } from '../model/text/names.ts';

export interface MemberSighting {
  readonly name: Name;
  /** A person started this worker: it is watched, but never restarted or killed. */
  readonly byHand: boolean;
  /**
   * By pid and start time. `none`: never started, or stopped in order. A process that is about to be started is
   * `starting`.
   */
  readonly process: 'none' | 'starting' | 'alive' | 'dead';
  /** How the process ended, in words: `signal SIGKILL`, `exit 1`. */
  readonly death?: string | undefined;
  /** The process ended because no agent can work for it on this machine: a restart would end in the same way. */
  readonly unfit: boolean;
  /** Milliseconds since the process was seen dead. */
  readonly deadFor: number;
  /** Milliseconds since the process was started, while it is not ready. */
  readonly startingFor: number;
  /** Milliseconds since the process became ready. */
  readonly aliveFor: number;
  /** Milliseconds since the lease's heartbeat last moved. */
  readonly beatAge: number;
  /**
   * Milliseconds since the last progress: a task update, a message of its agent, an agent event or a byte of output.
   */
  readonly progressAge: number;
  /** Milliseconds since a STATUS CHECK was sent for the present silence; absent if none was sent. */
  readonly checkedFor?: number | undefined;
  /** The process answered the check: that proves life, not progress. */
  readonly answered: boolean;
  readonly restarts: number;
  readonly consecutiveFailures: number;
  readonly quarantined: boolean;
  /** All restarts are used; there are no more. */
  readonly givenUp: boolean;
  /** An `exec` child or a `verify` command runs: only its own `timeout` limits it. */
  readonly boundedByTimeout: boolean;
  /** Its agent is `exec` without a command: it can do only tasks that name a command. */
  readonly needsCommand: boolean;
  /** The kind of its agent, if it has one. */
  readonly agent?: string | undefined;
  readonly completed: number;
  readonly workedMs: number;
}

/**
 * What the lead saw in one look. A member of the board that is not in `members` has no process of ours (a person, an
 * MCP host); supervision ignores it.
 */
export interface Sighting {
  readonly board: Board;
  readonly members: readonly MemberSighting[];
  /** The lead itself slept (its tick came later than two intervals): all deadlines start again. */
  readonly overslept: boolean;
  /** Tasks with a command that the user did not vouch for: no member may start them. */
  readonly untrusted: ReadonlySet<string>;
  /** No person answers: tasks behind a failed blocker are skipped. */
  readonly unattended: boolean;
  /** Present for a pipeline with roles. Without it, the leading program starts the members. */
  readonly pipeline?: PipelineSighting | undefined;
}

export interface PipelineSighting {
  /** Members that finished a task and have not reported it yet. */
  readonly owing: ReadonlySet<Name>;
  /** Checkpoints pass without a question: `--yes`. */
  readonly passesCheckpoints: boolean;
  /** Tasks whose question a person has been told. */
  readonly told: ReadonlySet<string>;
}

export interface Limits {
  readonly watchdogWarningMs: number;
  readonly watchdogReassignMs: number;
  readonly maxConsecutiveErrors: number;
  readonly maxAgents: number;
  /** The most follow-ups of a chain; 3 if absent. */
  readonly cascadeDepth?: number;
  /** Rules for follow-ups of finished tasks; without them there are no follow-ups. */
  readonly cascade?: CascadeRules;
}

export type CascadeKind = 'test' | 'review';

export interface CascadeRules {
  /** The lead has an agent for members that it adds by itself. */
  readonly canSpawn: boolean;
  /** A template's own rules, by the role that did the task; `none` ends the chain. */
  readonly byRole?: ReadonlyMap<Name, CascadeKind | 'none'> | undefined;
}

/** The task that follows a finished one. */
export interface FollowUp {
  readonly kind: CascadeKind;
  readonly subject: string;
  readonly role: Name;
  readonly tier: Tier;
  /** Metadata of the new task; `parent` and `kind` make it unique on the board. */
  readonly metadata: { parent: string; kind: CascadeKind; type: CascadeKind; depth: number; tier: Tier };
}

/** Who does the follow-up. */
export type Placement =
  | { readonly do: 'assign'; readonly owner: Name; readonly why: string }
  | { readonly do: 'spawn'; readonly role: Name; readonly why: string }
  | { readonly do: 'queue'; readonly why: string };

/** The lead ends a claim: its board event is `task.released` with this reason. */
interface EndedClaim {
  readonly task: string;
  readonly epoch: number;
  readonly why: string;
}

export type Verdict =
  /** The deadlines of all members start again. */
  | { readonly do: 'resetDeadlines'; readonly why: string }
  | { readonly do: 'restart'; readonly member: Name; readonly attempt: number; readonly why: string }
  /** All restarts are used, or the member cannot be restarted. */
  | { readonly do: 'abandon'; readonly member: Name; readonly why: string }
  /** After 60 s of health the restart count starts again, and an abandoned member is a member again. */
  | { readonly do: 'resetRestarts'; readonly member: Name; readonly why: string }
  /** The claim of `member`, whose process is gone (see EndedClaim). */
  | ({ readonly do: 'release'; readonly reason: 'lost' | 'orphaned'; readonly member: Name } & EndedClaim)
  /** One STATUS CHECK for each silence. */
  | { readonly do: 'check'; readonly member: Name; readonly task: string; readonly why: string }
  /**
   * Take the task from a hung member. Its claim ends, and the same record sets the owner to `heir`: null for no owner,
   * absent for no change. Then, if `stop`, its process is ended; the member counts as dead from then on.
   */
  | ({
      readonly do: 'fence';
      readonly member: Name;
      readonly reason: 'fenced' | 'lost';
      readonly heir?: Name | null | undefined;
      readonly stop: boolean;
    } & EndedClaim)
  /** End a process that never became ready, or that has no claim and no heartbeat. It is restarted afterwards. */
  | { readonly do: 'stop'; readonly member: Name; readonly why: string }
  /** No new tasks. The caller also prevents the member from claiming tasks by itself. */
  | { readonly do: 'quarantine'; readonly member: Name; readonly why: string }
  /** The end of a quarantine: what only this member may do was retried by a person. */
  | { readonly do: 'lift'; readonly member: Name; readonly why: string }
  | { readonly do: 'assign'; readonly task: string; readonly owner: Name | null; readonly why: string }
  /**
   * Skip a task whose blocker failed or was cancelled, with all tasks that wait for it, if no person answers. `because`:
   * the failed blocker, whose retry brings the task back; absent for a cancelled one.
   */
  | { readonly do: 'skip'; readonly task: string; readonly why: string; readonly because?: string | undefined }
  /** Add the follow-up of a finished task and give it to the member that `place` names. */
  | {
      readonly do: 'follow up';
      readonly task: string;
      readonly follow: FollowUp;
      readonly place: Placement;
      readonly why: string;
    }
  /** Start the process of a pipeline's member whose task is ready or that has not reported yet, or of one whose quarantine ended. */
  | { readonly do: 'start'; readonly member: Name; readonly why: string }
  /** Pipeline only: tell a person, once in the life of a lead. */
  | {
      readonly do: 'tell';
      readonly task: string;
      readonly what: 'checkpoint.reached' | 'fix.exhausted';
      readonly why: string;
    }
  /** Pipeline only: pass this checkpoint without a question. */
  | { readonly do: 'pass'; readonly task: string; readonly why: string }
  /** Pipeline only: what `task` rejected is done again, and then its tests. */
  | { readonly do: 'redo'; readonly task: string; readonly why: string }
  /** Pipeline only: what `task` accepted is improved as it proposed, and then checked. */
  | { readonly do: 'improve'; readonly task: string; readonly why: string }
  /**
   * Every task is final: go on to integration. Always the first verdict; the others are for a lead that keeps serving.
   */
  | { readonly do: 'finish' }
  /**
   * No task runs, none can run, and not every task is final: report it, never wait silently. Always the only verdict.
   */
  | { readonly do: 'stuck'; readonly why: string };
