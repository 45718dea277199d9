/**
 * Marks: how a process is recognised as one teammate's, whatever happened to its session, parents and environment.
 *
 * On Linux a teammate starts with a hard RLIMIT_MSGQUEUE that no other process has. The limit is inherited through
 * fork, exec, setsid, `env -i` and daemonising, and cannot be raised again. A top-level lead gives each teammate a
 * block of 256 values; the block's last value is the teammate's limit. A lead inside a block gives single values of it,
 * so that the outer lead's mark covers the inner team. A block's first value is never used: it would look like a
 * top-level limit.
 *
 * The environment is the second evidence. `TEAMS_MARK` names one mark; it does not name the run, or the end of one
 * teammate would end the others. `TEAMS_RUN` names the run, for people. A mark does not stop malice: a program can
 * lower its limit and change its environment. Only the sandbox can stop that.
 */
import { BLOCK, type Mark } from '../model/agent/process-mark.ts';
import { findProgram } from './program-path.ts';
import type { ProcessTable } from './process-identity.ts';
import { ENV } from '../model/text/environment.ts';

type Limit = Pick<Extract<Mark, { kind: 'limit' }>, 'low' | 'high' | 'value'>;

/** What is known of a process that may be ours. */
export interface Suspect {
  readonly isMine: boolean;
  readonly startTime: number;
  readonly limit: number | undefined;
  readonly environ: readonly string[];
}

interface SpawnCommand {
  readonly file: string;
  readonly args: readonly string[];
}

const UNLIMITED = 2 ** 30;

/**
 * Draws marks for `count` teammates in one call, before they start: a mark that no process has yet is invisible to a
 * second draw. If limits cannot be used (no prlimit, no /proc, limit too low or no value left), a mark has only the
 * environment.
 *
 * @param random gives numbers in [0, 1)
 * @param run the run's ULID
 */
export function createMarks(count: number, table: ProcessTable, random: () => number, run: string): Mark[] {
  const self = table.stat(table.self);
  // A lead that cannot read its own start time cannot tell older processes from its own: then nothing matches.
  const since = typeof self === 'string' ? Number.MAX_SAFE_INTEGER : Number(self.startTime);
  const limits = prlimitPath() === undefined ? [] : drawLimits(count, table, random);
  return Array.from({ length: count }, (_, position) => {
    const id = `${run}-${Math.floor(random() * 2 ** 48).toString(36)}`;
    const evidence = { id, run, since, bootId: table.bootId() };
    const limit = limits[position];
    return limit === undefined ? { kind: 'environment', ...evidence } : { kind: 'limit', ...evidence, ...limit };
  });
}

/** The limits of `count` new marks; fewer if no more values are free. */
function drawLimits(count: number, table: ProcessTable, random: () => number): Limit[] {
  const own = table.limits(table.self);
  if (typeof own === 'string') return [];
  const top = Math.min(own.hardMsgqueue, UNLIMITED);
  const held = heldLimits(table);
  const block = Math.floor(top / BLOCK);
  if (block === 0) return [];
  if (top % BLOCK === 0) {
    const taken = new Set(held.map((limit) => Math.floor(limit / BLOCK)));
    return drawFree(count, { from: 1, to: block, taken, random }).map(blockLimit);
  }
  return drawFree(count, { from: block * BLOCK + 1, to: top, taken: new Set(held), random }).map(singleLimit);
}

const blockLimit = (block: number): Limit => ({
  low: block * BLOCK,
  high: block * BLOCK + BLOCK - 1,
  value: block * BLOCK + BLOCK - 1,
});
const singleLimit = (value: number): Limit => ({ low: value, high: value, value });

/** Free numbers of [from, to), upwards from a random one, continuing at the start after the end. */
function drawFree(
  count: number,
  { from, to, taken, random }: { from: number; to: number; taken: ReadonlySet<number>; random: () => number },
): number[] {
  const span = to - from;
  const drawn: number[] = [];
  const start = Math.floor(random() * span);
  for (let step = 0; step < span && drawn.length < count; step += 1) {
    const candidate = from + ((start + step) % span);
    if (!taken.has(candidate)) drawn.push(candidate);
  }
  return drawn;
}

const heldLimits = (table: ProcessTable): number[] =>
  table.list().flatMap((pid) => {
    const limits = table.limits(pid);
    return typeof limits === 'string' ? [] : [limits.hardMsgqueue];
  });

/**
 * @param argv program and arguments
 * @returns the command that starts the program with the mark's limit; the pid stays the same
 */
export function markedCommand(mark: Mark, argv: readonly [string, ...string[]]): SpawnCommand {
  const [file, ...args] = argv;
  const prlimit = prlimitPath();
  if (mark.kind === 'environment' || prlimit === undefined) return { file, args };
  return { file: prlimit, args: [`--msgqueue=${mark.value}:${mark.value}`, '--', file, ...args] };
}

/** The environment variables of a marked program. */
export const markEnvironment = (mark: Mark): Readonly<Record<typeof ENV.run | typeof ENV.mark, string>> => ({
  [ENV.run]: mark.run,
  [ENV.mark]: mark.id,
});

/**
 * Whether a process carries a mark. Descendants of known processes are found by `sweep`, which reads the whole table.
 */
export function matches(mark: Mark, { isMine, startTime, limit, environ }: Suspect): boolean {
  if (!isMine || startTime < mark.since) return false;
  const isLimited = mark.kind === 'limit' && limit !== undefined && mark.low <= limit && limit <= mark.high;
  return isLimited || environ.includes(`${ENV.mark}=${mark.id}`);
}

let prlimit: { readonly path: string | undefined } | undefined;

/** The path of `prlimit`, looked up once; undefined if it does not exist or this is not Linux. */
export function prlimitPath(): string | undefined {
  prlimit ??= { path: process.platform === 'linux' ? findProgram('prlimit', process.env['PATH'] ?? '') : undefined };
  return prlimit.path;
}

/** How to start a program so that its mark is found later. */
export interface Marked {
  readonly env: Readonly<Record<string, string>>;
  argv(argv: readonly string[]): readonly string[];
}
