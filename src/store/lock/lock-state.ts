/** What a lock's name holds, and how to describe it. Looking changes nothing. */
import { dayAndTime } from '../../model/team/colors-and-times.ts';
import { jsonOf, readBy } from '../../model/text/plain-fields.ts';
import { ConflictError } from '../../model/text/errors.ts';
import { isMissing, lookAt, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, onDisk, storeFailure, type Disk } from '../files/disk.ts';
import { using } from '../files/file.ts';
import { livenessOf, stateOf } from '../../os/process-table.ts';
import { tokenForm, type Token } from './token.ts';
import type { ProcessIdentity } from '../../model/agent/process-identity.ts';

export type LockState =
  | { readonly kind: 'free' }
  /** `since`: when the lock was linked, wall time in milliseconds. */
  | { readonly kind: 'held'; readonly by: Token; readonly since: number }
  /** The lock of a foreign writer; or a token of ours of which a power loss left only the beginning, or nothing. */
  | { readonly kind: 'empty'; readonly ino: number; readonly mtimeMs: number }
  | { readonly kind: 'garbage'; readonly what: string };

export type TakenLock = Exclude<LockState, { kind: 'free' }>;

const TOKEN_BYTES = 512;

/** Never follows a link, never waits for a FIFO. */
export function lockStateOf(disk: Disk, path: string): LockState {
  const stat = lookAt(disk, path);
  if (stat === undefined) return { kind: 'free' };
  if (!stat.isFile())
    return { kind: 'garbage', what: stat.isDirectory() ? 'a directory' : 'something that is not a file' };
  if (stat.size === 0) return { kind: 'empty', ino: stat.ino, mtimeMs: stat.mtimeMs };
  const text = readStart(disk, path);
  if (text === undefined) return { kind: 'free' };
  if (isCutShort(text)) return { kind: 'empty', ino: stat.ino, mtimeMs: stat.mtimeMs };
  const token = readBy(tokenForm, jsonOf(text));
  return token
    ? { kind: 'held', by: token, since: stat.ctimeMs }
    : { kind: 'garbage', what: 'a file that is not a lock of teams' };
}

const TOKEN_START = '{"pid":';

/** A token is complete before it is linked, so only a power loss leaves a part of one, or NULs. */
function isCutShort(text: string): boolean {
  const left = text.replace(/\0+$/, '');
  return TOKEN_START.startsWith(left) || (left.startsWith(TOKEN_START) && !left.endsWith('}'));
}

function readStart(disk: Disk, path: string): string | undefined {
  let fd: number;
  try {
    fd = disk.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw storeFailure('read', path, error);
  }
  return using(disk, fd, () => {
    const buffer = Buffer.alloc(TOKEN_BYTES);
    return buffer.toString(
      'utf8',
      0,
      onDisk('read', path, () => disk.readSync(fd, buffer, 0, buffer.length, 0)),
    );
  });
}

/** The error at the end of a wait: names the holder, its state, and since when it holds the lock. */
export function lockTimeout(path: string, sight: TakenLock): ConflictError {
  const cure = 'if it is left over, run `teams doctor --break-lock`';
  return new ConflictError('LOCK_TIMEOUT', `${path} is held by ${describe(sight)}; ${cure}.`);
}

function describe(sight: TakenLock): string {
  if (sight.kind === 'empty') return 'a foreign writer (an empty or torn lock file)';
  if (sight.kind === 'garbage') return sight.what;
  return `pid ${sight.by.pid} (${describeState(sight.by)}) since ${dayAndTime(sight.since)}`;
}

function describeState(who: ProcessIdentity): string {
  const state = livenessOf(who) === 'unknown' ? undefined : stateOf(who.pid);
  if (state === undefined) return 'not visible from here';
  return state === 'T' ? 'stopped' : `running, state ${state}`;
}
