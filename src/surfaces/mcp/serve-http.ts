/**
 * MCP over Streamable HTTP, for any number of hosts. The guard of the page accepts a request; the token is asked for
 * again here, and says who the host is.
 */
import { getRequestListener } from '@hono/node-server';
import { drawToken, openHttpServer } from '../http/http-server.ts';
import { bearerToken, type HttpRules } from '../http/request-guard.ts';
import { HostSessions, refusal, type HostIdentity } from './host-sessions.ts';

interface HttpOptions {
  /** Port 0 for any free port. */
  readonly place: { readonly host: string; readonly port: number };
  readonly version: string;
  /** Hosts for each of which a token is drawn. */
  readonly named: readonly HostIdentity[];
  /** Who else a token stands for; asked for each request with a token that is not drawn here. */
  readonly otherHost: (token: string) => HostIdentity | undefined;
  /** Called when hosts can connect. */
  readonly onOpen: (address: HttpAddress) => void;
  /** Aborts when the server must end. */
  readonly stop: AbortSignal;
  /** Called with errors outside any request. */
  readonly onTrouble: (error: Error) => void;
}

interface HttpAddress {
  readonly url: string;
  readonly hosts: readonly { readonly as: string; readonly token: string }[];
}

const PATH = '/mcp';
const RULES: HttpRules = {
  data: PATH,
  methods: ['GET', 'POST', 'DELETE'],
  cure: 'Send the token that `teams mcp --http` printed: `Authorization: Bearer TOKEN`.',
};

/** Serves until `stop` aborts. @throws UsageError `USAGE` for a port in use, and for an address of another machine */
export async function serveHttp(options: HttpOptions): Promise<void> {
  const { place, version, named, otherHost, onOpen, stop, onTrouble } = options;
  const drawn = named.map((host) => ({ host, ...drawToken() }));
  const hostOf = (token: string): HostIdentity | undefined =>
    drawn.find(({ isToken }) => isToken(token))?.host ?? otherHost(token);
  await using sessions = new HostSessions(version, onTrouble);
  const answer = async (request: Request): Promise<Response> => {
    const host = hostOf(bearerToken(request.headers.get('authorization') ?? '') ?? '');
    if (host === undefined) return refusal(401, RULES.cure);
    if (new URL(request.url).pathname !== PATH) return refusal(404, `MCP is served at ${PATH}.`);
    return sessions.answer(request, host);
  };
  const isToken = (token: string): boolean => hostOf(token) !== undefined;
  const server = await openHttpServer({ ...place, rules: RULES, isToken }, getRequestListener(answer));
  try {
    const hosts = drawn.map(({ host, token }) => ({ as: host.key, token }));
    onOpen({ url: `http://${place.host}:${server.port}${PATH}`, hosts });
    await aborted(stop);
  } finally {
    await server.close();
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
