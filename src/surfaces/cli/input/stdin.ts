/** Everything that stdin has to say. */
import { UsageError } from '../../../app.ts';
import type { CliIo } from '../io.ts';

const LARGEST = 64 * 1024 * 1024;

/** @throws UsageError `USAGE` when a person sits there who cannot know that something is waited for, or it is endless */
export async function readStdin({ stdin }: CliIo): Promise<string> {
  if (stdin.isTTY === true)
    throw new UsageError('USAGE', '`-` reads from stdin, and that is a terminal; pipe something into it.');
  const parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > LARGEST) throw new UsageError('USAGE', 'More than 64 MiB came from stdin.');
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString('utf8');
}
