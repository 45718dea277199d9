/**
 * The few files that are replaced whole: config, state, process records. Each is read through its schema, changed by
 * `update(current => ({ next, result }))` under its lock, and stamped with a version and, where it has one, a seal.
 * Replacing costs a disk flush: never do it on a hot path.
 */
import { randomBytes } from 'node:crypto';
import type { DocumentForm } from '../../model/text/plain-fields.ts';
import { isTeamError, StoreError } from '../../model/text/errors.ts';
import type { Disk } from '../files/disk.ts';
import { readText, replaceFile } from '../files/file.ts';
import type { TeamLock } from '../files/paths.ts';
import { badPlace, lineAndColumn } from '../files/json-place.ts';
import type { Locks } from './lock.ts';
import type { PinnedDirectory } from '../files/pinned.ts';
import type { Seal } from '../user/seal.ts';
import type { Signatures } from '../user/signature.ts';
import { isMacTrusted, trustMac } from '../user/trust.ts';

export const DOCUMENT_VERSION = 1;

interface DocumentEnvironment<Shape> extends DocumentForm<Shape> {
  readonly disk: Disk;
  readonly path: string;
  readonly lock: string | TeamLock;
  readonly locks: Locks;
  readonly pinned?: PinnedDirectory;
  readonly seal?: Seal;
  /** For a sealed document that other machines read: a signature of a key that the user trusts counts as the seal. */
  readonly signatures?: Signatures | undefined;
  /** Whether its changes are signed. */
  readonly signs?: boolean;
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
      return value === undefined ? undefined : shaped(this.#environment, value);
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
      if (!this.#holds(value)) throw this.#untrusted(value);
      return shaped(this.#environment, value);
    });
  }

  /**
   * True when the document on disk carries this user's seal or the signature of a key that the user trusts, or is of a
   * kind that carries none.
   */
  isSealed(): boolean {
    return this.#holds(this.#raw());
  }

  /** The public key that its signature names, right or not. */
  signer(): string | undefined {
    const value = this.#raw();
    const said = typeof value === 'object' && value !== null && 'signature' in value ? value.signature : undefined;
    return typeof said === 'string' ? said.slice(0, said.lastIndexOf(':')) : undefined;
  }

  /** The public key that signed it for this team, if the user does not trust that key. */
  strangerOf(): string | undefined {
    return this.#strangerOf(this.#raw());
  }

  #strangerOf(value: unknown): string | undefined {
    const { signatures, team } = this.#environment;
    if (typeof value !== 'object' || value === null || !('signature' in value) || this.#holds(value)) return undefined;
    return isExactly(team, value) ? signatures?.strangerOf(value, value.signature) : undefined;
  }

  /**
   * Changes the document under its lock; when `change` throws or returns no `next`, nothing is written.
   *
   * @param change gets what is on disk now
   * @throws StoreError `UNTRUSTED` for one that is not this user's, where documents carry a seal: what another person
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
   * Makes a document this user's own, whoever wrote it: by the user's seal, or, where its order is made elsewhere, by a
   * record on this machine: other machines may believe what it carries now.
   *
   * @param seen its text as the user has seen it
   * @throws StoreError `UNTRUSTED` if it was exchanged since
   */
  async adopt(seen: string | undefined): Promise<void> {
    const { locks, lock, share } = this.#environment;
    if (share !== undefined) {
      if (this.text() !== seen) throw this.#untrusted(undefined);
      const value = seen === undefined ? undefined : parseJson(seen, this.#environment.path);
      if (!this.#holds(value)) this.#confirm(value);
      return;
    }
    await locks.withLock(lock, () => {
      if (this.text() !== seen) throw this.#untrusted(undefined);
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
    const { seal, signatures, signs = false, team } = this.#environment;
    const stamped = { ...next, version: DOCUMENT_VERSION, ...(team && { team: team() }), signature: undefined };
    const signed = signs && signatures ? { ...stamped, signature: signatures.sign(stamped) } : stamped;
    const sealed = seal ? { ...signed, seal: seal.sign(signed) } : signed;
    return `${JSON.stringify(sealed, null, 2)}\n`;
  }

  #holds(value: unknown): boolean {
    const { seal, signatures, team } = this.#environment;
    if (seal === undefined && team === undefined) return true;
    if (typeof value !== 'object' || value === null) return false;
    if (seal?.holds(value) ?? true) return team === undefined || isOf(team, value);
    if (!isExactly(team, value)) return false;
    return ('signature' in value && signatures?.holds(value, value.signature) === true) || this.#isConfirmed(value);
  }

  #isConfirmed(value: object): boolean {
    const { seal, share, disk } = this.#environment;
    return seal !== undefined && share !== undefined && isMacTrusted(seal.sign(value), disk);
  }

  #confirm(value: unknown): void {
    const { seal, team, disk } = this.#environment;
    if (seal === undefined || typeof value !== 'object' || value === null) return;
    // A document of another team is not this one's, whatever the user says.
    if (!isExactly(team, value)) throw this.#untrusted(value);
    trustMac(seal.sign(value), disk);
  }

  #requireNone(): void {
    const { isKept, pinned, path } = this.#environment;
    if (isKept === undefined) return;
    pinned?.check();
    throw new StoreError('CORRUPT', `${path} is missing; restore it, or start the team again.`, { path });
  }

  #untrusted(value: unknown): StoreError {
    const { path } = this.#environment;
    const why = `${path} was not written by you on this machine for this team, so nothing is done by it; ${trustCure('TEAM', this.#strangerOf(value))}.`;
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

/**
 * What a person does about a part of a team that is not the user's.
 *
 * @param stranger the key that signed it
 */
export const trustCure = (team: string, stranger?: string): string =>
  stranger === undefined
    ? `look at it, then run \`teams doctor --trust ${team}\``
    : `it is signed with ${stranger}: if that is your key on another machine (\`teams store check\` shows it there), say \`--trust ${stranger}\` or, once for this machine, \`teams doctor --trust ${stranger}\`; else look at it, then run \`teams doctor --trust ${team}\``;

const isExactly = (team: (() => string | undefined) | undefined, value: object): boolean =>
  team !== undefined && 'team' in value && value.team !== undefined && value.team === team();

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

function shaped<Shape>({ schema, plain, path }: DocumentEnvironment<Shape>, value: unknown): Shape {
  const read = plain?.(value);
  if (read !== undefined) return read;
  const parsed = schema().safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const place = issue === undefined || issue.path.length === 0 ? 'its top' : issue.path.join('.');
  throw new StoreError('CORRUPT', `${path} is damaged at ${place}: ${issue?.message ?? 'unreadable'}.`, { path });
}
