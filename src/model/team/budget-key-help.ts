/** The keys of a budget, for people; see `key-help.ts`. */
import type { KeyHelpTable } from '../text/key-help.ts';

export const BUDGET_KEY_HELP: KeyHelpTable = {
  cost: { text: 'US dollars.', example: 5 },
  tokens: { text: 'Tokens in and out.', example: 2_000_000 },
  turns: { text: 'Turns of agents; an attempt of a command is one.', example: 40 },
  time: { text: 'The time that turns take together.', example: '2h' },
};
