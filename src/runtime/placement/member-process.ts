/** The process of a member as its lead sees it: of this machine, or of another one. */
import type { ChildProcess } from 'node:child_process';
import type { Mark } from '../../model/agent/process-mark.ts';
import type { AgentError } from '../../model/text/errors.ts';
import type { Name } from '../../model/text/names.ts';
import type { ProcessIdentity } from '../../model/agent/process-identity.ts';
import type { ProcessElsewhere } from '../../store/replica/elsewhere.ts';

interface ProcessLife {
  readonly name: Name;
  /**
   * `exit 1`, `signal SIGKILL`; undefined while the process lives, or while something that it started is not swept yet.
   */
  death: string | undefined;
  isReady: boolean;
}

/** A process of this machine. */
export interface LocalProcess extends ProcessLife {
  readonly where: 'here';
  readonly mark: Mark | undefined;
  readonly child: ChildProcess | undefined;
  identity: ProcessIdentity | undefined;
  /** For a child of this process: resolves when `death` is known. */
  over: Promise<void> | undefined;
}

/**
 * A process of another machine: judged by its lease in the store, never signalled or swept. One that is placed on a host
 * is started and ended by that.
 */
export interface RemoteProcess extends ProcessLife {
  readonly where: 'elsewhere';
  /** Undefined until it has its lease. */
  seen: ProcessElsewhere | undefined;
  /** The host on which it is placed; undefined for one that a person started, or that waits for a host. */
  host: string | undefined;
  /** False until the store has its place. */
  isPlaced: boolean;
  /** When its lease was seen to have ended, by the clock. */
  lostAt: number | undefined;
  /** Whether the lead has taken its place away. */
  isEnded: boolean;
  /** Why no host takes it, if none will: for the error at its start. */
  refusal?: AgentError | undefined;
}

/** Whether a member waits for a host that has what it needs and a free slot, which may last. */
export const isWaitingForHost = (life: MemberProcess): boolean =>
  life.where === 'elsewhere' && life.host === undefined && !life.isPlaced && life.death === undefined;

/** One process of a member, as its lead sees it. */
export type MemberProcess = LocalProcess | RemoteProcess;
