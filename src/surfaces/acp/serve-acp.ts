/**
 * A team as an agent of the Agent Client Protocol on stdio: an editor leads it. Only the protocol writes to stdout. The
 * agent ends when the editor closes stdin, or on `stop`; its teams can then be resumed.
 */
import { isAbsolute } from 'node:path';
import { agent, PROTOCOL_VERSION, RequestError, type AgentApp, type AgentContext } from '@agentclientprotocol/sdk';
import { newId, realClock } from '../../app.ts';
import { hostGone, ownWire, type HostWire } from '../wire/own-wire.ts';
import { EditorSession } from './editor-session.ts';
import { editorStream } from './editor-stream.ts';
import type { TeamWork } from './team-work.ts';

interface AcpOptions {
  readonly work: TeamWork;
  readonly version: string;
  /** The streams of an editor in another process; by default those of this process. */
  readonly wire?: HostWire | undefined;
  /** Aborts when the agent must end in order. */
  readonly stop: AbortSignal;
  /** Aborts when it must end at once. */
  readonly force: AbortSignal;
  /** Called with errors outside any request. */
  readonly onTrouble: (error: Error) => void;
}

/** Serves until the editor is gone, or `stop` aborts; then no process of its teams is left. */
export async function serveAcp({ wire: given, stop, onTrouble, ...options }: AcpOptions): Promise<void> {
  const wire = given ?? ownWire();
  const gone = hostGone(wire, stop);
  const sessions = new EditorSessions(options);
  const connection = sessions.app().connect(editorStream(wire, onTrouble));
  await gone;
  await sessions.close();
  connection.close();
  // Nothing reads stdin any more; if it stayed open, the process would not end.
  if (given === undefined) wire.input.destroy();
}

class EditorSessions {
  readonly #options: Pick<AcpOptions, 'work' | 'version' | 'force'>;
  readonly #sessions = new Map<string, EditorSession>();
  #isClosed = false;

  constructor(options: Pick<AcpOptions, 'work' | 'version' | 'force'>) {
    this.#options = options;
  }

  app(): AgentApp {
    return agent({ name: 'teams' })
      .onRequest('initialize', () => ({
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: 'teams', title: 'Teams', version: this.#options.version },
        agentCapabilities: {
          loadSession: false,
          promptCapabilities: { image: false, audio: false, embeddedContext: true },
          mcpCapabilities: { http: false, sse: false },
        },
        authMethods: [],
      }))
      .onRequest('session/new', ({ params, client }) => ({ sessionId: this.#open(params.cwd, client) }))
      .onRequest('session/prompt', ({ params }) => this.#of(params.sessionId).prompt(params))
      .onNotification('session/cancel', ({ params }) => this.#sessions.get(params.sessionId)?.cancel());
  }

  /** Ends every prompt and its team. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#sessions.values()].map((session) => session.close()));
  }

  #open(cwd: string, editor: AgentContext): string {
    if (!isAbsolute(cwd)) throw RequestError.invalidParams(undefined, `cwd is ${cwd}, which is no absolute path.`);
    const { work, force } = this.#options;
    const id = newId(realClock.now());
    this.#sessions.set(id, new EditorSession({ id, cwd, editor, work, force }));
    return id;
  }

  #of(id: string): EditorSession {
    const session = this.#sessions.get(id);
    if (session === undefined || this.#isClosed) throw RequestError.resourceNotFound(id);
    return session;
  }
}
