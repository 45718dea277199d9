/** Checks the parts of a plan against each other: unique names, existing owners, tasks that a member can do. */
import { didYouMean } from '../text/did-you-mean.ts';
import { resolveBlockers } from './plan-blockers.ts';
import type { Doer, PlanOutline, OutlineMember, OutlineTask } from './plan-outline.ts';
import { quoted, type DocumentProblem } from '../text/document-problem.ts';
import { subjectCode } from '../board/task.ts';

interface PlanChecks {
  readonly problems: readonly DocumentProblem[];
  /** For each task its blockers, as positions in the plan. */
  readonly blockedBy: readonly (readonly number[])[];
}

export function checkPlan(outline: PlanOutline): PlanChecks {
  const { blockedBy, problems } = resolveBlockers(outline.tasks);
  return {
    blockedBy,
    problems: [
      ...uniqueMembers(outline),
      ...knownAgents(outline),
      ...uniqueTasks(outline),
      ...outline.tasks.flatMap(fit(outline)),
      ...problems,
    ],
  };
}

/** An agent given by name must be known. */
const knownAgents = ({ members, lead }: PlanOutline): DocumentProblem[] => [
  ...members.flatMap(({ doer }, index) => unknown(doer, ['members', index, 'agent'])),
  ...(lead === undefined ? [] : unknown(lead, ['lead'])),
  ...(lead?.kind === 'run' && !lead.ownCommand
    ? [{ path: ['lead'], text: 'There is nothing to run: give the exec agent of the lead a "command".' }]
    : []),
];

const unknown = (doer: Doer, path: DocumentProblem['path']): DocumentProblem[] =>
  doer.kind === 'unknown' && doer.why !== undefined ? [{ path, text: doer.why }] : [];

function uniqueMembers({ members }: PlanOutline): DocumentProblem[] {
  return twins(members.map(({ name }) => name)).map(({ index, first, text }) => ({
    path: ['members', index, 'name'],
    text: `${quoted(text)} is already the name of member ${first + 1}.`,
  }));
}

/** The board refuses a second task with the same key, or with the same code at the start of its subject. */
function uniqueTasks({ tasks }: PlanOutline): DocumentProblem[] {
  const keys = twins(tasks.map(({ key }) => key)).map(({ index, first, text }) => ({
    path: ['tasks', index, 'key'],
    text: `${quoted(text)} is already the key of task ${first + 1}.`,
  }));
  const codes = twins(tasks.map(({ subject }) => subjectCode(subject ?? ''))).map(({ index, first, text }) => ({
    path: ['tasks', index, 'subject'],
    text: `${quoted(text)} is already the code of task ${first + 1}.`,
  }));
  return [...keys, ...codes];
}

function twins(texts: readonly (string | undefined)[]): { index: number; first: number; text: string }[] {
  const seen = new Map<string, number>();
  return texts.flatMap((text, index) => {
    if (text === undefined) return [];
    const first = seen.get(text);
    if (first !== undefined) return [{ index, first, text }];
    seen.set(text, index);
    return [];
  });
}

/** Whether the members fit a task: one of them may claim it and can do it. */
const fit =
  ({ members }: PlanOutline) =>
  (task: OutlineTask, index: number): DocumentProblem[] => {
    const problem = (keys: readonly string[], text: string): DocumentProblem[] => [
      { path: ['tasks', index, ...keys], text },
    ];
    if (task.run && task.prompt) return problem(['prompt'], 'A task has either "run" or "prompt", this one has both.');
    if (task.owner !== undefined && task.role !== undefined)
      return problem(['role'], 'A task has either "owner" or "role", this one has both.');
    const names = members.flatMap(({ name }) => name ?? []);
    const roles = members.flatMap(({ role }) => role ?? []);
    if (members.length === 0) return [];
    if (task.owner !== undefined && !names.includes(task.owner))
      return problem(['owner'], `There is no member ${quoted(task.owner)}${didYouMean(task.owner, names)}`);
    if (task.role !== undefined && !roles.includes(task.role))
      return problem(['role'], `No member has the role ${quoted(task.role)}${didYouMean(task.role, roles)}`);
    const unfit = candidates(members, task).flatMap((member) => misfit(task, member))[0];
    return unfit === undefined ? [] : problem(task.run ? ['run'] : [], unfit);
  };

const candidates = (members: readonly OutlineMember[], { owner, role }: OutlineTask): readonly OutlineMember[] =>
  members.filter(
    (member) => (owner === undefined || member.name === owner) && (role === undefined || member.role === role),
  );

/** Why a member that may claim the task cannot do it. */
function misfit(task: OutlineTask, { name = 'a member', doer }: OutlineMember): string[] {
  if (task.run && doer.kind === 'think')
    return [`"run" needs an exec agent, and ${name} has ${doer.agent}: name an "owner" with \`agent: {kind: exec}\`.`];
  if (!task.run && doer.kind === 'run' && !doer.ownCommand)
    return [`There is nothing to run: give the task "run", or the exec agent of ${name} a "command".`];
  return [];
}
