/** A recorded run in one file, which `teams replay FILE` judges again: a run that went wrong becomes a test. */
import * as z from 'zod';
import { parseBoardLine } from '../../model/board/board-line.ts';
import { type BoardEvent } from '../../model/board/event.ts';
import { sightingRecordSchema, type SightingRecord } from '../../model/team/look-record.ts';
import { UsageError } from '../../model/text/errors.ts';
import { jsonOf } from '../../model/text/plain-fields.ts';
import { safeJson } from '../../model/text/safe-text.ts';
import { lookAt, realDisk } from '../files/disk.ts';
import { readText } from '../files/file.ts';
import { readSightings } from '../board/sightings.ts';
import type { TeamReader } from '../team/team-reader.ts';
import { rewriteUserFile } from '../user/user-file-writer.ts';

/** A record of the board's log, with its offset. */
export interface PlacedEvent {
  readonly at: number;
  readonly event: BoardEvent;
}

/** What is replayed. */
export interface Recording {
  readonly log: Iterable<PlacedEvent>;
  /** Undefined for a line that is no record. */
  readonly records: Iterable<SightingRecord | undefined>;
}

const caseSchema = z.object({
  version: z.literal(1),
  team: z.string(),
  log: z.array(z.object({ at: z.number().min(0), event: z.record(z.string(), z.json()) })),
  records: z.array(sightingRecordSchema.nullable()),
});

/**
 * What is recorded of a team.
 *
 * @throws UsageError `USAGE` if it was led by a version that recorded nothing
 */
export function recordingOf({ disk, paths, board }: TeamReader): Recording {
  if (lookAt(disk, paths.sightings) === undefined)
    throw new UsageError(
      'USAGE',
      `Team ${paths.name} has no recorded looks: it was never led, or by a version of teams that recorded none.`,
    );
  return { log: board.log.replay(), records: readSightings(disk, paths.sightings) };
}

/**
 * Writes a recording into a file of its own. It has the texts of the board's log.
 *
 * @throws UsageError `USAGE` as `rewriteUserFile`
 */
export function saveCase(store: TeamReader, file: string): void {
  const { log, records } = recordingOf(store);
  const listed = (values: readonly object[]): string => values.map((one) => safeJson(one)).join(',\n');
  const events = [...log].map(({ at, event }) => ({ at, event }));
  // A line that is no record stays one: it is counted again.
  const kept = [...records].map((record) => (record === undefined ? 'null' : safeJson(record))).join(',\n');
  const text = `{"version":1,"team":"${store.paths.name}","log":[\n${listed(events)}\n],"records":[\n${kept}\n]}\n`;
  rewriteUserFile(file, text);
}

/** @throws UsageError `USAGE` for a file that is no recorded run */
export function readCase(file: string): Recording {
  const parsed = caseSchema.safeParse(jsonIn(file));
  if (!parsed.success)
    throw new UsageError(
      'USAGE',
      `${file} is no recorded run of this version; \`teams replay TEAM --save-test FILE\` writes one.`,
    );
  const { log, records } = parsed.data;
  return {
    log: log.flatMap(({ at, event }): PlacedEvent[] => {
      const line = parseBoardLine(JSON.stringify(event));
      return line.kind === 'event' ? [{ at, event: line.event }] : [];
    }),
    records: records.map((record) => record ?? undefined),
  };
}

function jsonIn(file: string): unknown {
  const text = readText(realDisk, file);
  if (text !== undefined) return jsonOf(text);
  throw new UsageError('USAGE', `There is no file ${file}.`);
}
