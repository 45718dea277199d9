/**
 * The disk of one incarnation of a simulated process: it can end at its n-th call from now, and does nothing
 * afterwards.
 */
import { realDisk, type Disk } from '../../../src/store/files/disk.ts';
import { ownIdentity } from '../../../src/os/process-table.ts';
import type { ProcessIdentity } from '../../../src/model/agent/process-identity.ts';

export class Died extends Error {}

export interface Mortal {
  readonly disk: Disk;
  /** No process has this pid, so a lock of this incarnation is a dead one's. */
  readonly identity: ProcessIdentity;
  dieAt(call: number): void;
  /** Whether it has ended, whatever the code made of that: its return value is ignored then. */
  isDead(): boolean;
  /** Frees what the system would free of a process: its descriptors. */
  end(): void;
}

/** Above every pid of Linux. */
const FIRST_PID = 2 ** 22 + 1;
let lives = 0;

export function mortal(): Mortal {
  let left = Number.POSITIVE_INFINITY;
  let isDead = false;
  const open = new Set<number>();
  const end = (): void => {
    for (const fd of open) realDisk.closeSync(fd);
    open.clear();
    isDead = true;
  };
  const disk = new Proxy(realDisk, {
    get(target, call: keyof Disk) {
      // No power is lost here, so flushing takes no time.
      const isFlush = call === 'fsyncSync' || call === 'fdatasyncSync';
      const real = (isFlush ? () => undefined : target[call]) as (...args: unknown[]) => unknown;
      return (...args: unknown[]): unknown => {
        isDead ||= left <= 0;
        if (isDead) throw new Died();
        left -= 1;
        const result = real(...args);
        if (call === 'openSync' && typeof result === 'number') open.add(result);
        if (call === 'closeSync' && typeof args[0] === 'number') open.delete(args[0]);
        return result;
      };
    },
  });
  lives += 1;
  return {
    disk,
    end,
    identity: { ...ownIdentity(), pid: FIRST_PID + lives },
    dieAt: (call) => (left = call),
    isDead: () => isDead,
  };
}
