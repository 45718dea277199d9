/**
 * A short-lived directory for one isolation: its socket and the users that a program inside sees. Its path is short,
 * because the path of a socket has at most 107 bytes.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { makeDirectoryPath } from '../../os/own-directory.ts';
import { onDisk } from '../files/disk.ts';
import { regularBytes } from '../files/regular-file.ts';
import { temporaryPlaces } from '../files/scratch.ts';
import { entriesAt } from './sandbox-host.ts';

export interface MemberPlace {
  /** In a directory of its own, which is lent. */
  readonly socket: string;
  /** Its `/etc`, with the users that a program inside sees. */
  readonly etc: string;
  /** Copies a small file of the host into it. @returns false if it is large, or cannot be read */
  readonly copyEtc: (name: string, from: string) => boolean;
  /** Makes a place in it that a mount covers. */
  readonly reserveEtc: (name: string, isDirectory: boolean) => void;
  /** Writes a file that is lent, or files into a directory. @returns the path */
  readonly lend: (name: string, content: string | Readonly<Record<string, string>>) => string;
  /** A home for a program that has none of its own. */
  readonly home: string;
  readonly remove: () => void;
}

const MOST_BYTES = 1024 * 1024;

/** Removes what a crashed isolation left, known by its socket. */
export function removePlaceOf(socket: string): void {
  const directory = dirname(dirname(socket));
  if (
    !entriesAt(places()).some(({ path }) => path === dirname(directory)) ||
    !/^teams-[A-Za-z0-9]{6}$/.test(basename(directory))
  )
    return;
  rmSync(directory, { recursive: true, force: true });
}

/** Directories for temporary files, the preferred one first. */
const places = (): string[] => [...new Set([tmpdir(), '/tmp'])];

interface PlaceFor {
  readonly home: string;
  readonly uid: number;
  /** The workspace, without symbolic links: there, every member would find the sockets of the others. */
  readonly root: string;
}

/** @returns undefined if the workspace contains every directory for temporary files */
export function makeMemberPlace({ home, uid, root }: PlaceFor): MemberPlace | undefined {
  const [parent] = entriesAt(temporaryPlaces(root)).filter(({ path }) => path !== root && !path.startsWith(`${root}/`));
  if (parent === undefined) return undefined;
  const directory = onDisk('create a folder in', parent.path, () => mkdtempSync(join(parent.path, 'teams-')));
  const etc = join(directory, 'etc');
  mkdirSync(etc, { mode: 0o755 });
  const [passwd, group] = [join(etc, 'passwd'), join(etc, 'group')];
  const [sockets, ownHome] = [join(directory, 's'), join(directory, 'home')];
  for (const made of [sockets, ownHome]) mkdirSync(made, { mode: 0o700 });
  write(
    passwd,
    `root:x:0:0:root:/root:/bin/sh\nmember:x:${uid}:${uid}:member:${home}:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n`,
  );
  write(group, `root:x:0:\nmember:x:${uid}:\nnogroup:x:65534:\n`);
  return {
    socket: join(sockets, 'sock'),
    etc,
    copyEtc(name, from) {
      const text = regularBytes(from, MOST_BYTES);
      if (text === undefined) return false;
      makeDirectoryPath(dirname(join(etc, name)), 0o755);
      write(join(etc, name), text);
      return true;
    },
    reserveEtc(name, isDirectory) {
      const path = join(etc, name);
      makeDirectoryPath(isDirectory ? path : dirname(path), 0o755);
      if (!isDirectory) write(path, '');
    },
    home: ownHome,
    lend(name, content) {
      const path = join(directory, name);
      const isFile = typeof content === 'string';
      if (!isFile) mkdirSync(path, { mode: 0o755 });
      const files = isFile
        ? [[path, content] as const]
        : Object.entries(content).map(([one, text]) => [join(path, one), text] as const);
      for (const [file, text] of files) write(file, text);
      return path;
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** A full disk is told as one, with its cure. */
const write = (path: string, text: string | Uint8Array): void =>
  onDisk('write to', path, () => writeFileSync(path, text, { mode: 0o644 }));
