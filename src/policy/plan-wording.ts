/** Texts of plan approval (docs/specification.md R2.14): what the agent is asked, what the lead reads, what is quoted. */
import { shellWords } from '../model/agent/agent.ts';
import type { Task } from '../model/board/task.ts';

/** A plan that the lead refused, and its reason. */
export interface RefusedPlan {
  readonly text: string;
  readonly why: string;
}

interface Plan {
  readonly text: string;
  /** The agent wrote it in a planning turn; else it is the text of the task. */
  readonly isOwn: boolean;
}

export function planningPrompt(task: string, refused: RefusedPlan | undefined): string {
  const asked = [
    task,
    'Do not begin yet: in this turn you may only read. Answer with your plan for this task: the steps, the files that you will change, and the risks. The lead approves or refuses it; the work is done in a later turn.',
  ];
  if (refused !== undefined)
    asked.push(`Your earlier plan was:\n${refused.text}`, `The lead refused it: ${refused.why}`);
  return asked.join('\n\n');
}

/** The plan of a command that cannot be run before it is approved. */
export function givenPlan({ description, work }: Task): string {
  const { run, prompt = '', files } = work;
  const deed = run === undefined ? prompt : `It runs: ${shellWords(run)}`;
  const changes = files.length === 0 ? '' : `It changes: ${files.join(', ')}`;
  return [description, deed, changes].filter(Boolean).join('\n');
}

/** What the lead reads. */
export function planRequest({ id, subject }: Pick<Task, 'id' | 'subject'>, { text, isOwn }: Plan): string {
  const note = isOwn
    ? ''
    : 'This is the text of the task: its command was not asked for a plan, because no isolation keeps it from writing.';
  return [`PLAN for task #${id}: ${subject}`, text, note].filter(Boolean).join('\n');
}

/** What the task's own turns are told. A command that was not asked for a plan needs no repetition of its own text. */
export function approvedPlan({ text, isOwn }: Plan, said: string | undefined): string {
  const plan = isOwn ? `Your plan, which the lead approved:\n${text}` : '';
  const note = said === undefined || said === '' ? '' : `The lead said about the plan: ${said}`;
  return [plan, note].filter(Boolean).join('\n\n');
}
