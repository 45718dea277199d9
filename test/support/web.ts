/**
 * `Page`: the web page's server in this process, with requests of a browser, of a program and of a foreign client. Use
 * it for test/surfaces/web/.
 *
 *     const page = await openPage(root);
 *     expect(await page.json('teams')).toMatchObject({ teams: [] });
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { openUi } from '../../src/surfaces/web/open-ui.ts';
import { EventReader } from '../../src/surfaces/web/page/sse.ts';
import type { Update } from '../../src/surfaces/web/wire-types.ts';

export interface Said {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

export class Page {
  readonly url: string;
  readonly port: number;
  readonly token: string;

  constructor({ url, port }: { url: string; port: number }) {
    [this.url, this.port] = [url, port];
    this.token = new URLSearchParams(new URL(url).hash.slice(1)).get('token') ?? '';
  }

  /** Sends a request with the token. */
  ask(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${this.token}`);
    return fetch(`http://127.0.0.1:${this.port}/api/${path}`, { ...init, headers });
  }

  /** The JSON of an answer. */
  async json(path: string): Promise<unknown> {
    return (await this.ask(path)).json();
  }

  do(team: string, deed: object): Promise<Response> {
    const headers = { 'content-type': 'application/json' };
    return this.ask(`teams/${team}/deeds`, { method: 'POST', headers, body: JSON.stringify(deed) });
  }

  /** Sends exactly these bytes; `HOST` is replaced by the server's own, `TOKEN` by the token. */
  async raw(words: string): Promise<Said> {
    const said = words.replaceAll('HOST', `127.0.0.1:${this.port}`).replaceAll('TOKEN', this.token);
    const socket = connect(this.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(said.replaceAll('\n', '\r\n'));
    const answer = await text(socket);
    const end = answer.indexOf('\r\n\r\n');
    const head = answer.slice(0, end);
    return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0), head, body: answer.slice(end + 4) };
  }

  /** Whether something listens on its port at another address of this machine. */
  readonly isHeardAt = (address: string): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(this.port, address);
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });

  /** Follows a team; the caller ends it by `return()`. */
  async *updates(team: string, lastEventId?: string): AsyncGenerator<Update & { id: string }> {
    const gone = new AbortController();
    const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    const { body }: { body: AsyncIterable<Uint8Array> | null } = await this.ask(`teams/${team}/stream`, {
      headers,
      signal: gone.signal,
    });
    if (body === null) return;
    const reader = new EventReader();
    const decoder = new TextDecoder();
    try {
      for await (const bytes of body)
        for (const { id, data } of reader.push(decoder.decode(bytes, { stream: true })))
          yield { ...JSON.parse(data), id };
    } finally {
      gone.abort();
    }
  }

  /** The first update for which it holds. */
  async hear(team: string, isSo: (update: Update) => boolean, lastEventId?: string): Promise<Update & { id: string }> {
    for await (const update of this.updates(team, lastEventId)) if (isSo(update)) return update;
    throw new Error('The stream ended.');
  }
}

/** A server for a root, until the test ends. */
export async function openPage(root: string): Promise<Page> {
  const ui = await openUi({ port: 0, open: { root, environment: {} }, watch: {}, why: {} });
  onTestFinished(() => ui.close());
  return new Page(ui);
}
