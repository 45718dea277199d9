/**
 * Who may ask the page's server for what, decided before anything reads the request: only a browser tab that was opened
 * by its user, or a program, that names this very address and, for data, holds the token. Against DNS rebinding, forged
 * requests of other sites and proxies; what is not clearly ours is refused.
 */
export interface HttpRequestHead {
  readonly method: string;
  /** The request's target as it stood in its first line. */
  readonly target: string;
  /** Names and values by turns, as they came: a header that came twice is there twice. */
  readonly rawHeaders: readonly string[];
}

export interface HttpRefusal {
  readonly status: 401 | 403 | 405 | 415;
  readonly why: string;
}

export interface ServerIdentity {
  readonly port: number;
  /** In constant time. */
  readonly isToken: (given: string) => boolean;
}

/** Paths below this are data and deeds; all else is the page itself, which holds nothing of anybody. */
export const API = '/api/';

/** @returns undefined for a request that may come in */
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

/** The port counts first: another server on this machine is another place. */
const hostsOf = (port: number): readonly string[] => [`127.0.0.1:${port}`, `localhost:${port}`];

function wrongPlace(target: string, hosts: readonly string[], port: number): HttpRefusal | undefined {
  if (!target.startsWith('/') || target.startsWith('//')) return forbidden('The target is no path of this server.');
  const [host] = hosts;
  if (host === undefined || hosts.length > 1 || !hostsOf(port).includes(host))
    return forbidden('The Host is not this server.');
  return undefined;
}

function wrongOrigin(
  origins: readonly string[],
  sites: readonly string[],
  target: string,
  port: number,
): HttpRefusal | undefined {
  const own = hostsOf(port).map((host) => `http://${host}`);
  if (origins.some((origin) => !own.includes(origin))) return forbidden('Another site may not ask.');
  // `none`: the user typed the address or followed it from another program; for data no page of ours is asked so.
  const allowed = target.startsWith(API) ? ['same-origin'] : ['same-origin', 'none'];
  return sites.some((site) => !allowed.includes(site)) ? forbidden('Another site may not ask.') : undefined;
}

function wrongMethod(method: string, target: string, types: readonly string[]): HttpRefusal | undefined {
  if (method === 'GET' || (method === 'HEAD' && !target.startsWith(API))) return undefined;
  if (method !== 'POST' || !target.startsWith(API)) return { status: 405, why: `Nothing here is asked by ${method}.` };
  // A form of another site can send three types only, and this is none of them.
  const isJson = types.length === 1 && /^application\/json(?:;\s*charset=utf-8)?$/i.test(types[0] ?? '');
  return isJson ? undefined : { status: 415, why: 'What is sent here is application/json.' };
}

function withoutToken(given: readonly string[], { isToken }: ServerIdentity): HttpRefusal | undefined {
  const [, token] = /^Bearer ([A-Za-z0-9_-]{1,128})$/.exec(given.length === 1 ? (given[0] ?? '') : '') ?? [];
  return token !== undefined && isToken(token)
    ? undefined
    : { status: 401, why: 'Open the address that `teams ui` printed: it carries the token.' };
}
