/**
 * Git opens some files of a project by name, such as `.gitignore` in each directory. If one is a named pipe, git waits
 * until its time is over. So a git that takes long is looked at: such a pipe reads as an empty file, and one whose other
 * end somebody holds open ends git with a reason.
 */
import { awaitedPipe, releasePipe } from '../../os/awaited-pipe.ts';

const FIRST_LOOK_MS = 50;
const SOON_MS = 2;
const LONGEST_MS = 500;

interface PipeWatch {
  /** The pipe that ended it. */
  held(): string | undefined;
  close(): void;
}

/** @param end ends the process; called once at most */
export function watchPipes(pid: number, end: () => void): PipeWatch {
  let held: string | undefined;
  let seen: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  const look = (after: number): void => {
    timer = setTimeout(() => {
      const pipe = awaitedPipe(pid);
      if (pipe?.isOpen === true && seen === pipe.path) {
        held = pipe.path;
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
    close() {
      clearTimeout(timer);
    },
  };
}
