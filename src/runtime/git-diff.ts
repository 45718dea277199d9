/** What a working directory has changed against its last commit, as git tells it. */
import process from 'node:process';
import { childEnvironment } from '../agents/index.ts';
import { startProcess } from '../agents/process.ts';
import { UsageError } from '../model/errors.ts';
import { LIMITS } from '../policy/context-budget.ts';

export type Diff = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly bytes: number };

const PATIENCE_MS = 60_000;

/** No program that the repository names is run: no external diff, no text conversion, no monitor. */
const DIFF = [
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.quotepath=off',
  'diff',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
];

/**
 * @returns the diff, or its size when it is over the limit
 * @throws UsageError `USAGE` where there is no repository, or no git
 */
export async function gitDiff(cwd: string, signal: AbortSignal): Promise<Diff> {
  const head = await git(['rev-parse', '--verify', '--quiet', 'HEAD'], cwd, signal);
  const against = head.code === 0 ? ['HEAD'] : ['--cached'];
  const { code, text, bytes, said } = await git([...DIFF, ...against, '--'], cwd, signal);
  if (code !== 0)
    throw new UsageError('USAGE', `--include-diff needs a git repository in ${cwd}: ${said || 'git failed'}.`);
  return bytes > LIMITS.diff ? { ok: false, bytes } : { ok: true, text };
}

async function git(args: readonly string[], cwd: string, signal: AbortSignal) {
  const env = { ...childEnvironment('exec', { parent: process.env }), GIT_OPTIONAL_LOCKS: '0' };
  const request = { argv: ['git', '--no-pager', ...args], env, cwd, signal, timeoutMs: PATIENCE_MS };
  const started = await startProcess(request, { keptBytes: LIMITS.diff });
  if (!started.ok) return { code: -1, text: '', bytes: 0, said: started.failure.message };
  let bytes = 0;
  for (let output = await started.process.next(); output; output = await started.process.next())
    if (output.stream === 'stdout') bytes += output.bytes.length;
  const end = await started.process.ended;
  const said = end.stderr.toString('utf8').trim().split('\n')[0]?.replace(/\.$/, '') ?? '';
  return { code: end.how === 'exited' ? end.code : -1, text: end.stdout.toString('utf8'), bytes, said };
}
