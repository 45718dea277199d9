/**
 * Reads a file that is replaced whole (config, state, process records) through its schema, and checks its seal. A view
 * needs no lock for it.
 */
import type { DocumentForm } from '../../model/text/plain-fields.ts';
import { isTeamError, StoreError } from '../../model/text/errors.ts';
import type { Disk } from '../files/disk.ts';
import { readText } from '../files/file.ts';
import { badPlace, lineAndColumn } from '../files/json-place.ts';
import type { PinnedDirectory } from '../files/pinned.ts';
import type { Seal } from '../user/seal.ts';
import type { Signatures } from '../user/signature.ts';

export const DOCUMENT_VERSION = 1;

export interface DocumentSource<Shape> extends DocumentForm<Shape> {
  readonly disk: Disk;
  readonly path: string;
  readonly pinned?: PinnedDirectory;
  readonly seal?: Seal;
  /** For a sealed document that other machines read: a signature of a key that the user trusts counts as the seal. */
  readonly signatures?: Signatures | undefined;
  /** The ULID of its team, which goes into a sealed document: the seal of one holds in no other team. */
  readonly team?: () => string | undefined;
  /** It is there as long as its directory is: one that is missing was removed, and does not read as none. */
  readonly isKept?: true;
  /** What it says can be lost: one that cannot be read counts as none, and the next change replaces it. */
  readonly isExpendable?: true;
}

export class DocumentReader<Shape extends object> {
  readonly #source: DocumentSource<Shape>;

  constructor(source: DocumentSource<Shape>) {
    this.#source = source;
  }

  /**
   * @returns the document, or undefined when there is none
   * @throws StoreError `CORRUPT` with line and column, `NEWER_VERSION`
   */
  read(): Shape | undefined {
    return this.#unlessExpendable(() => {
      const value = this.#raw();
      return value === undefined ? undefined : shaped(this.#source, value);
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
      if (!this.holds(value)) throw this.untrusted(value);
      return shaped(this.#source, value);
    });
  }

  /**
   * True when the document on disk carries this user's seal or the signature of a key that the user trusts, or is of a
   * kind that carries none.
   */
  isSealed(): boolean {
    return this.holds(this.#raw());
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
    const { signatures, team } = this.#source;
    if (typeof value !== 'object' || value === null || !('signature' in value) || this.holds(value)) return undefined;
    return isExactly(team, value) ? signatures?.strangerOf(value, value.signature) : undefined;
  }

  /** Its text, as it is on disk. */
  text(): string | undefined {
    const { disk, path } = this.#source;
    return readText(disk, path);
  }

  /** Whether a value carries a seal or signature that counts. */
  protected holds(value: unknown): boolean {
    const { seal, signatures, team } = this.#source;
    if (seal === undefined && team === undefined) return true;
    if (typeof value !== 'object' || value === null) return false;
    if (seal?.holds(value) ?? true) return team === undefined || isOf(team, value);
    if (!isExactly(team, value)) return false;
    return ('signature' in value && signatures?.holds(value, value.signature) === true) || this.isConfirmed(value);
  }

  /** Whether the user said of this very text that it is theirs. */
  protected isConfirmed(_value: object): boolean {
    return false;
  }

  #requireNone(): void {
    const { isKept, pinned, path } = this.#source;
    if (isKept === undefined) return;
    pinned?.check();
    throw new StoreError('CORRUPT', `${path} is missing; restore it, or start the team again.`, { path });
  }

  protected untrusted(value: unknown): StoreError {
    const { path } = this.#source;
    const why = `${path} was not written by you on this machine for this team, so nothing is done by it; ${trustCure('TEAM', this.#strangerOf(value))}.`;
    return new StoreError('UNTRUSTED', why, { path });
  }

  #raw(): unknown {
    const { path } = this.#source;
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
      if (isUnreadable && this.#source.isExpendable === true) return undefined;
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

/** Whether a value names this very team. */
export const isExactly = (team: (() => string | undefined) | undefined, value: object): boolean =>
  team !== undefined && 'team' in value && value.team !== undefined && value.team === team();

/** Documents of earlier versions name no team. */
const isOf = (team: () => string | undefined, value: object): boolean =>
  !('team' in value) || value.team === undefined || value.team === team();

/** @throws StoreError `CORRUPT` with line and column */
export function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const { line, column } = lineAndColumn(text, badPlace(text) ?? text.length);
    const why = `${path} is not JSON from line ${line}, column ${column} on; correct it there, or restore it.`;
    throw new StoreError('CORRUPT', why, { path, line, cause });
  }
}

/** @throws StoreError `NEWER_VERSION` */
export function refuseNewer(value: unknown, path: string): void {
  const version = typeof value === 'object' && value !== null && 'version' in value ? value.version : undefined;
  if (typeof version !== 'number' || version <= DOCUMENT_VERSION) return;
  const why = `${path} is of version ${version}; this program knows ${DOCUMENT_VERSION}. Update it.`;
  throw new StoreError('NEWER_VERSION', why, { path });
}

function shaped<Shape>({ schema, plain, path }: DocumentSource<Shape>, value: unknown): Shape {
  const read = plain?.(value);
  if (read !== undefined) return read;
  const parsed = schema().safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const place = issue === undefined || issue.path.length === 0 ? 'its top' : issue.path.join('.');
  throw new StoreError('CORRUPT', `${path} is damaged at ${place}: ${issue?.message ?? 'unreadable'}.`, { path });
}
