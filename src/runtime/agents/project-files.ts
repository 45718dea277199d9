/**
 * The files of a project: those that git knows and does not ignore. Without git a directory walk finds them, in a
 * thread, so that a large tree does not block the process.
 */
import { join } from 'node:path';
import process from 'node:process';
import { recordsFolder, stubFiles } from '../../store/workspace/kept-stubs.ts';
import { realPath } from '../../store/workspace/sandbox-host.ts';
import type { ProjectFiles } from '../../store/workspace/project-walk.ts';
import { git } from '../process/git.ts';
import { scanProgram } from '../process/package.ts';
import type { Scan } from './scan-worker.ts';

type Scanned = ProjectFiles & { readonly hashes: readonly string[] };

/** The largest number of files that is examined one by one. */
const MOST_FILES = 50_000;

const LISTED = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];

/** @returns names relative to `cwd`; rejects when `signal` aborts */
export async function projectFiles(cwd: string, signal: AbortSignal): Promise<ProjectFiles> {
  const { code, text } = await git(LISTED, { cwd, signal });
  signal.throwIfAborted();
  if (code !== 0) return scanned({ cwd, most: MOST_FILES }, signal);
  const files = [
    ...new Set(text.split('\0').filter((file) => file !== '' && !/^\.(?:teams|tasks)\//.test(file))),
  ].sort();
  return { files: files.slice(0, MOST_FILES), isCut: files.length > MOST_FILES };
}

/** The hash of each file; undefined if there are too many files. */
export async function hashedFiles(cwd: string, signal: AbortSignal): Promise<Record<string, string> | undefined> {
  const { files, hashes, isCut } = await scanned({ cwd, most: MOST_FILES, hashed: true }, signal);
  if (isCut) return undefined;
  const entries = files.map((file, at) => [file, hashes[at] ?? ''] as const);
  const stubs = new Set(stubFiles(recordsFolder(process.env)));
  const root = stubs.size === 0 ? cwd : realPath(cwd);
  return Object.fromEntries(entries.filter(([file]) => !stubs.has(join(root, file))));
}

async function scanned(scan: Scan, signal: AbortSignal): Promise<Scanned> {
  const { Piscina } = await import('piscina');
  const pool = new Piscina<Scan, Scanned>({ filename: scanProgram, minThreads: 1, maxThreads: 1 });
  try {
    return await pool.run(scan, { signal });
  } finally {
    await pool.destroy();
  }
}
