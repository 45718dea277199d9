/** A disk with some of its calls replaced. */
import type { Disk } from '../../../../src/store/files/disk.ts';

export function over(disk: Disk, calls: Partial<Disk>): Disk {
  const call = (key: keyof Disk): unknown => calls[key] ?? disk[key].bind(disk);
  return new Proxy(disk, { get: (_, key: keyof Disk) => call(key) });
}
