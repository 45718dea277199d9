/** What a plan will do, as lines for people. */
import type { Range } from '../budget/forecast.ts';
import { duration } from '../mail-wording.ts';
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

function estimateLines({ leastTurns, turns, tokens, usd, durationMs, pastTasks, unknown }: Estimate): string[] {
  const least = `${leastTurns} ${leastTurns === 1 ? 'turn' : 'turns'} of a model or more`;
  if (unknown.length > 0)
    return [
      `Estimate: ${least}; time, tokens and cost are unknown: no earlier run here has a finished task of ${unknown.join(' or ')}`,
    ];
  const figures = (of: (range: Range) => number): string =>
    [
      ...(turns === null ? [] : [`${of(turns)} ${of(turns) === 1 ? 'turn' : 'turns'}`]),
      ...(tokens === null ? [] : [tokensText(of(tokens))]),
      ...(turns === null ? [] : [usd === null ? 'a cost without a known price' : `$${of(usd).toFixed(2)}`]),
      ...(durationMs === null ? [] : [duration(of(durationMs))]),
    ].join(', ');
  if (turns === null && durationMs === null) return [];
  const by = pastTasks === 0 ? '' : `; by ${pastTasks} ${pastTasks === 1 ? 'task' : 'tasks'} of earlier runs here`;
  return [
    `Estimate: half of such runs use at most ${figures(({ median }) => median)}; 9 of 10 at most ${figures(({ p90 }) => p90)}${by}`,
  ];
}

const tokensText = (tokens: number): string => `${Math.round(tokens).toLocaleString('en-US')} tokens`;
