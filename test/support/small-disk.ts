/** A small file system that only one program and its children see, in a user and a mount namespace. */
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';

/** The command that runs `command` with such a file system of a `size` (in the form of `mount`) at the folder `at`. */
export const onSmallDisk = (at: string, size: string, command: readonly string[]): [string, ...string[]] => [
  'unshare',
  '-Urm',
  'sh',
  '-c',
  'mount -t tmpfs -o size="$1" none "$2" && shift 2 && exec "$@"',
  'sh',
  size,
  at,
  ...command,
];

/** Why such a file system is not possible here. */
export const noSmallDisk = (): string | undefined =>
  spawnSync('unshare', ['-Urm', 'mount', '-t', 'tmpfs', 'none', tmpdir()]).status === 0
    ? undefined
    : 'no user may mount a file system here';
