/** What is around a workspace, as a wall needs to know it. Nothing here changes anything but a canary that goes at once. */
import { mkdtempSync, readdirSync, readlinkSync, realpathSync, rmdirSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

/** Something that is there, without links. */
interface Entry {
  readonly path: string;
  readonly isDirectory: boolean;
}

/** @returns undefined for what is not there, or may not be looked at: then no command of this user can either */
function entryAt(path: string): Entry | undefined {
  try {
    const real = realpathSync.native(path);
    return { path: real, isDirectory: statSync(real).isDirectory() };
  } catch {
    return undefined;
  }
}

/** What is there of some paths. */
export const entriesAt = (paths: readonly string[]): Entry[] => paths.flatMap((path) => entryAt(path) ?? []);

/** What is directly in a directory, by name. */
export const entriesIn = (directory: string): Map<string, Entry> =>
  new Map(
    readdirSync(directory).flatMap((name): [string, Entry][] => {
      const entry = entryAt(join(directory, name));
      return entry === undefined ? [] : [[name, entry]];
    }),
  );

export const realPath = (path: string): string => realpathSync.native(path);

export const homeOf = (environment: Readonly<Record<string, string | undefined>>): string =>
  environment['HOME']?.startsWith('/') === true ? environment['HOME'] : homedir();

/** Which network this process is in, as the system names it. */
export const networkNamespace = (): string => readlinkSync('/proc/self/ns/net');

/** Makes an empty directory where temporary files are, for as long as `use` takes. */
export async function withProbeDirectory<T>(use: (path: string) => Promise<T>): Promise<T> {
  const path = mkdtempSync(join(tmpdir(), 'teams-canary-'));
  try {
    return await use(path);
  } finally {
    rmdirSync(path);
  }
}
