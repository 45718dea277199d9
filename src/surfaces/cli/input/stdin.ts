/** Reads stdin to its end. */
import { UsageError } from '../../../app.ts';
import type { CliIo } from '../io.ts';

const LARGEST = 64 * 1024 * 1024;

/**
 * @throws UsageError `USAGE` when stdin is a terminal, because a person would not know that input is expected, and when
 * it is larger than 64 MiB
 */
export async function readStdin({ stdin }: CliIo): Promise<string> {
  if (stdin.isTTY === true)
    throw new UsageError('USAGE', '`-` reads stdin, but stdin is a terminal; pipe the text into the command.');
  const parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > LARGEST) throw new UsageError('USAGE', 'The text on stdin is larger than 64 MiB; shorten it.');
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString('utf8');
}
