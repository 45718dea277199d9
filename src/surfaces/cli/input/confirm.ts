/** A question before something that cannot be undone. */
import { createInterface } from 'node:readline/promises';
import process from 'node:process';
import { safeText, UsageError } from '../../../app.ts';
import type { CliContext } from '../context.ts';

/**
 * @returns whether to go on: `--yes`, or a person who says so
 * @throws UsageError `USAGE` when nobody is there to ask
 */
export async function confirmed(context: CliContext, asked: string): Promise<boolean> {
  if (context.flags.yes) return true;
  if (!context.isInteractive) throw new UsageError('USAGE', `${asked} Nobody is here to ask; say so with --yes.`);
  return /^y(?:es)?$/i.test((await question(`${asked} [y/N]`)).trim());
}

/** What a person who sits there answers. */
export async function question(text: string): Promise<string> {
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await asking.question(`${safeText(text)} `);
  } finally {
    asking.close();
  }
}
