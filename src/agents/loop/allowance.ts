/** What a vendor tells of its limit of requests in the headers of an answer. */

import { LONGEST_TOLD_MS } from '../../model/agent/usage.ts';

interface ToldAllowance {
  readonly left: number;
  readonly resetMs: number;
  readonly limit: number;
}

type Headers = Readonly<Record<string, string | undefined>>;

/** @returns undefined if it tells nothing, or what cannot be read */
export function allowanceIn(headers: Headers = {}): ToldAllowance | undefined {
  for (const [limit, left, reset] of NAMES) {
    const told = { limit: number(headers[limit]), left: number(headers[left]), resetMs: resetIn(headers, reset) };
    if (told.limit !== undefined && told.left !== undefined && told.resetMs !== undefined)
      return { limit: told.limit, left: told.left, resetMs: told.resetMs };
  }
  return undefined;
}

/** The limit, what is left, and when it is whole again: Anthropic, OpenAI and those that speak as it does. */
const NAMES = [
  [
    'anthropic-ratelimit-requests-limit',
    'anthropic-ratelimit-requests-remaining',
    'anthropic-ratelimit-requests-reset',
  ],
  ['x-ratelimit-limit-requests', 'x-ratelimit-remaining-requests', 'x-ratelimit-reset-requests'],
] as const;

const number = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,9}$/.test(text.trim()) ? Number(text) : undefined;

/** A time of day is compared with the vendor's own clock, which its answer tells, never with ours. */
function resetIn(headers: Headers, name: string): number | undefined {
  const text = headers[name]?.trim() ?? '';
  if (text === '') return undefined;
  if (/^\d{4}-/.test(text)) {
    const left = Date.parse(text) - Date.parse(headers['date'] ?? '');
    return Number.isFinite(left) ? bounded(left) : undefined;
  }
  if (/^\d+(?:\.\d+)?$/.test(text)) return bounded(Number(text) * 1_000);
  const units: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) return undefined;
  return bounded(parts.reduce((sum, [, count = '0', unit = 's']) => sum + Number(count) * (units[unit] ?? 0), 0));
}

const bounded = (ms: number): number => Math.max(0, Math.min(ms, LONGEST_TOLD_MS));
