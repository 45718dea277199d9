/**
 * The log of a team in a replica, its ledger, or that of the user's day: the engine's records in their order, each `"\n" + line + "\n"`, and nothing else. The
 * engine keeps them safe, so nothing is synced here: what a crash of this machine cuts off is written again, with the
 * same bytes at the same place.
 */
import { StoreError } from '../../model/text/errors.ts';
import { O_APPEND, O_CREAT, O_WRONLY, type Disk } from '../files/disk.ts';
import { openSeen, using, writeWhole } from '../files/file.ts';
import { Journal } from '../files/journal.ts';

export class Replica {
  readonly id: string;
  readonly #disk: Disk;
  readonly #what: string;
  readonly #path: string;
  readonly #create: boolean;
  #number = 0;
  #end = 0;
  #line: string | undefined;
  /** The beginning of a record that a crash cut off. */
  #torn = Buffer.alloc(0);

  /**
   * Reads the existing file.
   *
   * @param id of the team in the store, or the day
   * @param at.what it is of, for people
   * @param at.create whether the first record may make it
   */
  constructor(disk: Disk, id: string, at: { readonly what: string; readonly path: string; readonly create?: boolean }) {
    this.#disk = disk;
    this.#what = at.what;
    this.#path = at.path;
    this.#create = at.create ?? false;
    this.id = id;
    this.#read();
  }

  /** The number and the text of the last whole record. */
  get position(): { readonly number: number; readonly line: string | undefined } {
    return { number: this.#number, line: this.#line };
  }

  /** Where the last whole record ends, in bytes. */
  get end(): number {
    return this.#end;
  }

  /**
   * @param lines the records behind {@link position}
   * @throws StoreError `ENGINE_DIVERGED` if the log has begun another record; `NO_SPACE`, `IO`, `READ_ONLY`
   */
  append(lines: readonly string[]): void {
    if (lines.length === 0) return;
    const bytes = Buffer.from(lines.map((line) => `\n${line}\n`).join(''));
    if (!bytes.subarray(0, this.#torn.length).equals(this.#torn)) throw this.diverged();
    try {
      using(this.#disk, openSeen(this.#disk, this.#path, O_WRONLY | O_APPEND | (this.#create ? O_CREAT : 0)).fd, (fd) =>
        writeWhole(this.#disk, fd, bytes.subarray(this.#torn.length), this.#path),
      );
    } catch (error) {
      this.#read();
      throw error;
    }
    this.#torn = Buffer.alloc(0);
    this.#number += lines.length;
    this.#end += bytes.length;
    this.#line = lines.at(-1);
  }

  diverged(): StoreError {
    return new StoreError(
      'ENGINE_DIVERGED',
      `The store does not have record ${String(this.#number)} of ${this.#what} as this machine has read it: a failover has lost acknowledged records, and nothing is written from here any more. \`teams resume --from-engine\` takes what the store has; what only this machine has is kept and named.`,
      { path: this.#path },
    );
  }

  #read(): void {
    const journal = new Journal(this.#disk, this.#path, { create: this.#create });
    try {
      [this.#number, this.#line, this.#end] = [0, undefined, 0];
      for (const line of journal.read()) {
        if (line.kind !== 'text') throw this.diverged();
        [this.#number, this.#line, this.#end] = [this.#number + 1, line.text, line.end];
      }
      const size = journal.look()?.size ?? 0;
      this.#torn = Buffer.from(journal.bytes(this.#end, size - this.#end));
    } finally {
      journal.close();
    }
  }
}
