/** A disk that fails where a test says so (layer 2 of docs/reliability.md). */
import { realDisk, type Disk } from '../../src/store/files/disk.ts';

export const errno = (code: string): Error => Object.assign(new Error(`${code}: made by a test`), { code });

/** The real disk with calls that throw. */
export function failing(code: string, ...calls: (keyof Disk)[]): Disk {
  const fail = (): never => {
    throw errno(code);
  };
  return { ...realDisk, ...Object.fromEntries(calls.map((call) => [call, fail])) };
}

/**
 * The real disk with a limit for each write: a number of bytes, an errno, or undefined for no fault. It is asked before
 * every write.
 */
export function writing(limit: (bytes: Buffer) => number | string | undefined): Disk {
  const writeSync = (fd: number, data: Buffer, at: number, length: number, position: number | null): number => {
    const most = limit(data.subarray(at, at + length));
    if (typeof most === 'string') throw errno(most);
    return realDisk.writeSync(fd, data, at, most === undefined ? length : Math.min(most, length), position);
  };
  return { ...realDisk, writeSync: writeSync as Disk['writeSync'] };
}

/**
 * The real disk. Once armed, its n-th call fails once: `before` it is made, or `after` it has taken effect. Closing
 * always works, as on real disks; flushing takes no time, since no power is lost here.
 */
export function failingAt(n: number, when: 'before' | 'after', code = 'EIO') {
  let calls = 0;
  const fault = { isArmed: false, fired: undefined as string | undefined };
  const disk = new Proxy(realDisk, {
    get(target, call: keyof Disk) {
      const isSync = call === 'fsyncSync' || call === 'fdatasyncSync';
      const real = (isSync ? () => undefined : target[call]) as (...args: unknown[]) => unknown;
      if (call === 'closeSync') return real;
      return (...args: unknown[]): unknown => {
        calls += fault.isArmed ? 1 : 0;
        if (!fault.isArmed || calls !== n) return real(...args);
        fault.fired = call;
        const result = when === 'after' ? real(...args) : undefined;
        if (call === 'openSync' && typeof result === 'number') realDisk.closeSync(result);
        throw errno(code);
      };
    },
  });
  return { disk, fault };
}
