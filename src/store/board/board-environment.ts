/** What a board on disk needs from its process, and what it is asked to do besides. */
import type { Clock } from '../../model/text/clock.ts';
import type { Disk } from '../files/disk.ts';
import type { PinnedDirectory } from '../files/pinned.ts';
import type { Folded } from './fold-line.ts';
import type { Proof } from './record.ts';

export interface BoardEnvironment {
  readonly disk: Disk;
  readonly clock: Pick<Clock, 'now'>;
  /** The team's folder; checked before each write. */
  readonly pinned?: PinnedDirectory;
  /** Makes the proof of commands that a person or the lead writes. */
  readonly vouch?: (said: object) => Proof;
  /** Where the checkpoint of the fold is, and how many bytes of the log are worth one. */
  readonly checkpoint?: { readonly path: string; readonly worth?: number };
  /** Called for each event as it is folded. Such a fold begins at the start of the log, but for `isFromCheckpoint`. */
  readonly onFolded?: ((folded: Folded) => void) | undefined;
  /** Keeps {@link BoardStore.past}. */
  readonly keepsPast?: boolean | undefined;
  /** `onFolded` needs no event that the checkpoint covers. */
  readonly isFromCheckpoint?: boolean | undefined;
  /**
   * Puts a record into the order of a team whose board is not only in files. It resolves when the record is durable and
   * in the log file; after an error it is unknown whether it is.
   */
  readonly commit?: ((line: string) => Promise<void>) | undefined;
  /** True only for the process that creates a new team's log. */
  readonly create?: boolean;
}
