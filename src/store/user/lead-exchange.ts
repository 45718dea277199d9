/**
 * The folder by which a lead answers other processes of the user in the same root (`bin/ask-lead.cjs`). It is in the
 * user's own state folder, beside the key. A request is a file, and so is its answer: a process that asks by a socket
 * spends more on the socket than on all else that it does.
 */
import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  watch,
  writeFileSync,
  type FSWatcher,
} from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { frameOf, type FrameKind } from '../../os/local-server.ts';
import { makeDirectoryPath } from '../../os/own-directory.ts';
import { isLiving, ownIdentity, processes } from '../../os/process-table.ts';
import { DIRECTORY_MODE, FILE_MODE } from '../files/disk.ts';
import { rootPaths } from '../files/paths.ts';
import { leadsFolder } from './own-folders.ts';
import { fileNames } from './user-file.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What a request must have in common with the lead that answers it. */
export interface AnsweringLead {
  readonly root: string;
  readonly place: string;
  /** Which build of this program it is, and which Node runs it: another one may answer in other words. */
  readonly build: string;
  readonly environment: Environment;
}

export interface VerbRequest {
  /** One line of JSON. */
  readonly head: string;
  /** Aborts when the lead ends. */
  readonly gone: AbortSignal;
  /** Adds to the answer, which is given as a whole. */
  send(kind: FrameKind, bytes: Uint8Array): Promise<void>;
}

type Answerer = (request: VerbRequest) => Promise<void>;

/** A file of a request, and of an answer; all other names are of files that are being written. */
const [ASKED, ANSWERED] = ['.ask', '.answer'];
const MOST_BYTES = 1024 * 1024;
/** Milliseconds after which an answer is removed that nobody has read. */
const LEAVE_MS = 10_000;

/**
 * Answers until it is disposed of. Nothing depends on it: where no folder can be made or watched, nobody is answered.
 *
 * @param root which has a `.teams`
 * @param bundle the program that those would run who ask
 */
export function answerAsLead(
  root: string,
  bundle: string,
  environment: Environment,
  answer: (request: VerbRequest, lead: AnsweringLead) => Promise<void>,
): Disposable {
  try {
    const lead = { root, place: placeOf(root), build: buildOf(bundle), environment };
    const folder = leadsFolder(environment);
    makeDirectoryPath(folder, DIRECTORY_MODE);
    removeDeserted(folder);
    return new Exchange(join(folder, `${lead.place}-${process.pid}-${ownLife()}`), (request) => answer(request, lead));
  } catch {
    // No state folder, a full disk, no more watches.
    return { [Symbol.dispose]: () => {} };
  }
}

class Exchange implements Disposable {
  readonly #folder: string;
  readonly #answer: Answerer;
  readonly #end = new AbortController();
  readonly #watcher: FSWatcher;

  constructor(folder: string, answer: Answerer) {
    this.#folder = folder;
    this.#answer = answer;
    mkdirSync(folder, DIRECTORY_MODE);
    try {
      this.#watcher = watch(folder, { persistent: false }, (_, name) => this.#look(name));
    } catch (error) {
      remove(folder);
      throw error;
    }
    this.#watcher.on('error', () => this[Symbol.dispose]());
    // What came before the watch.
    this.#look(null);
  }

  [Symbol.dispose](): void {
    this.#end.abort();
    this.#watcher.close();
    remove(this.#folder);
  }

  #look(name: string | null): void {
    if (this.#end.signal.aborted) return;
    for (const one of name === null ? fileNames(this.#folder) : [name]) {
      if (!one.endsWith(ASKED)) continue;
      const head = taken(join(this.#folder, one));
      if (head !== undefined) void this.#respond(join(this.#folder, one.slice(0, -ASKED.length)), head);
    }
  }

  async #respond(path: string, head: string): Promise<void> {
    const part = `${path}.part`;
    try {
      const file = new AnswerFile(part);
      try {
        await this.#answer({ head, gone: this.#end.signal, send: (kind, bytes) => file.add(kind, bytes) });
      } finally {
        file.close();
      }
      if (file.isWhole) {
        renameSync(part, path + ANSWERED);
        setTimeout(() => remove(path + ANSWERED), LEAVE_MS).unref();
      } else remove(part);
    } catch {
      // Nothing can be written, or the lead ends: the process that asks does the verb itself.
      remove(part);
    }
  }
}

class AnswerFile {
  readonly #file: number;
  #isWhole = true;

  constructor(path: string) {
    this.#file = openSync(path, 'wx', FILE_MODE);
  }

  /** False after an error of the disk. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Never rejects: nobody may look at its promise for a while. */
  add(kind: FrameKind, bytes: Uint8Array): Promise<void> {
    try {
      if (this.#isWhole) writeFileSync(this.#file, frameOf(kind, bytes));
    } catch {
      this.#isWhole = false;
    }
    return Promise.resolve();
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** Removes a file or a folder. What cannot be removed stays, and does no harm. */
function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // Its folder may not be written any more.
  }
}

/** @returns the request; undefined for what is none, or is taken already */
function taken(path: string): string | undefined {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return undefined;
    const head = stat.isFile() && stat.size <= MOST_BYTES ? readFileSync(path, 'utf8') : undefined;
    unlinkSync(path);
    return head;
  } catch {
    return undefined;
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

/** What distinguishes this process from others with its pid: when it began, and among which processes it is counted. */
function ownLife(): string {
  const { startTime, pidNamespace } = ownIdentity();
  return `${startTime}-${numberOf(pidNamespace)}`;
}

const numberOf = (pidNamespace: string): string => pidNamespace.replaceAll(/\D/g, '');

/** A lead that was killed leaves its folder; one of an earlier build leaves a socket, which has no start time. */
function removeDeserted(folder: string): void {
  const here = numberOf(ownIdentity().pidNamespace);
  for (const name of readdirSync(folder)) {
    const [, , pid, startTime, space = here] = name.split('-');
    const seen = processes.stat(Number(pid));
    if (space !== here || seen === 'unreadable') continue;
    const isIt = seen !== 'gone' && isLiving(seen) && (startTime ?? seen.startTime) === seen.startTime;
    if (!isIt) remove(join(folder, name));
  }
}
