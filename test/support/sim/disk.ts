/** The store's file layer for one simulated process: each call is a scheduling point and may fail as planned. */
import type { Stats } from 'node:fs';
import { O_APPEND, O_CREAT, O_DIRECTORY, O_EXCL, type Disk } from '../../../src/store/files/disk.ts';
import { fail, type FileSystem } from './filesystem.ts';
import { SUSPENDED, type Descriptor, type Run } from './life.ts';
import type { File, Node } from './nodes.ts';

const UID = process.getuid?.() ?? 0;

/** The facts of a file that the store reads. A class, since it is created more often than anything else. */
class SimStats implements Pick<
  Stats,
  'dev' | 'uid' | 'ino' | 'mode' | 'nlink' | 'size' | 'birthtimeMs' | 'mtimeMs' | 'ctimeMs' | 'isFile' | 'isDirectory'
> {
  readonly dev = 1;
  readonly uid = UID;
  readonly ino: number;
  readonly mode: number;
  readonly nlink: number;
  readonly size: number;
  readonly birthtimeMs: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly #kind: Node['kind'];

  constructor(node: Node) {
    this.ino = node.ino;
    this.mode = node.mode;
    this.nlink = node.nlink;
    this.size = node.size;
    this.birthtimeMs = node.birthtimeMs;
    this.mtimeMs = node.mtimeMs;
    this.ctimeMs = node.ctimeMs;
    this.#kind = node.kind;
  }

  isFile(): boolean {
    return this.#kind === 'file';
  }

  isDirectory(): boolean {
    return this.#kind === 'directory';
  }
}

export class SimDisk implements Record<keyof Disk, unknown> {
  readonly #run: Run;

  constructor(run: Run) {
    this.#run = run;
  }

  get #files(): FileSystem {
    return this.#run.life.machine.files;
  }

  openSync(path: string, flags: number, mode: number): number {
    const does = (): number => {
      const there = this.#files.at(path);
      if (there && (flags & O_EXCL) !== 0) fail('EEXIST');
      if (!there && (flags & O_CREAT) === 0) fail('ENOENT');
      if ((flags & O_DIRECTORY) !== 0 && there?.kind !== 'directory') fail('ENOTDIR');
      if (there?.kind === 'directory' && (flags & 3) !== 0) fail('EISDIR');
      const node = there ?? this.#create(path, mode);
      const { life } = this.#run;
      life.descriptors.set((life.lastDescriptor += 1), { node, flags });
      return life.lastDescriptor;
    };
    return (flags & O_CREAT) === 0 ? this.#run.call('open', path, does) : this.#run.change('open', path, does);
  }

  /** Invisible to others, and works also while the process is unwinding. */
  closeSync(fd: number): void {
    if (!this.#run.isOver) this.#run.look('close', () => void this.#run.life.descriptors.delete(fd));
  }

  readSync(fd: number, buffer: Buffer, offset: number, length: number, position: number): number {
    const bytes = this.#run.call('read', String(fd), () =>
      Buffer.from(this.#file(fd).bytes.subarray(position, position + length)),
    );
    return bytes.copy(buffer, offset);
  }

  writeSync(fd: number, buffer: Buffer, offset: number, length: number, position: number | null): number {
    return this.#run.change('write', String(fd), () => {
      this.#mustHaveRoom();
      const { machine } = this.#run.life;
      const { written, isLast } = machine.faults.write(length);
      const file = this.#file(fd);
      const isAppended = (this.#descriptor(fd).flags & O_APPEND) !== 0;
      file.write(
        buffer.subarray(offset, offset + written),
        isAppended ? file.size : (position ?? file.size),
        machine.now,
      );
      if (!isLast) return written;
      machine.kill(this.#run.life);
      throw SUSPENDED;
    });
  }

  ftruncateSync(fd: number, size: number): void {
    this.#run.change('truncate', String(fd), () => this.#file(fd).truncate(size, this.#files.now()), 'removes');
  }

  fstatSync(fd: number): SimStats {
    return this.#run.call('fstat', String(fd), () => new SimStats(this.#descriptor(fd).node));
  }

  lstatSync(path: string, { throwIfNoEntry = true } = {}): SimStats | undefined {
    return this.#run.call('lstat', path, () => {
      const node = throwIfNoEntry ? this.#files.get(path) : this.#files.at(path);
      return node && new SimStats(node);
    });
  }

  fsyncSync(fd: number): void {
    this.#run.call('fsync', String(fd), () => this.#descriptor(fd).node.sync());
  }

  fdatasyncSync(fd: number): void {
    this.fsyncSync(fd);
  }

  linkSync(from: string, to: string): void {
    this.#run.change('link', to, () => {
      if (!this.#files.at(to)) this.#mustHaveRoom();
      this.#files.link(from, to);
    });
  }

  renameSync(from: string, to: string): void {
    this.#run.change('rename', to, () => this.#files.rename(from, to), 'removes');
  }

  unlinkSync(path: string): void {
    this.#run.change('unlink', path, () => this.#files.unlink(path), 'removes');
  }

  mkdirSync(path: string): void {
    this.#run.change('mkdir', path, () => this.#files.mkdir(path));
  }

  rmdirSync(path: string): void {
    this.#run.change('rmdir', path, () => this.#files.rmdir(path), 'removes');
  }

  readdirSync(path: string): string[] {
    return [...this.#run.call('readdir', path, () => this.#files.names(path))];
  }

  chmodSync(path: string): void {
    this.#run.call('chmod', path, () => void this.#files.get(path));
  }

  fchmodSync(fd: number, mode: number): void {
    this.#run.change('fchmod', String(fd), () => {
      this.#file(fd).mode = mode;
    });
  }

  realpathSync(path: string): string {
    return this.#run.call('realpath', path, () => path);
  }

  futimesSync(fd: number): void {
    this.#run.call('futimes', String(fd), () => {
      this.#file(fd).mtimeMs = this.#files.now();
    });
  }

  #create(path: string, mode: number): File {
    this.#mustHaveRoom();
    return this.#files.create(path, mode);
  }

  #mustHaveRoom(): void {
    const { machine } = this.#run.life;
    if (machine.faults.isFull(machine.steps)) fail('ENOSPC');
  }

  #descriptor(fd: number): Descriptor {
    return this.#run.life.descriptors.get(fd) ?? fail('EBADF');
  }

  #file(fd: number): File {
    const { node } = this.#descriptor(fd);
    return node.kind === 'file' ? node : fail('EISDIR');
  }
}
