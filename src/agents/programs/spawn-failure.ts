/** Why a program could not be started, in one sentence with the cure, and the class of the fault. */
import { codeOf } from '../../model/text/errors.ts';
import { quoted } from '../../model/text/document-problem.ts';
import type { TurnEnd } from '../../model/agent/turn-end.ts';
import { directoryFault } from '../script-files.ts';

export type SpawnFailure = Extract<TurnEnd, { kind: 'failed' }>;

interface Attempt {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

const TRY_AGAIN_MS = 1_000;
/** A shell's exit code for a program that exists and cannot be run. */
const NOT_EXECUTABLE = 126;

/** The machine has no room for a process now. This is not the task's or the member's fault, and it passes. */
const BUSY: ReadonlySet<string> = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM']);
const NOT_THERE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR']);
const NO_PROGRAM: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'ENOEXEC']);

/** `rate_limited` counts against neither the task nor the member, and is tried again. */
export function spawnFailure(error: unknown, { argv, cwd, env }: Attempt): SpawnFailure {
  const code = codeOf(error) ?? 'no code';
  const program = quoted(argv[0] ?? '');
  if (BUSY.has(code)) return { ...failed('rate_limited', noRoom(code)), retryAfterMs: TRY_AGAIN_MS };
  // The system reports the program as missing even when the working directory is.
  const fault = directoryFault(cwd);
  if (fault !== undefined) return failed('crashed', `${program} was not started: the working directory ${fault}`);
  if (NOT_THERE.has(code)) return failed('not_installed', missing(argv[0] ?? '', env['PATH']));
  if (NO_PROGRAM.has(code)) return failed('not_installed', notExecutable(argv[0] ?? '', code));
  if (code === 'E2BIG') return { ...failed('exit', tooLong(program)), exitCode: NOT_EXECUTABLE };
  return failed('crashed', `${program} could not be started: ${error instanceof Error ? error.message : code}`);
}

const failed = (why: SpawnFailure['why'], message: string): SpawnFailure => ({
  kind: 'failed',
  why,
  text: '',
  message,
});

const noRoom = (code: string): string =>
  `No process could be started (${code}): the machine is out of processes, files or memory. teams tries again.`;

const tooLong = (program: string): string =>
  `exit ${NOT_EXECUTABLE}: the arguments and the environment of ${program} are too long for the system.`;

function missing(program: string, path: string | undefined): string {
  if (program.includes('/')) return `${quoted(program)} does not exist, or the interpreter in its first line does not.`;
  return `${quoted(program)} is not installed: it is in no directory of PATH (${path ?? 'which is not set'}).`;
}

/** For a bare name the system also says EACCES if this user may not read a directory of PATH. */
function notExecutable(program: string, code: string): string {
  if (program.includes('/'))
    return `${quoted(program)} may not be run (${code}): it is not an executable file; run chmod +x on it.`;
  return `${quoted(program)} is not installed: no directory of PATH that this user may read has it as an executable file (${code}).`;
}
