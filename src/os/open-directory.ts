/**
 * Whether a process holds a directory open, by `/proc/<pid>/fd`. It proves which folder a process serves whose record
 * does not say so. Without `/proc`, or for a process of another user, there is no proof.
 */
import { readdirSync, statSync } from 'node:fs';

export function holdsOpen(pid: number, { dev, ino }: { readonly dev: number; readonly ino: number }): boolean {
  const descriptors = `/proc/${pid}/fd`;
  try {
    return readdirSync(descriptors).some((fd) => isSame(`${descriptors}/${fd}`));
  } catch {
    // The process is gone, is not ours, or there is no /proc.
    return false;
  }

  function isSame(path: string): boolean {
    try {
      const stat = statSync(path);
      return stat.isDirectory() && stat.dev === dev && stat.ino === ino;
    } catch {
      // A pipe, a socket, or a descriptor that was closed meanwhile.
      return false;
    }
  }
}
