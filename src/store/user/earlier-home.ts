/**
 * A member's home of an earlier version, which lies in the team's folder: a pull, or a program that may change the
 * project, can have written it. Only transcripts are taken over, which are data; never configuration, a database, a
 * login or a link (docs/decisions/047).
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { makeDirectoryPath } from '../../os/own-directory.ts';
import { codeOf } from '../../model/text/errors.ts';
import { storeFailure } from '../files/disk.ts';
import { bytesUpTo } from '../files/regular-file.ts';

/** Of model agents, Codex, Claude Code and Gemini. opencode's are in a database that also says what it runs. */
const TRANSCRIPTS: readonly RegExp[] = [
  /^sessions\/[^/]+\.jsonl$/,
  /^codex\/(?:archived_)?sessions\/(?:[^/]+\/){0,4}[^/]+\.jsonl$/,
  /^claude\/projects\/[^/]+\/[^/]+\.jsonl$/,
  /^gemini\/\.gemini\/projects\.json$/,
  /^gemini\/\.gemini\/tmp\/[^/]+\/(?:\.project_root|chats\/[^/]+\.jsonl?)$/,
];
const MOST_DEPTH = 8;
const MOST_FILES = 10_000;
const MOST_BYTES = 256 * 1024 * 1024;

/**
 * Makes a member's home with the transcripts of an earlier one. An existing home stays as it is.
 *
 * @param earlier the home of the earlier version; it is only read
 * @throws StoreError
 */
export function makeHome(home: string, earlier: string): void {
  if (lstatSync(home, { throwIfNoEntry: false }) !== undefined) return;
  // Complete or not there at all. No member's name begins with a dot.
  const draft = join(dirname(home), `.new-${process.pid}`);
  try {
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft, { mode: 0o700 });
    for (const file of transcriptsIn(earlier)) copy(file, { earlier, draft });
    renameSync(draft, home);
  } catch (error) {
    // Another process of this member made it.
    if (!['ENOTEMPTY', 'EEXIST'].includes(codeOf(error) ?? '')) throw storeFailure('create', home, error);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Paths below the home. */
function transcriptsIn(earlier: string): string[] {
  const found: string[] = [];
  const walk = (below: string, depth: number): void => {
    for (const entry of entriesOf(join(earlier, below))) {
      if (found.length >= MOST_FILES) return;
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory() && depth < MOST_DEPTH) walk(path, depth + 1);
      else if (entry.isFile() && TRANSCRIPTS.some((one) => one.test(path))) found.push(path);
    }
  };
  if (lstatSync(earlier, { throwIfNoEntry: false })?.isDirectory() === true) walk('', 0);
  return found;
}

function entriesOf(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    // What cannot be read is not taken over; the program begins a new session.
    return [];
  }
}

function copy(file: string, { earlier, draft }: { earlier: string; draft: string }): void {
  const bytes = bytesOf(join(earlier, file), join(realpathSync(earlier), dirname(file)));
  if (bytes === undefined) return;
  const to = join(draft, file);
  makeDirectoryPath(dirname(to), 0o700);
  writeFileSync(to, bytes, { mode: 0o600 });
}

/** @param directory where the file is without any link on the way */
function bytesOf(path: string, directory: string): Buffer | undefined {
  let file: number | undefined;
  try {
    if (realpathSync(dirname(path)) !== directory) return undefined;
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stat = fstatSync(file);
    // Another name of the file may be a key of the user's.
    return stat.isFile() && stat.nlink === 1 ? bytesUpTo(file, MOST_BYTES) : undefined;
  } catch {
    // Removed meanwhile, or not readable.
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
