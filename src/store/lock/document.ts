/**
 * The few files that are replaced whole: config, state, process records. Each is read through its schema, changed by
 * `update(current => ({ next, result }))` under its lock, and stamped with a version and, where it has one, a seal.
 * Replacing costs a disk flush: never do it on a hot path.
 */
import { randomBytes } from 'node:crypto';
import { jsonOf } from '../../model/text/plain-fields.ts';
import { readText, replaceFile } from '../files/file.ts';
import type { TeamLock } from '../files/paths.ts';
import { isMacTrusted, trustMac } from '../user/trust.ts';
import {
  DOCUMENT_VERSION,
  DocumentReader,
  isExactly,
  parseJson,
  refuseNewer,
  type DocumentSource,
} from './document-reader.ts';
import type { Locks } from './lock.ts';

interface DocumentEnvironment<Shape> extends DocumentSource<Shape> {
  readonly lock: string | TeamLock;
  readonly locks: Locks;
  /** Whether its changes are signed. */
  readonly signs?: boolean;
  /**
   * Replaces it where its order is made elsewhere.
   *
   * @returns false if it was another one than `before`, which is on disk then
   */
  readonly share?: ((before: string, next: string) => Promise<boolean>) | undefined;
}

export class Document<Shape extends object> extends DocumentReader<Shape> {
  readonly #environment: DocumentEnvironment<Shape>;

  constructor(environment: DocumentEnvironment<Shape>) {
    super(environment);
    this.#environment = environment;
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

  /**
   * Makes a document this user's own, also one that another user wrote: by the user's seal, or, where its order is made elsewhere, by a
   * record on this machine: other machines may believe what it carries now.
   *
   * @param seen its text as the user has seen it
   * @throws StoreError `UNTRUSTED` if it was exchanged since
   */
  async adopt(seen: string | undefined): Promise<void> {
    const { locks, lock, share } = this.#environment;
    if (share !== undefined) {
      if (this.text() !== seen) throw this.untrusted(undefined);
      const value = seen === undefined ? undefined : parseJson(seen, this.#environment.path);
      if (!this.holds(value)) this.#confirm(value);
      return;
    }
    await locks.withLock(lock, () => {
      if (this.text() !== seen) throw this.untrusted(undefined);
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
    if (!isExpendable) refuseNewer(jsonOf(readText(disk, path) ?? ''), path);
    replaceFile(disk, path, this.#textOf(next), randomBytes(6).toString('hex'));
  }

  #textOf(next: Shape): string {
    const { seal, signatures, signs = false, team } = this.#environment;
    const stamped = { ...next, version: DOCUMENT_VERSION, ...(team && { team: team() }), signature: undefined };
    const signed = signs && signatures ? { ...stamped, signature: signatures.sign(stamped) } : stamped;
    const sealed = seal ? { ...signed, seal: seal.sign(signed) } : signed;
    return `${JSON.stringify(sealed, null, 2)}\n`;
  }

  protected override isConfirmed(value: object): boolean {
    const { seal, share, disk } = this.#environment;
    return seal !== undefined && share !== undefined && isMacTrusted(seal.sign(value), disk);
  }

  #confirm(value: unknown): void {
    const { seal, team, disk } = this.#environment;
    if (seal === undefined || typeof value !== 'object' || value === null) return;
    // A document of another team is not this one's, whatever the user says.
    if (!isExactly(team, value)) throw this.untrusted(value);
    trustMac(seal.sign(value), disk);
  }
}
