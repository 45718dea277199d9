/**
 * MCP over stdio, for both protocol versions. Only the protocol writes to stdout: other writes, for example of a
 * library or a thread, go to stderr. The server ends when the host closes stdin, or on `stop`.
 */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { ToolContext } from '../../app.ts';
import { makeServer } from './server.ts';
import { StdioWire } from './stdio-wire.ts';
import { hostGone, ownWire, type HostWire } from '../wire/own-wire.ts';

interface McpOptions {
  readonly context: ToolContext;
  readonly version: string;
  /** The streams of a host in another process; by default those of this process. */
  readonly wire?: HostWire | undefined;
  /** Aborts when the server must end. */
  readonly stop: AbortSignal;
  /** Called with errors outside any request. */
  readonly onTrouble: (error: Error) => void;
}

/** Serves until the host is gone, or `stop` aborts. */
export async function serveMcp({ context, version, wire: given, stop, onTrouble }: McpOptions): Promise<void> {
  const wire = given ?? ownWire();
  const transport = new StdioWire(wire.input, wire.output);
  const gone = hostGone(wire, stop);
  const served = serveStdio(({ era }) => makeServer(context, version, { era }), { transport, onerror: onTrouble });
  await gone;
  await served.close();
  // Nothing reads stdin any more; if it stayed open, the process would not end.
  if (given === undefined) wire.input.destroy();
}
