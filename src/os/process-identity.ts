/** What is known of a process, and the table that it is read from. {@link ProcessTable} is a seam: tests bring their own. */

/** One process of one boot, for ever. An empty string stands for what could not be read. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Linux: clock ticks since boot. Elsewhere: seconds since 1970. */
  readonly startTime: string;
  readonly bootId: string;
  readonly pidNamespace: string;
}

/** What a look at a process gave: `gone` only when the system says that there is no such process. */
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

export interface ResourceLimits {
  /** The hard limit of `RLIMIT_MSGQUEUE` in bytes; `Infinity` when unlimited. */
  readonly hardMsgqueue: number;
}

/** The processes of this host as far as this process can see them. Reads are synchronous and never throw. */
export interface ProcessTable {
  /** The pid of the process that looks. */
  readonly self: number;
  readonly list: () => number[];
  readonly stat: (pid: number) => ProcessReading<ProcessStat>;
  /** The real user id. */
  readonly user: (pid: number) => ProcessReading<number>;
  readonly limits: (pid: number) => ProcessReading<ResourceLimits>;
  /** `NAME=value` entries, as the program was started with them. */
  readonly environ: (pid: number) => ProcessReading<readonly string[]>;
  /** Empty when unreadable. */
  readonly bootId: () => string;
  /** Empty when unreadable. */
  readonly pidNamespace: () => string;
}
