/**
 * A checkpoint of the fold, beside the log: the board at an offset of the log, in pages. A reader takes from it only
 * what it needs, and folds the rest of the log. The log stays the only truth: a checkpoint that is damaged, half
 * written, or of another log is ignored, and so is a page that does not fit its checksum.
 */
import { createHash } from 'node:crypto';
import { emptyBoard, type Board, type TaskMap } from '../../../model/board/board.ts';
import { emptyPast, remember, type BoardPast } from '../../../model/past/board-past.ts';
import { IdSet } from '../../../model/board/id-set.ts';
import type { Request } from '../../../model/board/request.ts';
import type { Task } from '../../../model/board/task.ts';
import type { Voucher } from '../../../model/board/vouched-commands.ts';
import type { Name } from '../../../model/text/names.ts';
import { readBy } from '../../../model/text/plain-fields.ts';
import { Doubt, PageReader } from '../../files/checked-pages.ts';
import type { Disk } from '../../files/disk.ts';
import type { Journal } from '../../files/journal.ts';
import { CheckedBase, type Refolded } from './checked-base.ts';
import { PagedBase, type Base } from './checkpoint-base.ts';
import type { Covered, CheckpointHeader } from './checkpoint-format.ts';
import { checkpointForms } from './checkpoint-forms.ts';
import { foldPart } from '../fold-line.ts';
import { NoiseRuns } from '../noise.ts';
import { Trail } from '../trail.ts';
import { LayeredMap, LayeredSet, type BaseLayer } from './layered.ts';

/** Bytes at both ends of the covered part that are compared. */
const COMPARED = 4_096;
const NEWLINE = 10;

export interface Checkpoint {
  readonly header: CheckpointHeader;
  readonly base: PagedBase;
  close(): void;
}

/** @throws Doubt when there is no checkpoint of this log that can be believed */
export function openCheckpoint(disk: Disk, path: string, journal: Journal): Checkpoint {
  const file = new PageReader(disk, path);
  try {
    const header = readBy(checkpointForms.header, file.header);
    if (header === undefined) throw new Doubt('another header');
    if (!isSame(coveredPart(journal, header.log.offset), header.log)) throw new Doubt('of another log');
    return { header, base: new PagedBase(file, header), close: () => file.close() };
  } catch (error) {
    file.close();
    throw error;
  }
}

/** What tells the log's part before an offset from that of another log. */
export function coveredPart(journal: Journal, offset: number): Covered | undefined {
  const log = journal.look();
  if (log === undefined || log.size < offset || offset === 0) return undefined;
  const length = Math.min(offset, COMPARED);
  const end = journal.bytes(offset - length, length);
  if (end.at(-1) !== NEWLINE) return undefined;
  return { offset, ino: log.ino, first: digest(journal.bytes(0, length)), last: digest(end) };
}

const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('base64');

const isSame = (now: Covered | undefined, then: Covered): boolean =>
  now?.ino === then.ino && now.first === then.first && now.last === then.last;

/** Folds the covered part anew, for a checkpoint of which a page is doubted. */
function refold(journal: Journal, until: number): Refolded {
  const board = emptyBoard();
  const past = emptyPast();
  const trail = new Trail();
  const noise = new NoiseRuns();
  for (const folded of foldPart(journal, board, { until, noise })) {
    trail.add(board, folded);
    if (folded.outcome.ok) remember(past, board, folded.event, folded.outcome, folded.at);
  }
  return { board, past, noise: noise.take(), trail };
}

/** Answers about the covered part; never doubted. */
export const checkedBase = (journal: Journal, { base, header }: Checkpoint): CheckedBase =>
  new CheckedBase(base, () => refold(journal, header.log.offset));

class LayeredTasks extends LayeredMap<Task> implements TaskMap {
  readonly #withSubject: (subject: string) => Iterable<string>;

  constructor(base: Base, layer: BaseLayer<Task>) {
    super(layer);
    this.#withSubject = (subject) => base.withSubject(subject);
  }

  *withSubject(subject: string): Generator<string> {
    yield* this.#withSubject(subject);
    for (const [id, task] of this.later()) if (task.subject === subject) yield id;
  }
}

/** The parts of a board that a checkpoint backs. */
export interface LayeredBoard extends Board {
  readonly tasks: LayeredTasks;
  readonly waiting: LayeredMap<string[]>;
  readonly unresolved: LayeredMap<number>;
  readonly unique: LayeredMap<string>;
  readonly requests: LayeredMap<Request>;
  readonly seen: LayeredSet;
  readonly vouchers: LayeredMap<Voucher>;
}

interface LayeredPast extends BoardPast {
  readonly given: LayeredMap<readonly Name[]>;
}

/** The board at the checkpoint's offset. Each call gives one of its own. */
export function boardAt(base: Base, header: CheckpointHeader): LayeredBoard {
  const { sizes, lastTaskId } = header;
  const layer = <V>(size: number, get: (id: string) => V | undefined): BaseLayer<V> => ({
    size,
    get,
    *keys() {
      for (let id = 1; id <= lastTaskId; id += 1) if (get(String(id)) !== undefined) yield String(id);
    },
  });
  // A copy: the fold adds to the array that it gets.
  const waiting = (id: string): string[] | undefined => some(base.row(id)?.waiting)?.slice();
  return {
    team: header.team,
    version: header.version,
    profile: header.profile,
    claimMode: header.claimMode,
    phase: header.phase,
    lead: header.lead,
    common: header.common,
    members: new Map(header.members.map((member) => [member.name, member])),
    tasks: new LayeredTasks(
      base,
      layer(lastTaskId, (id) => base.row(id)?.task),
    ),
    busy: new Map(header.busy),
    waiting: new LayeredMap(layer(sizes.waiting, waiting)),
    unresolved: new LayeredMap(layer(sizes.unresolved, (id) => positive(base.row(id)?.unresolved))),
    tally: header.tally,
    unique: new LayeredMap({ size: sizes.unique, get: (mark) => base.mark(mark), keys: () => base.marks() }),
    lastTaskId,
    lists: new Map(
      header.lists.map(([name, length]) => [name, new IdSet({ size: length, load: () => base.list(name) })]),
    ),
    requests: new LayeredMap({
      size: sizes.requests,
      get: (id) => (sizes.requests === 0 ? undefined : base.requests().get(id)),
      keys: () => base.requests().keys(),
    }),
    vouchers: new LayeredMap({
      size: sizes.vouchers,
      get: (task) => (sizes.vouchers === 0 ? undefined : base.vouchers().get(task)),
      keys: () => base.vouchers().keys(),
    }),
    open: new Map(header.open.map((request) => [request.id, request])),
    seen: new LayeredSet({ size: sizes.seen, has: (event) => base.has(event) }),
  };
}

/** The past of the board at the checkpoint's offset. Each call gives one of its own. */
export function pastAt(base: Base, { lastTaskId }: CheckpointHeader): LayeredPast {
  const { members, held, unblocked, depth, trace } = base.past();
  return {
    members: new Map(members),
    held: new Map(held),
    unblocked: new Map(unblocked),
    given: new LayeredMap({ size: lastTaskId, get: (id) => base.row(id)?.given, keys: () => [] }),
    depth,
    trace: Object.assign({}, trace, { members: new Map(trace.members) }),
  };
}

const some = (ids: string[] | undefined): string[] | undefined => (ids?.length === 0 ? undefined : ids);

const positive = (count = 0): number | undefined => (count > 0 ? count : undefined);
