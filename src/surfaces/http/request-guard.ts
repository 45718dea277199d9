/**
 * Decides which requests a server of ours accepts, before other code reads them. A request must name exactly this
 * address and, for data, carry a token. A browser request must come from a tab that the user opened. This stops DNS
 * rebinding, forged requests of other sites, and proxies; what is not clearly ours is refused.
 */
import { isIP } from 'node:net';

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

/** What a server serves. */
export interface HttpRules {
  /** Paths that begin so are data and commands; all others hold no data. */
  readonly data: string;
  /** Methods for data. */
  readonly methods: readonly string[];
  /** How to get the token, as a sentence. */
  readonly cure: string;
}

export interface ServerIdentity {
  /** Where it listens: an address, or a name of this machine. */
  readonly host: string;
  readonly port: number;
  readonly rules: HttpRules;
  /** Compares in constant time. */
  readonly isToken: (given: string) => boolean;
}

/** @returns undefined for a request that is accepted */
export function requestRefusal(request: HttpRequestHead, server: ServerIdentity): HttpRefusal | undefined {
  const header = headersOf(request.rawHeaders);
  const { method, target } = request;
  return (
    wrongPlace(target, header('host'), server) ??
    wrongOrigin(header('origin'), header('sec-fetch-site'), target, server) ??
    wrongMethod(method, target, header('content-type'), server) ??
    (isData(target, server) ? withoutToken(header('authorization'), server) : undefined)
  );
}

const forbidden = (why: string): HttpRefusal => ({ status: 403, why });

type Headers = (name: string) => readonly string[];

function headersOf(raw: readonly string[]): Headers {
  return (name) => raw.filter((_, at) => at % 2 === 1 && raw[at - 1]?.toLowerCase() === name);
}

const isData = (target: string, { rules }: ServerIdentity): boolean => target.startsWith(rules.data);

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];
const WILDCARDS = ['0.0.0.0', '::', '[::]'];

/**
 * Whether a Host header names this server. The port must match, because another server on this machine is a different
 * origin. A server on all addresses is named by any address of the machine, but by no name: DNS rebinding needs one.
 */
function isOwnHost(given: string, { host, port }: ServerIdentity): boolean {
  const end = `:${port}`;
  const isNamed = given.endsWith(end);
  // A browser leaves the port out where it is the usual one.
  if (!isNamed && (port !== 80 || /:\d*$/.test(given))) return false;
  const name = isNamed ? given.slice(0, -end.length) : given;
  if (LOOPBACK.includes(name)) return name !== '[::1]' || host !== '127.0.0.1';
  const bare = name.replace(/^\[|\]$/g, '');
  return WILDCARDS.includes(host) ? isIP(bare) !== 0 : bare === host.replace(/^\[|\]$/g, '');
}

function wrongPlace(target: string, hosts: readonly string[], server: ServerIdentity): HttpRefusal | undefined {
  if (!target.startsWith('/') || target.startsWith('//'))
    return forbidden('The request target is not a path of this server.');
  if (!isNormal(target)) return forbidden('The path of the request is not in its normal form.');
  const [host] = hosts;
  if (host === undefined || hosts.length > 1 || !isOwnHost(host, server))
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
  server: ServerIdentity,
): HttpRefusal | undefined {
  const isOwn = (origin: string): boolean => origin.startsWith('http://') && isOwnHost(origin.slice(7), server);
  if (!origins.every(isOwn)) return forbidden('A request from another site is refused.');
  // `none`: the user typed the address or followed it from another program. Our page never requests data like that.
  const allowed = isData(target, server) ? ['same-origin'] : ['same-origin', 'none'];
  return sites.some((site) => !allowed.includes(site))
    ? forbidden('A request from another site is refused.')
    : undefined;
}

function wrongMethod(
  method: string,
  target: string,
  types: readonly string[],
  server: ServerIdentity,
): HttpRefusal | undefined {
  const ofData = isData(target, server);
  const isKnown = ofData ? server.rules.methods.includes(method) : method === 'GET' || method === 'HEAD';
  if (!isKnown) return { status: 405, why: `The method ${method} is not supported here.` };
  if (method !== 'POST') return undefined;
  // A form of another site can send only three content types, and this is not one of them.
  const isJson = types.length === 1 && /^application\/json(?:;\s*charset=utf-8)?$/i.test(types[0] ?? '');
  return isJson ? undefined : { status: 415, why: 'The content type must be application/json.' };
}

/** The token of an `Authorization` header. The case of the scheme does not count (RFC 9110, 11.1). */
export const bearerToken = (header: string): string | undefined =>
  /^bearer +([A-Za-z0-9_-]{1,128})$/i.exec(header)?.[1];

/** @returns undefined if the `Authorization` header carries a token of the server */
export function tokenRefusal(
  header: string,
  { isToken, rules }: Pick<ServerIdentity, 'isToken' | 'rules'>,
): HttpRefusal | undefined {
  const token = bearerToken(header);
  return token !== undefined && isToken(token) ? undefined : { status: 401, why: rules.cure };
}

const withoutToken = (given: readonly string[], server: ServerIdentity): HttpRefusal | undefined =>
  tokenRefusal(given.length === 1 ? (given[0] ?? '') : '', server);
