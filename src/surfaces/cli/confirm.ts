/** A question before something that cannot be undone. */
import { createInterface } from 'node:readline/promises';
import process from 'node:process';
import { safeText, UsageError } from '../../index.ts';
import type { Frame } from './frame.ts';

/**
 * @returns whether to go on: `--yes`, or a person who says so
 * @throws UsageError `USAGE` when nobody is there to ask
 */
export async function confirmed(frame: Frame, question: string): Promise<boolean> {
  if (frame.flags.yes) return true;
  if (!frame.isInteractive) throw new UsageError('USAGE', `${question} Nobody is here to ask; say so with --yes.`);
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await asking.question(`${safeText(question)} [y/N] `);
    return /^y(?:es)?$/i.test(answer.trim());
  } finally {
    asking.close();
  }
}
