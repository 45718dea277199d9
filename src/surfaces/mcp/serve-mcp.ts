/**
 * MCP over stdio, for both eras of the protocol. Stdout is the protocol's alone: whatever else writes there — a library,
 * a thread — is led to stderr. It ends when the host closes stdin, or on `stop`.
 */
import process from 'node:process';
import { Writable } from 'node:stream';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { ToolContext } from '../../app.ts';
import { makeServer } from './server.ts';

export interface McpOptions {
  readonly context: ToolContext;
  readonly version: string;
  /** Aborts when the server is to end. */
  readonly stop: AbortSignal;
  /** Told what went wrong outside any request. */
  readonly onTrouble: (error: Error) => void;
}

/** Serves until the host has gone, or `stop` aborts. */
export async function serveMcp({ context, version, stop, onTrouble }: McpOptions): Promise<void> {
  const wire = takeStdout();
  const transport = new StdioServerTransport(process.stdin, wire);
  let onClosed = (): void => undefined;
  const gone = new Promise<void>((resolve) => {
    onClosed = resolve;
    for (const end of ['end', 'close', 'error']) process.stdin.once(end, () => resolve());
    wire.once('error', () => resolve());
    stop.addEventListener('abort', () => resolve(), { once: true });
    if (stop.aborted) resolve();
  });
  const served = serveStdio(({ era }) => makeServer(context, version, era), { transport, onerror: onTrouble });
  // A frame above the transport's bound closes it: nobody hears us any more, though stdin is open.
  const { onclose } = transport;
  transport.onclose = () => {
    onclose?.();
    onClosed();
  };
  await gone;
  await served.close();
  // Nothing is read any more; an open stdin would keep the process.
  process.stdin.destroy();
}

/** The one way to stdout from now on. */
function takeStdout(): Writable {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  return new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      write(chunk, done);
    },
  });
}
