/** What a plan will do, as lines for people. */
import type { Estimate, ExpectedFollowUp, ExpectedWork } from './expected-work.ts';

/** Follow-ups that are listed one by one. */
const MOST_LISTED = 20;

export const expectedWorkLines = ({ followUps, estimate }: ExpectedWork): string[] => [
  ...followUpLines(followUps),
  ...estimateLines(estimate),
];

function followUpLines(followUps: readonly ExpectedFollowUp[]): string[] {
  if (followUps.length === 0) return [];
  const more = followUps.length - MOST_LISTED;
  return [
    `Follow-ups: ${followUps.length} more ${followUps.length === 1 ? 'task' : 'tasks'}, as tasks are completed`,
    ...followUps
      .slice(0, MOST_LISTED)
      .map(({ subject, role, of, depth }) => `  ${depth === 1 ? `after #${of}` : '  then'}: ${subject} (${role})`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}

function estimateLines({ turns, usd, tokens, pastTasks, unknown }: Estimate): string[] {
  if (turns === 0) return [];
  const cost =
    tokens === null
      ? `cost unknown: no earlier run here says what ${unknown.join(' and ')} ${unknown.length === 1 ? 'costs' : 'cost'}`
      : `about ${Math.max(1, Math.round(tokens / 1_000))},000 tokens, ${usd === null ? 'price unknown' : `$${usd.toFixed(2)}`}, by ${pastTasks} ${pastTasks === 1 ? 'task' : 'tasks'} of earlier runs here`;
  return [`Estimate: ${turns} ${turns === 1 ? 'turn' : 'turns'} of a model or more; ${cost}`];
}
