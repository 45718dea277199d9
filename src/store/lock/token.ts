/**
 * The identity of a lock holder, as a file. Each process has one token per directory: complete before it is linked
 * anywhere, never renamed, and removed only when its process has finished. To lock is to link it to the lock's name.
 */
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { plainIdentity, processIdentitySchema, type ProcessIdentity } from '../../model/agent/process-identity.ts';
import { folderIdentitySchema, type FolderIdentity } from '../../model/team/folder-identity.ts';
import { StoreError } from '../../model/text/errors.ts';
import { optional, plainNumber, plainObject, plainTextThat, type DocumentForm } from '../../model/text/plain-fields.ts';
import {
  isMissing,
  isTaken,
  lookAt,
  O_CREAT,
  O_EXCL,
  O_WRONLY,
  removeFile,
  storeFailure,
  type Disk,
} from '../files/disk.ts';
import { makeDirectory, openOurs, using, writeWhole } from '../files/file.ts';
import type { PinnedDirectory } from '../files/pinned.ts';

const NONCE = /^[0-9a-f]{16}$/;

export const tokenSchema = processIdentitySchema.extend({
  nonce: z.string().regex(NONCE),
  /** The folder in which it locks, a team's or `.teams`; absent in tokens of earlier versions. */
  folder: folderIdentitySchema.omit({ path: true }).optional(),
});
export type Token = z.infer<typeof tokenSchema>;
export const tokenForm: DocumentForm<Token> = {
  schema: () => tokenSchema,
  plain: plainObject<Token>({
    ...plainIdentity,
    nonce: plainTextThat((text) => NONCE.test(text)),
    folder: optional(
      plainObject<NonNullable<Token['folder']>>({ dev: plainNumber, ino: plainNumber, born: optional(plainNumber) }),
    ),
  }),
};

interface TokenPlace {
  readonly pinned?: PinnedDirectory | undefined;
  readonly folder?: FolderIdentity | undefined;
}

export class OwnToken {
  readonly nonce = randomBytes(8).toString('hex');
  readonly #disk: Disk;
  readonly #directory: string;
  readonly #pinned: PinnedDirectory | undefined;
  readonly #path: string;
  readonly #text: string;
  #ino: number | undefined;

  /**
   * @param directory where the tokens are; created when it is missing, but never the team's folder around it
   * @param place.pinned that folder, checked before anything is created in it
   * @param place.folder the folder in which the token is used
   */
  constructor(disk: Disk, directory: string, identity: ProcessIdentity, { pinned, folder }: TokenPlace = {}) {
    const { pid, startTime, bootId, pidNamespace } = identity;
    // Its path would make the token longer than what is read of one.
    const at = folder && { dev: folder.dev, ino: folder.ino, born: folder.born };
    const token = { pid, startTime, bootId, pidNamespace, nonce: this.nonce, folder: at };
    this.#disk = disk;
    this.#directory = directory;
    this.#pinned = pinned;
    this.#path = join(directory, `${pid}-${this.nonce}`);
    this.#text = JSON.stringify(token);
  }

  /**
   * Links the token to a name. A missing token is made again, as often as a sweep finds it incomplete.
   *
   * @returns the inode that now has the name, or undefined when the name is taken
   * @throws StoreError `TEAM_GONE` when the directory is gone
   */
  link(path: string): number | undefined {
    for (;;) {
      const ino = (this.#ino ??= this.#make());
      try {
        this.#disk.linkSync(this.#path, path);
        return ino;
      } catch (error) {
        if (isTaken(error)) return undefined;
        // The link may exist although the call failed; a lock that its owner does not know would stop every process.
        if (!isMissing(error) && lookAt(this.#disk, path)?.ino === ino) return ino;
        if (!isMissing(error)) throw storeFailure('lock', path, error);
        if (!lookAt(this.#disk, dirname(path))) throw gone(path);
        this.#ino = undefined;
      }
    }
  }

  remove(): void {
    removeFile(this.#disk, this.#path);
    this.#ino = undefined;
  }

  #make(): number {
    const disk = this.#disk;
    try {
      this.#pinned?.check();
      makeDirectory(disk, this.#directory);
      // A file with this name is our own incomplete one: no other process uses this name.
      removeFile(disk, this.#path);
      const fd = openOurs(disk, this.#path, O_WRONLY | O_CREAT | O_EXCL);
      return using(disk, fd, () => {
        writeWhole(disk, fd, Buffer.from(this.#text), this.#path);
        return disk.fstatSync(fd).ino;
      });
    } catch (error) {
      throw lookAt(disk, join(this.#directory, '..')) ? error : gone(this.#directory);
    }
  }
}

const gone = (path: string): StoreError => new StoreError('TEAM_GONE', `The directory of ${path} is gone.`, { path });
