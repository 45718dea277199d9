/** Asks `/bin/sh` whether it knows a word: a program on PATH, a builtin, or a word of its language. */
import { spawnSync } from 'node:child_process';

const MOST_MS = 5_000;

/**
 * @param path a PATH variable
 * @returns true also where the shell could not be asked
 */
export function shellKnows(word: string, path: string): boolean {
  const asked = spawnSync('/bin/sh', ['-c', 'command -v -- "$1"', 'sh', word], {
    env: { PATH: path },
    stdio: 'ignore',
    timeout: MOST_MS,
  });
  return asked.status === 0 || asked.error !== undefined;
}
