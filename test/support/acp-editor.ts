/**
 * `Editor`: an ACP client with `bin/teams.js acp` as its agent, over stdio. Use it for test/surfaces/acp/.
 *
 *     await using editor = await Editor.on(place);
 *     const session = await editor.session();
 *     expect(await session.prompt('mend it')).toMatchObject({ stopReason: 'end_turn' });
 */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import {
  client,
  ndJsonStream,
  PROTOCOL_VERSION,
  type ClientCapabilities,
  type ClientConnection,
  type ClientContext,
  type ContentBlock,
  type CreateElicitationResponse,
  type InitializeResponse,
  type McpServer,
  type PromptResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { BIN, until, type Workplace } from './cli.ts';

/** Where the agent runs. */
type EditorPlace = Pick<Workplace, 'root' | 'environment'>;
type Agent = ChildProcessByStdio<Writable, Readable, Readable>;
type Update<Kind extends SessionUpdate['sessionUpdate']> = Extract<SessionUpdate, { sessionUpdate: Kind }>;
/** Chooses the option with this id; undefined leaves the question open. */
export type Decide = (request: RequestPermissionRequest) => string | undefined;

const ofKind =
  <Kind extends SessionUpdate['sessionUpdate']>(kind: Kind) =>
  (update: SessionUpdate): update is Update<Kind> =>
    update.sessionUpdate === kind;

export class EditorSession {
  readonly id: string;
  readonly #editor: Editor;

  constructor(editor: Editor, id: string) {
    this.#editor = editor;
    this.id = id;
  }

  async prompt(...blocks: readonly (string | ContentBlock)[]): Promise<PromptResponse> {
    const prompt = blocks.map((one): ContentBlock => (typeof one === 'string' ? { type: 'text', text: one } : one));
    const answer = await this.#editor.agent.request('session/prompt', { sessionId: this.id, prompt });
    // The SDK hands updates on later than answers that came after them.
    await setImmediate();
    return answer;
  }

  async switch(modeId: string): Promise<void> {
    await this.#editor.agent.request('session/set_mode', { sessionId: this.id, modeId });
  }

  cancel(): Promise<void> {
    return this.#editor.agent.notify('session/cancel', { sessionId: this.id });
  }

  updates<Kind extends SessionUpdate['sessionUpdate']>(kind: Kind): Update<Kind>[] {
    return this.#editor.updates.flatMap(({ sessionId, update }) =>
      sessionId === this.id && ofKind(kind)(update) ? [update] : [],
    );
  }

  /** What the agent said, in one text. */
  said(): string {
    return this.updates('agent_message_chunk').map(textOf).join('');
  }

  /** What the person said, as the agent repeats it. */
  repeated(): string[] {
    return this.updates('user_message_chunk').map(textOf);
  }

  thought(): string {
    return this.updates('agent_thought_chunk').map(textOf).join('');
  }

  /** Each plan that was shown, as lines. */
  plans(): string[][] {
    return this.updates('plan').map(({ entries }) => entries.map(({ status, content }) => `${status} ${content}`));
  }
}

const textOf = ({ content }: { content: ContentBlock }): string => (content.type === 'text' ? content.text : '');

export class Editor implements AsyncDisposable {
  readonly process: Agent;
  readonly stderr: Promise<string>;
  readonly updates: { readonly sessionId: string; readonly update: SessionUpdate }[] = [];
  readonly asked: RequestPermissionRequest[] = [];
  /** The messages of the forms that were shown. */
  readonly forms: string[] = [];
  /** What the person does with a form. */
  fill: () => CreateElicitationResponse = () => ({ action: 'decline' });
  decide: Decide = ({ options }) => options.find(({ kind }) => kind === 'allow_once')?.optionId;
  readonly #connection: ClientConnection;
  readonly #cwd: string;
  #capabilities: InitializeResponse | undefined;

  private constructor(agent: Agent, cwd: string) {
    this.process = agent;
    this.#cwd = cwd;
    this.stderr = text(agent.stderr);
    const stream = ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout));
    this.#connection = client({ name: 'an editor' })
      .onRequest('session/request_permission', ({ params, signal }) => this.#answer(params, signal))
      .onRequest('elicitation/create', ({ params }) => {
        this.forms.push(params.message);
        return this.fill();
      })
      .onNotification('session/update', ({ params }) => void this.updates.push(params))
      .connect(stream);
  }

  /** Starts `teams acp` with these arguments, and connects. */
  static on(place: EditorPlace, ...args: string[]): Promise<Editor> {
    return Editor.with({}, place, ...args);
  }

  /** The same with these capabilities. */
  static async with(capabilities: ClientCapabilities, place: EditorPlace, ...args: string[]): Promise<Editor> {
    const { root: cwd, environment: env } = place;
    const agent = spawn(process.execPath, [BIN, 'acp', ...args], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
    const editor = new Editor(agent, cwd);
    editor.#capabilities = await editor.agent.request('initialize', {
      protocolVersion: PROTOCOL_VERSION,
      clientInfo: { name: 'an-editor', version: '1' },
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false, ...capabilities },
    });
    return editor;
  }

  get agent(): ClientContext {
    return this.#connection.agent;
  }

  get initialized(): InitializeResponse {
    if (this.#capabilities === undefined) throw new Error('It is not connected.');
    return this.#capabilities;
  }

  async session(cwd = this.#cwd, mcpServers: McpServer[] = []): Promise<EditorSession> {
    const { sessionId } = await this.agent.request('session/new', { cwd, mcpServers });
    return new EditorSession(this, sessionId);
  }

  /** Continues a session, with all that was said in it, or without. */
  async continued(id: string, how: 'session/load' | 'session/resume' = 'session/load'): Promise<EditorSession> {
    await this.agent.request(how, { sessionId: id, cwd: this.#cwd, mcpServers: [] });
    await setImmediate();
    return new EditorSession(this, id);
  }

  /** Waits until its agent asked this often. */
  async isAsked(times = 1): Promise<RequestPermissionRequest> {
    await until(() => this.asked.length >= times, `the agent asks ${times} times`);
    const last = this.asked[times - 1];
    if (last === undefined) throw new Error('It did not ask.');
    return last;
  }

  async #answer(params: RequestPermissionRequest, signal: AbortSignal): Promise<RequestPermissionResponse> {
    this.asked.push(params);
    const optionId = this.decide(params);
    if (optionId !== undefined) return { outcome: { outcome: 'selected', optionId } };
    if (!signal.aborted) await once(signal, 'abort');
    return { outcome: { outcome: 'cancelled' } };
  }

  /** Closes its end; resolves when the agent has ended. @returns its exit code */
  async leave(): Promise<number | null> {
    const { process: agent } = this;
    const exited = agent.exitCode === null && agent.signalCode === null ? once(agent, 'exit') : undefined;
    this.#connection.close();
    agent.stdin.end();
    await exited;
    return agent.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.leave();
  }
}
