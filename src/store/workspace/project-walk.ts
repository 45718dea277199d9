/**
 * The files of a project, found by walking its directories: no links are followed, and generated directories are left
 * out.
 */
import { createHash } from 'node:crypto';
import { readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { codeCacheFolder } from '../user/own-folders.ts';
import { keyPath } from '../user/seal.ts';
import { bytesUpTo, withRegular } from '../files/regular-file.ts';

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
  /** Whether there were more files than the limit. */
  readonly isCut: boolean;
}

/** @param most the limit of files; a directory that cannot be read is skipped */
export function walkProject(root: string, most: number): ProjectFiles {
  const files: string[] = [];
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of entriesOf(join(root, folder))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && !LEFT_OUT.has(entry.name) && !isOurs(join(root, path))) folders.push(path);
      if (entry.isFile()) files.push(path);
      if (files.length > most) return { files: files.slice(0, most).sort(), isCut: true };
    }
  }
  return { files: files.sort(), isCut: false };
}

/**
 * The directories of our own files of the user, the key's and that of compiled code: in a project that is the user's home
 * they are no part of the project.
 */
export const ownDirectories = (): string[] => ownPaths().map(real);

const ownPaths = (): string[] => [dirname(keyPath()), codeCacheFolder(process.env)];

function isOurs(directory: string): boolean {
  const name = basename(directory);
  return ownPaths().some((path) => basename(path) === name && real(path) === real(directory));
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // There is none yet.
    return path;
  }
}

function entriesOf(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    // Another user's directory, or gone meanwhile: what cannot be listed cannot be divided either.
    return [];
  }
}

/** In bytes. For a larger file, and one with more than its size says, size and time replace the hash of its contents. */
const LARGEST = 64 * 1024 * 1024;

/** A fingerprint of each file's contents; empty for a file that cannot be read. */
export const hashesOf = (root: string, files: readonly string[]): string[] =>
  files.map((file) => hashOf(join(root, file)));

/** Empty for another user's file, and for one that is gone or a pipe meanwhile. */
const hashOf = (path: string): string =>
  withRegular(path, (file, { size, mtimeMs }) => {
    const bytes = size > LARGEST ? undefined : bytesUpTo(file, size);
    return bytes === undefined ? `${size} ${mtimeMs}` : createHash('sha256').update(bytes).digest('hex');
  }) ?? '';
