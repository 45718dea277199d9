/**
 * A program's separate configuration home: its contents at start. The user's login is there as a link to the original
 * file, never a copy: so a renewed login is renewed everywhere, and a revoked one is revoked everywhere.
 */
import { existsSync, lstatSync, mkdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';

interface HomeContents {
  /** Path below the home → directory and file of the user's own; only existing files are linked. */
  readonly links?: Readonly<Record<string, readonly [string, string]>>;
  /** Path below the home → text. Never a secret. */
  readonly files?: Readonly<Record<string, string>>;
}

/**
 * Prepares a home; other files in it stay.
 * @returns the home
 */
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
  // If the program made its own login here, it stays; only our own link is replaced.
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
    // There is no link.
    return undefined;
  }
}
