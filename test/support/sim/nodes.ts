/** The parts of a simulated file system: files and directories by inode, each with what a power loss would leave. */
import type { Random } from './random.ts';

export class File {
  readonly kind = 'file';
  readonly ino: number;
  mode: number;
  nlink = 0;
  readonly birthtimeMs: number;
  mtimeMs: number;
  ctimeMs: number;
  #data = Buffer.alloc(0);
  size = 0;
  #synced = Buffer.alloc(0);

  constructor(ino: number, mode: number, now: number) {
    this.ino = ino;
    this.mode = mode;
    this.birthtimeMs = now;
    this.mtimeMs = now;
    this.ctimeMs = now;
  }

  get bytes(): Buffer {
    return this.#data.subarray(0, this.size);
  }

  write(bytes: Uint8Array, at: number, now: number): void {
    const end = at + bytes.length;
    if (end > this.#data.length) this.#data = Buffer.concat([this.bytes], Math.max(512, 2 * end));
    this.#data.set(bytes, at);
    this.size = Math.max(this.size, end);
    this.mtimeMs = now;
  }

  truncate(size: number, now: number): void {
    this.#data = Buffer.concat([this.#data.subarray(0, Math.min(size, this.size))], Math.max(512, size));
    this.size = size;
    this.mtimeMs = now;
  }

  sync(): void {
    this.#synced = Buffer.from(this.bytes);
  }

  /** Unsynced data is there, is gone, or is there in part. */
  losePower(random: Random): void {
    const isAppended =
      this.size >= this.#synced.length && this.bytes.subarray(0, this.#synced.length).equals(this.#synced);
    if (random.chance(0.3)) return;
    const kept = isAppended ? this.#synced.length + random.below(this.size - this.#synced.length + 1) : 0;
    const left = isAppended ? Buffer.from(this.bytes.subarray(0, kept)) : this.#synced;
    this.size = 0;
    this.write(left, 0, this.mtimeMs);
    this.sync();
  }
}

export class Directory {
  readonly kind = 'directory';
  readonly ino: number;
  readonly mode: number;
  readonly nlink = 2;
  readonly size = 4096;
  readonly birthtimeMs: number;
  mtimeMs: number;
  ctimeMs: number;
  readonly entries = new Map<string, Node>();
  #synced = new Map<string, Node>();
  /** Since the last sync, in order; the changes of one call are one entry. */
  #changes: (readonly Change[])[] = [];

  constructor(ino: number, mode: number, now: number) {
    this.ino = ino;
    this.mode = mode;
    this.birthtimeMs = now;
    this.mtimeMs = now;
    this.ctimeMs = now;
  }

  /** Sets names, or removes those without a node, in one step. */
  change(...changes: readonly Change[]): void {
    this.#changes.push(changes);
    for (const change of changes) this.#apply(change);
  }

  sync(): void {
    this.#synced = new Map(this.entries);
    this.#changes = [];
  }

  /** Of unsynced name changes the first ones are there and the rest is not: the file system has a journal. */
  losePower(random: Random): void {
    const changes = this.#changes;
    const kept = random.below(changes.length + 1);
    for (const name of this.entries.keys()) this.#apply([name, undefined]);
    for (const change of this.#synced) this.#apply(change);
    for (const change of changes.slice(0, kept).flat()) this.#apply(change);
    this.sync();
    for (const node of this.entries.values()) node.losePower(random);
  }

  #apply([name, node]: Change): void {
    const before = this.entries.get(name);
    if (before?.kind === 'file') before.nlink -= 1;
    if (node?.kind === 'file') node.nlink += 1;
    if (node === undefined) this.entries.delete(name);
    else this.entries.set(name, node);
  }
}

type Change = readonly [name: string, node: Node | undefined];

export type Node = File | Directory;
