/** A text that was given as a word, or as `-`: then it is what stdin says. */
import type { Frame } from '../context.ts';
import { readStdin } from './stdin.ts';

export const givenText = async ({ outside }: Frame, word: string): Promise<string> =>
  word === '-' ? readStdin(outside) : word;
