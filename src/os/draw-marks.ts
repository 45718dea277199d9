/**
 * Draws marks. A top-level lead gives each start a block of 2^16 limits of RLIMIT_LOCKS, at random from 2^36 blocks: so
 * many that nothing needs to be reserved or looked for. A block's last value is the program's limit; its first value is
 * never used. A process whose own limit is a mark draws single unused values below it, so that the outer mark covers
 * what it starts.
 *
 * An own limit of locks that is finite and no mark was set by an administrator and cannot be raised. There the limit is
 * RLIMIT_MSGQUEUE, with blocks of 256 of some thousand: a draw leaves out what running processes have, what this
 * process has drawn, and what the caller knows to be recorded. A match by such a limit is weaker (`sweep.ts`).
 */
import { randomInt } from 'node:crypto';
import { BLOCK, LOCK_MARKS, type LimitRange, type Mark, type MarkResource } from '../model/agent/process-mark.ts';
import { ENV } from '../model/text/environment.ts';
import { prlimitPath } from './mark-environment.ts';
import { processes } from './process-table.ts';
import type { ProcessTable } from './process-reading.ts';

/** A whole number of [from, to). */
type Random = (from: number, to: number) => number;

/** Marks that a draw must leave out; asked only where the values are few. */
type Recorded = () => readonly Mark[];

/** The largest msgqueue limit that is used; above it a limit counts as unlimited. */
const MOST_MSGQUEUE = 2 ** 30;
/** `crypto.randomInt` takes at most this range. */
const MOST_RANDOM = 2 ** 48 - 1;

/** Draws the marks of one process. A value is given out again only after {@link giveBack}. */
export class MarkSource {
  readonly #table: ProcessTable;
  readonly #random: Random;
  readonly #inUse = new Set<Mark>();

  constructor(table: ProcessTable = processes, random: Random = randomInt) {
    this.#table = table;
    this.#random = random;
  }

  /**
   * Draws marks for `count` starts. If limits cannot be used (no prlimit, no /proc, no value left), a mark has only the
   * environment.
   *
   * @param run the run's ULID
   */
  draw(count: number, run: string, recorded: Recorded = () => []): Mark[] {
    const table = this.#table;
    const self = table.stat(table.self);
    // A process that cannot read its own start time cannot tell older processes from its own: then nothing matches.
    const since = typeof self === 'string' ? Number.MAX_SAFE_INTEGER : Number(self.startTime);
    const limits = prlimitPath() === undefined ? [] : this.#limits(count, recorded);
    return Array.from({ length: count }, (_, position) => {
      const id = `${run}-${table.self}-${since}-${this.#random(0, MOST_RANDOM).toString(36)}`;
      const evidence = { id, run, since, bootId: table.bootId() };
      const limit = limits[position];
      const mark: Mark =
        limit === undefined ? { kind: 'environment', ...evidence } : { kind: 'limit', ...evidence, ...limit };
      this.#inUse.add(mark);
      return mark;
    });
  }

  /** No process carries the mark any more. */
  giveBack(mark: Mark): void {
    this.#inUse.delete(mark);
  }

  /** The limits of `count` new marks; fewer if no more values are free. */
  #limits(count: number, recorded: Recorded): LimitRange[] {
    const own = this.#table.limits(this.#table.self);
    if (typeof own === 'string') return [];
    if (own.locks === Infinity) return this.#blocks('locks', count, LOCK_MARKS, new Set(this.#held([...this.#inUse])));
    const isMark = LOCK_MARKS.from < own.locks && own.locks < LOCK_MARKS.to;
    const resource = isMark ? 'locks' : 'msgqueue';
    const top = isMark ? own.locks : Math.min(own.msgqueue, MOST_MSGQUEUE);
    const [width, taken] = [BLOCK[resource], this.#taken(resource, recorded)];
    if (!isMark && top % width === 0) return this.#blocks(resource, count, { from: width, to: top }, taken);
    const from = Math.floor(top / width) * width + 1;
    const free = top < width ? [] : this.#free(count, { from, to: top }, taken);
    return free.map((value) => ({ resource, low: value, high: value, value }));
  }

  /** Whole blocks of [from, to) that contain no taken value. */
  #blocks(
    resource: MarkResource,
    count: number,
    { from, to }: { readonly from: number; readonly to: number },
    taken: ReadonlySet<number>,
  ): LimitRange[] {
    const width = BLOCK[resource];
    const takenBlocks = new Set([...taken].map((value) => Math.floor(value / width)));
    const free = this.#free(count, { from: from / width, to: to / width }, takenBlocks);
    return free.map((block) => {
      const high = block * width + width - 1;
      return { resource, low: block * width + 1, high, value: high };
    });
  }

  /** Free numbers of [from, to); each search goes upwards from a random one and continues at the start after the end. */
  #free(
    count: number,
    { from, to }: { readonly from: number; readonly to: number },
    taken: ReadonlySet<number>,
  ): number[] {
    const drawn = new Set<number>();
    while (drawn.size < count) {
      const next = from < to ? this.#oneFree(from, to, (value) => taken.has(value) || drawn.has(value)) : undefined;
      if (next === undefined) break;
      drawn.add(next);
    }
    return [...drawn];
  }

  #oneFree(from: number, to: number, isTaken: (value: number) => boolean): number | undefined {
    const start = this.#random(from, to);
    for (let step = 0; step < to - from; step += 1) {
      const candidate = from + ((start - from + step) % (to - from));
      if (!isTaken(candidate)) return candidate;
    }
    return undefined;
  }

  /** Values of running processes, of this process's marks and of recorded ones. */
  #taken(resource: MarkResource, recorded: Recorded): Set<number> {
    const running = this.#table.list().flatMap((pid) => {
      const limits = this.#table.limits(pid);
      return typeof limits === 'string' ? [] : [limits[resource]];
    });
    const here = recorded().filter((mark) => mark.bootId === this.#table.bootId());
    return new Set([...running, ...this.#held([...this.#inUse, ...here], resource)]);
  }

  #held(marks: readonly Mark[], resource: MarkResource = 'locks'): number[] {
    return marks.flatMap((mark) => (mark.kind === 'limit' && mark.resource === resource ? [mark.value] : []));
  }
}

/** The marks that this process draws. */
export const marks = new MarkSource();

/** The process that drew the mark which an environment names, by pid and start time; undefined if it names none. */
export function drawerOf(environ: readonly string[]): { readonly pid: number; readonly startTime: string } | undefined {
  const id = environ.find((entry) => entry.startsWith(`${ENV.mark}=`));
  const [, pid, startTime = ''] = /-(\d+)-(\d+)-[0-9a-z]+$/.exec(id ?? '') ?? [];
  return pid === undefined ? undefined : { pid: Number(pid), startTime };
}
