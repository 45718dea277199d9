/**
 * The seal of a document: an HMAC with the user's own key. A folder that another person made, such as a cloned
 * repository's `.teams`, may be read; nothing is started from it.
 */
import type { Stats } from 'node:fs';
import { createHmac, createSecretKey, hkdfSync, randomBytes, timingSafeEqual, type KeyObject } from 'node:crypto';
import { dirname, join } from 'node:path';
import { makeDirectoryPath } from '../../os/own-directory.ts';
import { StoreError } from '../../model/text/errors.ts';
import { DIRECTORY_MODE, lookAt, onDisk, type Disk } from '../files/disk.ts';
import { homeDirectory } from './home.ts';
import { createOnce, readText } from '../files/file.ts';

export interface Seal {
  sign(document: object): string;
  holds(document: object): boolean;
  /** The seal of a document that is written as {@link canonical} writes it. */
  signText(text: string): string;
  holdsText(text: string, seal: string): boolean;
  /**
   * Another secret of this user, 32 bytes, that is always the same for one use. Neither the key nor a seal can be told
   * from it (HKDF, RFC 5869).
   */
  secretFor(use: string): Uint8Array;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** `$XDG_STATE_HOME`, by default `~/.local/state`. */
export function stateFolder(environment: Variables): string {
  const state = environment['XDG_STATE_HOME'];
  return state?.startsWith('/') ? state : join(homeDirectory(), '.local', 'state');
}

/** `$XDG_STATE_HOME/teams/key`. */
export const keyPath = (environment: Variables = process.env): string => join(stateFolder(environment), 'teams', 'key');

/**
 * Opens the user's key; the first use creates it.
 *
 * @returns each use throws StoreError `CORRUPT` for a file that is no key or no file of this user's own, `UNTRUSTED` for
 *   one that other users can read or change
 */
export function openSeal(disk: Disk, path = keyPath()): Seal {
  // Made once: of bytes each seal would make a key.
  let key: KeyObject | undefined;
  const load = (): KeyObject => (key ??= createSecretKey(readKey(disk, path)));
  const signText = (text: string): string => createHmac('sha256', load()).update(text).digest('hex');
  const textOf = (document: object): string => canonical({ ...document, seal: undefined });
  const holdsText = (text: string, seal: string): boolean => {
    const wanted = Buffer.from(signText(text));
    const found = Buffer.from(seal);
    return wanted.length === found.length && timingSafeEqual(wanted, found);
  };
  return {
    signText,
    holdsText,
    sign: (document) => signText(textOf(document)),
    holds(document) {
      const seal = 'seal' in document ? document.seal : undefined;
      return typeof seal === 'string' && holdsText(textOf(document), seal);
    },
    secretFor: (use) => new Uint8Array(hkdfSync('sha256', load(), '', use, 32)),
  };
}

function readKey(disk: Disk, path: string): Buffer {
  const directory = dirname(path);
  onDisk('create the directory', directory, () => makeDirectoryPath(directory, DIRECTORY_MODE));
  const key = (readText(disk, path, 4096) ?? makeKey(disk, path)).trim();
  if (!/^[0-9a-f]{64}$/.test(key))
    throw new StoreError(
      'CORRUPT',
      `${path} is not a key of teams; remove it and trust your teams again with \`teams doctor --trust\`.`,
      { path },
    );
  const open = openToOthers(disk, path);
  if (open !== undefined)
    throw new StoreError('UNTRUSTED', `${open.what}, so it proves nothing: ${open.cure}.`, { path });
  return Buffer.from(key, 'hex');
}

/** How other users of the machine can read a key or put another one in its place, with the cure; undefined if they cannot. */
export function openToOthers(disk: Disk, path: string): { readonly what: string; readonly cure: string } | undefined {
  const directory = dirname(path);
  if (isWrittenByOthers(disk, directory))
    return {
      what: `Other users of this machine may write in ${directory}, where the key of teams lies`,
      cure: `\`chmod go-w ${directory}\`, and remove what is there if one may have written it`,
    };
  const isRead = [path, directory].every((one) => ((lookAt(disk, one)?.mode ?? 0) & 0o077) !== 0);
  if (!isRead) return undefined;
  return {
    what: `Other users of this machine can read ${path}`,
    cure: '`chmod 600` it, or remove it if one may have read it',
  };
}

/** Whether a directory of the user's own, or what a link there leads to, belongs to another user or may be written by one. */
export function isWrittenByOthers(disk: Disk, directory: string): boolean {
  const found = lookAt(disk, directory);
  const real = found?.isSymbolicLink() === true ? targetOf(disk, directory) : found;
  if (real === undefined) return false;
  const { uid, mode } = real;
  const me = process.getuid?.() ?? uid;
  return (mode & 0o022) !== 0 || (me !== 0 && uid !== me);
}

/** Undefined for a link that leads nowhere: there is nothing to read below it. */
function targetOf(disk: Disk, link: string): Stats | undefined {
  try {
    return disk.lstatSync(disk.realpathSync(link));
  } catch {
    return undefined;
  }
}

function makeKey(disk: Disk, path: string): string {
  const key = randomBytes(32).toString('hex');
  return createOnce(disk, path, `${key}\n`, randomBytes(4).toString('hex')) ? key : (readText(disk, path, 4096) ?? key);
}

/** JSON with sorted keys: equal documents give equal texts. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return value === undefined ? 'null' : JSON.stringify(value);
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(',')}}`;
}
