/**
 * `Host`: an MCP host with `bin/teams.js mcp` as its server, over stdio. Use it for test/surfaces/mcp/.
 *
 *     const host = await Host.on(place);
 *     expect(await host.say('TaskList')).toContain('#1');
 */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import process from 'node:process';
import type { Readable, Writable } from 'node:stream';
import { Client, type ClientCapabilities, type ElicitResult, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
// It speaks over any two streams, from either end.
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { BIN, until, type Workplace } from './cli.ts';

export interface Told {
  readonly isError: boolean;
  readonly text: string;
}

/** The revisions of the protocol that hosts use: the last of the old era, and the first of the new one. */
export const ERAS = ['2025-11-25', '2026-07-28'] as const;
export type Era = (typeof ERAS)[number];

export type Server = ChildProcessByStdio<Writable, Readable, null>;

/** What a person does with a form, by what it asks. The signal aborts when the server takes the form back. */
export type Person = (asked: string, signal: AbortSignal) => ElicitResult | Promise<ElicitResult>;

/** Where a host works. */
type HostPlace = Pick<Workplace, 'root' | 'environment'>;

export class Host implements AsyncDisposable {
  readonly client: Client;
  /** The server's notifications, oldest first: `list_changed`, or the URI of what was updated. */
  readonly heard: string[] = [];

  private constructor(era: Era, capabilities: ClientCapabilities) {
    const mode = era === '2025-11-25' ? 'legacy' : { pin: era };
    this.client = new Client({ name: 'a-host', version: '1.0.0' }, { versionNegotiation: { mode }, capabilities });
    this.client.setNotificationHandler('notifications/resources/list_changed', () => {
      this.heard.push('list_changed');
    });
    this.client.setNotificationHandler('notifications/resources/updated', ({ params: { uri } }) => {
      this.heard.push(uri);
    });
  }

  /** A host that starts `teams mcp` with these arguments, and connects. */
  static on(place: HostPlace, ...args: string[]): Promise<Host> {
    return Host.of('2025-11-25', place, ...args);
  }

  static of(era: Era, place: HostPlace, ...args: string[]): Promise<Host> {
    return Host.over(Host.#startedBy(place, args), era);
  }

  /** A host that shows forms to a person. */
  static withPerson(era: Era, place: HostPlace, person: Person, ...args: string[]): Promise<Host> {
    return Host.over(Host.#startedBy(place, args), era, person);
  }

  static #startedBy({ root: cwd, environment: env }: HostPlace, args: readonly string[]): Transport {
    return new StdioClientTransport({ command: process.execPath, args: [BIN, 'mcp', ...args], cwd, env });
  }

  /** The same, with access to its server. */
  static async with(place: Workplace, ...args: string[]): Promise<{ host: Host; server: Server }> {
    const { root: cwd, environment: env } = place;
    const server = spawn(process.execPath, [BIN, 'mcp', ...args], { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] });
    return { host: await Host.over(new StdioServerTransport(server.stdout, server.stdin)), server };
  }

  /** A host whose server runs already. */
  static async over(transport: Transport, era: Era = '2025-11-25', person?: Person): Promise<Host> {
    const host = new Host(era, person === undefined ? {} : { elicitation: { form: {} } });
    if (person !== undefined)
      host.client.setRequestHandler('elicitation/create', ({ params: { message } }, { mcpReq: { signal } }) =>
        person(message, signal),
      );
    await host.client.connect(transport);
    return host;
  }

  /** Waits for these notifications; earlier ones are dropped. */
  async hears(...news: string[]): Promise<void> {
    const isHeard = () => news.every((one) => this.heard.includes(one));
    await until(isHeard, `the server says ${news.join(', ')}; it said ${this.heard.join(', ')}`);
    this.heard.length = 0;
  }

  /** Calls a tool; a refusal is an answer too. */
  async call(name: string, input: Record<string, unknown> = {}): Promise<Told> {
    const { content, isError = false } = await this.client.callTool({ name, arguments: input });
    return { isError, text: content.map((one) => (one.type === 'text' ? one.text : '')).join('') };
  }

  /** Calls a tool that must succeed. */
  async say(name: string, input: Record<string, unknown> = {}): Promise<string> {
    const { isError, text } = await this.call(name, input);
    if (isError) throw new Error(`${name}: ${text}`);
    return text;
  }

  /**
   * Reads mail until it matches.
   * @returns all of it
   */
  async mail(wanted: RegExp): Promise<string> {
    let all = '';
    await until(async () => {
      all += await this.say('CheckInbox');
      return wanted.test(all);
    }, `mail like ${wanted.source}`);
    return all;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
  }
}

/** The server as a plain process, initialised in the old era, for input that an SDK client does not send. */
export function bareServer({ root: cwd, environment: env }: Workplace, ...args: string[]) {
  const server: Server = spawn(process.execPath, [BIN, 'mcp', ...args], {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const send = (frame: unknown): void =>
    void server.stdin.write(`${typeof frame === 'string' ? frame : JSON.stringify(frame)}\n`);
  const clientInfo = { name: 'bare', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  send({ jsonrpc: '2.0', id: 'hello', method: 'initialize', params });
  send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return { server, send };
}
