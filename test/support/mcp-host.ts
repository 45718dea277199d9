/** An MCP host as a test plays it: `bin/teams.js mcp` as its server, over stdio. */
import process from 'node:process';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { BIN, until, type Workplace } from './cli.ts';

export interface Told {
  readonly isError: boolean;
  readonly text: string;
}

export class Host implements AsyncDisposable {
  readonly client = new Client({ name: 'a-host', version: '1.0.0' });
  readonly transport: StdioClientTransport;

  private constructor(place: Workplace, args: readonly string[]) {
    const { root: cwd, environment: env } = place;
    this.transport = new StdioClientTransport({ command: process.execPath, args: [BIN, 'mcp', ...args], cwd, env });
  }

  static async on(place: Workplace, ...args: string[]): Promise<Host> {
    const host = new Host(place, args);
    await host.client.connect(host.transport);
    return host;
  }

  /** Calls a tool; a refusal is an answer, too. */
  async call(name: string, input: Record<string, unknown> = {}): Promise<Told> {
    const { content, isError = false } = await this.client.callTool({ name, arguments: input });
    return { isError, text: content.map((one) => (one.type === 'text' ? one.text : '')).join('') };
  }

  /** Calls a tool that must go well. */
  async say(name: string, input: Record<string, unknown> = {}): Promise<string> {
    const { isError, text } = await this.call(name, input);
    if (isError) throw new Error(`${name}: ${text}`);
    return text;
  }

  /** Reads mail until there is what is looked for. @returns all of it */
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
