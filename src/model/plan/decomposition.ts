/**
 * A planner's answer: the subtasks of a task (docs/specification.md R8.3), as data that is checked and never trusted.
 */
import * as z from 'zod';
import { closed } from '../text/document-problem.ts';

const line = (longest: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(longest)
    .refine((text) => !/[\p{Cc}]/u.test(text), 'Expected one line of text, without control characters.');

const path = line(4_096);

/** A subtask by its number in the list, from 1, and a reason for people. */
const dependencySchema = z.union([z.number().int(), closed({ task: z.number().int(), why: line(300).optional() })]);

/** Unknown keys are errors: one of them could be a misspelt dependency. */
const subtaskSchema = closed({
  subject: line(200).refine((text) => /[a-z]/i.test(text), 'Expected "subject" to have words.'),
  description: z.string().trim().min(1).max(100_000),
  acceptance: z.array(line(1_000)).min(1).max(50),
  files: z.array(path).max(200).default([]),
  dependencies: z.array(dependencySchema).max(64).default([]),
  /** The worker of a template that does it. */
  worker: line(64).optional(),
});

const MOST_SUBTASKS = 64;

export const decompositionSchema = closed({
  subtasks: z.array(subtaskSchema).min(1).max(MOST_SUBTASKS),
  /** In addition to the usual shared files. */
  shared: z.array(path).max(200).default([]),
  boundary: z.array(path).max(200).default([]),
});
export type Decomposition = z.infer<typeof decompositionSchema>;

export interface Subtask {
  readonly subject: string;
  readonly description: string;
  readonly acceptance: readonly string[];
  readonly files: readonly string[];
  /** Positions in the list, from 0. */
  readonly dependencies: readonly { readonly on: number; readonly why?: string | undefined }[];
  readonly worker?: string | undefined;
}

/**
 * The subtasks with dependencies as positions. A dependency on a missing subtask, on itself or in a cycle is a problem.
 */
export function subtasksOf({ subtasks }: Decomposition): { subtasks: Subtask[]; problems: string[] } {
  const problems: string[] = [];
  const read = subtasks.map(({ dependencies, worker, ...subtask }, at): Subtask => {
    const told = dependencies.map((one) => (typeof one === 'number' ? { task: one } : one));
    const wrong = told.filter(({ task }) => task < 1 || task > subtasks.length || task === at + 1);
    for (const { task } of wrong) problems.push(`Subtask ${at + 1} depends on ${task}, which is not another subtask.`);
    const kept = told.filter(
      (one, index) => !wrong.includes(one) && told.findIndex(({ task }) => task === one.task) === index,
    );
    const edges = kept.map(({ task, why }) => ({ on: task - 1, why }));
    return { ...subtask, dependencies: edges, worker };
  });
  const circle = circleIn(read);
  if (circle.length > 0)
    problems.push(`Subtasks ${circle.map((at) => at + 1).join(', ')} wait for each other, so no order is possible.`);
  return { subtasks: read, problems };
}

/** The subtasks that can never become ready; empty if all can. */
function circleIn(subtasks: readonly Subtask[]): number[] {
  const done = new Set<number>();
  for (let found = true; found;) {
    const ready = subtasks.flatMap(({ dependencies }, at) =>
      !done.has(at) && dependencies.every(({ on }) => done.has(on)) ? [at] : [],
    );
    for (const at of ready) done.add(at);
    found = ready.length > 0;
  }
  return subtasks.flatMap((_, at) => (done.has(at) ? [] : [at]));
}

const listed = z.array(path).max(5_000).default([]);

/** An explorer's report of the files of a task (docs/specification.md R8.3). */
export const surveySchema = z.object({ files: listed, modules: listed, shared: listed, tests: listed });
export type Survey = z.infer<typeof surveySchema>;
