/**
 * A request to `refine` (docs/specification.md R9.2): the task and the highest number of rounds. A cap in prose counts
 * only as a clause of its own: at the start, or between punctuation marks. It is then removed from the task. Inside a
 * sentence it belongs to the task.
 */
export const DEFAULT_ROUNDS = 3;
export const MOST_ROUNDS = 5;

interface RefineRequest {
  /** Empty if the request had only a cap: then the caller must ask for the task. */
  readonly task: string;
  /** From 1 to {@link MOST_ROUNDS}. */
  readonly maxRounds: number;
  /** The clause that was removed from the task. */
  readonly clause?: string | undefined;
}

type ParsedRounds = { readonly ok: true; readonly rounds: number } | { readonly ok: false; readonly why: string };

/**
 * Parses the value of `--max-rounds`. Any whole number is clamped; an empty value, a fraction and a word are mistakes.
 */
export function parseRounds(text: string): ParsedRounds {
  if (!/^[+-]?[0-9]+$/.test(text.trim()))
    return { ok: false, why: `Expected a whole number from 1 to ${MOST_ROUNDS}, got ${JSON.stringify(text)}.` };
  return { ok: true, rounds: clamp(Number(text)) };
}

const clamp = (rounds: number): number => Math.min(MOST_ROUNDS, Math.max(1, rounds));

/** @param flag the value of `--max-rounds`; it has precedence over the prose */
export function refineRequest(text: string, flag?: number): RefineRequest {
  const found = proseCap(text);
  const task = (found === undefined ? text : withoutClause(text, found)).trim();
  const maxRounds = flag ?? found?.rounds ?? DEFAULT_ROUNDS;
  return { task, maxRounds: clamp(maxRounds), clause: found?.clause };
}

const NUMBERS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

const COUNT = `(?<count>[0-9]{1,4}|${NUMBERS.join('|')})`;
const LIMIT = '(?:no more than|not more than|at most|up to|a maximum of|maximum of|maximum|max\\.?)';
const UNIT = '(?:rounds?|iterations?|times|passes)';
const LEAD_IN = '(?:(?:and|but|please|with|in|within|use|do|iterate|refine)[ \\t]+){0,3}';

/** A complete clause: `max 2 rounds`, `no more than three iterations`, `2 rounds max`. */
const CLAUSE = `${LEAD_IN}(?:${LIMIT}[ \\t]+${COUNT}[ \\t]+${UNIT}|${COUNT.replace('count', 'first')}[ \\t]+${UNIT}[ \\t]+(?:max\\.?|maximum|at most))`;

/** What may come before and after such a clause. */
const BEFORE = '(?<before>^[ \\t]*|[,;:.!?\\n(\\[–—][ \\t]*|[ \\t]-{1,2}[ \\t]+)';
const AFTER = '(?<after>[ \\t]*(?:$|[,;:.!?\\n)\\]–—])|[ \\t]+-{1,2}[ \\t])';

const CAP = new RegExp(`${BEFORE}(?<clause>${CLAUSE})${AFTER}`, 'i');

interface Found {
  readonly rounds: number;
  readonly clause: string;
  readonly at: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
}

function proseCap(text: string): Found | undefined {
  const match = CAP.exec(text);
  const { before = '', after = '', clause = '', count, first } = match?.groups ?? {};
  const number = (count ?? first ?? '').toLowerCase();
  if (match === null || number === '') return undefined;
  const rounds = /^[0-9]+$/.test(number) ? Number(number) : NUMBERS.indexOf(number) + 1;
  return { rounds, clause, at: match.index, end: match.index + match[0].length, before, after };
}

const CLOSERS: Readonly<Record<string, string>> = { '(': ')', '[': ']' };

/**
 * The text without the clause. One of the marks around it is kept, so that the neighbouring sentences stay complete.
 */
function withoutClause(text: string, { at, end, before, after }: Found): string {
  const [head, tail] = [text.slice(0, at).trimEnd(), text.slice(end).trimStart()];
  const [opened, closed] = [before.trim(), after.trim()];
  if (head === '') return tail;
  if (CLOSERS[opened] !== undefined && closed === CLOSERS[opened]) return joined(head, tail);
  if (tail === '') return /^[.!?]$/.test(opened) ? head + opened : head + (/^[.!?]$/.test(closed) ? closed : '');
  const mark = /^[.!?;:]$/.test(opened) ? opened : closed;
  return before.includes('\n') || after.includes('\n') ? `${head}\n${tail}` : joined(head + mark, tail);
}

const joined = (head: string, tail: string): string =>
  /^[,;:.!?]/.test(tail) ? head + tail : `${head} ${tail}`.trim();
