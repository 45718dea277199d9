/**
 * The empty directories and files that are in a workspace while an isolation covers a missing name. Each isolation has a
 * record, in the user's state directory, of what it covers, written before anything is covered. They are removed when
 * no living isolation covers them; one whose socket refuses connections is dead. A name that was there and empty
 * before is in no record, and stays.
 *
 * The record also says which names the isolation mounts over, so that no program inside can exchange them. A name that
 * some isolation of a workspace does not mount over may become a link at any moment, and a mount over it would follow
 * the link: into the user's files. So only names of all records are mounted over.
 */
import { lstatSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { makeDirectoryPath } from '../../os/own-directory.ts';
import { keyPath } from '../user/seal.ts';
import { removePlaceOf } from './member-place.ts';
import { namesIn } from './sandbox-host.ts';

const recordSchema = z.object({
  socket: z.string(),
  stubs: z.array(z.string()),
  root: z.string().optional(),
  held: z.array(z.string()).optional(),
});
type Covering = z.output<typeof recordSchema>;

export interface KeptStubs {
  /** Covered names that are not the user's own: missing, or a stub of another isolation. */
  readonly known: ReadonlySet<string>;
  /** The names that no isolation of this workspace can exchange. */
  held(): ReadonlySet<string>;
  /** Removes the record, and the stubs that nothing else covers. */
  remove(isAlive: (socket: string) => Promise<boolean>): Promise<void>;
}

/** Where the records of a user are. */
export const recordsFolder = (environment: Parameters<typeof keyPath>[0]): string =>
  join(dirname(keyPath(environment)), 'isolations');

/**
 * Clears what crashed isolations left, then records what this one will cover.
 *
 * @param folder of the records
 * @param place.names candidates; those that exist and are in no record are the user's own
 * @param place.held the names that this isolation mounts over
 */
export async function coverNames(
  folder: string,
  socket: string,
  { root, names, held }: Readonly<Record<'names' | 'held', readonly string[]>> & { readonly root: string },
  isAlive: (socket: string) => Promise<boolean>,
): Promise<KeptStubs> {
  makeDirectoryPath(folder, 0o700);
  const file = join(folder, `${basename(dirname(dirname(socket)))}.json`);
  const before = await clear(folder, isAlive);
  const stubs = names.filter((name) => before.has(name) || !exists(name));
  writeFileSync(file, `${JSON.stringify({ socket, stubs, root, held: [...held] } satisfies Covering)}\n`, {
    mode: 0o600,
  });
  return {
    known: new Set(stubs),
    held() {
      const others = namesIn(folder).flatMap((name) => read(join(folder, name)) ?? []);
      const here = others.flatMap((one) => (one.root === root && one.held !== undefined ? [new Set(one.held)] : []));
      return new Set(held.filter((path) => here.every((one) => one.has(path))));
    },
    async remove(living) {
      rmSync(file, { force: true });
      const others = await clear(folder, living);
      for (const stub of stubs.filter((one) => !others.has(one))) removeEmpty(stub);
    },
  };
}

/** @returns what living isolations cover; what dead ones covered is removed */
async function clear(folder: string, isAlive: (socket: string) => Promise<boolean>): Promise<ReadonlySet<string>> {
  const living = new Set<string>();
  const dead: { readonly file: string; readonly covering: Covering }[] = [];
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.json'))) {
    const file = join(folder, name);
    const covering = read(file);
    if (covering === undefined) continue;
    if (await isAlive(covering.socket)) for (const stub of covering.stubs) living.add(stub);
    else dead.push({ file, covering });
  }
  for (const { file, covering } of dead) {
    removePlaceOf(covering.socket);
    for (const stub of covering.stubs.filter((one) => !living.has(one))) removeEmpty(stub);
    rmSync(file, { force: true });
  }
  return living;
}

function read(file: string): Covering | undefined {
  try {
    const parsed = recordSchema.safeParse(JSON.parse(readFileSync(file, 'utf8')));
    return parsed.success ? parsed.data : undefined;
  } catch {
    // Another process removed it, or wrote half of it.
    return undefined;
  }
}

function exists(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch {
    return false;
  }
}

function removeEmpty(path: string): void {
  try {
    if (isEmptyFile(path)) unlinkSync(path);
    else rmdirSync(path);
  } catch {
    // It is gone, or no longer empty, so that it is the user's.
  }
}

const isEmptyFile = (path: string): boolean => {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && found.size === 0;
};

/** Puts an empty file where a name is missing, so that bubblewrap need not make one that its user cannot write. */
export function makeStub(path: string): void {
  try {
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 });
  } catch {
    // It is there.
  }
}

/** The empty files that isolations of this user put into workspaces; no file of a project. */
export const stubFiles = (folder: string): string[] =>
  namesIn(folder)
    .flatMap((name) => read(join(folder, name))?.stubs ?? [])
    .filter(isEmptyFile);
