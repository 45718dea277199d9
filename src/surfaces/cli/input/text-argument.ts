/** A text that was given as a word, or as `-`: then it is what stdin says. */
import type { CliContext } from '../context.ts';
import { readStdin } from './stdin.ts';

export const givenText = async ({ io }: CliContext, word: string): Promise<string> =>
  word === '-' ? readStdin(io) : word;
