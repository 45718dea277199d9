/**
 * From a planner's answer to a consistent division of work, or to a list of its problems (docs/specification.md R8.3).
 */
import { subtasksOf, type Decomposition, type Subtask } from '../../model/plan/decomposition.ts';
import { subjectCode } from '../../model/board/task.ts';
import { phasesOf } from '../../model/plan/template.ts';
import { divide, type Boundary } from './file-ownership.ts';
import { staffWorkers, type Staffing, type StaffedWorker } from './staffing.ts';
import { taskType } from '../task-type.ts';

export interface DividedTask extends Omit<Subtask, 'worker'> {
  readonly owner: StaffedWorker;
}

/** A decomposition that can be carried out. */
export interface Division {
  readonly workers: readonly StaffedWorker[];
  readonly tasks: readonly DividedTask[];
  readonly shared: readonly string[];
  /** Each with the worker that may write it. */
  readonly boundary: readonly { readonly file: string; readonly owner: StaffedWorker }[];
}

export type Divided =
  { readonly ok: true; readonly division: Division } | { readonly ok: false; readonly problems: readonly string[] };

/** @param files every existing file */
export function decompose(answer: Decomposition, files: readonly string[], staffing: Staffing): Divided {
  const { subtasks: told, problems } = subtasksOf(answer);
  const wrong = [...problems, ...twins(told)];
  if (wrong.length > 0) return { ok: false, problems: wrong };
  const staffed = staffWorkers(told, staffing);
  if (staffed.problems.length > 0) return { ok: false, problems: staffed.problems };
  const workerOf = (at: number): StaffedWorker | undefined => staffed.workers[staffed.doers[at] ?? -1];
  const looking = told.map((subtask, at) => (isLooking(workerOf(at), staffing) ? withoutFiles(subtask) : subtask));
  const subtasks = inPhases(looking, staffed.doers, staffing);
  const misordered = againstPhases(subtasks);
  if (misordered.length > 0) return { ok: false, problems: misordered };
  const asking = subtasks.map(({ subject, description, files: own, dependencies }) => ({
    files: own,
    text: `${subject} ${description}`,
    after: dependencies.map(({ on }) => on),
  }));
  const { owned, shared, boundary, problems: clashes } = divide(asking, files, answer);
  const tasks = subtasks.flatMap((subtask, at): DividedTask[] => {
    const owner = workerOf(at);
    return owner === undefined ? [] : [{ ...subtask, owner, files: owned[at] ?? [] }];
  });
  const idle = tasks.flatMap((task, at) => fileless(task, at, staffing));
  if (clashes.length + idle.length > 0) return { ok: false, problems: [...clashes, ...idle] };
  const named = boundary.flatMap(({ file, owner }: Boundary) => {
    const worker = workerOf(owner);
    return worker === undefined ? [] : [{ file, owner: worker }];
  });
  return { ok: true, division: { workers: staffed.workers, tasks, shared, boundary: named } };
}

/** The board refuses a second task with the same code at the start of its subject. */
const twins = (subtasks: readonly Subtask[]): string[] =>
  subtasks.flatMap(({ subject }, at) => {
    const code = subjectCode(subject);
    const first = subtasks.findIndex((other) => code !== undefined && subjectCode(other.subject) === code);
    return first >= 0 && first < at ? [`Subtasks ${first + 1} and ${at + 1} both begin with the code ${code}.`] : [];
  });

const isLooking = (worker: StaffedWorker | undefined, { roles }: Staffing): boolean =>
  worker !== undefined && roles.get(worker.role)?.readOnly === true;

/** A read-only worker owns no file: its files only say where to look. */
const withoutFiles = ({ files, description, ...subtask }: Subtask): Subtask => ({
  ...subtask,
  files: [],
  description: files.length === 0 ? description : `${description}\n\nLook at: ${files.join(', ')}`,
});

/** Every task of a later phase waits for all tasks of the phase before it. */
function inPhases(subtasks: readonly Subtask[], doers: readonly number[], { template }: Staffing): Subtask[] {
  if (template === undefined) return [...subtasks];
  const before = phasesOf(template.workers);
  return subtasks.map((subtask, at) => {
    const slots = before[doers[at] ?? -1] ?? [];
    const added = doers.flatMap((doer, on) => {
      const isKnown = subtask.dependencies.some((edge) => edge.on === on);
      const phase = template.workers[doer]?.phase ?? 'A';
      return slots.includes(doer) && !isKnown ? [{ on, why: `phase ${phase}` }] : [];
    });
    return { ...subtask, dependencies: [...subtask.dependencies, ...added] };
  });
}

/** The planner's own dependencies may not reverse the template's order. */
function againstPhases(subtasks: readonly Subtask[]): string[] {
  const waits = (from: number, to: number, seen = new Set<number>()): boolean =>
    (subtasks[from]?.dependencies ?? []).some(({ on }) => on === to || (!seen.has(on) && waits(on, to, seen.add(on))));
  const stuck = subtasks.flatMap((_, at) => (waits(at, at) ? [at + 1] : []));
  return stuck.length === 0
    ? []
    : [
        `Subtasks ${stuck.join(', ')} wait for each other because of the template's phases; remove dependencies that contradict the phases.`,
      ];
}

/** Whether a task changes files, judged by its files and its subject. */
export function mayWrite({ subject, files }: Pick<DividedTask, 'subject' | 'files'>): boolean {
  const type = taskType({ subject, metadata: {} });
  return files.length > 0 || type === 'implement' || type === 'test';
}

/** A task that changes files must own at least one. */
function fileless(task: DividedTask, at: number, staffing: Staffing): string[] {
  if (!mayWrite(task) || task.files.length > 0 || isLooking(task.owner, staffing)) return [];
  return [`Subtask ${at + 1} changes files but owns none (shared files do not count); name its files.`];
}
