/**
 * The hosts of an MCP server over HTTP. In protocol 2025-11-25 and before, a host opens a session, which belongs to the
 * identity of its token and ends by DELETE, or when too many others were used since. In protocol 2026-07-28 each request
 * stands for itself.
 */
import { randomUUID } from 'node:crypto';
import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
  type JSONRPCMessage,
  type McpHttpHandler,
  type McpServer,
} from '@modelcontextprotocol/server';
import type { ToolContext } from '../../app.ts';
import { MOST_FRAME_BYTES } from '../wire/frames.ts';
import { EventReplay } from './event-replay.ts';
import type { HostTalk } from './offer-tools.ts';
import { inRevision } from './revision.ts';
import { closeTalk, makeServer, openTalk } from './server.ts';

/** Who a token stands for. */
export interface HostIdentity {
  /** `lead`, or a member of a team; the same for the same context. */
  readonly key: string;
  readonly context: ToolContext;
}

interface Session {
  readonly key: string;
  readonly transport: SessionTransport;
  readonly server: McpServer;
  /** Called when the host listens. */
  start: (() => void) | undefined;
  /** Answers and streams that the host has not read to their end. */
  open: number;
}

/** A host that serves 2026-07-28: its requests share what it is told and asked. */
interface StatelessHost {
  readonly handler: McpHttpHandler;
  readonly talk: HostTalk;
}

const MOST_SESSIONS = 64;
/** Milliseconds after which a host whose stream ended should ask again. */
const RETRY_MS = 500;

type SendOptions = Parameters<WebStandardStreamableHTTPServerTransport['send']>[1];

class SessionTransport extends WebStandardStreamableHTTPServerTransport {
  #version: string | undefined;

  readonly setProtocolVersion = (version: string): void => {
    this.#version = version;
  };

  override send(message: JSONRPCMessage, options?: SendOptions): Promise<void> {
    return super.send(inRevision(message, this.#version), options);
  }
}

export class HostSessions implements AsyncDisposable {
  readonly #version: string;
  readonly #onTrouble: (error: Error) => void;
  /** By id, the one that was used longest ago first. */
  readonly #sessions = new Map<string, Session>();
  readonly #stateless = new Map<string, StatelessHost>();

  constructor(version: string, onTrouble: (error: Error) => void) {
    this.#version = version;
    this.#onTrouble = onTrouble;
  }

  async answer(request: Request, host: HostIdentity): Promise<Response> {
    if (!(await isLegacyRequest(request, undefined, { maxRequestBodySize: MOST_FRAME_BYTES })))
      return this.#statelessFor(host).handler.fetch(request);
    const id = request.headers.get('mcp-session-id');
    if (id !== null) return this.#inSession(id, request, host);
    if (request.method === 'POST') return this.#open(request, host);
    return refusal(400, 'A request without the header Mcp-Session-Id can only open a session.');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([
      ...[...this.#sessions.values()].map(({ server }) => server.close()),
      ...[...this.#stateless.values()].map(async ({ handler, talk }) => {
        closeTalk(talk);
        await handler.close();
      }),
    ]);
    this.#sessions.clear();
    this.#stateless.clear();
  }

  async #inSession(id: string, request: Request, { key }: HostIdentity): Promise<Response> {
    const session = this.#sessions.get(id);
    // Another identity must not learn that the session exists.
    if (session?.key !== key) return refusal(404, 'There is no such session; open one with initialize.');
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    const answered = await session.transport.handleRequest(request);
    session.open += 1;
    const response = untilRead(answered, () => (session.open -= 1));
    // What is told before nobody would hear.
    if (request.method === 'GET' && response.ok) {
      session.start?.();
      session.start = undefined;
    }
    return response;
  }

  /** Opens a session, if the request is `initialize`; the transport refuses others. */
  async #open(request: Request, { key, context }: HostIdentity): Promise<Response> {
    let start: (() => void) | undefined;
    const server = makeServer(context, this.#version, { era: 'legacy', ready: (ready) => (start = ready) });
    const transport: SessionTransport = new SessionTransport({
      sessionIdGenerator: randomUUID,
      eventStore: new EventReplay(),
      retryInterval: RETRY_MS,
      maxRequestBodySize: MOST_FRAME_BYTES,
      onsessioninitialized: (id) => this.#keep(id, { key, transport, server, start, open: 0 }),
      onsessionclosed: (id) => void this.#sessions.delete(id),
    });
    transport.onerror = this.#onTrouble;
    await server.connect(transport);
    const response = await transport.handleRequest(request);
    if (transport.sessionId === undefined) await server.close();
    return response;
  }

  #keep(id: string, session: Session): void {
    this.#sessions.set(id, session);
    if (this.#sessions.size <= MOST_SESSIONS) return;
    const all = [...this.#sessions];
    // A host that ended without a word reads nothing any more; one that listens may wait for hours.
    const oldest = all.find(([other, { open }]) => other !== id && open === 0) ?? all[0];
    if (oldest === undefined) return;
    this.#sessions.delete(oldest[0]);
    oldest[1].server.close().catch(this.#onTrouble);
  }

  #statelessFor({ key, context }: HostIdentity): StatelessHost {
    const known = this.#stateless.get(key);
    if (known !== undefined) return known;
    const talk = openTalk(context, {
      listChanged() {
        handler.notify.resourcesChanged();
        return Promise.resolve();
      },
      updated(uri) {
        handler.notify.resourceUpdated(uri);
        return Promise.resolve();
      },
      filters: true,
    });
    const handler = createMcpHandler(() => makeServer(context, this.#version, { era: 'modern', talk }), {
      legacy: 'reject',
      onerror: this.#onTrouble,
      maxRequestBodySize: MOST_FRAME_BYTES,
    });
    talk.notices.start();
    const made = { handler, talk };
    this.#stateless.set(key, made);
    return made;
  }
}

/** The same response; `over` is called once it was read to its end, or its reader is gone. */
function untilRead(response: Response, over: () => void): Response {
  if (response.body === null) {
    over();
    return response;
  }
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  let isOver = false;
  const end = (): void => {
    if (!isOver) over();
    isOver = true;
  };
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          end();
          controller.close();
        } else controller.enqueue(value);
      } catch (error) {
        end();
        controller.error(error);
      }
    },
    cancel(reason) {
      end();
      return reader.cancel(reason);
    },
  });
  return new Response(body, response);
}

/** A refusal by HTTP, with the reason as an error of JSON-RPC. */
export function refusal(status: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }, { status });
}
