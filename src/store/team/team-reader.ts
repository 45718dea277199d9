/** A team opened for reading: nothing is written, no matter who leads it, how it ended, or who made it. */
import type { Clock } from '../../model/text/clock.ts';
import { isTeamError } from '../../model/text/errors.ts';
import { configForm, stateForm } from '../../model/config/plain-documents.ts';
import type { RunState } from '../../model/run/run-state.ts';
import type { TeamConfig } from '../../model/team/team-config.ts';
import { BoardStore } from '../board/board.ts';
import type { Folded } from '../board/fold-line.ts';
import { lookAt, realDisk, type Disk } from '../files/disk.ts';
import { DocumentReader } from '../lock/document-reader.ts';
import { EventLogReader } from '../board/events.ts';
import { requireDirectories } from '../files/own-directories.ts';
import type { TeamPaths } from '../files/paths.ts';
import { openSeal } from '../user/seal.ts';
import { Signatures } from '../user/signature.ts';
import { keysIn } from '../../model/text/public-key.ts';
import { Roster } from './roster.ts';
import { ulidOf, unknownTeam, type TeamStore } from './team-store.ts';
import { workPlaceOf } from './work-place.ts';

/** What views need: the reading half of a `TeamStore`. */
export interface TeamReader {
  readonly paths: TeamPaths;
  readonly disk: Disk;
  readonly clock: Clock;
  readonly board: Pick<TeamStore['board'], 'board' | 'past' | 'keptPast' | 'fold' | 'foldSome'> & {
    readonly log: Omit<TeamStore['board']['log'], 'changedSince'>;
  };
  readonly events: Pick<TeamStore['events'], 'read' | 'end' | 'size' | 'lineAt' | 'eventAt'>;
  readonly config: Pick<TeamStore['config'], 'read' | 'readOwn'>;
  readonly state: Pick<TeamStore['state'], 'read' | 'readOwn'>;
  readonly roster: Pick<TeamStore['roster'], 'read' | 'all'>;
}

interface ReadingOptions {
  readonly clock: Clock;
  readonly disk?: Disk | undefined;
  readonly onFolded?: (folded: Folded) => void;
  /** `onFolded` needs no event that the checkpoint covers. */
  readonly isFromCheckpoint?: boolean;
}

/**
 * Opens a team so that nothing is written, not even an event about damage in its log. Works on read-only, foreign and
 * archived folders.
 *
 * @throws UsageError `UNKNOWN_TEAM`; StoreError `CORRUPT`
 */
export function openForReading(
  paths: TeamPaths,
  { clock, disk = realDisk, onFolded, isFromCheckpoint }: ReadingOptions,
): TeamReader & { close(): void } {
  if (!lookAt(disk, paths.log)) throw unknownTeam(paths.name);
  requireDirectories(disk, paths);
  const board = new BoardStore(paths.log, {
    disk,
    clock,
    onFolded,
    isFromCheckpoint,
    keepsPast: true,
    checkpoint: { path: paths.checkpoint },
  });
  const events = new EventLogReader(disk, paths.events, clock);
  const team = (): string | undefined => ulidOf(board);
  const seal = openSeal(disk);
  const signatures = new Signatures(seal, disk, () => keysIn(process.env));
  const document = { disk, seal, signatures, team };
  return {
    paths,
    disk,
    clock,
    board,
    events,
    config: new DocumentReader({ ...document, ...configForm, path: paths.config }),
    state: new DocumentReader({ ...document, ...stateForm, path: paths.state }),
    roster: new Roster(disk, paths),
    close() {
      board.close();
      events.close();
    },
  };
}

/**
 * The same team for code that acts on what its documents say: each read checks the seal.
 *
 * @throws StoreError `UNTRUSTED` now, or at a later read, for a document without this user's seal
 */
export function ownDocuments(store: TeamReader): TeamReader {
  const { paths, disk, clock, board, events, roster } = store;
  const own = <Shape>(document: { readOwn(): Shape | undefined }) => {
    const readOwn = (): Shape | undefined => document.readOwn();
    return { read: readOwn, readOwn };
  };
  const reader = { paths, disk, clock, board, events, roster, config: own(store.config), state: own(store.state) };
  readableConfig(reader);
  stateIn(reader);
  return reader;
}

/** The run's state. Also undefined if it is damaged: views are then drawn from the logs, and `resume` rebuilds it. */
export function stateIn({ state }: Pick<TeamReader, 'state'>): RunState | undefined {
  try {
    return state.read();
  } catch (error) {
    if (isTeamError(error) && error.code === 'CORRUPT') return undefined;
    throw error;
  }
}

/**
 * The config; undefined if it is damaged by hand. That ends no run: the code that needs the config reports what is
 * wrong.
 */
export function readableConfig({ config }: Pick<TeamReader, 'config'>): TeamConfig | undefined {
  try {
    return config.read();
  } catch (error) {
    if (isTeamError(error) && error.code === 'CORRUPT') return undefined;
    throw error;
  }
}

/** The directory in which a team's agents work. */
export const cwdOf = ({ config, disk, paths }: Pick<TeamReader, 'config' | 'disk' | 'paths'>): string =>
  workPlaceOf(disk, paths, readableConfig({ config }));
