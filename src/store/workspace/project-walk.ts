/** The files of a project, by walking its directories: no links are followed, and what tools made is left out. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const LEFT_OUT: ReadonlySet<string> = new Set([
  '.git',
  '.hg',
  '.svn',
  '.teams',
  '.tasks',
  'node_modules',
  'bower_components',
  'dist',
  'build',
  'out',
  'target',
  'coverage',
  '.next',
  '.nuxt',
  '.cache',
  '.venv',
  'venv',
  '__pycache__',
  '.tox',
  '.gradle',
  '.idea',
  'vendor',
]);

export interface ProjectFiles {
  /** Relative, with `/`, sorted. */
  readonly files: readonly string[];
  /** There were more. */
  readonly isCut: boolean;
}

/** @param most files; a directory that may not be read is passed over */
export function walkProject(root: string, most: number): ProjectFiles {
  const files: string[] = [];
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of entriesOf(join(root, folder))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && !LEFT_OUT.has(entry.name)) folders.push(path);
      if (entry.isFile()) files.push(path);
      if (files.length > most) return { files: files.slice(0, most).sort(), isCut: true };
    }
  }
  return { files: files.sort(), isCut: false };
}

function entriesOf(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    // Another's directory, or gone meanwhile: what cannot be listed cannot be divided either.
    return [];
  }
}

/** Of a larger file, size and time stand for what is in it. */
const LARGEST = 64 * 1024 * 1024;

/** What tells the contents of each file from others; empty for one that may not be read. */
export const hashesOf = (root: string, files: readonly string[]): string[] =>
  files.map((file) => hashOf(join(root, file)));

function hashOf(path: string): string {
  try {
    const { size, mtimeMs } = statSync(path);
    return size > LARGEST ? `${size} ${mtimeMs}` : createHash('sha256').update(readFileSync(path)).digest('hex');
  } catch {
    // Another's, or gone meanwhile.
    return '';
  }
}
