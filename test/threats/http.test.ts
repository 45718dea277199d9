/**
 * Requests that hide another request, sent byte by byte to the two servers of ours: the page and MCP over HTTP. Nothing
 * stands before them that could read such bytes otherwise; so what is asked here is that no answer is given to bytes
 * that carry no token, and that one request is never read as two.
 */
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { Workplace } from '../support/cli.ts';
import { HttpServer } from '../support/mcp-http-server.ts';
import { ToldTeam } from '../support/told-team.ts';
import { openPage } from '../support/web.ts';

interface Target {
  readonly port: number;
  readonly token: string;
  /** A request line that gives data to who has the token. */
  readonly line: string;
  /** What such data contains. */
  readonly secret: RegExp;
}

async function pageTarget(): Promise<Target> {
  const { root } = new ToldTeam({ ada: 'executor' }).led().started('ada').add('A subject of ours');
  const { port, token } = await openPage(root);
  return { port, token, line: 'GET /api/teams HTTP/1.1', secret: /login/ };
}

async function mcpTarget(): Promise<Target> {
  const place = new Workplace();
  await place.teams('create', 'solo', '--member', 'eve');
  const server = await HttpServer.on(place, '--team', 'solo');
  const { port } = new URL(server.url);
  return { port: Number(port), token: server.token('eve'), line: 'POST /mcp HTTP/1.1', secret: /serverInfo|"result"/ };
}

/** @returns all that the server says until it closes the connection */
async function raw(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const said: Buffer[] = [];
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('data', (chunk: Buffer) => said.push(chunk)).on('error', () => undefined);
  // A server that waits for more is not given it.
  socket.setTimeout(2_000, () => socket.destroy());
  socket.write(bytes);
  await closed;
  return Buffer.concat(said).toString('latin1');
}

const INIT = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
});

function requests({ port, line }: Target) {
  const host = `Host: 127.0.0.1:${port}\r\n`;
  const type = 'Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n';
  const bare = `${line}\r\n${host}${type}Content-Length: ${line.startsWith('POST') ? INIT.length : 0}\r\n\r\n${line.startsWith('POST') ? INIT : ''}`;
  const asset = (headers: string, body: string): string => `GET / HTTP/1.1\r\n${host}${headers}\r\n${body}`;
  const chunk = `${bare.length.toString(16)}\r\n${bare}\r\n0\r\n\r\n`;
  return new Map<string, string>([
    ['plain', bare],
    ['pipelined', asset('', bare)],
    ['in the body of a GET', asset(`Content-Length: ${bare.length}\r\n`, bare)],
    ['in chunks', asset('Transfer-Encoding: chunked\r\n', chunk)],
    ['length, then chunks', asset('Content-Length: 4\r\nTransfer-Encoding: chunked\r\n', chunk)],
    ['chunks, then length', asset('Transfer-Encoding: chunked\r\nContent-Length: 0\r\n', bare)],
    ['an unknown coding', asset('Transfer-Encoding: xchunked\r\n', chunk)],
    ['two codings', asset('Transfer-Encoding: chunked, identity\r\n', chunk)],
    ['a coding twice', asset('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', chunk)],
    ['a blank before the colon', asset('Transfer-Encoding : chunked\r\n', chunk)],
    ['a tab before the coding', asset('Transfer-Encoding:\tchunked\r\n', chunk)],
    ['a length with a sign', asset('Content-Length: +0\r\n', bare)],
    ['a length in hex', asset('Content-Length: 0x0\r\n', bare)],
    ['a length in two parts', asset('Content-Length: 0, 0\r\n', bare)],
    ['two equal lengths', asset('Content-Length: 0\r\nContent-Length: 0\r\n', bare)],
    ['a length over 2^53', asset('Content-Length: 18446744073709551616\r\n', bare)],
    ['bare line feeds', asset('X: y\nContent-Length: 0\n\n', bare)],
    ['a carriage return in a value', asset('X: y\rContent-Length: 9\r\n', bare)],
    ['a NUL in a value', asset('X: y\0z\r\n', bare)],
    [
      'a chunk size that is too long',
      asset('Transfer-Encoding: chunked\r\n', `0000000000000000000000000\r\n\r\n${bare}`),
    ],
    ['a chunk extension', asset('Transfer-Encoding: chunked\r\n', `0;x="\r\n\r\n${bare}`)],
    [
      'a trailer with a token',
      asset('Transfer-Encoding: chunked\r\n', `0\r\nAuthorization: Bearer TOKEN\r\n\r\n${bare}`),
    ],
    ['upgrade to h2c', asset('Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n', bare)],
    ['expect', asset(`Expect: 100-continue\r\nContent-Length: ${bare.length}\r\n`, bare)],
    ['another method by a header', asset('X-HTTP-Method-Override: POST\r\nX-Original-URL: /api/teams\r\n', '')],
    ['a forwarded host', asset('X-Forwarded-Host: evil.com\r\nForwarded: host=evil.com\r\n', bare)],
  ]);
}

describe.each([
  ['the page', pageTarget],
  ['MCP over HTTP', mcpTarget],
])('%s', (_, open) => {
  it('answers no bytes without a token, however another request hides them', async () => {
    const target = await open();
    const answers = await Promise.all(
      [...requests(target)].map(async ([what, bytes]) => [what, await raw(target.port, bytes)] as const),
    );
    for (const [what, said] of answers) expect([what, said]).not.toEqual([what, expect.stringMatching(target.secret)]);
    // The same bytes with a token are answered, so that the refusals above say something.
    const [plain = ''] = [requests(target).get('plain')];
    const told = await raw(target.port, plain.replace('\r\n', `\r\nAuthorization: Bearer ${target.token}\r\n`));
    expect(told).toMatch(target.secret);
  });

  it('reads what follows a request with a token as a request of its own', async () => {
    const target = await open();
    const token = `\r\nAuthorization: Bearer ${target.token}\r\n`;
    const answers = await Promise.all(
      [...requests(target)].map(
        async ([what, bytes]) => [what, await raw(target.port, bytes.replace('\r\n', token))] as const,
      ),
    );
    for (const [what, said] of answers) {
      const secrets = said.split('HTTP/1.1 ').filter((answer) => target.secret.test(answer));
      // Only the first request has the token.
      expect([what, secrets.length]).toEqual([what, what === 'plain' ? 1 : 0]);
    }
  });
});

it('names that lead to this machine are refused as hosts: DNS rebinding', async () => {
  for (const target of [await pageTarget(), await mcpTarget()])
    for (const host of [
      'localtest.me',
      'rebind.example',
      '127.0.0.1.nip.io',
      '[::ffff:127.0.0.1]',
      '2130706433',
      '0x7f.1',
    ]) {
      const [plain = ''] = [requests(target).get('plain')];
      const foreign = plain.replace('Host: 127.0.0.1', `Authorization: Bearer ${target.token}\r\nHost: ${host}`);
      expect([host, await raw(target.port, foreign)]).toEqual([host, expect.stringMatching(/^HTTP\/1\.1 403/)]);
    }
});
