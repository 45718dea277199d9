/** What a checkpoint answers about the part of the log that it covers, from the pages of its file. */
import { isDeepStrictEqual } from 'node:util';
import type { Request } from '../../../model/board/request.ts';
import { isExecutable, type Task } from '../../../model/board/task.ts';
import type { TaskCommand, Voucher } from '../../../model/board/vouched-commands.ts';
import type { Name } from '../../../model/text/names.ts';
import { readBy, type DocumentForm } from '../../../model/text/plain-fields.ts';
import { Doubt, type PageReader } from '../../files/checked-pages.ts';
import { hashOf, pageOf, TASKS_A_PAGE, type CheckpointHeader, type StoredPast } from './checkpoint-format.ts';
import { checkpointForms } from './checkpoint-forms.ts';
import type { TaskPlaces } from '../trail.ts';

/** A task with what the board knows about it. */
export interface BaseRow extends TaskPlaces {
  readonly task: Task;
  /** Ids of the tasks that wait for it. */
  readonly waiting: string[];
  /** How many of its blockers are unresolved. */
  readonly unresolved: number;
  /** The members that ever owned or claimed it. */
  readonly given: readonly Name[];
}

export interface Base {
  row(id: string): BaseRow | undefined;
  /** The task with a value that must be unique: see `Board.unique`. */
  mark(text: string): string | undefined;
  marks(): Iterable<string>;
  /** Ids of all tasks with this subject, and perhaps of others. */
  withSubject(subject: string): Iterable<string>;
  /** Whether the record with this id was judged. */
  has(event: string): boolean;
  requests(): ReadonlyMap<string, Request>;
  /** By task: see `Board.vouchers`. */
  vouchers(): ReadonlyMap<string, Voucher>;
  /** A list of tasks, as its bytes: see `Board.lists`. */
  list(name: string): Uint8Array;
  past(): StoredPast;
}

/** The pages behind the lists: requests, vouchers, the past. */
const LAST_PAGES = 3;

/** Parsed pages of tasks that are kept: a walk over the board needs one at a time. */
const KEPT_PAGES = 128;

/** Answers from pages. Throws a {@link Doubt} for one that is not what was written. */
export class PagedBase implements Base {
  readonly #file: PageReader;
  readonly #header: CheckpointHeader;
  readonly #rows = new Map<number, BaseRow[]>();
  #requests: ReadonlyMap<string, Request> | undefined;
  #vouchers: ReadonlyMap<string, Voucher> | undefined;
  #given: ReadonlyMap<string, TaskCommand> | undefined;

  constructor(file: PageReader, header: CheckpointHeader) {
    const { tasks, marks, subjects, seen, lists } = header.pages;
    const all = tasks + marks + subjects + seen + lists + LAST_PAGES;
    if (all !== file.pages || lists !== header.lists.length) throw new Doubt('pages are missing');
    this.#file = file;
    this.#header = header;
  }

  row(id: string): BaseRow | undefined {
    const number = Number(id);
    if (!(number >= 1 && number <= this.#header.lastTaskId)) return undefined;
    const row = this.rows(pageOf(id))[(number - 1) % TASKS_A_PAGE];
    // `007` is no id, and neither is `1.5`.
    return row?.task.id === id ? row : undefined;
  }

  rows(page: number): BaseRow[] {
    const kept = this.#rows.get(page);
    if (kept) return kept;
    const rows = this.#parsed(checkpointForms.rows, page).map(
      ([task, waiting, unresolved, given, at, named, moved]): BaseRow => ({
        task: Object.freeze(task),
        waiting,
        unresolved,
        given,
        at,
        named,
        moved: moved ?? undefined,
      }),
    );
    if (!rows.every(({ task }) => this.#isGiven(task))) throw new Doubt('a task has a command that no record gave it');
    const [oldest] = this.#rows.keys();
    if (oldest !== undefined && this.#rows.size >= KEPT_PAGES) this.#rows.delete(oldest);
    this.#rows.set(page, rows);
    return rows;
  }

  mark(text: string): string | undefined {
    return this.markBucket(hashOf(text) % this.#header.pages.marks).find(([mark]) => mark === text)?.[1];
  }

  *marks(): Generator<string> {
    for (let at = 0; at < this.#header.pages.marks; at += 1) for (const [mark] of this.markBucket(at)) yield mark;
  }

  markBucket(at: number): [string, string][] {
    return this.#parsed(checkpointForms.marks, this.#header.pages.tasks + at);
  }

  withSubject(subject: string): Iterable<string> {
    const hash = hashOf(subject);
    return this.subjectBucket(hash % this.#header.pages.subjects).flatMap(([one, id]) => (one === hash ? id : []));
  }

  subjectBucket(at: number): [number, string][] {
    const { tasks, marks } = this.#header.pages;
    return this.#parsed(checkpointForms.subjects, tasks + marks + at);
  }

  has(event: string): boolean {
    // Ids begin with their time, so that a new record is mostly the greatest.
    if (event > this.#header.lastEvent) return false;
    return this.seenBucket(hashOf(event) % this.#header.pages.seen).includes(`,${event},`);
  }

  /** The ids of a bucket, each between commas. */
  seenBucket(at: number): string {
    const { tasks, marks, subjects } = this.#header.pages;
    return this.#file.page(tasks + marks + subjects + at).toString('latin1');
  }

  requests(): ReadonlyMap<string, Request> {
    this.#requests ??= new Map(
      this.#parsed(checkpointForms.requests, this.#file.pages - 3).map((request) => [request.id, request]),
    );
    return this.#requests;
  }

  vouchers(): ReadonlyMap<string, Voucher> {
    this.#vouchers ??= new Map(
      this.#parsed(checkpointForms.vouchers, this.#file.pages - 2).flatMap(([voucher, tasks]) =>
        tasks.map((task) => [task, voucher] as const),
      ),
    );
    return this.#vouchers;
  }

  /** What vouches for a command is checked by its record: a task must have the command that its record gave. */
  #isGiven({ id, work }: Task): boolean {
    if (!isExecutable(work)) return true;
    const { run, verify, env } = work;
    return isDeepStrictEqual(this.#commands().get(id), { task: id, run, verify, env });
  }

  /** By task: the command that its last record with one gave it. */
  #commands(): ReadonlyMap<string, TaskCommand> {
    if (this.#given !== undefined) return this.#given;
    const vouchers = this.vouchers();
    const given = [...new Set(vouchers.values())].flatMap((voucher) =>
      voucher.commands.flatMap(({ task, run, verify, env }): [string, TaskCommand][] =>
        vouchers.get(task) === voucher ? [[task, { task, run, verify, env }]] : [],
      ),
    );
    return (this.#given = new Map(given));
  }

  list(name: string): Uint8Array {
    const at = this.#header.lists.findIndex(([list]) => list === name);
    return at < 0 ? new Uint8Array() : this.#file.page(this.#file.pages - LAST_PAGES - this.#header.pages.lists + at);
  }

  past(): StoredPast {
    return this.#parsed(checkpointForms.past, this.#file.pages - 1);
  }

  /** The bytes of a page of tasks, as they are. */
  bytes(page: number): Buffer {
    return this.#file.page(page);
  }

  #parsed<T>(form: DocumentForm<T>, page: number): T {
    const text = this.#file.page(page).toString('utf8');
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      throw new Doubt(`page ${page} is no JSON`, { cause: error });
    }
    const read = readBy(form, value);
    if (read === undefined) throw new Doubt(`page ${page} has another form`);
    return read;
  }
}
