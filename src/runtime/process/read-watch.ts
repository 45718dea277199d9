/**
 * Git opens files of a project by name, such as `.gitignore` in each directory. If one is a named pipe, git waits until
 * its time is over; one of terabytes, which a program makes in no time, git reads until then. So a git that takes long is
 * looked at: such a pipe reads as an empty file, and one whose other end somebody holds open, or such a file, ends git
 * with a reason.
 */
import { awaitedPipe, largestRead, releasePipe, type FileRead } from '../../os/process-files.ts';
import { MOST_FILE_BYTES } from '../../store/workspace/user-files.ts';

const FIRST_LOOK_MS = 50;
const SOON_MS = 2;
const LONGEST_MS = 500;

/** Packs are large, and git reads parts of them. */
const IS_OF_GIT = /\/objects\/(?:pack|info|[0-9a-f]{2})\/[^/]+$/;

/** Why git was ended. */
interface Obstacle {
  readonly kind: 'pipe' | 'large';
  readonly why: string;
}

interface ReadWatch {
  held(): Obstacle | undefined;
  /** The file that it read at the last look. */
  last(): FileRead | undefined;
  close(): void;
}

const GIB = 2 ** 30;

/** @param end ends the process; called once at most */
export function watchReads(pid: number, end: () => void): ReadWatch {
  let held: Obstacle | undefined;
  let seen: string | undefined;
  let read: FileRead | undefined;
  let timer: NodeJS.Timeout | undefined;
  const look = (after: number): void => {
    timer = setTimeout(() => {
      const pipe = awaitedPipe(pid);
      read = largestRead(pid, (path) => !IS_OF_GIT.test(path));
      held = obstacle(pipe?.isOpen === true && seen === pipe.path ? pipe.path : undefined, read);
      if (held !== undefined) {
        end();
        return;
      }
      seen = pipe?.isOpen === true ? pipe.path : undefined;
      if (pipe?.isOpen === false) releasePipe(pipe);
      look(pipe?.isOpen === false ? SOON_MS : Math.min(after * 2, LONGEST_MS));
    }, after);
  };
  look(FIRST_LOOK_MS);
  return {
    held: () => held,
    last: () => read,
    close() {
      clearTimeout(timer);
    },
  };
}

/** @param pipe whose other end somebody holds open */
function obstacle(pipe: string | undefined, read: FileRead | undefined): Obstacle | undefined {
  if (pipe !== undefined) return { kind: 'pipe', why: `${pipe} is a pipe, and git waits for it: remove it` };
  if (read === undefined || read.bytes <= MOST_FILE_BYTES) return undefined;
  const size = `${Math.ceil(read.bytes / GIB)} GiB`;
  const why = `${read.path} has ${size}, and git may read no file over ${MOST_FILE_BYTES / GIB} GiB: remove it, or have git ignore it`;
  return { kind: 'large', why };
}
