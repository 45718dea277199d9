/**
 * Decides which requests the page's server accepts, before other code reads them. A request must name exactly this
 * address and, for data, carry the token. A browser request must come from a tab that the user opened. This stops DNS
 * rebinding, forged requests of other sites, and proxies; what is not clearly ours is refused.
 */
interface HttpRequestHead {
  readonly method: string;
  /** The request target, exactly as in the request line. */
  readonly target: string;
  /** Names and values in turn, as received: a repeated header appears twice. */
  readonly rawHeaders: readonly string[];
}

interface HttpRefusal {
  readonly status: 401 | 403 | 405 | 415;
  readonly why: string;
}

export interface ServerIdentity {
  readonly port: number;
  /** Compares in constant time. */
  readonly isToken: (given: string) => boolean;
}

/** Paths below this are data and commands; all others are the page itself, which holds no data. */
const API = '/api/';

/** @returns undefined for a request that is accepted */
export function requestRefusal(request: HttpRequestHead, server: ServerIdentity): HttpRefusal | undefined {
  const header = headersOf(request.rawHeaders);
  return (
    wrongPlace(request.target, header('host'), server.port) ??
    wrongOrigin(header('origin'), header('sec-fetch-site'), request.target, server.port) ??
    wrongMethod(request.method, request.target, header('content-type')) ??
    (request.target.startsWith(API) ? withoutToken(header('authorization'), server) : undefined)
  );
}

const forbidden = (why: string): HttpRefusal => ({ status: 403, why });

type Headers = (name: string) => readonly string[];

function headersOf(raw: readonly string[]): Headers {
  return (name) => raw.filter((_, at) => at % 2 === 1 && raw[at - 1]?.toLowerCase() === name);
}

/** The port must match, because another server on this machine is a different origin. */
const hostsOf = (port: number): readonly string[] => [`127.0.0.1:${port}`, `localhost:${port}`];

function wrongPlace(target: string, hosts: readonly string[], port: number): HttpRefusal | undefined {
  if (!target.startsWith('/') || target.startsWith('//'))
    return forbidden('The request target is not a path of this server.');
  if (!isNormal(target)) return forbidden('The path of the request is not in its normal form.');
  const [host] = hosts;
  if (host === undefined || hosts.length > 1 || !hostsOf(port).includes(host))
    return forbidden('The Host header does not name this server.');
  return undefined;
}

/**
 * Whether a path is its own normal form, so that this guard and the router read the same path: without `.` and `..`,
 * backslashes, empty segments, and encoded characters where a route has fixed words.
 */
function isNormal(target: string): boolean {
  const path = /^[^?#]*/.exec(target)?.[0] ?? '';
  if (path.includes('//') || /^\/[^/]*%/.test(path)) return false;
  return URL.canParse(target, 'http://127.0.0.1') && new URL(target, 'http://127.0.0.1').pathname === path;
}

function wrongOrigin(
  origins: readonly string[],
  sites: readonly string[],
  target: string,
  port: number,
): HttpRefusal | undefined {
  const own = hostsOf(port).map((host) => `http://${host}`);
  if (origins.some((origin) => !own.includes(origin))) return forbidden('A request from another site is refused.');
  // `none`: the user typed the address or followed it from another program. Our page never requests data like that.
  const allowed = target.startsWith(API) ? ['same-origin'] : ['same-origin', 'none'];
  return sites.some((site) => !allowed.includes(site))
    ? forbidden('A request from another site is refused.')
    : undefined;
}

function wrongMethod(method: string, target: string, types: readonly string[]): HttpRefusal | undefined {
  if (method === 'GET' || (method === 'HEAD' && !target.startsWith(API))) return undefined;
  if (method !== 'POST' || !target.startsWith(API))
    return { status: 405, why: `The method ${method} is not supported here.` };
  // A form of another site can send only three content types, and this is not one of them.
  const isJson = types.length === 1 && /^application\/json(?:;\s*charset=utf-8)?$/i.test(types[0] ?? '');
  return isJson ? undefined : { status: 415, why: 'The content type must be application/json.' };
}

const WITHOUT_TOKEN = {
  status: 401,
  why: 'Open the address that `teams ui` printed: it carries the token.',
} as const;

/** @returns undefined if the `Authorization` header carries the server's token */
export function tokenRefusal(header: string, { isToken }: Pick<ServerIdentity, 'isToken'>): HttpRefusal | undefined {
  const [, token] = /^Bearer ([A-Za-z0-9_-]{1,128})$/.exec(header) ?? [];
  return token !== undefined && isToken(token) ? undefined : WITHOUT_TOKEN;
}

const withoutToken = (given: readonly string[], server: ServerIdentity): HttpRefusal | undefined =>
  tokenRefusal(given.length === 1 ? (given[0] ?? '') : '', server);
