/** Prompts of an explorer and a planner, and of a planner whose answer has problems (docs/specification.md R8.3). */
import type { Survey } from '../../model/plan/decomposition.ts';
import type { RoleSpec } from '../../model/pipeline/role-spec.ts';
import { clip, refusalOf, type BudgetRefusal } from '../context-budget.ts';
import { mostSubtasks, type Staffing } from './staffing.ts';
import { abilities } from './role-fit.ts';

export type PlannerPrompt =
  { readonly ok: true; readonly prompt: string } | { readonly ok: false; readonly refusal: BudgetRefusal };

/** Bytes for each list of a survey. */
const LIST_BYTES = 60_000;

const worded = (...lines: string[]): PlannerPrompt => {
  const prompt = lines.join('\n');
  const refusal = refusalOf('prompt', prompt);
  return refusal === undefined ? { ok: true, prompt } : { ok: false, refusal };
};

export const explorerPrompt = (task: string): PlannerPrompt =>
  worded(
    'You explore a project before others work on it. Look only; change nothing.',
    '',
    '== TASK ==',
    task,
    '',
    '== WHAT TO FIND ==',
    '1. Files that will need modification, and those that must be read for it',
    '2. Module boundaries and dependencies',
    '3. Shared files (package.json, tsconfig.json, configs)',
    '4. Existing test files and patterns',
    '',
    '== ANSWER ==',
    'One JSON object and nothing else; every entry is one line of text, paths relative to the project root:',
    '{"files": ["src/auth/login.ts"], "modules": ["src/auth: sign-in, used by src/api"], "shared": ["package.json"], "tests": ["test/auth.test.ts"]}',
  );

export interface PlannerAsk {
  readonly task: string;
  readonly survey: Survey;
  readonly staffing: Staffing;
}

export const plannerPrompt = ({ task, survey, staffing }: PlannerAsk): PlannerPrompt =>
  worded(
    'You plan the work of a team. Break the task into independent subtasks for workers who work at the same time in one',
    'directory. Look at the project as far as you can; change nothing.',
    '',
    '== TASK ==',
    task,
    '',
    '== WORKERS ==',
    ...workersOf(staffing),
    '',
    '== PROJECT ==',
    `Files:\n${listed(survey.files)}`,
    `Modules:\n${listed(survey.modules)}`,
    `Shared files (nobody may have them; the lead changes them):\n${listed(survey.shared)}`,
    `Tests:\n${listed(survey.tests)}`,
    '',
    '== RULES ==',
    '- Each subtask is file-scoped or module-scoped, and is independent of the others or says which it waits for.',
    '- Each file belongs to at most one subtask. Name files, directories (src/auth/) or patterns (src/auth/**), relative to',
    '  the project root; also of files that are to be made. A subtask that is to change something needs at least one.',
    '- A file that is an interface between two subtasks goes into "boundary"; it is given to the one that it matters most to.',
    '- Type definitions and schemas block what uses them: say so in "dependencies", by the number of the subtask (the first is 1).',
    '- A subject begins with a verb that says what sort of work it is: Implement, Fix, Refactor; Write tests; Review; Explore.',
    '- Whoever does a subtask sees only its own text: the description must stand for itself.',
    '',
    '== ANSWER ==',
    'One JSON object and nothing else:',
    EXAMPLE(staffing),
  );

const EXAMPLE = ({ template }: Staffing): string =>
  JSON.stringify({
    subtasks: [
      {
        ...(template ? { worker: 'worker-1' } : {}),
        subject: 'Fix type errors in src/auth/',
        description: 'What to do, where, and how to check it.',
        acceptance: ['tsc --noEmit reports nothing in src/auth/'],
        files: ['src/auth/**'],
        dependencies: [{ task: 2, why: 'shared auth types' }],
      },
    ],
    shared: [],
    boundary: ['src/types/api.ts'],
  });

function workersOf(staffing: Staffing): string[] {
  const { spec, template, roles } = staffing;
  const most = mostSubtasks(staffing);
  if (template)
    return [
      `These, at least one subtask each, at most ${most} in all; say in "worker" whose a subtask is:`,
      ...template.workers.map(
        ({ role, phase }, at) => `- worker-${at + 1}: ${described(roles.get(role), role)}; phase ${phase}`,
      ),
      'A phase begins when all of the phase before it is done; there is no need to say so in "dependencies".',
    ];
  const count = `${most === 1 ? 'One subtask' : `1 to ${most} subtasks`}, one for each worker`;
  return spec.kind === 'count'
    ? [`${count}. Every worker is: ${described(roles.get(spec.role), spec.role)}`]
    : [`${count}; as few as the task needs. Roles and agents are chosen by the text of each subtask.`];
}

const described = (role: RoleSpec | undefined, name: string): string =>
  role === undefined
    ? name
    : `${name} (${[abilities(role).join(', '), ...(role.readOnly ? ['changes no files'] : [])].join('; ')})${
        role.description === '' ? '' : `: ${role.description}`
      }`;

const listed = (lines: readonly string[]): string =>
  lines.length === 0 ? '  none' : clip(lines.map((line) => `  ${line}`).join('\n'), LIST_BYTES);

/** The only repair: the same prompt again, with the answer and its problems. */
export const repairPrompt = (ask: PlannerAsk, answer: string, problems: readonly string[]): PlannerPrompt => {
  const first = plannerPrompt(ask);
  if (!first.ok) return first;
  return worded(
    first.prompt,
    '',
    '== YOUR ANSWER BEFORE ==',
    clip(answer, LIST_BYTES),
    '',
    '== WHAT IS WRONG WITH IT ==',
    ...problems.map((problem) => `- ${problem}`),
    '',
    'Answer again, with one JSON object and nothing else, in which all of this is right.',
  );
};
