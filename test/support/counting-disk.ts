/** The real disk, and how many bytes were read through it since `bytes` was set. */
import { realDisk, type Disk } from '../../src/store/files/disk.ts';

export function countingDisk(): { readonly disk: Disk; bytes: number } {
  const count = {
    disk: {
      ...realDisk,
      readSync: ((...call: Parameters<Disk['readSync']>) => {
        const got = realDisk.readSync(...call);
        count.bytes += got;
        return got;
      }) as Disk['readSync'],
    },
    bytes: 0,
  };
  return count;
}
