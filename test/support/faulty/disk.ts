/**
 * The real disk with one fault at the n-th call that the fault applies to. A crash is an exception out of that call;
 * nothing that the code still tries then (`finally` blocks) reaches the disk. What a power loss takes is undone.
 */
import { O_CREAT, realDisk, type Disk } from '../../../src/store/files/disk.ts';
import { errno } from '../faults.ts';
import { Unsynced } from './unsynced.ts';

export const FAULTS = [
  'crash before',
  'crash after',
  'power loss after',
  'short write',
  'short write and crash',
  'ENOSPC',
  'ENOSPC for ever',
  'EIO',
  'EMFILE',
] as const;
export type Fault = (typeof FAULTS)[number];

type Call = keyof Disk;
type Real = (...args: unknown[]) => unknown;

const NEEDS_ROOM = new Set<Call>(['writeSync', 'linkSync', 'mkdirSync']);
const FAILS = new Set<Call>([
  'readSync',
  'writeSync',
  'fsyncSync',
  'fdatasyncSync',
  'linkSync',
  'renameSync',
  'unlinkSync',
]);

function befalls(fault: Fault, call: Call, args: readonly unknown[]): boolean {
  switch (fault) {
    case 'short write':
    case 'short write and crash':
      return call === 'writeSync';
    case 'ENOSPC':
    case 'ENOSPC for ever':
      return NEEDS_ROOM.has(call) || (call === 'openSync' && (Number(args[1]) & O_CREAT) !== 0);
    case 'EIO':
      return FAILS.has(call);
    case 'EMFILE':
      return call === 'openSync';
    case 'crash before':
    case 'crash after':
    case 'power loss after':
      return true;
    default:
      return fault satisfies never;
  }
}

export class Crashed extends Error {}

/** The disk of one process with one fault. */
export class FaultyDisk {
  readonly disk: Disk;
  readonly #n: number;
  readonly #fault: Fault;
  readonly #open = new Set<number>();
  readonly #unsynced: Unsynced | undefined;
  #calls = 0;
  #fired: Call | undefined;
  #isCrashed = false;

  constructor(n: number, fault: Fault) {
    this.#n = n;
    this.#fault = fault;
    this.#unsynced = fault === 'power loss after' ? new Unsynced() : undefined;
    const call = (name: Call, args: unknown[]): unknown => this.#call(name, args);
    this.disk = new Proxy(realDisk, {
      get:
        (_, name: Call) =>
        (...args: unknown[]) =>
          call(name, args),
    });
  }

  /** The call of the fault, if the run reached it. */
  get fired(): Call | undefined {
    return this.#fired;
  }

  /** Frees what the system would free of a process, and takes what a power loss takes. */
  end(): void {
    for (const fd of this.#open) realDisk.closeSync(fd);
    this.#open.clear();
    if (this.#isCrashed) this.#unsynced?.lose();
    this.#unsynced?.forget();
  }

  #call(call: Call, args: unknown[]): unknown {
    if (call === 'closeSync') return this.#open.delete(Number(args[0])) && this.#make(call, args);
    if (this.#isCrashed) throw new Crashed('the process has ended');
    if (!befalls(this.#fault, call, args)) return this.#make(call, args);
    this.#calls += 1;
    const isHit = this.#calls === this.#n || (this.#calls > this.#n && this.#fault === 'ENOSPC for ever');
    if (!isHit) return this.#make(call, args);
    this.#fired ??= call;
    return this.#fail(call, args);
  }

  #make(call: Call, args: unknown[]): unknown {
    this.#unsynced?.before(call, args);
    // `Unsynced` decides what a power loss takes, so real flushing is not needed.
    const isFlush = call === 'fsyncSync' || call === 'fdatasyncSync';
    const result = isFlush ? undefined : (realDisk[call] as Real)(...args);
    this.#unsynced?.after(call, args, result);
    if (call === 'openSync') this.#open.add(Number(result));
    return result;
  }

  #fail(call: Call, args: unknown[]): unknown {
    switch (this.#fault) {
      case 'crash before':
        return this.#crash();
      case 'crash after':
      case 'power loss after':
        this.#make(call, args);
        return this.#crash();
      case 'short write':
        return this.#make(call, shortened(args));
      case 'short write and crash':
        this.#make(call, shortened(args));
        return this.#crash();
      case 'ENOSPC for ever':
        throw errno('ENOSPC');
      case 'ENOSPC':
      case 'EIO':
      case 'EMFILE':
        throw errno(this.#fault);
      default:
        return this.#fault satisfies never;
    }
  }

  #crash(): never {
    this.#isCrashed = true;
    throw new Crashed('the process ended here');
  }
}

/** Half of the bytes of the write. */
const shortened = ([fd, bytes, at, length, position]: unknown[]): unknown[] => [
  fd,
  bytes,
  at,
  Math.floor(Number(length) / 2),
  position,
];
