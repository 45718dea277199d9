/** What vendors tell of their limits in headers. */
import { expect, it } from 'vitest';
import { allowanceIn } from '../../../src/agents/loop/allowance.ts';

const anthropic = (reset: string, more: Record<string, string> = {}) => ({
  'anthropic-ratelimit-requests-limit': '50',
  'anthropic-ratelimit-requests-remaining': '7',
  'anthropic-ratelimit-requests-reset': reset,
  ...more,
});
const openai = (reset: string, left = '0') => ({
  'x-ratelimit-limit-requests': '500',
  'x-ratelimit-remaining-requests': left,
  'x-ratelimit-reset-requests': reset,
});

it.each([
  [anthropic('2026-03-01T12:00:30Z', { date: 'Sun, 01 Mar 2026 12:00:00 GMT' }), 30_000],
  // Already over.
  [anthropic('2026-03-01T11:00:30Z', { date: 'Sun, 01 Mar 2026 12:00:00 GMT' }), 0],
  [openai('1s'), 1_000],
  [openai('6m0s'), 360_000],
  [openai('120ms'), 120],
  [openai('1m30.5s'), 90_500],
  [openai('42'), 42_000],
  [openai('9999h'), 3_600_000],
])('%j is told in %i ms', (headers, resetMs) => {
  expect(allowanceIn(headers)).toMatchObject({ resetMs });
});

it.each([
  [{}],
  [undefined],
  // Without the vendor's own clock a time of day says nothing.
  [anthropic('2026-03-01T12:00:30Z')],
  [openai('soon')],
  [openai('1s', '-3')],
  [openai('1s', 'many')],
])('%j tells nothing', (headers) => {
  expect(allowanceIn(headers)).toBeUndefined();
});
