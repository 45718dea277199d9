/** How far the estimate of a run was off: what was told before it, and what its tasks used. */
import type { KeptEstimate } from '../../model/run/run-state.ts';
import { duration } from '../mail-wording.ts';
import type { Range } from './forecast.ts';

/** What the tasks of a run used. */
export interface TasksUse {
  readonly turns: number;
  readonly tokens: number;
  /** US dollars; null if a price was not known. */
  readonly usd: number | null;
  /** Milliseconds in which at least one member worked. */
  readonly durationMs: number;
}

type Figure = keyof TasksUse;

/** Of one figure: what was told, and what was used; null where one of both is not known. */
export type ReportEstimate = Pick<KeptEstimate, 'pastTasks' | 'unknown'> & {
  readonly [figure in Figure]: (Range & { readonly used: number }) | null;
};

/** @returns null if nothing was told, and nothing had to be */
export function estimateError(told: KeptEstimate | undefined, used: TasksUse): ReportEstimate | null {
  if (told === undefined) return null;
  const of = (figure: Figure): (Range & { readonly used: number }) | null => {
    const [range, value] = [told[figure], used[figure]];
    return range === null || value === null ? null : { median: range.median, p90: range.p90, used: value };
  };
  const error = { turns: of('turns'), tokens: of('tokens'), usd: of('usd'), durationMs: of('durationMs') };
  const { pastTasks, unknown } = told;
  const isEmpty = unknown.length === 0 && Object.values(error).every((one) => one === null);
  return isEmpty ? null : { ...error, pastTasks, unknown };
}

const plain = (value: number): string => Math.round(value).toLocaleString('en-US');
const TEXTS: Readonly<Record<Figure, { readonly name: string; readonly text: (value: number) => string }>> = {
  turns: { name: 'Turns', text: plain },
  tokens: { name: 'Tokens', text: plain },
  usd: { name: 'Cost', text: (value) => `$${value.toFixed(4)}` },
  durationMs: { name: 'Time', text: duration },
};
const FIGURES = ['turns', 'tokens', 'usd', 'durationMs'] as const satisfies readonly Figure[];

/** Empty if nothing was told. `Tokens: 25,000 used, 20,000 told (9 of 10 runs: at most 31,000): 25 % more`. */
export function estimateLines(estimate: ReportEstimate): string[] {
  return FIGURES.flatMap((figure) => {
    const one = estimate[figure];
    if (one === null) return [];
    const { name, text } = TEXTS[figure];
    const { used, median, p90 } = one;
    return [`${name}: ${text(used)} used, ${text(median)} told (9 of 10 runs: at most ${text(p90)}): ${offText(one)}`];
  });
}

function offText({ used, median, p90 }: Range & { readonly used: number }): string {
  const beyond = used > p90 ? ', beyond both' : '';
  if (used === median) return 'as told';
  if (median === 0) return `more${beyond}`;
  const percent = Math.round((100 * Math.abs(used - median)) / median);
  return `${percent} % ${used > median ? 'more' : 'less'}${beyond}`;
}
