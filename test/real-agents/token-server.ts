/**
 * A false token server. Programs name the vendor's own address, so it is an HTTPS proxy that answers for every host with
 * a certificate that a test's program is told to believe. Nothing leaves this machine.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

interface TokenServer {
  /** The proxy. */
  readonly url: string;
  /** The file with its certificate. */
  readonly certificate: string;
  /** `POST host/path`, `CONNECT host:port`, and what the program refuses of TLS, in order. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

const HOSTS = [
  'platform.claude.com',
  'console.anthropic.com',
  'api.anthropic.com',
  'auth.openai.com',
  'chatgpt.com',
  'api.openai.com',
  'oauth2.googleapis.com',
  'www.googleapis.com',
  'cloudcode-pa.googleapis.com',
];

/**
 * @param directory for its certificate
 * @param isTokens says whether a path asks for tokens
 * @param tokens what is answered; anything else is refused with 401
 */
export async function openTokenServer(
  directory: string,
  isTokens: (path: string) => boolean,
  tokens: object,
): Promise<TokenServer> {
  const { certificate, key, chain } = certificates(directory);
  const asked: string[] = [];
  const answer = (message: IncomingMessage, response: ServerResponse): void => {
    const path = message.url ?? '';
    asked.push(`${message.method ?? ''} ${message.headers.host ?? ''}${path}`);
    void text(message).then(() => {
      const isGranted = message.method === 'POST' && isTokens(path);
      response.writeHead(isGranted ? 200 : 401, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isGranted ? tokens : { error: { message: 'no', type: 'authentication_error' } }));
    });
  };
  const inner = createServer(answer);
  const secure: TlsServer = createTlsServer({ key: readFileSync(key), cert: readFileSync(chain) }, (socket) => {
    inner.emit('connection', socket);
  });
  const open = new Set<Socket>();
  const proxy = createServer(answer);
  proxy.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  proxy.on('connect', (message: IncomingMessage, socket: Socket) => {
    asked.push(`CONNECT ${message.url ?? ''}`);
    socket.on('error', () => undefined);
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    secure.emit('connection', socket);
  });
  secure.on('tlsClientError', ({ message }) => asked.push(`REFUSED ${message}`));
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port } = proxy.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    certificate,
    asked,
    close: async () => {
      for (const socket of open) socket.destroy();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}

/** An authority, and a certificate of it: not every program takes an authority's own for a server's. */
function certificates(directory: string): { certificate: string; key: string; chain: string } {
  const at = (name: string): string => join(directory, name);
  const openssl = (...args: string[]): void => void execFileSync('openssl', args, { stdio: 'ignore' });
  const fresh = ['-newkey', 'rsa:2048', '-nodes'];
  const ca = ['-x509', '-days', '2', '-subj', '/CN=False authority', '-addext', 'keyUsage=critical,keyCertSign'];
  openssl('req', ...ca, ...fresh, '-keyout', at('ca.key'), '-out', at('ca.pem'));
  openssl('req', ...fresh, '-subj', '/CN=false tokens', '-keyout', at('key.pem'), '-out', at('request.pem'));
  const names = HOSTS.map((host) => `DNS:${host}`).join(',');
  writeFileSync(
    at('extensions'),
    `subjectAltName=${names}\nbasicConstraints=critical,CA:FALSE\nextendedKeyUsage=serverAuth\n`,
  );
  const by = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial'];
  openssl(
    'x509',
    '-req',
    '-in',
    at('request.pem'),
    ...by,
    '-days',
    '2',
    '-extfile',
    at('extensions'),
    '-out',
    at('leaf.pem'),
  );
  writeFileSync(at('chain.pem'), readFileSync(at('leaf.pem'), 'utf8') + readFileSync(at('ca.pem'), 'utf8'));
  return { certificate: at('ca.pem'), key: at('key.pem'), chain: at('chain.pem') };
}
