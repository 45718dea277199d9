/**
 * What a power loss takes from a real directory: of each file the writes since its last flush, of each directory the
 * name changes since its last flush, newest first. Old files are kept by a link, to be restored.
 */
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { O_CREAT, type Disk } from '../../../src/store/files/disk.ts';
import { inMemory } from '../temp.ts';

interface Opened {
  readonly path: string;
  readonly ino: number;
}

export class Unsynced {
  readonly #open = new Map<number, Opened>();
  /** By inode: the bytes of a file at its last flush. */
  readonly #flushed = new Map<number, { path: string; bytes: Buffer }>();
  #undo: { readonly directory: string; readonly take: () => void }[] = [];
  readonly #aside = fs.mkdtempSync(join(inMemory(), 'teams-unsynced-'));
  #kept = 0;

  before(call: keyof Disk, [first, second]: readonly unknown[]): void {
    const [from, to] = [pathOf(first), pathOf(second)];
    if (call === 'openSync' && (Number(second) & O_CREAT) !== 0 && !fs.existsSync(from)) this.#comes(from);
    if (call === 'linkSync' && !fs.existsSync(to)) this.#comes(to);
    if (call === 'unlinkSync' && fs.existsSync(from)) this.#goes(from);
    if (call === 'renameSync' && fs.existsSync(from)) this.#moves(from, to);
    if (call === 'mkdirSync' && !fs.existsSync(from))
      this.#undoable(from, () => fs.rmSync(from, { recursive: true, force: true }));
    const opened = typeof first === 'number' ? this.#open.get(first) : undefined;
    if ((call === 'writeSync' || call === 'ftruncateSync') && opened && !this.#flushed.has(opened.ino))
      this.#flushed.set(opened.ino, { path: opened.path, bytes: fs.readFileSync(opened.path) });
  }

  after(call: keyof Disk, [first]: readonly unknown[], result: unknown): void {
    if (call === 'openSync' && typeof result === 'number')
      this.#open.set(result, { path: pathOf(first), ino: fs.fstatSync(result).ino });
    const opened = typeof first === 'number' ? this.#open.get(first) : undefined;
    if ((call !== 'fsyncSync' && call !== 'fdatasyncSync') || opened === undefined) return;
    this.#flushed.delete(opened.ino);
    this.#undo = this.#undo.filter(({ directory }) => directory !== opened.path);
  }

  lose(): void {
    this.#loseBytes();
    for (const { take } of this.#undo.reverse()) take();
  }

  forget(): void {
    fs.rmSync(this.#aside, { recursive: true, force: true });
  }

  /** Under the present name of each file. */
  #loseBytes(): void {
    for (const [ino, { path, bytes }] of this.#flushed)
      for (const place of [path, ...siblings(path)])
        if (fs.statSync(place, { throwIfNoEntry: false })?.ino === ino) rewrite(place, bytes);
  }

  #comes(path: string): void {
    this.#undoable(path, () => fs.rmSync(path, { force: true }));
  }

  #goes(path: string): void {
    const kept = this.#keep(path);
    this.#undoable(path, () => fs.linkSync(kept, path));
  }

  #moves(from: string, to: string): void {
    const old = fs.existsSync(to) && fs.statSync(to).isFile() ? this.#keep(to) : undefined;
    this.#undoable(to, () => {
      fs.renameSync(to, from);
      if (old) fs.linkSync(old, to);
    });
  }

  #keep(path: string): string {
    const kept = join(this.#aside, String((this.#kept += 1)));
    fs.linkSync(path, kept);
    return kept;
  }

  #undoable(path: string, take: () => void): void {
    this.#undo.push({ directory: dirname(path), take });
  }
}

/** The path by names: the descriptor in a path is closed when the loss is worked out. */
const pathOf = (given: unknown): string =>
  String(given).replace(/^\/proc\/self\/fd\/\d+(?=\/)/u, (directory) => fs.readlinkSync(directory));

const siblings = (path: string): string[] => {
  const directory = dirname(path);
  return fs.existsSync(directory) ? fs.readdirSync(directory).map((file) => join(directory, file)) : [];
};

/** A file that may not be written any more lost its bytes as well. */
function rewrite(path: string, bytes: Buffer): void {
  const { mode } = fs.statSync(path);
  fs.chmodSync(path, 0o600);
  fs.writeFileSync(path, bytes);
  fs.chmodSync(path, mode);
}
