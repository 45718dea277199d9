/** Finding bubblewrap, and testing it: a script inside it tries what must not work. Nothing is believed without that. */
import process from 'node:process';
import { startProcess } from '../../agents/programs/process.ts';
import { AgentError } from '../../model/text/errors.ts';
import { callFilter } from '../../policy/sandbox/call-filter.ts';
import { keepCallFilter } from '../../store/user/call-filter-file.ts';
import { findProgram, pathOutside } from '../../os/program-path.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const PROBE_MS = 20_000;

/** The path of bubblewrap; undefined if it is not installed, or this is not Linux. */
export const bubblewrap = (environment: Environment): string | undefined =>
  process.platform === 'linux' ? findProgram('bwrap', pathOutside(environment['PATH'] ?? '')) : undefined;

const FILTER = callFilter(process.arch);

/** The file with the filter of system calls; undefined on a machine that has none. */
export const callFilterFile = (environment: Environment): string | undefined =>
  FILTER && keepCallFilter(environment, FILTER);

/** The step of a probe that tries the filter. */
export const SETS_ID =
  FILTER === undefined
    ? ''
    : `( : > /tmp/.teams-probe && chmod 4755 /tmp/.teams-probe ) 2>/dev/null && over 'it makes files that run as you'`;

export const NOT_INSTALLED = 'bubblewrap is not installed';

/** @param why there is no isolation */
export function isolationRequired(why = 'it was not tried'): AgentError {
  const cure = why.startsWith('the workspace ')
    ? 'Work in another directory'
    : why === NOT_INSTALLED
      ? 'Install it (apt-get install bubblewrap)'
      : 'See what `teams doctor` says';
  return new AgentError(
    'AGENT_UNAVAILABLE',
    `sandbox.bwrap is "required", and commands cannot be isolated: ${why}. ${cure}, or set sandbox.bwrap to auto.`,
  );
}

/**
 * Runs a probe.
 *
 * @param argv of a script inside the isolation that prints `held`, or what it could do
 * @returns what the probe could do, or why it did not run; undefined if the isolation works
 */
export async function probeWeakness(argv: readonly string[], environment: Environment): Promise<string | undefined> {
  const started = await startProcess({
    argv,
    env: { PATH: environment['PATH'] ?? '/usr/bin:/bin' },
    cwd: '/',
    timeoutMs: PROBE_MS,
    signal: new AbortController().signal,
  });
  if (!started.ok) return started.failure.message;
  const { stdout, stderr } = await started.process.ended;
  const said = stdout.toString('utf8').trim();
  if (said === 'held') return undefined;
  return said === '' ? `bubblewrap does not work here (${stderr.toString('utf8').trim().slice(0, 300)})` : said;
}
