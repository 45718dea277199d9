/**
 * The roster: one record for each member's process. The intent is written before the fork, the rest by the process
 * itself.
 */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Name } from '../../model/text/names.ts';
import { isName, LEAD } from '../../model/text/names.ts';
import type { ProcessRecord } from '../../model/member/process-record.ts';
import { readBy } from '../../model/text/plain-fields.ts';
import { processForm } from '../../model/config/plain-documents.ts';
import { DOCUMENT_VERSION } from '../lock/document-reader.ts';
import { list, lookAt, removeFile, type Disk } from '../files/disk.ts';
import { readText, replaceFile } from '../files/file.ts';
import { folderAt, isElsewhere } from '../files/folder-of.ts';
import type { FolderIdentity } from '../../model/team/folder-identity.ts';
import { livenessOf, type Liveness } from '../../os/process-table.ts';
import type { TeamPaths } from '../files/paths.ts';
import { realClock } from '../../os/system-clock.ts';
import { holdsOpen } from '../../os/open-directory.ts';
import type { ProcessIdentity } from '../../model/agent/process-identity.ts';

interface KnownRecord {
  readonly text: string;
  readonly record: ProcessRecord | undefined;
  /** What tells its file from a later one; undefined while that is not known. */
  file: string | undefined;
}

/** A file that is older than this has another time of change than each later one, in milliseconds. */
const TOLD_APART_MS = 100;

export class Roster {
  readonly #disk: Disk;
  readonly #paths: TeamPaths;
  /** The last text of each record, and what it says: a lead asks for all of them in each look. */
  readonly #known = new Map<Name, KnownRecord>();

  constructor(disk: Disk, paths: TeamPaths) {
    this.#disk = disk;
    this.#paths = paths;
  }

  /** The record of a process of this folder; the records that a copy contains name processes of the original. */
  read(member: Name): ProcessRecord | undefined {
    const record = this.#recorded(member);
    return record && isElsewhere(record, this.#here()) ? undefined : record;
  }

  #here(): FolderIdentity | undefined {
    return folderAt(this.#disk, this.#paths.folder);
  }

  #recorded(member: Name): ProcessRecord | undefined {
    const path = this.#paths.process(member);
    const known = this.#known.get(member);
    // Before it is read: a file that comes meanwhile is another one in the next look.
    const file = known && this.#fileAt(path);
    if (file !== undefined && file === known?.file) return known.record;
    const text = readText(this.#disk, path, 1024 * 1024);
    if (text === undefined) return undefined;
    if (known?.text === text) {
      known.file = file;
      return known.record;
    }
    const record = recordIn(text);
    this.#known.set(member, { text, record, file: undefined });
    return record;
  }

  /** A file is written whole and then changed no more, but a later one may get its number again. */
  #fileAt(path: string): string | undefined {
    try {
      const stat = lookAt(this.#disk, path);
      // Whole seconds: the file system may know no shorter times.
      if (stat === undefined || stat.ctimeMs % 1_000 === 0) return undefined;
      if (realClock.now() - stat.ctimeMs < TOLD_APART_MS) return undefined;
      return `${stat.ino} ${stat.size} ${stat.ctimeMs}`;
    } catch {
      // Reading it says why.
      return undefined;
    }
  }

  write(record: ProcessRecord): void {
    const text = `${JSON.stringify({ ...record, version: DOCUMENT_VERSION }, null, 2)}\n`;
    replaceFile(this.#disk, this.#paths.process(record.name), text, randomBytes(6).toString('hex'), { durable: false });
  }

  remove(member: Name): void {
    removeFile(this.#disk, this.#paths.process(member));
  }

  all(): ProcessRecord[] {
    return this.#names().flatMap((name) => this.read(name) ?? []);
  }

  /** Records of processes that serve another folder: this one is a copy of it. */
  elsewhere(): ProcessRecord[] {
    const here = this.#here();
    return this.#names().flatMap((name) => {
      const record = this.#recorded(name);
      return record && isElsewhere(record, here) ? [record] : [];
    });
  }

  #names(): Name[] {
    const files = list(this.#disk, this.#paths.processes).flatMap(
      (file) => /^([a-z0-9-]+)\.json$/.exec(file)?.[1] ?? [],
    );
    return files.flatMap((file) => (file === 'lead' ? [LEAD] : isName(file) ? [file] : []));
  }
}

/** A damaged record says nothing; the log and the mark still identify the process. */
function recordIn(text: string): ProcessRecord | undefined {
  try {
    return readBy(processForm, JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** The process that a record names; undefined for an intent without a process. */
export function identityIn(record: ProcessRecord | undefined): ProcessIdentity | undefined {
  const { pid, startTime, bootId, pidNamespace } = record ?? {};
  if (pid === undefined || startTime === undefined || bootId === undefined || pidNamespace === undefined)
    return undefined;
  return { pid, startTime, bootId, pidNamespace };
}

/**
 * Whether it is proven that a record's process serves this folder. Only then may it be signalled. A record of an earlier
 * version names no folder: it is believed for refusing, and proven while its process holds the folder open.
 */
export const isProven = (
  { folder, pid }: { readonly folder?: FolderIdentity | undefined; readonly pid?: number | undefined },
  here: FolderIdentity,
): boolean => folder !== undefined || (pid !== undefined && holdsOpen(pid, here));

/** Whether the process of a record lives. An intent without a process counts as dead. */
export const livenessIn = (record: ProcessRecord | undefined): Liveness => {
  const identity = identityIn(record);
  return identity ? livenessOf(identity) : 'dead';
};

/** A member's capability: 256 bits, in its environment; only the hash is stored. */
export const newToken = (): string => randomBytes(32).toString('base64url');

export const tokenHash = (token: string): string => hash('sha256', token);

export const tokenMatches = (token: string, record: ProcessRecord): boolean => {
  const wanted = Buffer.from(record.tokenHash ?? '');
  const given = Buffer.from(tokenHash(token));
  return wanted.length === given.length && timingSafeEqual(wanted, given);
};
