/**
 * The address of an engine, as `--store`, `TEAMS_STORE` and `store:` name it: a PostgreSQL URL, also with several hosts
 * (`postgres://user@a:5432,b:5432/database`) or a directory with a Unix socket (`postgres:///database?host=/run/…`).
 */
import { UsageError } from '../text/errors.ts';

/** How the connection is encrypted. `verified`: certificate and host name; `certified`: the certificate alone. */
type Tls = 'off' | 'unverified' | 'certified' | 'verified';

export interface EngineAddress {
  /** At least one. A host that begins with `/` is the directory of a Unix socket. */
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  /** What the URL does not name comes from PGUSER, PGDATABASE and the password file, as for every client. */
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: string | undefined;
  readonly tls: Tls;
  /** A file with the certificates of authorities. */
  readonly authorities: string | undefined;
}

const URL_FORM = /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^@/?#]*)(?:\/([^/?#]*))?(?:\?([^#]*))?$/;
const PORT = 5432;
/** A Unix socket, or a loopback address. */
const THIS_MACHINE = /^(?:\/.*|localhost|::1|127(?:\.[0-9]{1,3}){3})$/;

const TLS_OF: ReadonlyMap<string, Tls> = new Map([
  ['disable', 'off'],
  ['require', 'unverified'],
  ['verify-ca', 'certified'],
  ['verify-full', 'verified'],
]);

/**
 * @param text a URL
 * @param given where it stands; a password is refused on the command line, which every user of the machine can read
 * @throws UsageError `USAGE`
 */
export function parseEngineAddress(text: string, given: 'argument' | 'environment' | 'file'): EngineAddress {
  const [whole, login = '', places = '', database = '', query = ''] = URL_FORM.exec(text) ?? [];
  if (whole === undefined)
    throw unusable('is no URL of PostgreSQL; an example is postgres://teams@db.example.org/agents?sslmode=verify-full');
  const [user = '', password] = login.split(/:(.*)/s).map((part) => decoded(part));
  if (password !== undefined && password !== '' && given !== 'environment')
    throw unusable(
      `has a password, which ${given === 'file' ? 'stays in a file that is shared' : 'other users of this machine can read'}. Put the URL into TEAMS_STORE, or the password into ~/.pgpass`,
    );
  const options = parametersOf(query);
  const hosts = hostsOf(options['host'] ?? places);
  return {
    hosts,
    user: user === '' ? undefined : user,
    password: password === '' ? undefined : password,
    database: database === '' ? undefined : decoded(database),
    tls: tlsOf(options['sslmode'], isThisMachine(hosts)),
    authorities: options['sslrootcert'],
  };
}

/** @returns the address for people, files and processes' arguments: complete, but for the password */
export function shownAddress({ hosts, user, database, tls, authorities }: EngineAddress): string {
  const login = user === undefined ? '' : `${encodeURIComponent(user)}@`;
  const places = hosts.map(({ host, port }) => {
    const name = host.includes(':') ? `[${host}]` : host;
    return port === PORT ? name : `${name}:${String(port)}`;
  });
  const isSocket = hosts.some(({ host }) => host.startsWith('/'));
  const mode = [...TLS_OF].find(([, one]) => one === tls)?.[0];
  const parameters = [
    ...(isSocket ? [`host=${places.join(',')}`] : []),
    ...(tls === tlsOf(undefined, isThisMachine(hosts)) ? [] : [`sslmode=${mode ?? ''}`]),
    ...(authorities === undefined ? [] : [`sslrootcert=${encodeURIComponent(authorities)}`]),
  ];
  const query = parameters.length === 0 ? '' : `?${parameters.join('&')}`;
  const name = database === undefined ? '' : encodeURIComponent(database);
  return `postgres://${login}${isSocket ? '' : places.join(',')}/${name}${query}`;
}

const isThisMachine = (hosts: EngineAddress['hosts']): boolean => hosts.every(({ host }) => THIS_MACHINE.test(host));

function tlsOf(mode: string | undefined, isHere: boolean): Tls {
  if (mode === undefined) return isHere ? 'off' : 'verified';
  const tls = TLS_OF.get(mode);
  if (tls === undefined)
    throw unusable(`has sslmode=${mode}; it can be ${[...TLS_OF.keys()].join(', ')} (without it: verify-full)`);
  return tls;
}

const PARAMETERS = new Set(['host', 'sslmode', 'sslrootcert']);

function parametersOf(query: string): Record<string, string> {
  const pairs = query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair): [string, string] => {
      const [key = '', value = ''] = pair.split(/=(.*)/s).map((part) => decoded(part));
      if (!PARAMETERS.has(key)) throw unusable(`has the parameter ${key}; there are ${[...PARAMETERS].join(', ')}`);
      return [key, value];
    });
  return Object.fromEntries(pairs);
}

function hostsOf(places: string): EngineAddress['hosts'] {
  return places.split(',').map((place) => {
    const [whole, six, name, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*))(?::([0-9]{1,5}))?$/.exec(place) ?? [];
    const port = digits === undefined ? PORT : Number(digits);
    if (whole === undefined || port < 1 || port > 65_535)
      throw unusable('has a host that cannot be read; write HOST, HOST:PORT or [IPv6]:PORT');
    const host = decoded(six ?? name ?? '');
    return { host: host === '' ? 'localhost' : host, port };
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw unusable('has a % that begins no character; write %25 for a percent sign');
  }
}

/** The address is never quoted: it may have a password at a place where none belongs. */
const unusable = (what: string): UsageError => new UsageError('USAGE', `The address of the store ${what}.`);
