/**
 * MCP over stdio, for both protocol versions. Only the protocol writes to stdout: other writes, for example of a
 * library or a thread, go to stderr. The server ends when the host closes stdin, or on `stop`.
 */
import process from 'node:process';
import { Writable, type Readable } from 'node:stream';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { ToolContext } from '../../app.ts';
import { makeServer } from './server.ts';
import { StdioWire } from './stdio-wire.ts';

interface McpOptions {
  readonly context: ToolContext;
  readonly version: string;
  /** The streams of a host in another process; by default those of this process. */
  readonly wire?: { readonly input: Readable; readonly output: Writable } | undefined;
  /** Aborts when the server must end. */
  readonly stop: AbortSignal;
  /** Called with errors outside any request. */
  readonly onTrouble: (error: Error) => void;
}

/** Serves until the host is gone, or `stop` aborts. */
export async function serveMcp({ context, version, wire: given, stop, onTrouble }: McpOptions): Promise<void> {
  const { input, output: wire } = given ?? { input: process.stdin, output: takeStdout() };
  const transport = new StdioWire(input, wire);
  const gone = new Promise<void>((resolve) => {
    for (const end of ['end', 'close', 'error']) input.once(end, () => resolve());
    wire.once('error', () => resolve());
    stop.addEventListener('abort', () => resolve(), { once: true });
    if (stop.aborted) resolve();
  });
  const served = serveStdio(({ era }) => makeServer(context, version, era), { transport, onerror: onTrouble });
  await gone;
  await served.close();
  // Nothing reads stdin any more; if it stayed open, the process would not end.
  if (given === undefined) input.destroy();
}

/** Takes stdout for the protocol: from now on only the returned stream writes there. */
function takeStdout(): Writable {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  return new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      write(chunk, done);
    },
  });
}
