/**
 * Marks: how a process is known as one teammate's, whatever became of its session, parents and environment.
 *
 * On Linux a teammate starts with a hard RLIMIT_MSGQUEUE that nobody else has. It is inherited through fork, exec,
 * setsid, `env -i` and daemonising, and cannot be raised again. A top-level lead gives each teammate a block of 256
 * values and the block's last value as its limit; a lead inside a block gives single values of it, so that the outer
 * lead's mark covers the inner team. A block's first value is nobody's: it would read as a top-level limit.
 *
 * The environment is the second evidence: `TEAMS_MARK` names one mark (not the run, or one teammate's end would take
 * its neighbours along); `TEAMS_RUN` names the run, for people. A mark is no wall against malice: a program that wants
 * out can lower its limit and change its environment; that is the sandbox's work.
 */
import { BLOCK, type Mark } from '../model/agent/process-mark.ts';
import { findProgram } from './program-path.ts';
import type { ProcessTable } from './process-identity.ts';

type Limit = Pick<Extract<Mark, { kind: 'limit' }>, 'low' | 'high' | 'value'>;

/** What is known of a process that may be ours. */
export interface Suspect {
  readonly isMine: boolean;
  readonly startTime: number;
  readonly limit: number | undefined;
  readonly environ: readonly string[];
}

export interface SpawnCommand {
  readonly file: string;
  readonly args: readonly string[];
}

const UNLIMITED = 2 ** 30;

/**
 * Draws marks for `count` teammates that are about to start, at once: marks that no process carries yet are known to
 * nobody else. Where limits cannot serve (no prlimit, no /proc, limit too low or used up) a mark rests on the environment.
 *
 * @param random gives numbers in [0, 1)
 * @param run the run's ULID
 */
export function createMarks(count: number, table: ProcessTable, random: () => number, run: string): Mark[] {
  const self = table.stat(table.self);
  // A lead that cannot see itself could not tell older processes from its own: then nothing matches.
  const since = typeof self === 'string' ? Number.MAX_SAFE_INTEGER : Number(self.startTime);
  const limits = prlimitPath() === undefined ? [] : drawLimits(count, table, random);
  return Array.from({ length: count }, (_, position) => {
    const id = `${run}-${Math.floor(random() * 2 ** 48).toString(36)}`;
    const evidence = { id, run, since, bootId: table.bootId() };
    const limit = limits[position];
    return limit === undefined ? { kind: 'environment', ...evidence } : { kind: 'limit', ...evidence, ...limit };
  });
}

/** The limits of `count` new marks; fewer when there are no more. */
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

/** Numbers of [from, to) that are not taken, upwards from a random one and round the end. */
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

/** @param argv program and arguments; the program starts with the mark's limit, and keeps its pid. */
export function markedCommand(mark: Mark, argv: readonly [string, ...string[]]): SpawnCommand {
  const [file, ...args] = argv;
  const prlimit = prlimitPath();
  if (mark.kind === 'environment' || prlimit === undefined) return { file, args };
  return { file: prlimit, args: [`--msgqueue=${mark.value}:${mark.value}`, '--', file, ...args] };
}

/** What a marked program must find in its environment. */
export const markEnvironment = (mark: Mark): { readonly TEAMS_RUN: string; readonly TEAMS_MARK: string } => ({
  TEAMS_RUN: mark.run,
  TEAMS_MARK: mark.id,
});

/** Whether a process carries a mark. (Who descends from a known process is `sweep`'s to see: it takes the whole table.) */
export function matches(mark: Mark, { isMine, startTime, limit, environ }: Suspect): boolean {
  if (!isMine || startTime < mark.since) return false;
  const isLimited = mark.kind === 'limit' && limit !== undefined && mark.low <= limit && limit <= mark.high;
  return isLimited || environ.includes(`TEAMS_MARK=${mark.id}`);
}

let prlimit: { readonly path: string | undefined } | undefined;

/** Where `prlimit` is, looked for once; undefined when there is none or this is not Linux. */
export function prlimitPath(): string | undefined {
  prlimit ??= { path: process.platform === 'linux' ? findProgram('prlimit', process.env['PATH'] ?? '') : undefined };
  return prlimit.path;
}

/** How to start something so that it is known again. */
export interface Marked {
  readonly env: Readonly<Record<string, string>>;
  argv(argv: readonly string[]): readonly string[];
}
