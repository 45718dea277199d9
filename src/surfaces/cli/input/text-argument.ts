/** The text of an argument; `-` reads it from stdin. */
import type { CliContext } from '../context.ts';
import { readStdin } from './stdin.ts';

export const givenText = async ({ io }: CliContext, word: string): Promise<string> =>
  word === '-' ? readStdin(io) : word;
