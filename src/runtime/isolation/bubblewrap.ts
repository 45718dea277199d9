/** Finding bubblewrap, and testing it: a script inside it tries what must not work. Nothing is believed without that. */
import process from 'node:process';
import { startProcess } from '../../agents/programs/process.ts';
import { AgentError } from '../../model/text/errors.ts';
import { callFilter } from '../../policy/sandbox/call-filter.ts';
import { keepCallFilter } from '../../store/user/call-filter-file.ts';
import { wasProved } from '../../store/user/proved-isolation.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const PROBE_MS = 20_000;

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
 * Members may have made an isolation fail: in their workspace, or by using up what each start needs, such as namespaces.
 * Nothing of theirs may run with more rights for that.
 *
 * @param why it failed in this workspace
 * @param worksElsewhere whether it works in a directory without files
 * @throws AgentError `AGENT_UNAVAILABLE` if it works elsewhere, or has worked since this machine started
 */
export async function requireUnfit(
  why: string,
  environment: Environment,
  worksElsewhere: () => Promise<boolean>,
): Promise<void> {
  const how = (await worksElsewhere())
    ? 'in this workspace, though isolation works on this machine'
    : wasProved(environment)
      ? 'now, though isolation has worked since this machine started'
      : undefined;
  if (how === undefined) return;
  throw new AgentError(
    'AGENT_UNAVAILABLE',
    `Commands cannot be isolated ${how}: ${why}. Look at what it names and try again, or set sandbox.bwrap to off.`,
  );
}

const unanswered = (): AgentError =>
  new AgentError(
    'AGENT_UNAVAILABLE',
    `Whether commands can be isolated is unknown: bubblewrap did not answer within ${PROBE_MS / 1_000} s. Try again when the machine has less to do, or set sandbox.bwrap to off.`,
  );

/** A file of the workspace may go between the look for it and the start. */
const TRIES = 4;

/** @returns what a probe found at each of some tries; undefined as soon as it holds */
export async function lastingWeakness(probe: () => Promise<string | undefined>): Promise<string | undefined> {
  let why: string | undefined;
  for (let tries = 0; tries < TRIES; tries += 1) {
    why = await probe();
    if (why === undefined) return undefined;
  }
  return why;
}

/**
 * Runs a probe.
 *
 * @param argv of a script inside the isolation that prints `held`, or what it could do
 * @returns what the probe could do, or why it did not run; undefined if the isolation works
 * @throws AgentError `AGENT_UNAVAILABLE` if it does not end: a machine that is busy must not be one without isolation
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
  const { kind, stdout, stderr } = await started.process.ended;
  if (kind === 'timeout') throw unanswered();
  const said = stdout.toString('utf8').trim();
  if (said === 'held') return undefined;
  return said === '' ? `bubblewrap does not work here (${stderr.toString('utf8').trim().slice(0, 300)})` : said;
}
