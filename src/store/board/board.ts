/**
 * The board on disk: `.tasks/<team>/log.jsonl`, folded. A change is: append an event, then fold past it; the fold says
 * whether the change won. This module decides nothing: the rules are in `model/board/advance.ts`.
 */
import type { AdvanceOutcome } from '../../model/board/advance.ts';
import { emptyBoard, type Board, type Refused } from '../../model/board/board.ts';
import { safeJson } from '../../model/text/safe-text.ts';
import { emptyPast, remember, type BoardPast } from '../../model/past/board-past.ts';
import { timestamp } from '../../model/text/clock.ts';
import { whyNotRecord } from '../../model/board/board-line.ts';
import { isTeamError, StoreError, UsageError } from '../../model/text/errors.ts';
import { LOG_VERSION, type Author, type BoardEvent, type Body } from '../../model/board/event.ts';
import { Doubt } from '../files/checked-pages.ts';
import { lookAt } from '../files/disk.ts';
import { Journal } from '../files/journal.ts';
import type { FileLine } from '../files/lines.ts';
import { newIds } from '../files/new-ids.ts';
import { boardAt, checkedBase, openCheckpoint, pastAt } from './checkpoint/checkpoint.ts';
import { worthACheckpoint, writeCheckpoint } from './checkpoint/checkpoint-writer.ts';
import { judged, parseLine, type Folded } from './fold-line.ts';
import { NoiseRuns, type NoiseRun } from './noise.ts';
import type { BoardEnvironment } from './board-environment.ts';
import { BoardLog, type FoldBeginning } from './board-log.ts';
import { isDurable, lostIdRace, newerLog, proofOf, raisesVersion, recordOf, replacedLog } from './record.ts';

/** A change that loses the race for a task id is tried again at most this often. */
const RACES = 10_000;

type Writer = Author | ((board: Board) => Author);
type Build = (board: Board) => Body | Refused;
interface AppendOptions {
  readonly vouches?: boolean;
}
type Answer = Folded | { readonly outcome: Refused };

interface MadeEvent {
  readonly body: Body;
  /** Its author is a person, who writes under the epoch of the board. */
  readonly hasReadEpoch: boolean;
  readonly event: BoardEvent;
}

export class BoardStore {
  readonly board: Board = emptyBoard();
  /** Up to where the board is folded; empty if it is not kept. */
  readonly past: BoardPast = emptyPast();
  /** The log, read again. */
  readonly log: BoardLog;
  readonly #journal: Journal;
  readonly #environment: BoardEnvironment;
  readonly #newId = newIds();
  readonly #replaced = (): Error => replacedLog(this.#journal.path);
  /** Records that are being written, with their outcomes once they are folded. */
  readonly #written = new Map<string, AdvanceOutcome | undefined>();
  #offset = 0;
  #isFolding = false;
  #noise = new NoiseRuns();
  /** How far the last checkpoint reaches, as far as this object knows. */
  #covered = 0;
  /** The checkpoint that this fold began at; undefined before the first fold, null when there was none. */
  #begun: FoldBeginning | null | undefined;

  constructor(log: string, environment: BoardEnvironment) {
    this.#journal = new Journal(environment.disk, log, { create: environment.create === true ? 'once' : false });
    this.#environment = environment;
    this.log = new BoardLog(
      this.#journal,
      () => this.fold(),
      () => this.#begun ?? undefined,
    );
  }

  /**
   * Folds what was appended since the last fold, up to the last newline.
   *
   * @throws StoreError `NEWER_VERSION` at an event of a newer program: this process must neither fold it nor act on the
   * board
   */
  fold(): Board {
    this.#foldOn(Infinity);
    return this.board;
  }

  /** Whether a fold would find nothing new. */
  isAtEnd(): boolean {
    return this.#journal.endsAt(this.#offset);
  }

  /**
   * Folds at most `most` lines: for a caller that lets other work run in between.
   *
   * @returns whether the end of the log was reached
   */
  foldSome(most: number): boolean {
    return this.#foldOn(most);
  }

  /**
   * Appends the change that `build` makes from the folded board, and folds to the end. If the change loses the race for
   * a task id, or if a person's was made under a lead that was replaced meanwhile, it is tried again. Other code of this
   * process may run before it returns if the order is not made here: who acts on a remembered board folds again.
   *
   * @param build returns the change, or its own refusal; called once per try, with the board folded to the end
   * @param options.vouches false for commands that are copied from one that this user did not vouch for
   * @returns the event, with its outcome at its place in the log. Later events may have undone it since: see `board`
   * @throws UsageError `USAGE` for a change that no reader would accept, before anything is written
   * @throws StoreError when the disk fails: it is then unknown whether the event is in the log; append the same change
   * again
   */
  async append(author: Writer, build: Build, options?: AppendOptions): Promise<Answer> {
    const { commit } = this.#environment;
    if (commit === undefined) return this.appendNow(author, build, options);
    for (let race = 0; ; race += 1) {
      const made = this.#made(author, build, options);
      if (!('event' in made)) return made;
      const outcome = await this.#committed(made.event, commit);
      if (!this.#isLost(made, outcome, race)) return { event: made.event, outcome };
    }
  }

  /** {@link append} to a log whose order is made by its file. */
  appendNow(author: Writer, build: Build, options?: AppendOptions): Answer {
    for (let race = 0; ; race += 1) {
      const made = this.#made(author, build, options);
      if (!('event' in made)) return made;
      const outcome = this.#write(made.event);
      if (!this.#isLost(made, outcome, race)) return { event: made.event, outcome };
    }
  }

  /** The bad lines that were read since the last call. Every process meets them; only the lead reports them. */
  takeNoise(): readonly NoiseRun[] {
    return this.#noise.take();
  }

  /** {@link past}; undefined if it is not kept. */
  get keptPast(): BoardPast | undefined {
    return this.#environment.keepsPast === true ? this.past : undefined;
  }

  /** How far the log is folded, in bytes. */
  get offset(): number {
    return this.#offset;
  }

  /**
   * Writes a checkpoint of what is folded, if that is so much more than the last one covers that folding it anew costs
   * more than a verb. A checkpoint saves time and nothing else: that it cannot be written is no error.
   *
   * @returns steps of a few milliseconds each
   */
  *checkpointed(): Generator<undefined> {
    const { checkpoint: place, disk, pinned } = this.#environment;
    const isDoubted = this.#begun?.base.isDoubted === true;
    const offset = this.#offset;
    const worth = place?.worth ?? worthACheckpoint(offset);
    if (place === undefined || (!isDoubted && offset - this.#covered < worth)) return;
    this.#covered = offset;
    try {
      pinned?.check();
      yield* writeCheckpoint({ disk, path: place.path, journal: this.#journal, worth }, offset, { isDoubted });
    } catch (error) {
      if (!isTeamError(error)) throw error;
    }
  }

  close(): void {
    this.#begun?.checkpoint.close();
    this.#journal.close();
  }

  #made(author: Writer, build: Build, { vouches = true }: AppendOptions = {}): MadeEvent | { outcome: Refused } {
    const board = this.fold();
    const body = build(board);
    if ('ok' in body) return { outcome: body };
    const id = this.#newId(this.#environment.clock.now());
    const by = typeof author === 'function' ? author(board) : author;
    // A member's process vouches for nothing.
    const proof = 'by' in by || !vouches ? {} : proofOf(board, id, body, this.#environment.vouch);
    const v = raisesVersion(body) ? LOG_VERSION : board.version;
    const at = timestamp(this.#environment.clock.now());
    // A lead that was replaced stays so; a person goes on under the next one.
    const hasReadEpoch = typeof author === 'function' && 'person' in by;
    const event = { ...body, id, v, at, author: by, ...proof };
    const why = whyNotRecord(body, () => safeJson(recordOf(event)));
    if (why !== undefined) throw new UsageError('USAGE', why);
    return { body, hasReadEpoch, event };
  }

  #isLost({ body, hasReadEpoch }: MadeEvent, outcome: AdvanceOutcome, race: number): boolean {
    if (outcome.ok || race >= RACES) return false;
    return lostIdRace(this.board, outcome, body) || (hasReadEpoch && outcome.code === 'STALE_LEAD');
  }

  async #committed(event: BoardEvent, commit: (line: string) => Promise<void>): Promise<AdvanceOutcome> {
    this.#environment.pinned?.check();
    this.#written.set(event.id, undefined);
    try {
      await commit(safeJson(recordOf(event)));
      return this.#outcomeOf(event);
    } finally {
      this.#written.delete(event.id);
    }
  }

  #write(event: BoardEvent): AdvanceOutcome {
    this.#environment.pinned?.check();
    const record = recordOf(event);
    const durable = isDurable(event);
    this.#written.set(event.id, undefined);
    try {
      this.#appendRecord(record, durable);
      // Whoever moved the folder away in between may have read the log before.
      this.#environment.pinned?.check();
      return this.#outcomeOf(event);
    } finally {
      this.#written.delete(event.id);
    }
  }

  #appendRecord(record: object, durable: boolean): void {
    try {
      this.#journal.append(record, { durable });
    } catch (error) {
      if (!isTeamError(error) || error.code === 'TEAM_GONE') throw error;
      // It is unknown whether the record was written: write the same record again, on a new descriptor. The fold counts
      // it once.
      this.#journal.append(record, { durable });
    }
  }

  /** Folds to the end, unless it was folded meanwhile. */
  #outcomeOf({ id }: BoardEvent): AdvanceOutcome {
    this.fold();
    const outcome = this.#written.get(id);
    if (outcome) return outcome;
    throw new StoreError('CORRUPT', `An event appended to ${this.#journal.path} cannot be read back.`, {
      path: this.#journal.path,
    });
  }

  /**
   * @returns whether the end of the log was reached
   * @throws StoreError `TEAM_GONE` when the part that was folded is another one now
   */
  #foldOn(most: number): boolean {
    if (this.#isFolding) throw new Error('onFolded may not fold or append; do it after the fold.');
    this.#isFolding = true;
    try {
      if (this.#begun === undefined) this.#begin();
      try {
        return this.#foldFurther(most);
      } finally {
        this.#journal.remember(this.#offset);
      }
    } finally {
      this.#isFolding = false;
    }
  }

  #foldFurther(most: number): boolean {
    let count = 0;
    const end = this.#journal.follow(this.#offset, this.#replaced, (line) => {
      // The next call reads this line again.
      if (count >= most) return false;
      count += 1;
      this.#takeLine(line);
      return true;
    });
    if (end === undefined) return false;
    this.#offset = end;
    return true;
  }

  #takeLine(line: FileLine): void {
    const folded = this.#foldLine(line);
    if (folded === undefined) return;
    const { event, outcome } = folded;
    if (this.#environment.keepsPast === true && outcome.ok) remember(this.past, this.board, event, outcome, line.at);
    if (this.#written.size > 0 && this.#written.has(event.id)) this.#written.set(event.id, outcome);
    this.#environment.onFolded?.(folded);
  }

  /** Begins at the checkpoint, if there is one of this log. */
  #begin(): void {
    this.#begun = null;
    const { checkpoint: place, disk, onFolded, keepsPast = false, isFromCheckpoint = false } = this.#environment;
    if (place === undefined || (onFolded !== undefined && !isFromCheckpoint)) return;
    const size = this.#journal.look()?.size ?? 0;
    if (size < (place.worth ?? worthACheckpoint(size)) || !lookAt(disk, place.path)) return;
    try {
      const checkpoint = openCheckpoint(disk, place.path, this.#journal);
      const base = checkedBase(this.#journal, checkpoint);
      this.#begun = { checkpoint, base };
      if (keepsPast) {
        Object.assign(this.past, pastAt(base, checkpoint.header));
        this.#noise = new NoiseRuns(base.past().noise);
      }
      Object.assign(this.board, boardAt(base, checkpoint.header));
      this.#offset = checkpoint.header.log.offset;
      this.#covered = this.#offset;
    } catch (error) {
      if (!(error instanceof Doubt)) throw error;
    }
  }

  /** Judges one line; undefined for noise, and for a record that was appended twice and is judged already. */
  #foldLine(line: FileLine): Folded | undefined {
    const parsed = parseLine(line);
    if (parsed.kind === 'newer') throw newerLog(this.#journal.path, parsed.version);
    this.#offset = line.end;
    if (parsed.kind === 'event') {
      this.#noise.endRun();
      return judged(this.board, parsed.event);
    }
    this.#noise.add(line, parsed.why);
    return undefined;
  }
}
