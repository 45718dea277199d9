/**
 * The empty directories that bubblewrap leaves in a workspace where it covered a missing name. Each isolation has a
 * record, in the user's state directory, of what it covers, written before anything is covered. A directory is removed
 * when no living isolation covers it; one whose socket refuses connections is dead. A name that was there and empty
 * before is in no record, and stays.
 */
import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { keyPath } from '../user/seal.ts';
import { removePlaceOf } from './member-place.ts';

const recordSchema = z.object({ socket: z.string(), stubs: z.array(z.string()) });
type Covering = z.output<typeof recordSchema>;

export interface KeptStubs {
  /** The directories of other isolations, or of a crashed one: covered names that are not the user's own. */
  readonly known: ReadonlySet<string>;
  /** Removes the record, and the directories that nothing else covers. */
  remove(isAlive: (socket: string) => Promise<boolean>): Promise<void>;
}

/** Where the records of a user are. */
export const recordsFolder = (environment: Parameters<typeof keyPath>[0]): string =>
  join(dirname(keyPath(environment)), 'isolations');

/**
 * Clears what crashed isolations left, then records what this one will cover.
 *
 * @param folder of the records
 * @param names candidates; those that exist and are in no record are the user's own
 */
export async function coverNames(
  folder: string,
  socket: string,
  names: readonly string[],
  isAlive: (socket: string) => Promise<boolean>,
): Promise<KeptStubs> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${basename(dirname(dirname(socket)))}.json`);
  const before = await clear(folder, isAlive);
  const stubs = names.filter((name) => before.has(name) || !exists(name));
  writeFileSync(file, `${JSON.stringify({ socket, stubs } satisfies Covering)}\n`, { mode: 0o600 });
  return {
    known: new Set(stubs),
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
    rmdirSync(path);
  } catch {
    // It is gone, or no longer empty, so that it is the user's.
  }
}
