/**
 * A login that a program renewed in its own home. The home has a link to the user's file, and a program that renews by
 * renaming puts a file in the link's place: the user's own login is then old, and dead where a token counts once. So the
 * newer file is written back to the user's, in place, because isolations of other members have that file mounted. It is
 * read without following links: the program can put anything there.
 */
import { closeSync, fsyncSync, ftruncateSync, lstatSync, openSync, statSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeDirectoryPath } from '../../os/own-directory.ts';
import type { Clock } from '../../model/text/clock.ts';
import { jsonOf } from '../../model/text/plain-fields.ts';
import { folderAt } from '../files/folder-of.ts';
import type { Disk } from '../files/disk.ts';
import { Locks } from '../lock/lock.ts';
import { keyPath } from '../user/seal.ts';
import { readProjectFile, readUserFile } from '../user/user-file.ts';

/** A file of a login in a program's home, and the user's own. */
interface LentLogin {
  readonly copy: string;
  readonly own: string;
  /** The file can also say what its program runs: only renewed tokens of entries that are there go back. */
  readonly isTokensOnly?: boolean;
}

interface Surroundings {
  /** The directory of the member, in which the copies are. */
  readonly home: string;
  readonly disk: Disk;
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
  readonly environment: Parameters<typeof keyPath>[0];
}

const MOST_BYTES = 1024 * 1024;

/** @returns the user's files that were renewed */
export async function returnLogins(logins: readonly LentLogin[], around: Surroundings): Promise<string[]> {
  const newer = logins.filter(isNewer);
  if (newer.length === 0) return [];
  const folder = join(dirname(keyPath(around.environment)), 'logins');
  makeDirectoryPath(folder, 0o700);
  const { disk, clock, home } = around;
  const locks = new Locks(folder, { disk, clock, folder: folderAt(disk, folder), isOurs: true });
  try {
    return await locks.withLock(join(folder, 'logins.lock'), () => newer.flatMap((one) => writeBack(one, home)));
  } finally {
    locks.close();
  }
}

function isNewer({ copy, own }: LentLogin): boolean {
  const made = lstatSync(copy, { throwIfNoEntry: false });
  const users = statSync(own, { throwIfNoEntry: false });
  if (made?.isFile() !== true || users?.isFile() !== true) return false;
  return made.size > 0 && made.size <= MOST_BYTES && made.mtimeMs > users.mtimeMs;
}

function writeBack(login: LentLogin, home: string): string[] {
  // Another member may have been first.
  if (!isNewer(login)) return [];
  const text = readProjectFile(login.copy, home);
  if (text === undefined || !isLogin(text) || text === readUserFile(login.own)) return [];
  const bytes = Buffer.from(login.isTokensOnly === true ? withTokens(readUserFile(login.own) ?? '', text) : text);
  if (bytes.equals(Buffer.from(readUserFile(login.own) ?? ''))) return [];
  const file = openSync(login.own, 'r+');
  try {
    writeSync(file, bytes, 0, bytes.length, 0);
    ftruncateSync(file, bytes.length);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return [login.own];
}

/** A file that is half written is none. */
const isLogin = (text: string): boolean => recordIn(text) !== undefined;

function recordIn(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = jsonOf(text);
  return isRecord(value) ? value : undefined;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const TOKENS: readonly string[] = ['access', 'refresh', 'expires', 'accountId'];

/** The user's entries; one of an OAuth login gets newer tokens if nothing else of it differs. */
function withTokens(users: string, text: string): string {
  const [own, copy] = [recordIn(users) ?? {}, recordIn(text) ?? {}];
  // Undefined if a token is none.
  const rest = (entry: Readonly<Record<string, unknown>>): string | undefined =>
    TOKENS.some((key) => !['string', 'number', 'undefined'].includes(typeof entry[key]))
      ? undefined
      : JSON.stringify(
          Object.entries(entry)
            .filter(([key]) => !TOKENS.includes(key))
            .sort(),
        );
  const entries = Object.entries(own).map(([name, entry]) => {
    const newer = Object.hasOwn(copy, name) ? copy[name] : undefined;
    const isRenewed =
      isRecord(entry) &&
      isRecord(newer) &&
      entry['type'] === 'oauth' &&
      rest(newer) !== undefined &&
      rest(entry) === rest(newer);
    return [name, isRenewed ? newer : entry] as const;
  });
  const isSame = entries.every(([name, entry]) => JSON.stringify(entry) === JSON.stringify(own[name]));
  return isSame ? users : `${JSON.stringify(Object.fromEntries(entries), undefined, 2)}\n`;
}
