/**
 * Prints what `teams` without a verb shows: what is in the project and what to do next; without anything, first steps
 * that work within a minute, without an API key.
 */
import { findRoot, hasOwnPlan, listedTeams, OWN_PLAN, ownCommands, safeText } from '../../app.ts';
import type { CliIo } from './io.ts';
import { jsonLine } from './output/json-line.ts';

type Step = readonly [line: string, what: string];

const STEPS: readonly Step[] = [
  ['teams create hello --member ada', 'create a team with one member'],
  ["teams task create hello --subject 'Say hello' --run 'echo hello from $TEAMS_MEMBER'", 'give it a task'],
  ['teams worker hello ada --agent exec --idle-timeout 2s', 'work as ada until no task is left'],
  ['teams status hello', 'show members and tasks'],
  ['teams task get hello 1', 'show the task and its result'],
  ['teams delete hello', 'archive the team'],
];

/** @returns the exit code */
export function firstSteps(io: CliIo, json: boolean): number {
  const here = stepsHere(io);
  const steps = here.length === 0 ? STEPS : here;
  const text = [
    here.length === 0
      ? 'teams runs a team of workers on one task. Try this; it needs no API key and leaves no process running:'
      : 'In this project:',
    '',
    ...steps.map(([line, what]) => `  ${line}\n      ${what}`),
    '',
    `${here.length === 0 ? 'To run the commands of this project as a plan: `teams init`, then `teams run`. ' : ''}All verbs: \`teams --help\`. Check this machine: \`teams doctor\`.`,
  ];
  const answer = { steps: steps.map(([line, what]) => ({ line, what })) };
  io.stdout.write(json ? jsonLine(answer) : `${safeText(text.join('\n'))}\n`);
  return 0;
}

/** At most this many teams are shown. */
const MOST = 3;

/** What can be done with the teams and the plan of the working directory; nothing if there is none, or it is gone. */
function stepsHere(io: CliIo): Step[] {
  let cwd: string;
  try {
    ({ cwd } = io);
  } catch {
    return [];
  }
  const teams = listedTeams(findRoot(cwd)).sort((a, b) => (b.changedAt ?? '').localeCompare(a.changedAt ?? ''));
  return [
    ...teams.slice(0, MOST).map(({ name, outcome, tasks }): Step => {
      const [line, what] = NEXT[outcome].map((text) => text.replace('TEAM', name));
      return [`teams ${line}`, `${name}: ${outcome}, ${tasks.completed}/${tasks.total} tasks; ${what}`];
    }),
    ...(teams.length > MOST ? [['teams list', `show all ${teams.length} teams`] as const] : []),
    ...(hasOwnPlan(cwd)
      ? [['teams run', `run the plan ${OWN_PLAN}`] as const]
      : teams.length > 0
        ? []
        : firstPlanOf(cwd)),
  ];
}

/** How to get a plan; nothing where the files do not say what the project's commands are. */
function firstPlanOf(cwd: string): Step[] {
  const commands = ownCommands(cwd);
  if (commands.length === 0) return [];
  return [
    ['teams init', `write ${OWN_PLAN}, a plan of the commands of this project: ${commands.join(', ')}`],
    ['teams run', 'run it; no API key is needed'],
  ];
}

const NEXT: Readonly<Record<ReturnType<typeof listedTeams>[number]['outcome'], Step>> = {
  running: ['watch TEAM', 'watch it work'],
  waiting: ['why TEAM', 'see what it waits for'],
  succeeded: ['report TEAM', 'read its report'],
  failed: ['report TEAM', 'read why; `teams resume TEAM --retry-failed` tries again'],
  interrupted: ['resume TEAM', 'go on with it'],
  cancelled: ['report TEAM', 'read its report'],
  unreadable: ['doctor', 'see what is wrong with it'],
};
