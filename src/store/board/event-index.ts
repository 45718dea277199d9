/**
 * An index of the event log, beside it: a summary of all events before a number, and where the latest events about each
 * subject are. It saves views the reading of a long past and nothing else: one that is damaged, half written, or of
 * another log is ignored and made anew.
 */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { eventSummarySchema, type EventSummary } from '../../model/team/event-summary.ts';
import { Doubt, PageReader, replacePages } from '../files/checked-pages.ts';
import type { Disk } from '../files/disk.ts';
import { bucketsFor, hashOf } from './checkpoint/checkpoint-format.ts';
import type { EventLogReader } from './events.ts';

/** Another number for another meaning of its pages; an index of another number is ignored. */
const INDEX_FORMAT = 2;

/** Entries and pages between two pauses of the writer. */
const ENTRIES = 1_000;
const PAGES = 16;

const whole = z.number().int().min(0);
const headerSchema = z.strictObject({
  format: z.literal(INDEX_FORMAT),
  /** Of the first event that is not covered. */
  end: whole,
  /** The last covered event: its number and a hash of its line. */
  last: z.strictObject({ at: whole, hash: z.string() }),
  /** Subjects, and the pages in which their places are; the summary is the page after them. */
  subjects: whole,
  buckets: whole,
});

/** Numbers of events about a subject. */
interface Places {
  readonly facts: readonly number[];
  readonly speech: readonly number[];
  readonly decision?: number | undefined;
  readonly turn?: number | undefined;
  readonly failed?: number | undefined;
}

const places = z.array(whole);
const place = whole.nullable();
const bucketSchema = z.array(z.tuple([z.string(), places, places, place, place, place]));
type Entry = z.infer<typeof bucketSchema>[number];

/** What an index is made of. */
interface IndexContent {
  readonly end: number;
  /** The number of the last event. */
  readonly last: number;
  readonly summary: EventSummary;
  /** The subjects whose places changed since the index before. */
  readonly places: ReadonlyMap<string, Places>;
}

type Lines = Pick<EventLogReader, 'lineAt'>;

export class EventIndex {
  /** The number of the first event that is not covered. */
  readonly end: number;
  readonly #file: PageReader;
  readonly subjects: number;
  readonly buckets: number;

  /** @throws Doubt when there is no index of this log that can be believed */
  constructor(disk: Disk, path: string, log: Lines) {
    this.#file = new PageReader(disk, path);
    try {
      const parsed = headerSchema.safeParse(this.#file.header);
      if (!parsed.success) throw new Doubt('another header');
      const { end, last, subjects, buckets } = parsed.data;
      if (this.#file.pages !== buckets + 1) throw new Doubt('pages are missing');
      if (hashOfLine(log.lineAt(last.at)) !== last.hash) throw new Doubt('of another log');
      this.end = end;
      this.subjects = subjects;
      this.buckets = buckets;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** @throws Doubt */
  summary(): EventSummary {
    return this.#parsed(eventSummarySchema, this.buckets);
  }

  /** @throws Doubt */
  placesOf(subject: string): Places | undefined {
    const found = this.bucket(hashOf(subject) % this.buckets).find(([one]) => one === subject);
    if (found === undefined) return undefined;
    const [, facts, speech, decision, turn, failed] = found;
    return { facts, speech, decision: decision ?? undefined, turn: turn ?? undefined, failed: failed ?? undefined };
  }

  bucket(at: number): Entry[] {
    return this.#parsed(bucketSchema, at);
  }

  /** A bucket as it is. */
  bytes(at: number): Buffer {
    return this.#file.page(at);
  }

  close(): void {
    this.#file.close();
  }

  #parsed<T>(schema: z.ZodType<T>, page: number): T {
    let value: unknown;
    try {
      value = JSON.parse(this.#file.page(page).toString('utf8'));
    } catch (error) {
      throw error instanceof Doubt ? error : new Doubt(`page ${page} is no JSON`, { cause: error });
    }
    const parsed = schema.safeParse(value);
    if (!parsed.success) throw new Doubt(`page ${page} has another form`);
    return parsed.data;
  }
}

const hashOfLine = (line: string | undefined): string | undefined =>
  line === undefined ? undefined : createHash('sha256').update(line).digest('base64');

/**
 * Writes an index.
 *
 * @param before the index that the events were folded on
 * @throws Doubt when a page of the index before is damaged; StoreError when the disk fails
 */
export function* writeEventIndex(
  { disk, path, log }: { readonly disk: Disk; readonly path: string; readonly log: Lines },
  { end, last, summary, places }: IndexContent,
  before: EventIndex | undefined,
): Generator<undefined> {
  const hash = hashOfLine(log.lineAt(last));
  if (hash === undefined) return;
  const { pages, subjects } = yield* pagesOf(places, before);
  yield* replacePages(disk, path, function* (writer) {
    for (const [at, page] of pages.entries()) {
      writer.add(page === UNCHANGED ? (before?.bytes(at) ?? json([])) : json(page));
      if (at % PAGES === PAGES - 1) yield;
    }
    writer.add(json(summary));
    writer.finish({ format: INDEX_FORMAT, end, last: { at: last, hash }, subjects, buckets: pages.length });
  });
}

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

/** Instead of a page: that of the index before. */
const UNCHANGED = undefined;

interface Pages {
  readonly pages: readonly (Entry[] | undefined)[];
  readonly subjects: number;
}

function* pagesOf(places: IndexContent['places'], before: EventIndex | undefined): Generator<undefined, Pages> {
  const entries = [...places].map(([subject, { facts, speech, decision, turn, failed }]): Entry => [
    subject,
    [...facts],
    [...speech],
    decision ?? null,
    turn ?? null,
    failed ?? null,
  ]);
  const count = before?.buckets ?? 0;
  const changed = yield* bucketed(entries, count);
  const pages: (Entry[] | undefined)[] = [];
  let subjects = before?.subjects ?? 0;
  for (const [at, added] of changed.entries()) {
    const subjectsOfPage = new Set(added.map(([subject]) => subject));
    const old = added.length === 0 ? [] : (before?.bucket(at) ?? []);
    const kept = old.filter(([subject]) => !subjectsOfPage.has(subject));
    subjects += kept.length + added.length - old.length;
    pages.push(added.length === 0 ? UNCHANGED : [...kept, ...added]);
    if (at % PAGES === PAGES - 1) yield;
  }
  if (before === undefined) subjects = entries.length;
  if (bucketsFor(subjects) === count) return { pages, subjects };
  const all = before === undefined ? entries : pages.flatMap((page, at) => page ?? before.bucket(at));
  return { pages: yield* bucketed(all, bucketsFor(subjects)), subjects };
}

function* bucketed(entries: readonly Entry[], count: number): Generator<undefined, Entry[][]> {
  const buckets = Array.from({ length: count }, (): Entry[] => []);
  for (const [at, entry] of entries.entries()) {
    buckets[hashOf(entry[0]) % count]?.push(entry);
    if (at % ENTRIES === ENTRIES - 1) yield;
  }
  return buckets;
}
