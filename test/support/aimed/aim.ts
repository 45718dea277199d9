/** A disk with a point at which its process kills or stops itself (layer 4 of docs/reliability.md). */
import { realDisk, type Disk } from '../../../src/store/files/disk.ts';

/**
 * Calls that change a file, and flushing, which ends a step. Between two of these it makes no difference where a
 * process died.
 */
export const AIMED = [
  'openSync',
  'writeSync',
  'linkSync',
  'renameSync',
  'unlinkSync',
  'mkdirSync',
  'chmodSync',
  'fsyncSync',
  'fdatasyncSync',
] as const;
export type AimedCall = (typeof AIMED)[number];

/** The n-th call of its name, from 1; `half` is for writes: half of the bytes are written. */
export interface Aim {
  readonly call: AimedCall;
  readonly n: number;
  readonly when: 'before' | 'half' | 'after';
}

/** Every aim at calls that were made so often. */
export const aimsAt = (counts: ReadonlyMap<AimedCall, number>): Aim[] =>
  [...counts].flatMap(([call, times]) =>
    Array.from({ length: times }, (_, at) => at + 1).flatMap((n): Aim[] => [
      { call, n, when: 'before' },
      ...(call === 'writeSync' ? [{ call, n, when: 'half' } as const] : []),
      { call, n, when: 'after' },
    ]),
  );

/** No power is lost here, so flushing takes no time. */
export const unflushed: Disk = { ...realDisk, fsyncSync: () => undefined, fdatasyncSync: () => undefined };

interface AimedDisk {
  readonly disk: Disk;
  /** Counts from here on, and kills or stops at the aim, if there is one. */
  arm(aim?: Aim): void;
  readonly counts: Map<AimedCall, number>;
}

export function aimedDisk(signal: 'SIGKILL' | 'SIGSTOP'): AimedDisk {
  const counts = new Map<AimedCall, number>();
  let isArmed = false;
  let aim: Aim | undefined;
  const wrap =
    (call: AimedCall, real: (...args: unknown[]) => unknown) =>
    (...args: unknown[]): unknown => {
      if (!isArmed) return real(...args);
      const n = (counts.get(call) ?? 0) + 1;
      counts.set(call, n);
      if (aim?.call !== call || aim.n !== n) return real(...args);
      if (aim.when === 'half' && signal === 'SIGKILL') writeHalf(args);
      const result = aim.when === 'after' ? real(...args) : undefined;
      hit(signal);
      return aim.when === 'after' ? result : real(...args);
    };
  const aimed = AIMED.map((call) => [call, wrap(call, unflushed[call] as (...args: unknown[]) => unknown)]);
  return {
    disk: { ...unflushed, ...(Object.fromEntries(aimed) as Partial<Disk>) },
    arm(wanted) {
      isArmed = true;
      aim = wanted;
    },
    counts,
  };
}

function writeHalf([fd, bytes, at, length, position]: unknown[]): void {
  realDisk.writeSync(fd as number, bytes as Buffer, at as number, (length as number) >> 1, position as number | null);
}

/** Stops this process until SIGCONT. */
export const stopHere = (): void => hit('SIGSTOP');

/** A signal to the own process has arrived when the next wait is over. */
function hit(signal: 'SIGKILL' | 'SIGSTOP'): void {
  process.kill(process.pid, signal);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, signal === 'SIGKILL' ? 60_000 : 2);
}
