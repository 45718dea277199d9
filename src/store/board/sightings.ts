/** The journal of what decisions were made on, `sightings.jsonl`. It is for replays only: nothing else is read from it. */
import { sightingRecordSchema, type SightingRecord } from '../../model/team/look-record.ts';
import { isTeamError } from '../../model/text/errors.ts';
import { lookAt, type Disk } from '../files/disk.ts';
import { Journal } from '../files/journal.ts';
import type { TeamPaths } from '../files/paths.ts';
import type { PinnedDirectory } from '../files/pinned.ts';

/** What comes after so many bytes is not recorded. */
const MOST_BYTES = 64 * 1024 * 1024;

interface SightingPlace {
  readonly disk: Disk;
  readonly paths: Pick<TeamPaths, 'sightings'>;
  readonly pinned: PinnedDirectory;
}

export class SightingLog {
  readonly #place: SightingPlace;
  readonly #journal: Journal;
  #isFull = false;

  constructor(place: SightingPlace) {
    this.#place = place;
    this.#journal = new Journal(place.disk, place.paths.sightings, { create: true });
  }

  /** @returns whether it was recorded; that it cannot be is no reason to stop a team */
  append(record: SightingRecord): boolean {
    if (this.#isFull) return false;
    const { disk, paths, pinned } = this.#place;
    try {
      pinned.check();
      this.#isFull = (lookAt(disk, paths.sightings)?.size ?? 0) > MOST_BYTES;
      this.#journal.append(this.#isFull ? { type: 'full', at: record.at } : record);
      return !this.#isFull;
    } catch (error) {
      if (isTeamError(error)) return false;
      throw error;
    }
  }

  close(): void {
    this.#journal.close();
  }
}

/**
 * What was recorded, in order; undefined for each line that is no record.
 *
 * @throws StoreError `IO`
 */
export function* readSightings(disk: Disk, path: string): Generator<SightingRecord | undefined> {
  const journal = new Journal(disk, path);
  try {
    for (const line of journal.read()) yield line.kind === 'text' ? parseSighting(line.text) : undefined;
  } finally {
    journal.close();
  }
}

function parseSighting(text: string): SightingRecord | undefined {
  try {
    return sightingRecordSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
