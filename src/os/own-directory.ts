/**
 * Directories below one that a program may change at any moment. No link in it is followed: each directory is opened
 * without following links and used by its descriptor. Without `/proc/self/fd` each step is by name: then a swap at
 * exactly that moment is not noticed.
 */
import { closeSync, constants, existsSync, lstatSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const BY_DESCRIPTOR = existsSync('/proc/self/fd');

/**
 * Calls `use` with a path of the directory `below` another one; missing ones are made, and what is no directory is
 * replaced by one.
 */
export function withinOwn(directory: string, below: string, use: (at: string) => void): void {
  const open: number[] = [];
  try {
    let at = dirname(directory);
    for (const name of [basename(directory), ...below.split('/').filter((part) => part !== '.')]) {
      at = join(at, name);
      const fd = openDirectory(at);
      open.push(fd);
      if (BY_DESCRIPTOR) at = `/proc/self/fd/${fd}`;
    }
    use(at);
  } finally {
    for (const fd of open) closeSync(fd);
  }
}

function openDirectory(path: string): number {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === false) rmSync(path, { force: true });
  // An existing directory is no error here; a link would be one at the opening.
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
}
