/** What a stalling process is told to do, and what it answers. */
import type { Told, WorkName } from './works.ts';

export interface Job {
  readonly root: string;
  readonly work: WorkName;
  /** The number of the file call before which the process stops; 0 for none. */
  readonly at: number;
}

export interface Answer {
  readonly told?: Told;
  /** Of the error that ended the work. */
  readonly code?: string;
  /** File calls of the work. */
  readonly calls: number;
}
