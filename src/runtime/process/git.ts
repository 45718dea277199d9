/**
 * Runs git. No program that the repository names is run (no hook, no monitor), and the user's index and working tree
 * are only read.
 */
import process from 'node:process';
import { childEnvironment } from '../../agents/agent-registry.ts';
import { startProcess } from '../../agents/programs/process.ts';
import type { Marker } from '../../os/mark-environment.ts';

export interface GitWhere {
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly env?: Readonly<Record<string, string>>;
  /** Bytes at the end of its output that are kept. */
  readonly keptBytes?: number;
  /** For git that a lead runs: it ends with the lead. */
  readonly marker?: Marker;
}

export interface GitAnswer {
  /** -1 if there is no git, or it was ended. */
  readonly code: number;
  readonly text: string;
  /** Bytes that it printed. */
  readonly bytes: number;
  /** The first line of its error output. */
  readonly said: string;
}

const PATIENCE_MS = 60_000;
const KEPT_BYTES = 16 * 1024 * 1024;

const SETTINGS = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.quotepath=off',
  'core.logAllRefUpdates=false',
  // A clone may contain a directory that is a bare repository, whose configuration names programs (git 2.38 and newer).
  'safe.bareRepository=explicit',
];
const ALWAYS = ['git', '--no-pager', ...SETTINGS.flatMap((setting) => ['-c', setting])];

export async function git(args: readonly string[], where: GitWhere): Promise<GitAnswer> {
  const { cwd, signal, env = {}, keptBytes = KEPT_BYTES, marker } = where;
  const argv = [...ALWAYS, ...args];
  const marked = marker?.mark(argv);
  const request = {
    argv: marked?.argv ?? argv,
    env: { ...childEnvironment('exec', { parent: process.env }), ...marked?.env, GIT_OPTIONAL_LOCKS: '0', ...env },
    cwd,
    signal,
    timeoutMs: PATIENCE_MS,
  };
  const started = await startProcess(request, { keptBytes });
  if (!started.ok) return { code: -1, text: '', bytes: 0, said: started.failure.message };
  let bytes = 0;
  for (let output = await started.process.next(); output; output = await started.process.next())
    if (output.stream === 'stdout') bytes += output.bytes.length;
  const end = await started.process.ended;
  const said = end.stderr.toString('utf8').trim().split('\n')[0]?.replace(/\.$/, '') ?? '';
  return { code: end.kind === 'exited' ? end.code : -1, text: end.stdout.toString('utf8'), bytes, said };
}
