/**
 * A team as an agent of the Agent Client Protocol on stdio: an editor leads it. Only the protocol writes to stdout. The
 * agent ends when the editor closes stdin, or on `stop`; its teams can then be resumed.
 */
import { hostGone, ownWire, type HostWire } from '../wire/own-wire.ts';
import { EditorSessions, type EditorSessionsOptions } from './editor-sessions.ts';
import { editorStream } from './editor-stream.ts';

interface AcpOptions extends EditorSessionsOptions {
  /** The streams of an editor in another process; by default those of this process. */
  readonly wire?: HostWire | undefined;
  /** Aborts when the agent must end in order. */
  readonly stop: AbortSignal;
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
