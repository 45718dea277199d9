/** The sessions of an editor, and which request of the protocol does what. */
import { isAbsolute } from 'node:path';
import {
  agent,
  PROTOCOL_VERSION,
  RequestError,
  type AgentApp,
  type AgentContext,
  type McpServer,
  type SessionInfo,
} from '@agentclientprotocol/sdk';
import { isDirectory, newId, readTranscript, realClock, removeTranscript, safeLine, transcriptIds } from '../../app.ts';
import { EditorSession } from './editor-session.ts';
import type { TeamWork } from './team-work.ts';

export interface EditorSessionsOptions {
  readonly work: TeamWork;
  /** The version of this program. */
  readonly version: string;
  /** Aborts when teams must be stopped at once. */
  readonly force: AbortSignal;
}

/** What an editor gives with a session. */
interface Offered {
  readonly cwd: string;
  readonly mcpServers?: readonly McpServer[];
}

/** Sessions of one list. */
const MOST_LISTED = 100;
const TITLE = 80;

const CAPABILITIES = {
  loadSession: true,
  sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
  promptCapabilities: { image: false, audio: false, embeddedContext: true },
  mcpCapabilities: { http: false, sse: false },
};

export class EditorSessions {
  readonly #options: EditorSessionsOptions;
  readonly #sessions = new Map<string, EditorSession>();
  #showsForms = false;

  constructor(options: EditorSessionsOptions) {
    this.#options = options;
  }

  app(): AgentApp {
    const agentInfo = { name: 'teams', title: 'Teams', version: this.#options.version };
    return agent({ name: 'teams' })
      .onRequest('initialize', ({ params: { clientCapabilities } }) => {
        this.#showsForms = (clientCapabilities?.elicitation?.form ?? undefined) !== undefined;
        return { protocolVersion: PROTOCOL_VERSION, agentInfo, agentCapabilities: CAPABILITIES, authMethods: [] };
      })
      .onRequest('session/new', ({ params, client }) => {
        const { cwd } = params;
        if (isAbsolute(cwd) && !isDirectory(cwd))
          throw RequestError.invalidParams(undefined, `cwd is ${safeLine(cwd)}, which is no directory.`);
        const sessionId = newId(realClock.now());
        const session = this.#open(sessionId, params, client);
        session.keep();
        return { sessionId, modes: session.modes };
      })
      .onRequest('session/load', async ({ params, client }) => {
        const session = this.#continued(params.sessionId, params, client);
        await session.repeat();
        return { modes: session.modes };
      })
      .onRequest('session/resume', ({ params, client }) => ({
        modes: this.#continued(params.sessionId, params, client).modes,
      }))
      .onRequest('session/set_mode', ({ params }) => this.#of(params.sessionId).switch(params.modeId))
      .onRequest('session/list', ({ params }) => ({ sessions: listed(params.cwd ?? undefined) }))
      .onRequest('session/close', async ({ params }) => {
        await this.#of(params.sessionId).close();
        this.#sessions.delete(params.sessionId);
      })
      .onRequest('session/delete', async ({ params }) => {
        await this.#sessions.get(params.sessionId)?.close();
        this.#sessions.delete(params.sessionId);
        removeTranscript(params.sessionId);
      })
      .onRequest('session/prompt', ({ params }) => this.#of(params.sessionId).prompt(params))
      .onNotification('session/cancel', ({ params }) => this.#sessions.get(params.sessionId)?.cancel());
  }

  /** Ends every prompt and its team. */
  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((session) => session.close()));
  }

  #open(id: string, { cwd, mcpServers = [] }: Offered, editor: AgentContext): EditorSession {
    if (!isAbsolute(cwd))
      throw RequestError.invalidParams(undefined, `cwd is ${safeLine(cwd)}, which is no absolute path.`);
    const { work, force } = this.#options;
    const session = new EditorSession({ id, cwd, mcpServers, editor, showsForms: this.#showsForms, work, force });
    this.#sessions.set(id, session);
    return session;
  }

  /** A session of before, also of another process. */
  #continued(id: string, offered: Offered, editor: AgentContext): EditorSession {
    const open = this.#sessions.get(id);
    if (open?.isBusy === true) throw RequestError.invalidRequest(undefined, 'The session works on a prompt.');
    if (open === undefined && readTranscript(id) === undefined) throw RequestError.resourceNotFound(id);
    return this.#open(id, offered, editor);
  }

  #of(id: string): EditorSession {
    const session = this.#sessions.get(id);
    if (session === undefined) throw RequestError.resourceNotFound(id);
    return session;
  }
}

/** The sessions that had a prompt, the latest first. */
function listed(cwd: string | undefined): SessionInfo[] {
  return transcriptIds(MOST_LISTED).flatMap((sessionId) => {
    const records = readTranscript(sessionId) ?? [];
    const opened = records.find((record) => record.kind === 'opened');
    const first = records.find((record) => record.kind === 'prompt');
    if (opened === undefined || first === undefined || (cwd !== undefined && opened.cwd !== cwd)) return [];
    const updatedAt = records.at(-1)?.at ?? opened.at;
    return [{ sessionId, cwd: opened.cwd, title: safeLine(first.text).slice(0, TITLE), updatedAt }];
  });
}
