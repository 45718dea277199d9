/**
 * Sets up the isolation of a member's program: finds bubblewrap and probes it once. Isolation of a model's shell
 * commands is in `open-shell-isolation.ts`.
 */
import { tmpdir } from 'node:os';
import process from 'node:process';
import { isolatedProgramArgv, type ProgramSandbox } from '../../policy/sandbox/program-isolation.ts';
import { isVisible, type IsolationSetting } from '../../policy/sandbox/shell-isolation.ts';
import { entriesAt, homeOf, realPath } from '../../store/workspace/sandbox-host.ts';
import { findProgram } from '../../os/program-path.ts';
import { bubblewrap, isolationRequired, probeWeakness } from './bubblewrap.ts';

interface ProgramIsolationOptions {
  readonly setting: IsolationSetting;
  readonly root: string;
  readonly isWritable: boolean;
  /** Writable besides the workspace and the temporary files; only paths that exist. */
  readonly shared: readonly string[];
  /** The environment of this process: where programs and the user's home are. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

type ProgramIsolation =
  | { readonly kind: 'up'; readonly hold: (argv: readonly string[]) => readonly string[] }
  | { readonly kind: 'missing'; readonly why: string };

/**
 * A script that tries what must not work. Its arguments: a file outside the workspace, the pid of the process that
 * watches the program.
 */
const PROBE = `
over() { echo "$1"; exit 1; }
mount -o remount,bind,rw / 2>/dev/null
mount -o remount,rw / 2>/dev/null
( : > "$1" ) 2>/dev/null && { rm -f "$1"; over 'it writes outside the workspace'; }
for outside in "$2" "$PPID"; do
  ( : > "/proc/$outside/root$1" ) 2>/dev/null && { rm -f "/proc/$outside/root$1"; over 'it writes through a process outside'; }
done
echo held
`;

/** @throws AgentError `AGENT_UNAVAILABLE` (exit 5) if isolation is required and does not work */
export async function openProgramIsolation(options: ProgramIsolationOptions): Promise<ProgramIsolation> {
  const bwrap = bubblewrap(options.environment);
  const sandbox = groundsOf(options);
  const why = bwrap === undefined ? 'bubblewrap is not installed' : await weakness(bwrap, sandbox, options);
  if (bwrap !== undefined && why === undefined)
    return { kind: 'up', hold: (argv) => (isThere(argv, options) ? isolatedProgramArgv(bwrap, sandbox, argv) : argv) };
  if (options.setting === 'required') throw isolationRequired(why);
  return { kind: 'missing', why: why ?? 'it was not tried' };
}

const groundsOf = ({ root, isWritable, shared }: ProgramIsolationOptions): ProgramSandbox => ({
  root: realPath(root),
  isWritable,
  shared: [...new Set(entriesAt(['/tmp', '/var/tmp', tmpdir(), ...shared]).map(({ path }) => path))],
});

/** A missing program is not wrapped, so that its own start reports the error, not bubblewrap's. */
const isThere = ([program = '']: readonly string[], { environment }: ProgramIsolationOptions): boolean =>
  program.includes('/') || findProgram(program, environment['PATH'] ?? '') !== undefined;

/** @returns what the probe could do, or why it did not run; undefined if the isolation works */
async function weakness(
  bwrap: string,
  sandbox: ProgramSandbox,
  { environment }: ProgramIsolationOptions,
): Promise<string | undefined> {
  const isOutside = (path: string): boolean =>
    isVisible(path, sandbox.root) && !sandbox.shared.some((one) => path === one || path.startsWith(`${one}/`));
  const place = [homeOf(environment), '/etc', '/usr'].find(isOutside) ?? '/';
  const script = ['/bin/sh', '-c', PROBE, 'probe', `${place}/.teams-probe-${process.pid}`, String(process.pid)];
  return probeWeakness(isolatedProgramArgv(bwrap, sandbox, script), environment);
}
