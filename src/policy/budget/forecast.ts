/**
 * What a run may use, by finished tasks of earlier runs. Each planned task is like the past tasks of the same kind of
 * agent, and of the same role, model and size if there are enough of those. The totals are told as the median and the
 * 90th percentile of many runs that are put together by chance from such past tasks. Without past tasks nothing is told.
 */
import { factsOf } from '../../model/agent/models.ts';
import { alikeRandom } from './alike-random.ts';

/** By the words of its subject and its description. */
type TaskSize = 'small' | 'medium' | 'large';

/** What tasks are compared by. */
export interface TaskTraits {
  readonly role: string;
  /** The kind of the agent that did it. */
  readonly agent: string;
  /** Null if it is not known. */
  readonly model: string | null;
  readonly size: TaskSize;
}

/** A task that was finished in an earlier run, and what it used. */
export interface PastTask extends TaskTraits {
  /** Turns of the agent. */
  readonly turns: number;
  /** Input and output. */
  readonly tokens: number;
  /** US dollars; null if a price was not known. */
  readonly usd: number | null;
  readonly durationMs: number;
}

export interface ForecastTask {
  /** Who may do it: members of the plan by their position, with what each would be compared by. */
  readonly doers: readonly { readonly member: number; readonly traits: TaskTraits }[];
  /** Positions of the tasks that it waits for. */
  readonly blockedBy: readonly number[];
}

/** Half of the runs stay within the one, nine of ten within the other. */
export interface Range {
  readonly median: number;
  readonly p90: number;
}

interface Forecast {
  /** Turns of agents. */
  readonly turns: Range;
  readonly tokens: Range;
  /** US dollars; null if a price was not known. */
  readonly usd: Range | null;
  /** Milliseconds from the first task to the last, in which members work at the same time. */
  readonly durationMs: Range;
}

/** The one name of a model that has several; null if it has none. */
export const knownModel = (model: string | undefined): string | null =>
  model === undefined ? null : (factsOf(model)?.model ?? model);

const SMALL_WORDS = 50;
const MEDIUM_WORDS = 250;

export function taskSize({
  subject,
  description,
}: {
  readonly subject: string;
  readonly description: string;
}): TaskSize {
  const words = `${subject} ${description}`.split(/\s+/).filter((word) => word !== '').length;
  return words <= SMALL_WORDS ? 'small' : words <= MEDIUM_WORDS ? 'medium' : 'large';
}

/** With fewer tasks that are so much alike, less similar ones count too. */
const ENOUGH = 5;

/**
 * The past tasks that a planned one is compared with: as similar as there are enough of.
 *
 * @returns empty if its kind of agent finished none
 */
export function similarTasks(traits: TaskTraits, past: readonly PastTask[]): readonly PastTask[] {
  const ofKind = past.filter(({ agent }) => agent === traits.agent);
  const isOfModel = ({ model }: PastTask): boolean => traits.model === null || model === traits.model;
  const narrower = [
    ofKind.filter((one) => isOfModel(one) && one.role === traits.role && one.size === traits.size),
    ofKind.filter((one) => isOfModel(one) && one.size === traits.size),
    ofKind.filter((one) => isOfModel(one) && one.role === traits.role),
    ofKind.filter(isOfModel),
  ];
  return narrower.find((some) => some.length >= ENOUGH) ?? ofKind;
}

/** Runs that are put together, at most and at least; and the work that is spent on them. */
const MOST_RUNS = 1_000;
const LEAST_RUNS = 100;
const MOST_STEPS = 400_000;

/**
 * @param tasks each has a doer, and each doer has similar past tasks
 * @param past finished tasks of earlier runs
 * @returns undefined without tasks, or if one of them has nothing to be compared with
 */
export function forecast(tasks: readonly ForecastTask[], past: readonly PastTask[]): Forecast | undefined {
  const known = new Map<string, readonly PastTask[]>();
  const similar = (traits: TaskTraits): readonly PastTask[] => {
    const key = JSON.stringify([traits.role, traits.agent, traits.model, traits.size]);
    const some = known.get(key) ?? similarTasks(traits, past);
    known.set(key, some);
    return some;
  };
  const choices = tasks.map(({ doers, blockedBy }) => ({
    blockedBy,
    doers: doers.map(({ member, traits }) => ({ member, similar: similar(traits) })),
  }));
  const isKnown = choices.every(({ doers }) => doers.length > 0 && doers.every((doer) => doer.similar.length > 0));
  if (choices.length === 0 || !isKnown) return undefined;
  const steps = choices.reduce((sum, { doers }) => sum + doers.length, 0);
  const count = Math.max(LEAST_RUNS, Math.min(MOST_RUNS, Math.floor(MOST_STEPS / steps)));
  const order = inOrder(choices);
  const random = alikeRandom();
  const runs = Array.from({ length: count }, () => drawnRun(choices, order, random));
  const range = (of: (run: DrawnRun) => number): Range => rangeOf(runs.map(of));
  return {
    turns: range(({ turns }) => turns),
    tokens: range(({ tokens }) => tokens),
    usd: runs.some(({ usd }) => usd === null) ? null : range(({ usd }) => usd ?? 0),
    durationMs: range(({ durationMs }) => durationMs),
  };
}

interface Choice {
  readonly blockedBy: readonly number[];
  readonly doers: readonly { readonly member: number; readonly similar: readonly PastTask[] }[];
}

type DrawnRun = Pick<PastTask, 'turns' | 'tokens' | 'usd' | 'durationMs'>;

/** One run: each task goes to the member that can begin it first, and is like one of the past tasks. */
function drawnRun(choices: readonly Choice[], order: readonly number[], random: () => number): DrawnRun {
  const free = new Map<number, number>();
  const ends = new Map<number, number>();
  let [turns, tokens, durationMs] = [0, 0, 0];
  let usd: number | null = 0;
  for (const at of order) {
    const { doers, blockedBy } = choices[at] ?? { doers: [], blockedBy: [] };
    const [first, ...others] = doers;
    if (first === undefined) continue;
    const freeAt = ({ member }: { readonly member: number }): number => free.get(member) ?? 0;
    const doer = others.reduce((best, one) => (freeAt(one) < freeAt(best) ? one : best), first);
    const drawn = doer.similar[Math.floor(random() * doer.similar.length)];
    if (drawn === undefined) continue;
    const begins = Math.max(freeAt(doer), ...blockedBy.map((blocker) => ends.get(blocker) ?? 0));
    const end = begins + drawn.durationMs;
    free.set(doer.member, end);
    ends.set(at, end);
    turns += drawn.turns;
    tokens += drawn.tokens;
    usd = usd === null || drawn.usd === null ? null : usd + drawn.usd;
    durationMs = Math.max(durationMs, end);
  }
  return { turns, tokens, usd, durationMs };
}

/** Blockers before the tasks that wait for them, otherwise as they stand. */
function inOrder(choices: readonly Choice[]): number[] {
  const order = new Set<number>();
  const open = choices.map((_, at) => at).reverse();
  const entered = new Set<number>();
  while (open.length > 0) {
    const at = open.at(-1) ?? 0;
    const missing = entered.has(at) ? [] : (choices[at]?.blockedBy ?? []).filter((blocker) => !order.has(blocker));
    entered.add(at);
    if (missing.length > 0) {
      open.push(...missing.reverse());
      continue;
    }
    open.pop();
    order.add(at);
  }
  return [...order];
}

/** The smallest value that half of them, and nine of ten, do not exceed. */
export function rangeOf(values: readonly number[]): Range {
  const sorted = values.toSorted((one, other) => one - other);
  const within = (part: number): number => sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? 0;
  return { median: within(0.5), p90: within(0.9) };
}
