/**
 * Writes a checkpoint: folds the log, from the last checkpoint on if there is one, on a board of its own, so that it
 * can pause anywhere; then writes all pages into a temporary file. The commit point is its rename. Pages that did not
 * change are copied.
 */
import { emptyBoard, type Board } from '../../../model/board/board.ts';
import { emptyPast, remember, type BoardPast } from '../../../model/past/board-past.ts';
import type { IdSet } from '../../../model/board/id-set.ts';
import type { Voucher } from '../../../model/board/vouched-commands.ts';
import { Doubt, replacePages } from '../../files/checked-pages.ts';
import type { Disk } from '../../files/disk.ts';
import type { Journal } from '../../files/journal.ts';
import { boardAt, coveredPart, openCheckpoint, pastAt, type Checkpoint, type LayeredBoard } from './checkpoint.ts';
import {
  bucketsFor,
  CHECKPOINT_FORMAT,
  hashOf,
  pageOf,
  storedPast,
  TASKS_A_PAGE,
  type CheckpointHeader,
} from './checkpoint-format.ts';
import { foldPart } from '../fold-line.ts';
import { NoiseRuns } from '../noise.ts';
import { Trail } from '../trail.ts';

/** Records that are folded, and pages that are written, between two pauses. */
const RECORDS = 100;
const PAGES = 16;
const ENTRIES = 1_000;
/** Instead of a page: a place to pause. */
const PAUSE = undefined;

const KIB = 1024;

/**
 * Folding 32 KiB costs half a verb. The checkpoint of a long log is written less often, because it is written whole.
 *
 * @param size of the log, in bytes
 * @returns how many bytes beyond the last checkpoint are worth a new one
 */
export function worthACheckpoint(size: number): number {
  const ofShort = Math.max(16 * KIB, Math.min(size / 8, 128 * KIB));
  return Math.max(ofShort, Math.min(size / 32, 1024 * KIB));
}

interface Place {
  readonly disk: Disk;
  readonly path: string;
  readonly journal: Journal;
  /** Bytes of the log beyond the last checkpoint that are worth a new one. */
  readonly worth: number;
}

/**
 * Writes the checkpoint at an offset of the log, unless the last one reaches almost as far. Each step takes a few
 * milliseconds.
 *
 * @param offset the end of a line; no line before it is of a newer version
 * @param options.isDoubted whether the last checkpoint is known to be damaged
 * @throws StoreError when the disk fails; the last checkpoint is then as it was
 */
export function* writeCheckpoint(place: Place, offset: number, { isDoubted = false } = {}): Generator<undefined> {
  const last = isDoubted ? undefined : lastCheckpoint(place);
  try {
    if (last !== undefined && offset - last.header.log.offset < place.worth) return;
    yield* write(place, offset, last);
  } catch (error) {
    // A page of the last checkpoint is damaged: nothing of it is used.
    if (!(error instanceof Doubt)) throw error;
    yield* write(place, offset, undefined);
  } finally {
    last?.close();
  }
}

function lastCheckpoint({ disk, path, journal }: Place): Checkpoint | undefined {
  try {
    return openCheckpoint(disk, path, journal);
  } catch (error) {
    if (error instanceof Doubt) return undefined;
    throw error;
  }
}

interface Snapshot {
  readonly board: Board;
  readonly past: BoardPast;
  readonly trail: Trail;
  /** What the pages of the last checkpoint have, and the board on them. */
  readonly last: { readonly checkpoint: Checkpoint; readonly board: LayeredBoard } | undefined;
}

function* write(place: Place, offset: number, checkpoint: Checkpoint | undefined): Generator<undefined> {
  const { disk, path, journal } = place;
  const last = checkpoint && { checkpoint, board: boardAt(checkpoint.base, checkpoint.header) };
  const board = last?.board ?? emptyBoard();
  const past = checkpoint ? pastAt(checkpoint.base, checkpoint.header) : emptyPast();
  const trail = new Trail((id) => checkpoint?.base.row(id));
  const noise = new NoiseRuns(checkpoint?.base.past().noise);
  const from = checkpoint?.header.log.offset ?? 0;
  let lastEvent = checkpoint?.header.lastEvent ?? '';
  let records = 0;
  for (const folded of foldPart(journal, board, { from, until: offset, noise })) {
    trail.add(board, folded);
    if (folded.outcome.ok) remember(past, board, folded.event, folded.outcome, folded.at);
    if (folded.event.id > lastEvent) lastEvent = folded.event.id;
    records += 1;
    if (records % RECORDS === 0) yield;
  }
  const log = coveredPart(journal, offset);
  if (log === undefined || board.team === undefined) return;
  const { team } = board;
  yield* replacePages(disk, path, function* (writer) {
    const snapshot = { board, past, trail, last };
    const pages = { tasks: 0, marks: 0, subjects: 0, seen: 0, lists: 0 };
    const parts = { tasks: taskPages, marks: markPages, subjects: subjectPages, seen: seenPages, lists: listPages };
    for (const part of ['tasks', 'marks', 'subjects', 'seen', 'lists'] as const)
      for (const page of parts[part](snapshot)) {
        if (page === PAUSE) {
          yield;
          continue;
        }
        writer.add(page);
        pages[part] += 1;
        if (pages[part] % PAGES === 0) yield;
      }
    writer.add(json([...board.requests.values()]));
    writer.add(json(vouchersWithTasks(board)));
    writer.add(json(storedPast(past, noise.take())));
    writer.finish(headerOf(board, team, { log, pages, lastEvent }));
  });
}

/** Each voucher once, with the tasks whose command it vouches for now. */
function vouchersWithTasks({ vouchers }: Board): [Voucher, string[]][] {
  const tasks = new Map<Voucher, string[]>();
  for (const [task, voucher] of vouchers) {
    const found = tasks.get(voucher);
    if (found === undefined) tasks.set(voucher, [task]);
    else found.push(task);
  }
  return [...tasks];
}

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

const headerOf = (
  board: Board,
  team: NonNullable<Board['team']>,
  { log, pages, lastEvent }: Pick<CheckpointHeader, 'log' | 'pages' | 'lastEvent'>,
): CheckpointHeader => ({
  format: CHECKPOINT_FORMAT,
  log,
  team,
  version: board.version,
  profile: board.profile,
  claimMode: board.claimMode,
  phase: board.phase,
  lead: board.lead,
  common: board.common,
  members: [...board.members.values()].map(({ prefixes, ...member }) => ({ ...member, prefixes: [...prefixes] })),
  busy: [...board.busy],
  tally: board.tally,
  lastTaskId: board.lastTaskId,
  lastEvent,
  lists: sortedLists(board).map(([name, ids]) => [name, ids.size]),
  open: [...board.open.values()],
  sizes: {
    waiting: board.waiting.size,
    unresolved: board.unresolved.size,
    unique: board.unique.size,
    seen: board.seen.size,
    requests: board.requests.size,
    vouchers: board.vouchers.size,
  },
  pages,
});

function* taskPages({ board, past, trail, last }: Snapshot): Generator<Buffer> {
  const touched = new Set<number>();
  if (last)
    for (const changed of [trail.changed(), last.board.waiting.changed(), last.board.unresolved.changed()])
      for (const id of changed) touched.add(pageOf(id));
  const copied = last?.checkpoint.header.pages.tasks ?? 0;
  for (let page = 0; page * TASKS_A_PAGE < board.lastTaskId; page += 1) {
    if (last && page < copied && !touched.has(page)) {
      yield last.checkpoint.base.bytes(page);
      continue;
    }
    const rows: unknown[] = [];
    for (let at = 1; at <= TASKS_A_PAGE; at += 1) {
      const id = String(page * TASKS_A_PAGE + at);
      const task = board.tasks.get(id);
      if (!task) break;
      const { at: places, named, moved = null } = trail.of(id);
      const given = past.given.get(id) ?? [];
      rows.push([task, board.waiting.get(id) ?? [], board.unresolved.get(id) ?? 0, given, places, named, moved]);
    }
    yield json(rows);
  }
}

function* markPages({ board, last }: Snapshot): Generator<Buffer | undefined> {
  const count = bucketsFor(board.unique.size);
  if (last?.checkpoint.header.pages.marks !== count) {
    for (const bucket of yield* bucketed(board.unique, count, ([mark]) => hashOf(mark))) yield json(bucket);
    return;
  }
  const { base, header } = last.checkpoint;
  const changed = new Set(last.board.unique.changed());
  const later = yield* bucketed(last.board.unique.later(), count, ([mark]) => hashOf(mark));
  const touched = new Set([...changed].map((mark) => hashOf(mark) % count));
  for (const [at, added] of later.entries())
    yield touched.has(at)
      ? json([...base.markBucket(at).filter(([mark]) => !changed.has(mark)), ...added])
      : base.bytes(header.pages.tasks + at);
}

function* subjectPages({ board, last }: Snapshot): Generator<Buffer | undefined> {
  const count = bucketsFor(board.lastTaskId);
  if (last?.checkpoint.header.pages.subjects !== count) {
    for (const bucket of yield* bucketed(subjects(board.tasks), count, ([hash]) => hash)) yield json(bucket);
    return;
  }
  const { base, header } = last.checkpoint;
  const later = yield* bucketed(subjects(last.board.tasks.later()), count, ([hash]) => hash);
  for (const [at, added] of later.entries()) {
    if (added.length === 0) {
      yield base.bytes(header.pages.tasks + header.pages.marks + at);
      continue;
    }
    const kept = base.subjectBucket(at);
    const known = new Set(kept.map(String));
    yield json([...kept, ...added.filter((entry) => !known.has(String(entry)))]);
  }
}

function* subjects(tasks: Iterable<[string, { readonly subject: string }]>): Generator<[number, string]> {
  for (const [id, { subject }] of tasks) yield [hashOf(subject), id];
}

function* seenPages({ board, last }: Snapshot): Generator<Buffer | undefined> {
  const count = bucketsFor(board.seen.size);
  const old = last?.checkpoint.header.pages.seen ?? 0;
  const later = yield* bucketed(last?.board.seen.later() ?? board.seen, count, hashOf);
  if (last && old !== count)
    for (let at = 0; at < old; at += 1)
      for (const id of last.checkpoint.base.seenBucket(at).split(','))
        if (id !== '') later[hashOf(id) % count]?.push(id);
  for (const [at, added] of later.entries()) {
    const kept = last && old === count ? last.checkpoint.base.seenBucket(at) : ',';
    yield Buffer.from(added.length === 0 ? kept : `${kept}${added.join(',')},`, 'latin1');
  }
}

/** In an order that depends on nothing but their names. */
const sortedLists = ({ lists }: Board): [string, IdSet][] => [...lists].sort(([a], [b]) => (a < b ? -1 : 1));

function* listPages({ board }: Snapshot): Generator<Buffer> {
  for (const [, ids] of sortedLists(board)) yield Buffer.from(ids.bytes());
}

function* bucketed<T>(entries: Iterable<T>, count: number, hash: (entry: T) => number): Generator<undefined, T[][]> {
  const buckets = Array.from({ length: count }, (): T[] => []);
  let passed = 0;
  for (const entry of entries) {
    buckets[hash(entry) % count]?.push(entry);
    passed += 1;
    if (passed % ENTRIES === 0) yield PAUSE;
  }
  return buckets;
}
