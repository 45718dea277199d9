/**
 * What all teams of a user know together about one credential at a vendor: `$XDG_STATE_HOME/teams/vendors/HASH.json`
 * (policy/governor.ts). Its times are of the machine's monotonic clock; a record of another boot counts as none. It holds
 * nothing that cannot be learned again: whatever cannot be read there is replaced. A later format needs another file name.
 */
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { processIdentitySchema } from '../../model/agent/process-identity.ts';
import { makeDirectoryPath } from '../../os/own-directory.ts';
import type { Clock } from '../../model/text/clock.ts';
import { codeOf } from '../../model/text/errors.ts';
import { ownIdentity } from '../../os/process-table.ts';
import { DIRECTORY_MODE, lookAt, onDisk, removeFile, type Disk } from '../files/disk.ts';
import { clearAway, makeDirectory } from '../files/file.ts';
import { folderAt } from '../files/folder-of.ts';
import { Document } from '../lock/document.ts';
import { Locks } from '../lock/lock.ts';
import { keyPath } from '../user/seal.ts';

const count = z.number().int().min(0);

const vendorFileSchema = z.object({
  version: z.number().int(),
  bootId: z.string(),
  refusals: count,
  until: z.number(),
  length: z.number().optional(),
  slots: count.optional(),
  open: z.record(z.string(), z.number()).optional(),
  callers: z
    .record(
      z.string(),
      z.object({
        team: z.string(),
        process: processIdentitySchema,
        askedAt: z.number().optional(),
        nth: count.optional(),
      }),
    )
    .optional(),
  allowance: z
    .object({
      left: count,
      until: z.number(),
      limit: count,
      refilledAt: z.number().optional(),
      lately: z
        .array(z.object({ at: z.number(), left: count }))
        .readonly()
        .optional(),
    })
    .optional(),
  begun: count.optional(),
  served: z.record(z.string(), count).optional(),
  countedSince: z.number().optional(),
  learnedAt: z.number().optional(),
  machines: z.object({ count, until: z.number() }).optional(),
});
type VendorFileRecord = z.infer<typeof vendorFileSchema>;

export class VendorFile {
  readonly #disk: Disk;
  readonly #clock: Clock;
  readonly #folder: string;
  readonly #name: string;
  #open: { readonly document: Document<VendorFileRecord>; readonly locks: Locks } | undefined;

  /** @param hash of the credential and its vendor */
  constructor({ disk, clock }: { readonly disk: Disk; readonly clock: Clock }, hash: string) {
    this.#disk = disk;
    this.#clock = clock;
    this.#folder = join(dirname(keyPath()), 'vendors');
    this.#name = hash;
  }

  /** @returns undefined if nothing is known: also of a file that cannot be read, which the next update replaces */
  read(): VendorFileRecord | undefined {
    if (lookAt(this.#disk, this.#folder)?.isDirectory() !== true) return undefined;
    try {
      return current(this.#documents().document.read());
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      return undefined;
    }
  }

  async update<Result>(
    change: (known: VendorFileRecord | undefined) => {
      readonly next?: Omit<VendorFileRecord, 'version' | 'bootId'> | undefined;
      readonly result: Result;
    },
  ): Promise<Result> {
    const disk = this.#disk;
    onDisk('create the directory', dirname(this.#folder), () =>
      makeDirectoryPath(dirname(this.#folder), DIRECTORY_MODE, disk),
    );
    if (lookAt(disk, this.#folder)?.isDirectory() === false) removeFile(disk, this.#folder);
    makeDirectory(disk, this.#folder);
    const { document, locks } = this.#documents();
    const update = () =>
      document.update((known) => {
        const { next, result } = change(current(known));
        return { next: next && { ...next, version: 1, bootId: ownIdentity().bootId }, result };
      });
    try {
      return await update().catch((error: unknown) => {
        if (!isUnreadable(error)) throw error;
        clearAway(disk, this.#path, randomBytes(6).toString('hex'));
        return update();
      });
    } finally {
      // Its token goes at once: a caller has no moment at which it ends.
      locks.close();
    }
  }

  get #path(): string {
    return join(this.#folder, `${this.#name}.json`);
  }

  #documents() {
    if (this.#open !== undefined) return this.#open;
    const [disk, clock, folder] = [this.#disk, this.#clock, this.#folder];
    const locks = new Locks(folder, { disk, clock, folder: folderAt(disk, folder), isOurs: true });
    const lock = join(folder, `${this.#name}.lock`);
    const made = {
      document: new Document({ disk, path: this.#path, lock, locks, schema: () => vendorFileSchema }),
      locks,
    };
    // Its folder is a part of the lock's identity.
    if (folderAt(disk, folder) !== undefined) this.#open = made;
    return made;
  }
}

const isUnreadable = (error: unknown): boolean =>
  ['CORRUPT', 'NEWER_VERSION', 'READ_ONLY'].includes(codeOf(error) ?? '');

const current = (record: VendorFileRecord | undefined): VendorFileRecord | undefined =>
  record?.bootId === ownIdentity().bootId ? record : undefined;
