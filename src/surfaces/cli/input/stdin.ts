/** What comes from stdin. */
import { outputTail, UsageError, utf8Text } from '../../../app.ts';
import type { CliContext } from '../context.ts';
import type { CliIo } from '../io.ts';

const LARGEST = 64 * 1024 * 1024;

/**
 * Reads stdin to its end.
 *
 * @throws UsageError `USAGE` when stdin is a terminal, because a person would not know that input is expected, and when
 * it is larger than 64 MiB
 */
export const readStdin = async (io: CliIo): Promise<string> => (await bytesOf(io)).toString('utf8');

/** @throws as {@link readStdin}; UsageError `PLAN_INVALID` for what is not UTF-8 */
export const readPlanText = async (io: CliIo): Promise<string> => utf8Text(await bytesOf(io), 'PLAN_INVALID', '-');

async function bytesOf({ stdin }: CliIo): Promise<Buffer> {
  if (stdin.isTTY === true)
    throw new UsageError('USAGE', '`-` reads stdin, but stdin is a terminal; pipe the text into the command.');
  // It may come byte by byte.
  const text = outputTail(LARGEST);
  let size = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > LARGEST) throw new UsageError('USAGE', 'The text on stdin is larger than 64 MiB; shorten it.');
    text.push(bytes);
  }
  return text.bytes();
}

/** The text of an argument; `-` reads it from stdin. */
export const givenText = async ({ io }: CliContext, word: string): Promise<string> =>
  word === '-' ? readStdin(io) : word;
