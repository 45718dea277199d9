/**
 * The socket by which a lead answers other processes of the user in the same root (`bin/ask-lead.cjs`). It is in the
 * user's own state folder, beside the key.
 */
import { chmodSync, lstatSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { isServed, serveLocal, type LocalRequest } from '../../os/local-server.ts';
import { makeDirectoryPath } from '../../os/own-directory.ts';
import { DIRECTORY_MODE, FILE_MODE } from '../files/disk.ts';
import { rootPaths } from '../files/paths.ts';
import { leadsFolder } from './own-folders.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What a request must have in common with the lead that answers it. */
export interface AnsweringLead {
  readonly root: string;
  readonly place: string;
  /** Which build of this program it is, and which Node runs it: another one may answer in other words. */
  readonly build: string;
  readonly environment: Environment;
}

/**
 * Answers until it is disposed of. Nothing depends on it: where no socket can be made, nobody is answered.
 *
 * @param root which has a `.teams`
 * @param bundle the program that those would run who ask
 */
export async function answerAsLead(
  root: string,
  bundle: string,
  environment: Environment,
  answer: (request: LocalRequest, lead: AnsweringLead) => Promise<void>,
): Promise<AsyncDisposable> {
  try {
    const lead = { root, place: placeOf(root), build: buildOf(bundle), environment };
    const folder = leadsFolder(environment);
    makeDirectoryPath(folder, DIRECTORY_MODE);
    await removeDeserted(folder);
    const socket = join(folder, `${lead.place}-${process.pid}`);
    const server = await serveLocal(socket, (request) => answer(request, lead));
    chmodSync(socket, FILE_MODE);
    return { [Symbol.asyncDispose]: () => server.close() };
  } catch {
    // No state folder, a path that is too long, a full disk.
    return { [Symbol.asyncDispose]: () => Promise.resolve() };
  }
}

/** A root by its `.teams`: that of a copy is another one. */
export function placeOf(root: string): string {
  const { dev, ino } = lstatSync(rootPaths(root).teams);
  return `${dev}-${ino}`;
}

function buildOf(bundle: string): string {
  const { dev, ino, mtimeMs, size } = statSync(bundle);
  return `${process.version} ${dev} ${ino} ${mtimeMs} ${size}`;
}

/** A lead that was killed leaves its socket. */
async function removeDeserted(folder: string): Promise<void> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (!(await isServed(path))) rmSync(path, { force: true });
  }
}
