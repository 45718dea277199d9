/**
 * What the lead sees when it looks, and what may follow: the vocabulary of supervision. Ages are monotonic
 * milliseconds. A sighting is data, so every rule is a table of sighting → verdicts.
 */
import type { Tier } from '../model/agent/agent.ts';
import type { Board } from '../model/board/board.ts';
import type { Name } from '../model/text/names.ts';

export interface MemberSighting {
  readonly name: Name;
  /** A worker that a person started: it is watched and never restarted or killed. */
  readonly byHand: boolean;
  /** By pid and start time. `none`: never started, or stopped in order. One about to be started is `starting`. */
  readonly process: 'none' | 'starting' | 'alive' | 'dead';
  /** How it died, in words: `signal SIGKILL`, `exit 1`. */
  readonly death?: string | undefined;
  /** It ended because no agent can work for it here: another start would end in the same way. */
  readonly unfit: boolean;
  /** Since the process was seen dead. */
  readonly deadFor: number;
  /** Since the process was started, as long as it is not ready. */
  readonly startingFor: number;
  /** Since the process became ready. */
  readonly aliveFor: number;
  /** Since the lease's heartbeat last moved. */
  readonly beatAge: number;
  /** Since a task update, a message its agent wrote, an agent event or a byte of output. */
  readonly progressAge: number;
  /** Since a STATUS CHECK was sent for the present silence; absent when none was. */
  readonly checkedFor?: number | undefined;
  /** The check was answered by the process: that proves life, never progress. */
  readonly answered: boolean;
  readonly restarts: number;
  readonly consecutiveFailures: number;
  readonly quarantined: boolean;
  /** Restarts are used up; it gets no more. */
  readonly givenUp: boolean;
  /** An `exec` child or a `verify` command runs: it is bounded by its own `timeout` only. */
  readonly boundedByTimeout: boolean;
  /** Its agent is `exec` without a command of its own: it can do only tasks that say what to run. */
  readonly needsCommand: boolean;
  /** The kind of its agent, where it has one. */
  readonly agent?: string | undefined;
  readonly completed: number;
  readonly workedMs: number;
}

/** A member of the board that is not among `members` has no process of ours (a person, an MCP host): it is let be. */
export interface Sighting {
  readonly board: Board;
  readonly members: readonly MemberSighting[];
  /** The lead itself slept (its own tick came later than two intervals): deadlines start again. */
  readonly overslept: boolean;
  /** Nobody is asked: what a failed blocker holds up is skipped. */
  readonly unattended: boolean;
  /** Of a pipeline with roles; without it members are started by whoever leads. */
  readonly pipeline?: PipelineSighting | undefined;
}

export interface PipelineSighting {
  /** Who finished something and has yet to report it. */
  readonly owing: ReadonlySet<Name>;
  /** Nobody is asked at a checkpoint: `--yes`. */
  readonly passesCheckpoints: boolean;
  /** Tasks of which a person was told what is asked. */
  readonly told: ReadonlySet<string>;
}

export interface Limits {
  readonly watchdogWarningMs: number;
  readonly watchdogReassignMs: number;
  readonly maxConsecutiveErrors: number;
  readonly maxAgents: number;
  /** Follow-ups of finished tasks; without rules there are none. */
  readonly cascade?: CascadeRules;
}

export type CascadeKind = 'test' | 'review';

export interface CascadeRules {
  /** There is an agent for members that the lead adds by itself. */
  readonly canSpawn: boolean;
  /** A template's own rules, by the role of who did the task; `none` ends the chain. */
  readonly byRole?: ReadonlyMap<Name, CascadeKind | 'none'> | undefined;
}

/** The task that follows a finished one. */
export interface FollowUp {
  readonly kind: CascadeKind;
  readonly subject: string;
  readonly role: Name;
  readonly tier: Tier;
  /** For the new task; `parent` and `kind` make it unique on the board. */
  readonly metadata: { parent: string; kind: CascadeKind; type: CascadeKind; depth: number; tier: Tier };
}

/** Who does it. */
export type Placement =
  | { readonly do: 'assign'; readonly owner: Name; readonly why: string }
  | { readonly do: 'spawn'; readonly role: Name; readonly why: string }
  | { readonly do: 'queue'; readonly why: string };

/** A claim is ended by the lead: its board event is `task.released` with this reason. */
interface EndedClaim {
  readonly task: string;
  readonly epoch: number;
  readonly why: string;
}

export type Verdict =
  /** The deadlines of everybody start again. */
  | { readonly do: 'resetDeadlines'; readonly why: string }
  | { readonly do: 'restart'; readonly member: Name; readonly attempt: number; readonly why: string }
  /** Restarts are used up, or it cannot be restarted. */
  | { readonly do: 'abandon'; readonly member: Name; readonly why: string }
  /** 60 s of health: the restart count starts again, and a member that was given up is one again. */
  | { readonly do: 'resetRestarts'; readonly member: Name; readonly why: string }
  /** The claim of a process that is gone. */
  /** @see EndedClaim; its member had it. */
  | ({ readonly do: 'release'; readonly reason: 'lost' | 'orphaned'; readonly member: Name } & EndedClaim)
  /** One STATUS CHECK a silence. */
  | { readonly do: 'check'; readonly member: Name; readonly task: string; readonly why: string }
  /**
   * Take the task from a member that is hung: end the claim, in the same record set the owner to `heir` (null: nobody,
   * whoever may claims it; absent: as it is), then, if `stop`, end the process. It counts as dead from then on.
   */
  | ({
      readonly do: 'fence';
      readonly member: Name;
      readonly reason: 'fenced' | 'lost';
      readonly heir?: Name | null | undefined;
      readonly stop: boolean;
    } & EndedClaim)
  /** End a process that never became ready, or that holds nothing and whose heart stands still; it is restarted then. */
  | { readonly do: 'stop'; readonly member: Name; readonly why: string }
  /** No new tasks; whoever carries this out also keeps it from claiming by itself. */
  | { readonly do: 'quarantine'; readonly member: Name; readonly why: string }
  | { readonly do: 'assign'; readonly task: string; readonly owner: Name | null; readonly why: string }
  /** What a failed or cancelled blocker holds up, when nobody is asked; with everything that waits on it. */
  | { readonly do: 'skip'; readonly task: string; readonly why: string }
  /** Add the follow-up of a finished task, and give it to whom it is placed with. */
  | {
      readonly do: 'follow up';
      readonly task: string;
      readonly follow: FollowUp;
      readonly place: Placement;
      readonly why: string;
    }
  /** Of a pipeline: the process of a member whose work is ready, or who has yet to report. */
  | { readonly do: 'start'; readonly member: Name; readonly why: string }
  /** Of a pipeline: a person is told, once in the life of a lead. */
  | {
      readonly do: 'tell';
      readonly task: string;
      readonly what: 'checkpoint.reached' | 'fix.exhausted';
      readonly why: string;
    }
  /** Of a pipeline: nobody is asked at this checkpoint. */
  | { readonly do: 'pass'; readonly task: string; readonly why: string }
  /** Of a pipeline: `of` is done again, and then `task`. */
  | { readonly do: 'redo'; readonly task: string; readonly of: string; readonly why: string }
  /** Every task is final: go on to integration. Always first; what follows is for a lead that serves on. */
  | { readonly do: 'finish' }
  /** Nothing runs, nothing can run, and not everything is final: say so, never wait in silence. Always alone. */
  | { readonly do: 'stuck'; readonly why: string };
