/** What an isolation shows of the host. */

/** A file or directory of the host, and its path inside. */
export interface LentPath {
  readonly from: string;
  readonly at: string;
}

/** What a user lends, besides what is needed anyway. */
export interface LentPaths {
  readonly read: readonly LentPath[];
  readonly write: readonly LentPath[];
}
