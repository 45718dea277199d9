/**
 * The few files that are replaced whole: config, state, process records. Each is read through its schema, changed by
 * `update(current => ({ next, result }))` under its lock, and stamped with a version and, where it has one, a seal.
 * Replacing costs a disk flush: never do it on a hot path.
 */
import { randomBytes } from 'node:crypto';
import type * as z from 'zod';
import { isTeamError, StoreError } from '../../model/text/errors.ts';
import type { Disk } from '../files/disk.ts';
import { readText, replaceFile } from '../files/file.ts';
import type { TeamLock } from '../files/paths.ts';
import { badPlace, lineAndColumn } from '../files/json-place.ts';
import type { Locks } from './lock.ts';
import type { PinnedDirectory } from '../files/pinned.ts';
import type { Seal } from '../user/seal.ts';

export const DOCUMENT_VERSION = 1;

interface DocumentEnvironment<Shape> {
  readonly disk: Disk;
  readonly path: string;
  readonly schema: z.ZodType<Shape>;
  readonly lock: string | TeamLock;
  readonly locks: Locks;
  readonly pinned?: PinnedDirectory;
  readonly seal?: Seal;
  /** The ULID of its team, which goes into a sealed document: the seal of one holds in no other team. */
  readonly team?: () => string | undefined;
  /**
   * Replaces it where its order is made elsewhere.
   *
   * @returns false if it was another one than `before`, which is on disk then
   */
  readonly share?: ((before: string, next: string) => Promise<boolean>) | undefined;
  /** It is there as long as its directory is: one that is missing was removed, and does not read as none. */
  readonly isKept?: true;
  /** What it says can be lost: one that cannot be read counts as none, and the next change replaces it. */
  readonly isExpendable?: true;
}

export class Document<Shape extends object> {
  readonly #environment: DocumentEnvironment<Shape>;

  constructor(environment: DocumentEnvironment<Shape>) {
    this.#environment = environment;
  }

  /**
   * @returns the document, or undefined when there is none
   * @throws StoreError `CORRUPT` with line and column, `NEWER_VERSION`
   */
  read(): Shape | undefined {
    return this.#unlessExpendable(() => {
      const value = this.#raw();
      return value === undefined ? undefined : shaped(this.#environment.schema, value, this.#environment.path);
    });
  }

  /**
   * For code that acts on what it reads: the text that is parsed is the text whose seal is checked.
   *
   * @throws StoreError `UNTRUSTED` for a document without this user's seal; `CORRUPT` or `TEAM_GONE` for a missing one
   *   that is kept; those of {@link read}
   */
  readOwn(): Shape | undefined {
    return this.#unlessExpendable(() => {
      const value = this.#raw();
      if (value === undefined) {
        this.#requireNone();
        return undefined;
      }
      if (!this.#holds(value)) throw this.#untrusted();
      return shaped(this.#environment.schema, value, this.#environment.path);
    });
  }

  /** True when the document on disk carries this user's seal, or is of a kind that carries none. */
  isSealed(): boolean {
    return this.#holds(this.#raw());
  }

  /**
   * Changes the document under its lock; when `change` throws or returns no `next`, nothing is written.
   *
   * @param change gets what is on disk now
   * @throws StoreError `UNTRUSTED` for one without this user's seal, where documents carry one: what another person
   *   wrote would become the user's with the change
   */
  async update<Result>(
    change: (current: Shape | undefined) => { next?: Shape | undefined; result: Result },
  ): Promise<Result> {
    const { locks, lock, share } = this.#environment;
    if (share !== undefined) return this.#updateShared(change, share);
    return locks.withLock(lock, () => {
      const { next, result } = change(this.readOwn());
      if (next !== undefined) this.write(next);
      return result;
    });
  }

  async #updateShared<Result>(
    change: (current: Shape | undefined) => { next?: Shape | undefined; result: Result },
    share: NonNullable<DocumentEnvironment<Shape>['share']>,
  ): Promise<Result> {
    for (;;) {
      // Read first: what comes between the two is no change of this text.
      const before = this.text() ?? '';
      const { next, result } = change(this.readOwn());
      if (next === undefined || (await share(before, this.#textOf(next)))) return result;
    }
  }

  /** Its text, for {@link adopt}. */
  text(): string | undefined {
    const { disk, path } = this.#environment;
    return readText(disk, path);
  }

  /**
   * Seals a document as this user's own, whoever wrote it.
   *
   * @param seen its text as the user has seen it
   * @throws StoreError `UNTRUSTED` if it was exchanged since
   */
  async adopt(seen: string | undefined): Promise<void> {
    const { locks, lock, share } = this.#environment;
    if (share !== undefined && seen !== undefined) {
      const current = this.read();
      const isSame = current === undefined || (await share(seen, this.#textOf(current)));
      if (!isSame) throw this.#untrusted();
      return;
    }
    await locks.withLock(lock, () => {
      if (this.text() !== seen) throw this.#untrusted();
      const current = this.read();
      if (current !== undefined) this.write(current);
    });
  }

  /**
   * Replaces the document, even a damaged one; only for its one writer, or inside {@link update}.
   *
   * @throws StoreError `NEWER_VERSION`: the document of a newer program stays untouched
   */
  write(next: Shape): void {
    const { disk, path, pinned, isExpendable = false } = this.#environment;
    pinned?.check();
    if (!isExpendable) refuseNewer(looseJson(readText(disk, path) ?? ''), path);
    replaceFile(disk, path, this.#textOf(next), randomBytes(6).toString('hex'));
  }

  #textOf(next: Shape): string {
    const { seal, team } = this.#environment;
    const stamped = { ...next, version: DOCUMENT_VERSION, ...(team && { team: team() }) };
    const sealed = seal ? { ...stamped, seal: seal.sign(stamped) } : stamped;
    return `${JSON.stringify(sealed, null, 2)}\n`;
  }

  #holds(value: unknown): boolean {
    const { seal, team } = this.#environment;
    if (seal === undefined && team === undefined) return true;
    if (typeof value !== 'object' || value === null) return false;
    return (seal?.holds(value) ?? true) && (team === undefined || isOf(team, value));
  }

  #requireNone(): void {
    const { isKept, pinned, path } = this.#environment;
    if (isKept === undefined) return;
    pinned?.check();
    throw new StoreError('CORRUPT', `${path} is missing; restore it, or start the team again.`, { path });
  }

  #untrusted(): StoreError {
    const { path } = this.#environment;
    const why = `${path} was not written by you on this machine for this team, so nothing is done by it; look at it, then run \`teams doctor --trust TEAM\`.`;
    return new StoreError('UNTRUSTED', why, { path });
  }

  #raw(): unknown {
    const { path } = this.#environment;
    const text = this.text();
    if (text === undefined) return undefined;
    const value = parseJson(text, path);
    refuseNewer(value, path);
    return value;
  }

  /** @returns undefined for one that cannot be read and is expendable */
  #unlessExpendable(read: () => Shape | undefined): Shape | undefined {
    try {
      return read();
    } catch (error) {
      const isUnreadable = isTeamError(error) && (error.code === 'CORRUPT' || error.code === 'NEWER_VERSION');
      if (isUnreadable && this.#environment.isExpendable === true) return undefined;
      throw error;
    }
  }
}

/** Documents of earlier versions name no team. */
const isOf = (team: () => string | undefined, value: object): boolean =>
  !('team' in value) || value.team === undefined || value.team === team();

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const { line, column } = lineAndColumn(text, badPlace(text) ?? text.length);
    const why = `${path} is not JSON from line ${line}, column ${column} on; correct it there, or restore it.`;
    throw new StoreError('CORRUPT', why, { path, line, cause });
  }
}

function looseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Damaged: it has no version, and is about to be replaced.
    return undefined;
  }
}

function refuseNewer(value: unknown, path: string): void {
  const version = typeof value === 'object' && value !== null && 'version' in value ? value.version : undefined;
  if (typeof version !== 'number' || version <= DOCUMENT_VERSION) return;
  const why = `${path} is of version ${version}; this program knows ${DOCUMENT_VERSION}. Update it.`;
  throw new StoreError('NEWER_VERSION', why, { path });
}

function shaped<Shape>(schema: z.ZodType<Shape>, value: unknown, path: string): Shape {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const place = issue === undefined || issue.path.length === 0 ? 'its top' : issue.path.join('.');
  throw new StoreError('CORRUPT', `${path} is damaged at ${place}: ${issue?.message ?? 'unreadable'}.`, { path });
}
