/**
 * Stands between the conformance suite and `teams mcp --http`. The suite sends no token, and names tools, prompts and
 * resources of a server that is made for it; here it gets the token, and ours for those that ours can stand for.
 */
import { once } from 'node:events';
import { createServer, request, type IncomingHttpHeaders, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import type { HttpServer } from '../support/mcp-http-server.ts';

export interface Stand {
  readonly name?: string;
  readonly uri?: string;
  /** Made from the arguments that the suite gives. */
  readonly arguments?: (given: Readonly<Record<string, unknown>>) => Record<string, unknown>;
}

const messageSchema = z.looseObject({
  method: z.string(),
  params: z.looseObject({
    name: z.string().optional(),
    uri: z.string().optional(),
    arguments: z.record(z.string(), z.unknown()).optional(),
    ref: z.looseObject({ name: z.string() }).optional(),
    argument: z.looseObject({ name: z.string(), value: z.string() }).optional(),
  }),
});

export class FixtureProxy implements AsyncDisposable {
  readonly url: string;
  readonly #server: Server;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.url = `http://localhost:${port}/mcp`;
  }

  /** @param stands by the names and URIs of the suite */
  static async before(to: HttpServer, as: string, stands: Readonly<Record<string, Stand>>): Promise<FixtureProxy> {
    const target = new URL(to.url);
    const server = createServer((given, answer) => {
      void text(given).then((body) => {
        const headers = forwarded(given.headers, port, target.host, to.token(as));
        const options = { host: target.hostname, port: target.port, method: given.method, path: given.url, headers };
        const sent = request(options, (response) => {
          answer.writeHead(response.statusCode ?? 500, response.headers);
          response.pipe(answer);
        });
        sent.on('error', () => answer.destroy());
        answer.on('close', () => sent.destroy());
        sent.end(translated(body, stands));
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    return new FixtureProxy(server, port);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }
}

/** The proxy's own address becomes the server's; any other is passed on, to be refused there. */
function forwarded(given: IncomingHttpHeaders, port: number, host: string, token: string): IncomingHttpHeaders {
  const own = [`127.0.0.1:${port}`, `localhost:${port}`];
  const { 'content-length': _, 'transfer-encoding': __, ...headers } = given;
  if (own.includes(headers.host ?? '')) headers.host = host;
  if (own.some((one) => headers.origin === `http://${one}`)) headers.origin = `http://${host}`;
  return { ...headers, authorization: `Bearer ${token}` };
}

function translated(body: string, stands: Readonly<Record<string, Stand>>): string {
  const parsed = messageSchema.safeParse(body === '' ? undefined : JSON.parse(body));
  if (!parsed.success) return body;
  const { params } = parsed.data;
  const stand = stands[params.ref?.name ?? params.name ?? params.uri ?? ''];
  if (stand === undefined) return body;
  if (params.ref !== undefined) params.ref.name = stand.name ?? '';
  else if (params.uri !== undefined) params.uri = stand.uri;
  else params.name = stand.name;
  if (stand.arguments !== undefined) params.arguments = stand.arguments(params.arguments ?? {});
  if (params.argument !== undefined) params.argument = { name: 'subject', value: '' };
  return JSON.stringify(parsed.data);
}
