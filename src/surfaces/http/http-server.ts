/**
 * An HTTP server of ours. It refuses requests by the guard before other code reads them. Closing it frees its port and
 * every connection.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isTeamError, UsageError } from '../../app.ts';
import { requestRefusal, type ServerIdentity } from './request-guard.ts';

/** Where a server listens, if nobody says otherwise: this machine alone can reach it. */
export const LOOPBACK_ADDRESS = '127.0.0.1';

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => unknown;

interface HttpServerHandle {
  readonly port: number;
  close(): Promise<void>;
}

/** A token that was drawn, and its check in constant time. */
interface HttpToken {
  readonly token: string;
  readonly isToken: (given: string) => boolean;
}

export function drawToken(): HttpToken {
  const token = randomBytes(32).toString('base64url');
  return { token, isToken: (given) => timingSafeEqual(hashOf(given), hashOf(token)) };
}

/**
 * @param place port 0 for any free port
 * @param answerer answers accepted requests
 * @throws UsageError `USAGE` for a port in use, and for an address that is not this machine's
 */
export async function openHttpServer(place: ServerIdentity, answerer: RequestHandler): Promise<HttpServerHandle> {
  let identity = place;
  const server = createServer(
    // The guard refuses a request without a Host header. NODE_OPTIONS of the user must not make the parser lenient.
    {
      requireHostHeader: false,
      insecureHTTPParser: false,
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      maxHeaderSize: 16 * 1024,
    },
    (request, response) => handleRequest(identity, request, response, answerer),
  );
  // Only plain requests are supported.
  for (const event of ['upgrade', 'connect'])
    server.on(event, (_request: IncomingMessage, socket: NodeJS.WritableStream) => {
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    });
  identity = { ...place, port: await listening(server, place) };
  return { port: identity.port, close: () => closed(server) };
}

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();

function handleRequest(
  identity: ServerIdentity,
  request: IncomingMessage,
  response: ServerResponse,
  answerer: RequestHandler,
): void {
  for (const [name, value] of Object.entries(RESPONSE_HEADERS)) response.setHeader(name, value);
  const { method = '', url: target = '', rawHeaders } = request;
  const refused = requestRefusal({ method, target, rawHeaders }, identity);
  if (refused === undefined) {
    answerer(request, response);
    return;
  }
  if (refused.status === 401) response.setHeader('www-authenticate', 'Bearer');
  response.writeHead(refused.status, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify({ error: { code: 'REFUSED', message: refused.why } }));
}

function listening(server: Server, { host, port }: Pick<ServerIdentity, 'host' | 'port'>): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(isTeamError(error) ? error : (placeProblem(error, { host, port }) ?? error));
    });
    server.listen(port, host.replace(/^\[|\]$/g, ''), () => {
      const at = server.address();
      resolve(typeof at === 'object' && at !== null ? at.port : port);
    });
  });
}

function placeProblem(
  { code }: NodeJS.ErrnoException,
  { host, port }: Pick<ServerIdentity, 'host' | 'port'>,
): UsageError | undefined {
  if (code === 'EADDRINUSE')
    return new UsageError('USAGE', `Port ${port} is taken by another program; port 0 finds a free one.`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new UsageError('USAGE', `${host} is not an address of this machine.`);
  if (code === 'EACCES') return new UsageError('USAGE', `Only the superuser may listen at port ${port}.`);
  return undefined;
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/**
 * The headers of every answer of the page's server. The page may run only our script, make no HTML from text, contact
 * only this server, be in no frame, and be in no cache.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const RESPONSE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'cache-control': 'no-store',
};
