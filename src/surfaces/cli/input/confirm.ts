/** Asks a person before an action that cannot be undone. */
import { createInterface } from 'node:readline/promises';
import process from 'node:process';
import { safeText, UsageError } from '../../../app.ts';
import type { CliContext } from '../context.ts';
import { LeftQuestion } from '../left-question.ts';

/**
 * @returns true with `--yes`, or when the person answers yes
 * @throws UsageError `USAGE` when there is no terminal to ask on
 */
export async function confirmed(context: CliContext, asked: string): Promise<boolean> {
  if (context.flags.yes) return true;
  if (!context.isInteractive)
    throw new UsageError('USAGE', `${asked} There is no terminal to ask on; confirm with --yes.`);
  return /^y(?:es)?$/i.test((await question(`${asked} [y/N]`)).trim());
}

/**
 * Asks on the terminal and returns the answer.
 *
 * @throws LeftQuestion if the person leaves it by Ctrl-C or Ctrl-D
 */
export async function question(text: string): Promise<string> {
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await asking.question(`${safeText(text)} `);
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'AbortError') throw error;
    process.stderr.write('\n');
    throw new LeftQuestion({ cause: error });
  } finally {
    asking.close();
  }
}
