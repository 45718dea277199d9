/** The user's own git may collect garbage that a command of ours stands on; started again, that command writes it anew. */
import { GitFailure, LateGit } from './git-tree.ts';

const TRIES = 3;

/** @throws GitFailure of the last try */
export async function triedAgain<T>(work: () => Promise<T>): Promise<T> {
  for (let left = TRIES - 1; ; left -= 1)
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof GitFailure) || error instanceof LateGit || left === 0) throw error;
    }
}
