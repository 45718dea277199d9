/** Bare `teams`: first steps that work within a minute, without a key. */
import { safeText } from '../../app.ts';
import type { CliIo } from './io.ts';
import { jsonLine } from './output/json-line.ts';

const STEPS: readonly [line: string, what: string][] = [
  ['teams create hello --member ada', 'make a team of one'],
  ["teams task create hello --subject 'Say hello' --run 'echo hello from $TEAMS_MEMBER'", 'give it a task'],
  ['teams worker hello ada --agent exec --idle-timeout 2s', 'be ada, until nothing is left to do'],
  ['teams status hello', 'what became of it'],
  ['teams task get hello 1', 'the task and its result'],
  ['teams delete hello', 'put the team away'],
];

/** @returns the exit code */
export function firstSteps({ stdout }: CliIo, json: boolean): number {
  const text = [
    'teams runs a team of workers on one task. Try this; it needs no key and leaves nothing running:',
    '',
    ...STEPS.map(([line, what]) => `  ${line}\n      ${what}`),
    '',
    'A plan does it in one go: `teams run plan.yaml`. All verbs: `teams --help`. What works here: `teams doctor`.',
  ];
  const steps = STEPS.map(([line, what]) => ({ line, what }));
  stdout.write(json ? jsonLine({ steps }) : `${safeText(text.join('\n'))}\n`);
  return 0;
}
