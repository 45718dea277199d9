/**
 * Marks: how a process is recognised as one teammate's, whatever happened to its session, parents and environment.
 *
 * On Linux a marked program starts with a hard limit that no other process has: of RLIMIT_LOCKS, or where that is taken
 * of RLIMIT_MSGQUEUE (`draw-marks.ts`). A limit is inherited through fork, exec, setsid, `env -i` and daemonising, and
 * cannot be raised again. The environment is the second evidence. `TEAMS_MARK` names one mark; it does not name the
 * run, or the end of one teammate would end the others. `TEAMS_RUN` names the run, for people.
 *
 * A mark serves one start. When a sweep of it has begun, nothing is started under it any more: a sweep lasts, and would
 * end the new program. A mark does not stop malice: a program can lower its limit and change its environment. Only the
 * sandbox can stop that.
 */
import type { Mark } from '../model/agent/process-mark.ts';
import { findProgram, pathOutside } from './program-path.ts';
import type { ResourceLimits } from './process-reading.ts';
import { ENV } from '../model/text/environment.ts';

/** What is known of a process that may be ours. */
export interface Suspect {
  readonly isMine: boolean;
  readonly startTime: number;
  readonly limits: ResourceLimits | undefined;
  readonly environ: readonly string[];
}

interface SpawnCommand {
  readonly file: string;
  readonly args: readonly string[];
}

/** What this process did with the marks that it drew. */
const uses = new WeakMap<Mark, 'started' | 'swept'>();

/**
 * Uses a mark for one start.
 *
 * @param argv program and arguments
 * @returns the command that starts the program with the mark's limit; the pid stays the same
 * @throws Error (a bug) when the mark has started a program before, or is being swept
 */
export function markedCommand(mark: Mark, argv: readonly [string, ...string[]]): SpawnCommand {
  const use = uses.get(mark);
  if (use !== undefined) throw new Error(`A mark serves one start; ${mark.id} was ${use} before.`);
  uses.set(mark, 'started');
  const [file, ...args] = argv;
  const prlimit = prlimitPath();
  if (mark.kind === 'environment' || prlimit === undefined) return { file, args };
  return { file: prlimit, args: [`--${mark.resource}=${mark.value}:${mark.value}`, '--', file, ...args] };
}

/** Notes that the processes of a mark are being ended: from now on nothing may start under it. */
export const noteSweep = (mark: Mark): void => void uses.set(mark, 'swept');

/** The environment variables of a marked program. */
export const markEnvironment = (mark: Mark): Readonly<Record<typeof ENV.run | typeof ENV.mark, string>> => ({
  [ENV.run]: mark.run,
  [ENV.mark]: mark.id,
});

/**
 * Which evidence says that a process carries a mark; undefined if none does. Descendants of known processes are found
 * by `sweep`, which reads the whole table.
 */
export function evidenceOf(
  mark: Mark,
  { isMine, startTime, limits, environ }: Suspect,
): 'environment' | 'limit' | undefined {
  if (!isMine || startTime < mark.since) return undefined;
  if (environ.includes(`${ENV.mark}=${mark.id}`)) return 'environment';
  return limits !== undefined && isLimited(mark, limits) ? 'limit' : undefined;
}

/** Whether a process carries a mark. */
export const matches = (mark: Mark, suspect: Suspect): boolean => evidenceOf(mark, suspect) !== undefined;

/** Whether limits are those of a mark, or of a team inside its teammate. */
export const isLimited = (mark: Mark, limits: ResourceLimits): boolean =>
  mark.kind === 'limit' && mark.low <= limits[mark.resource] && limits[mark.resource] <= mark.high;

let prlimit: { readonly path: string | undefined } | undefined;

/** The path of `prlimit`, looked up once; undefined if it does not exist or this is not Linux. */
export function prlimitPath(): string | undefined {
  prlimit ??= {
    path: process.platform === 'linux' ? findProgram('prlimit', pathOutside(process.env['PATH'] ?? '')) : undefined,
  };
  return prlimit.path;
}

/** Starts programs so that they are found later. */
export interface Marker {
  /** Draws a mark for one start of a program: its arguments, and what is added to its environment. */
  mark(argv: readonly string[]): MarkedStart;
}

export interface MarkedStart {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}
