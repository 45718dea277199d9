/** The options of every verb that starts an agent. */
import type { Verb } from '../verb.ts';

/** @param whose who may use no more: `the team`, `this teammate` */
export const budgetOptions = (whose: string): NonNullable<Verb['options']> => [
  {
    flags: '--max-cost <dollars>',
    what: `the most US dollars that ${whose} may spend; nothing begins that could cost more`,
  },
  { flags: '--max-tokens <number>', what: `the most tokens that ${whose} may use` },
  { flags: '--budget <limit>', what: 'a limit such as turns=40, member.ada.cost=2 or task.3.time=10m', many: true },
];
