/**
 * A file system in memory that many simulated processes share: inodes, hard links, renames, and what a power loss
 * takes. It has paths and nodes; descriptors belong to each process (`disk.ts`).
 */
import { errno } from '../faults.ts';
import { Directory, File, type Node } from './nodes.ts';
import type { Random } from './random.ts';

/** Made once: an error costs more than the call that failed. */
const ERRORS = new Map<string, Error>();
export function fail(code: string): never {
  const error = ERRORS.get(code) ?? errno(code);
  ERRORS.set(code, error);
  throw error;
}

interface Place {
  readonly names: readonly string[];
  readonly parent: string;
  readonly base: string;
}

/** Parsed paths, once each: the processes of a scenario use few, and use them all the time. */
const PLACES = new Map<string, Place>();
const KNOWN = 100_000;

function placeOf(path: string): Place {
  const known = PLACES.get(path);
  if (known !== undefined) return known;
  const names = path.split('/').filter((name) => name !== '');
  const place = { names, parent: `/${names.slice(0, -1).join('/')}`, base: names.at(-1) ?? '' };
  if (PLACES.size >= KNOWN) PLACES.clear();
  PLACES.set(path, place);
  return place;
}

const basename = (path: string): string => placeOf(path).base;

export class FileSystem {
  readonly now: () => number;
  #lastIno = 1;
  readonly #root = new Directory(1, 0o700, 0);

  constructor(now: () => number) {
    this.now = now;
  }

  /** The node at a path; undefined if there is none. */
  at(path: string): Node | undefined {
    let node: Node | undefined = this.#root;
    for (const name of placeOf(path).names) {
      if (node?.kind !== 'directory') return undefined;
      node = node.entries.get(name);
    }
    return node;
  }

  get(path: string): Node {
    return this.at(path) ?? fail('ENOENT');
  }

  /** The text of a file, for checks from outside. */
  text(path: string): string | undefined {
    const node = this.at(path);
    return node?.kind === 'file' ? node.bytes.toString('utf8') : undefined;
  }

  names(path: string): string[] {
    return [...this.#directory(path).entries.keys()];
  }

  /** For checks from outside: none if there is no directory. */
  namesIn(path: string): string[] {
    return this.at(path) ? this.names(path) : [];
  }

  create(path: string, mode: number): File {
    const file = new File((this.#lastIno += 1), mode, this.now());
    this.#parent(path).change([basename(path), file]);
    return file;
  }

  mkdir(path: string, mode = 0o700): void {
    if (this.at(path)) fail('EEXIST');
    this.#parent(path).change([basename(path), new Directory((this.#lastIno += 1), mode, this.now())]);
  }

  rmdir(path: string): void {
    if (this.#directory(path).entries.size > 0) fail('ENOTEMPTY');
    this.#parent(path).change([basename(path), undefined]);
  }

  link(from: string, to: string): void {
    const node = this.get(from);
    if (node.kind !== 'file') fail('EPERM');
    if (this.at(to)) fail('EEXIST');
    this.#parent(to).change([basename(to), node]);
    node.ctimeMs = this.now();
  }

  unlink(path: string): void {
    const node = this.get(path);
    if (node.kind === 'directory') fail('EISDIR');
    this.#parent(path).change([basename(path), undefined]);
    node.ctimeMs = this.now();
  }

  /** As in POSIX: a rename between two names of one file does nothing. */
  rename(from: string, to: string): void {
    const node = this.get(from);
    const there = this.at(to);
    if (there === node) return;
    if (there?.kind === 'directory') fail('EISDIR');
    const [source, target] = [this.#parent(from), this.#parent(to)];
    const [gone, come] = [
      [basename(from), undefined],
      [basename(to), node],
    ] as const;
    if (source === target) target.change(come, gone);
    else {
      target.change(come);
      source.change(gone);
    }
    node.ctimeMs = this.now();
  }

  losePower(random: Random): void {
    this.#root.losePower(random);
  }

  /** Everything before the run is durable. */
  sync(node: Node = this.#root): void {
    node.sync();
    if (node.kind === 'directory') for (const inner of node.entries.values()) this.sync(inner);
  }

  #directory(path: string): Directory {
    const node = this.get(path);
    return node.kind === 'directory' ? node : fail('ENOTDIR');
  }

  #parent(path: string): Directory {
    return this.#directory(placeOf(path).parent);
  }
}
