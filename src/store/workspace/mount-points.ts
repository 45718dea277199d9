/**
 * Where mounts meet a member's home. Bubblewrap makes the missing directories of a mount point, and follows links while
 * it does so: the old root of the host is below `/oldroot` then, and a link of the member's would have it make
 * directories anywhere. So they are made before, without following any link.
 */
import { lstatSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { withinOwn } from '../../os/own-directory.ts';
import { realDisk } from '../files/disk.ts';
import { removeTree } from '../files/remove-tree.ts';

interface MountPoint {
  /** Below the home, without `..`. */
  readonly below: string;
  readonly isDirectory: boolean;
}

/** What is there of another kind is removed: a mount would cover it anyway. */
export function makeMountPoints(home: string, points: readonly MountPoint[]): void {
  for (const { below, isDirectory } of points)
    withinOwn(home, isDirectory ? below : dirname(below), (at) => {
      if (!isDirectory) makeFile(join(at, basename(below)));
    });
}

function makeFile(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === true) return;
  removeTree(realDisk, path);
  writeFileSync(path, '', { mode: 0o600, flag: 'wx' });
}
