/** Formats figures and times for people. */
import type { Spent } from '../wire-types.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export function duration(ms: number): string {
  if (ms < SECOND) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10 * SECOND) return `${(ms / SECOND).toFixed(1)} s`;
  if (ms < MINUTE) return `${Math.round(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ${Math.floor((ms % MINUTE) / SECOND)} s`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h ${Math.floor((ms % HOUR) / MINUTE)} min`;
  return `${Math.floor(ms / DAY)} d ${Math.floor((ms % DAY) / HOUR)} h`;
}

const two = (value: number): string => String(value).padStart(2, '0');

export function time(at: number): string {
  const date = new Date(at);
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

export function dayAndTime(at: number): string {
  const date = new Date(at);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${time(at)}`;
}

export function tokens(count: number): string {
  if (count < 1_000) return String(count);
  // Never `10.0 k` or `1000 k`.
  if (count < 999_500) return `${(count / 1_000).toFixed(count < 9_950 ? 1 : 0)} k`;
  return `${(count / 1_000_000).toFixed(1)} M`;
}

const money = (usd: number): string => `$${usd.toFixed(usd > 0 && usd < 1 ? 3 : 2)}`;

/** A price that is not known is called unknown, never 0. */
export function cost({ tokens: count, usd, isUnknown }: Spent): string {
  if (usd === 0) return isUnknown ? 'unknown' : count === 0 ? 'none' : money(0);
  return isUnknown ? `${money(usd)} + unknown` : money(usd);
}

export const whole = (count: number): string => count.toLocaleString('en-US');

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${whole(count)} ${count === 1 ? one : many}`;

/** A count per minute. */
export function rate(count: number, ms: number): string {
  const perMinute = count / Math.max(1 / 60, ms / MINUTE);
  return perMinute < 10 ? perMinute.toFixed(1) : whole(Math.round(perMinute));
}

/** The title of each column. */
export const COLUMN_NAMES: Readonly<Record<string, string>> = {
  blocked: 'Blocked',
  ready: 'Ready',
  in_progress: 'In progress',
  landing: 'Landing',
  completed: 'Completed',
  failed: 'Failed',
  skipped: 'Skipped',
  cancelled: 'Cancelled',
};
