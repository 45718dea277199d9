/** Prints what `teams` without a verb shows: first steps that work within a minute, without an API key. */
import { safeText } from '../../app.ts';
import type { CliIo } from './io.ts';
import { jsonLine } from './output/json-line.ts';

const STEPS: readonly [line: string, what: string][] = [
  ['teams create hello --member ada', 'create a team with one member'],
  ["teams task create hello --subject 'Say hello' --run 'echo hello from $TEAMS_MEMBER'", 'give it a task'],
  ['teams worker hello ada --agent exec --idle-timeout 2s', 'work as ada until no task is left'],
  ['teams status hello', 'show members and tasks'],
  ['teams task get hello 1', 'show the task and its result'],
  ['teams delete hello', 'archive the team'],
];

/** @returns the exit code */
export function firstSteps({ stdout }: CliIo, json: boolean): number {
  const text = [
    'teams runs a team of workers on one task. Try this; it needs no API key and leaves no process running:',
    '',
    ...STEPS.map(([line, what]) => `  ${line}\n      ${what}`),
    '',
    'To run the commands of this project as a plan: `teams init`, then `teams run`. All verbs: `teams --help`. Check this machine: `teams doctor`.',
  ];
  const steps = STEPS.map(([line, what]) => ({ line, what }));
  stdout.write(json ? jsonLine({ steps }) : `${safeText(text.join('\n'))}\n`);
  return 0;
}
