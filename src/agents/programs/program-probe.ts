/** Checks of an agent that cost no model call: whether its program runs, and whether an MCP server does. */
import { startPeer } from './peer.ts';
import { pause } from '../../os/pause.ts';
import { runCommand } from './exec.ts';
import { rpc } from './json-rpc.ts';
import { lastLine } from '../../os/output-tail.ts';

type ProgramProbeResult = { readonly ok: true; readonly found: string } | { readonly ok: false; readonly why: string };

interface Where {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

const PATIENCE_MS = 20_000;

/** The version that a program reports. */
export async function probeProgram(argv: readonly string[], { env, cwd }: Where): Promise<ProgramProbeResult> {
  const signal = new AbortController().signal;
  const turn = runCommand({ argv: [...argv, '--version'], env, cwd, signal, timeoutMs: PATIENCE_MS });
  for (;;) {
    const next = await turn.next();
    if (next.done !== true) continue;
    const { value: end } = next;
    if (end.kind === 'answered') return { ok: true, found: lastLine(end.text) ?? 'no version printed' };
    return { ok: false, why: end.kind === 'failed' ? end.message : 'it was stopped' };
  }
}

/** Whether an MCP server on stdio completes the handshake and lists its tools. */
export async function probeMcp(argv: readonly string[], { env, cwd }: Where): Promise<ProgramProbeResult> {
  const lines: { heard?: (message: Readonly<Record<string, unknown>>) => void } = {};
  const started = await startPeer(
    { argv, env, cwd },
    { heard: (message) => Promise.resolve(lines.heard?.(message)), printed: () => {} },
  );
  if (!started.ok) return { ok: false, why: started.failure.message };
  const { peer } = started;
  const wire = rpc((message) => peer.send(message), { jsonrpc: '2.0' });
  lines.heard = (message) => wire.heard(message);
  void peer.ended.then(() => wire.closed());
  const late = new AbortController();
  try {
    const answered = handshake(wire);
    const answer = await Promise.race([answered, pause(PATIENCE_MS, late.signal).then(() => undefined)]);
    return answer ?? { ok: false, why: 'it did not answer in time' };
  } finally {
    late.abort();
    await peer.endInput();
  }
}

async function handshake(wire: ReturnType<typeof rpc>): Promise<ProgramProbeResult> {
  const clientInfo = { name: 'teams-doctor', version: '1' };
  const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  const open = await wire.request('initialize', hello);
  if (!open.ok) return { ok: false, why: open.message };
  wire.notify('notifications/initialized', {});
  const listed = await wire.request('tools/list', {});
  if (!listed.ok) return { ok: false, why: listed.message };
  return { ok: true, found: `${countTools(listed.result)} tools` };
}

function countTools(result: unknown): number {
  if (typeof result !== 'object' || result === null || !('tools' in result)) return 0;
  return Array.isArray(result.tools) ? result.tools.length : 0;
}
