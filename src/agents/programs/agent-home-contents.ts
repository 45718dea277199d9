/**
 * A program's own configuration home: what it finds there when it starts. A user's login is there by reference: a link
 * to the very file, never a copy, so that a renewed one is everybody's and a revoked one nobody's.
 */
import { existsSync, lstatSync, mkdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';

export interface HomeContents {
  /** Path below the home → directory and file of the user's own; only what is there is linked. */
  readonly links?: Readonly<Record<string, readonly [string, string]>>;
  /** Path below the home → text. No secret ever. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Makes a home so; what else is in it stays. @returns the home */
export function prepareHome(home: string, { links = {}, files = {} }: HomeContents): string {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  for (const [path, [directory, file]] of Object.entries(links)) link(join(home, path), join(directory, file));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true, mode: 0o700 });
    writeFileSync(join(home, path), text, { mode: 0o600 });
  }
  return home;
}

function link(path: string, target: string): void {
  const isWanted = isAbsolute(target) && existsSync(target) && target !== path;
  if (targetOf(path) === (isWanted ? target : undefined)) return;
  // A login that the program made here itself is its own; only a link of ours is replaced.
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === false) return;
  rmSync(path, { force: true });
  if (!isWanted) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  symlinkSync(target, path);
}

function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    // There is none.
    return undefined;
  }
}
