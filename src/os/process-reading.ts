/** What is read of processes. {@link ProcessTable} is an interface so that tests can replace it. */

/** The result of reading a process: `gone` only if the system says that the process does not exist. */
export type ProcessReading<T extends object | number> = T | 'gone' | 'unreadable';

export interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  /** The process group. */
  readonly group: number;
  /** R running, S sleeping, D waiting for a disk, T stopped, Z zombie … */
  readonly state: string;
  readonly threads: number;
  readonly startTime: string;
}

/** Hard limits, by which marks are recognised. */
export interface ResourceLimits {
  /** The hard limit of `RLIMIT_LOCKS`; `Infinity` if unlimited. Linux has not enforced it since 2.4. */
  readonly locks: number;
  /** The hard limit of `RLIMIT_MSGQUEUE` in bytes; `Infinity` if unlimited. */
  readonly msgqueue: number;
}

/** The processes of this host that this process can see. Reads are synchronous and never throw. */
export interface ProcessTable {
  /** The pid of the reading process. */
  readonly self: number;
  readonly list: () => number[];
  /** The pid that was given last: pids above it are from before the numbers began anew. Undefined if unknown. */
  readonly lastPid: () => number | undefined;
  readonly stat: (pid: number) => ProcessReading<ProcessStat>;
  /** The real user id. */
  readonly user: (pid: number) => ProcessReading<number>;
  readonly limits: (pid: number) => ProcessReading<ResourceLimits>;
  /** `NAME=value` entries with which the program was started. */
  readonly environ: (pid: number) => ProcessReading<readonly string[]>;
  /** Empty if unreadable. */
  readonly bootId: () => string;
  /** Empty if unreadable. */
  readonly pidNamespace: () => string;
  /** Reads that the system refused so far for want of descriptors or memory: what was read meanwhile proves nothing. */
  readonly refused: () => number;
}
