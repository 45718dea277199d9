/** The keys of an AgentSpec, for people; see `key-help.ts`. */
import type { KeyHelpTable } from '../text/key-help.ts';

export const AGENT_KEY_HELP: KeyHelpTable = {
  kind: { text: 'Which program or model API does the thinking.', example: 'claude' },
  model: {
    text: "The vendor's own name of the model. It begins with no hyphen.",
    otherwise: 'what `models` of the configuration says for the tier',
    example: 'claude-opus-5',
  },
  tier: {
    text: 'How strong a model is wanted: haiku is the smallest, opus the largest.',
    otherwise: '`defaultModel` of the configuration',
    example: 'opus',
  },
  command: {
    text: 'The argv that replaces the program. For `exec` also a text for `/bin/sh -c`, run once for each task.',
    example: ['./agent.sh', '--fast'],
  },
  args: { text: 'Arguments that are appended to the argv.', example: ['--verbose'] },
  env: {
    text: 'Environment variables for the program. They are stored in clear, so put no secret here.',
    example: { NODE_ENV: 'test' },
  },
  baseUrl: {
    text: 'The http or https address of a gateway or server.',
    otherwise: "the vendor's address",
    example: 'http://127.0.0.1:8000/v1',
  },
  shutdown: {
    text: 'On a graceful request to stop: `ask` gives the agent a short turn, in which it may refuse with a reason.',
    default: '`accept`',
    example: 'ask',
  },
  options: { text: "Further options, in that program's or API's own words.", example: { maxSteps: 50 } },
};
