/**
 * `HttpServer`: `bin/teams.js mcp --http` as a process, with the tokens that it printed. It ends with the test.
 *
 *     const server = await HttpServer.on(place, '--team', 'login');
 *     await using ada = await server.host('2025-11-25', server.token('ada'));
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import process from 'node:process';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import type * as z from 'zod';
import { httpAddress } from '../../src/surfaces/cli/shapes/setup-shapes.ts';
import { BIN, until, type Workplace } from './cli.ts';
import { Host, type Era, type Person } from './mcp-host.ts';

export class HttpServer {
  readonly url: string;
  readonly tokens: ReadonlyMap<string, string>;
  readonly child: ChildProcess;

  private constructor({ url, hosts }: z.infer<typeof httpAddress>, child: ChildProcess) {
    this.url = url;
    this.tokens = new Map(hosts.map(({ as, token }) => [as, token]));
    this.child = child;
  }

  static async on({ root: cwd, environment: env }: Workplace, ...args: string[]): Promise<HttpServer> {
    const argv = [BIN, 'mcp', '--http', '0', '--json', ...args];
    const child = spawn(process.execPath, argv, { cwd, env, stdio: ['ignore', 'pipe', 'ignore'] });
    const gone = once(child, 'exit');
    onTestFinished(async () => {
      child.kill('SIGTERM');
      await gone;
    });
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await until(() => said.includes('\n'), 'the server says its address');
    return new HttpServer(httpAddress.parse(JSON.parse(said)), child);
  }

  token(as = 'lead'): string {
    const token = this.tokens.get(as);
    if (token === undefined) throw new Error(`there is no token of ${as}`);
    return token;
  }

  transport(token: string, fetch: typeof globalThis.fetch = globalThis.fetch): StreamableHTTPClientTransport {
    const headers = { authorization: `Bearer ${token}` };
    return new StreamableHTTPClientTransport(new URL(this.url), { requestInit: { headers }, fetch });
  }

  host(era: Era, token: string, person?: Person): Promise<Host> {
    return Host.over(this.transport(token), era, person);
  }

  /** A request as any program could send it. @returns its status */
  raw(headers: Record<string, string>, { method = 'POST', path = '/mcp', body = '{}' } = {}): Promise<number> {
    const { port } = new URL(this.url);
    const own = { host: `127.0.0.1:${port}`, 'content-type': 'application/json', ...headers };
    return new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, method, path, headers: own }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      sent.on('error', reject);
      sent.end(method === 'POST' ? body : undefined);
    });
  }
}
