/**
 * A pipeline as data (docs/specification.md R10.2): its tasks with roles and dependencies, its checkpoints, and the
 * task that a tester's NEEDS_FIX repeats. It is written as tasks, or as stages: other pipelines in sequence, with
 * checkpoints between them.
 */
import * as z from 'zod';
import { didYouMean } from '../text/did-you-mean.ts';
import { durationSchema } from '../text/duration.ts';
import { UsageError } from '../text/errors.ts';
import { nameSchema, type Name } from '../text/names.ts';
import { check, closed, MAX_PROBLEMS, quoted, type DocumentProblem } from '../text/document-problem.ts';
import type { RoleSpec } from './role-spec.ts';
import { readSource, type SourceValue } from '../text/yaml-source.ts';

const codeSchema = z
  .string()
  .regex(/^[A-Z][A-Z0-9]*(?:-[A-Z][A-Z0-9]*)*-[0-9]{3}$/, 'Expected the code of a task: DRAFT-001.')
  .max(64);

const line = z.string().min(1).max(900);
/** A path inside the session folder. */
const artifactSchema = z
  .string()
  .regex(/^(?!\.)[A-Za-z0-9._-]+(?:\/(?!\.)[A-Za-z0-9._-]+)*$/, 'Expected a path below the session folder.')
  .max(200);

const taskSchema = closed({
  code: codeSchema,
  role: nameSchema,
  subject: line,
  description: z.string().max(65_536).default(''),
  after: z.array(codeSchema).max(100).default([]),
  artifact: artifactSchema.optional(),
  /** The round of critique of its artifact. */
  discuss: codeSchema.optional(),
  /** The tasks that are done again if this one answers NEEDS_FIX: those that the answer names, else all. */
  fix: z.union([codeSchema.transform((code) => [code]), z.array(codeSchema).min(1).max(10)]).optional(),
  timeout: durationSchema.prefault('30m'),
  retries: z.number().int().min(0).max(10).default(1),
});

const stageSchema = z.union([nameSchema, closed({ checkpoint: line })]);

const fileSchema = closed({
  description: line,
  tasks: z.array(taskSchema).min(1).max(200).optional(),
  stages: z.array(stageSchema).min(1).max(20).optional(),
});
type File = z.infer<typeof fileSchema>;

export interface PipelineTask {
  readonly code: string;
  /** Null for a checkpoint: a person approves it. */
  readonly role: Name | null;
  readonly subject: string;
  readonly description: string;
  readonly after: readonly string[];
  readonly artifact?: string | undefined;
  readonly discuss?: string | undefined;
  readonly fix?: readonly string[] | undefined;
  readonly timeoutMs: number;
  readonly retries: number;
}

export interface Pipeline {
  readonly name: Name;
  readonly description: string;
  /** Ordered: each task comes after its blockers. */
  readonly tasks: readonly PipelineTask[];
}

interface PipelineText {
  readonly text: string;
  readonly file: string;
}

/**
 * @param find returns other pipelines, for stages; it throws for an unknown one
 * @throws UsageError `PLAN_INVALID` that lists every problem, each in a line `file:line:column: sentence`
 */
export function parsePipeline(name: Name, source: PipelineText, find: (name: Name) => PipelineText): Pipeline {
  const { description, tasks } = read(name, source, find, []);
  return { name, description, tasks };
}

type Read = Pick<Pipeline, 'description' | 'tasks'>;

function read(name: Name, source: PipelineText, find: (name: Name) => PipelineText, above: readonly Name[]): Read {
  const { text, file } = source;
  if (above.includes(name)) throw invalid([`${file}:1:1: The pipeline ${name} is a stage of itself.`]);
  const head = readSource({ text, file, format: 'yaml' });
  if (head.problems.length > 0)
    throw invalid(head.problems.map(({ line: at, col, text: why }) => `${file}:${at}:${col}: ${why}`));
  const checked = check(fileSchema, head.value);
  const problems = checked.ok ? problemsOf(checked.value) : checked.problems;
  if (!checked.ok || problems.length > 0) throw invalid(placed(file, head, problems));
  const { description, tasks, stages = [] } = checked.value;
  if (tasks) return { description, tasks: inOrder(tasks.map(taskOf)) };
  const inner = stages.map((stage) =>
    typeof stage === 'string' ? read(stage, find(stage), find, [...above, name]).tasks : stage.checkpoint,
  );
  const joined = joinStages(inner);
  const twin = joined.find(({ code }, at) => joined.findIndex((other) => other.code === code) !== at);
  if (twin) throw invalid([`${file}:1:1: Two stages have a task ${twin.code}.`]);
  return { description, tasks: joined };
}

function problemsOf({ tasks, stages }: File): DocumentProblem[] {
  if ((tasks === undefined) === (stages === undefined))
    return [{ path: [], text: 'A pipeline has either "tasks" or "stages".' }];
  const codes = (tasks ?? []).map(({ code }) => code);
  const unknown = (path: DocumentProblem['path'], code: string): DocumentProblem[] =>
    codes.includes(code) ? [] : [{ path, text: `There is no task ${quoted(code)}${didYouMean(code, codes)}` }];
  return (tasks ?? []).flatMap(({ code, after, fix }, at) => [
    ...(codes.indexOf(code) === at ? [] : [{ path: ['tasks', at, 'code'], text: `The code ${code} is used twice.` }]),
    ...after.flatMap((one, index) => unknown(['tasks', at, 'after', index], one)),
    ...(fix ?? []).flatMap((one) => unknown(['tasks', at, 'fix'], one)),
    ...(isInCircle(code, tasks ?? []) ? [{ path: ['tasks', at, 'after'], text: `${code} waits for itself.` }] : []),
  ]);
}

function isInCircle(code: string, tasks: NonNullable<File['tasks']>): boolean {
  const found = new Set<string>();
  const queue = [code];
  for (let next = queue.pop(); next !== undefined; next = queue.pop())
    for (const blocker of tasks.find((task) => task.code === next)?.after ?? []) {
      if (blocker === code) return true;
      if (!found.has(blocker)) queue.push(blocker);
      found.add(blocker);
    }
  return false;
}

const taskOf = ({ artifact, discuss, fix, timeout, ...task }: z.infer<typeof taskSchema>): PipelineTask => ({
  ...task,
  timeoutMs: timeout,
  artifact,
  discuss,
  fix,
});

function inOrder(tasks: readonly PipelineTask[]): PipelineTask[] {
  const placedTasks: PipelineTask[] = [];
  const isPlaced = (code: string): boolean => placedTasks.some((task) => task.code === code);
  for (let rest = [...tasks]; rest.length > 0; rest = rest.filter(({ code }) => !isPlaced(code))) {
    const next = rest.find(({ after }) => after.every(isPlaced));
    if (next === undefined) return placedTasks;
    placedTasks.push(next);
  }
  return placedTasks;
}

/** The first tasks of a stage wait for all last tasks of the stage before it. */
function joinStages(stages: readonly (readonly PipelineTask[] | string)[]): PipelineTask[] {
  let ends: string[] = [];
  let checkpoints = 0;
  return stages.flatMap((stage): PipelineTask[] => {
    const own = typeof stage === 'string' ? [checkpoint((checkpoints += 1), stage)] : stage;
    const waiting = own.map((task) => (task.after.length === 0 ? { ...task, after: ends } : task));
    const waitedFor = new Set(own.flatMap(({ after }) => after));
    ends = own.flatMap(({ code }) => (waitedFor.has(code) ? [] : [code]));
    return waiting;
  });
}

const checkpoint = (number: number, subject: string): PipelineTask => ({
  code: `CHECKPOINT-${String(number).padStart(3, '0')}`,
  role: null,
  subject,
  description: '',
  after: [],
  timeoutMs: 0,
  retries: 0,
});

/** The roles of a pipeline, each once, in the order of their first task. */
export const rolesOf = ({ tasks }: Pick<Pipeline, 'tasks'>): Name[] => [
  ...new Set(tasks.flatMap(({ role }) => role ?? [])),
];

/**
 * Tasks of a pipeline that their roles cannot do: the role does not declare the prefix or the round.
 *
 * @returns sentences
 */
export const misfits = ({ name, tasks }: Pipeline, roles: ReadonlyMap<Name, RoleSpec>): string[] =>
  tasks.flatMap(({ code, role, discuss }) => {
    const spec = role === null ? undefined : roles.get(role);
    if (spec === undefined) return [];
    const { prefixes, discussRounds } = spec;
    const mine = longestPrefix(code, prefixes);
    const other = [...roles.values()].find((one) => longestPrefix(code, one.prefixes) > mine);
    return [
      ...(mine > 0 && other === undefined
        ? []
        : [`Pipeline ${name}: ${code} is given to ${spec.name}, whose role declares ${prefixes.join(', ')}.`]),
      ...(discuss === undefined || discussRounds.includes(discuss)
        ? []
        : [`Pipeline ${name}: ${code} has the round ${discuss}, which ${spec.name} does not declare.`]),
    ];
  });

/** The length of the longest of these prefixes that the code has; 0 for none. */
const longestPrefix = (code: string, prefixes: readonly string[]): number =>
  Math.max(0, ...prefixes.filter((prefix) => code.startsWith(`${prefix}-`)).map(({ length }) => length));

const placed = (file: string, head: SourceValue, problems: readonly DocumentProblem[]): string[] =>
  problems.slice(0, MAX_PROBLEMS).map((problem) => {
    const { line: at, col } = head.locate(problem);
    return `${file}:${at}:${col}: ${problem.text}`;
  });

const invalid = (lines: readonly string[]): UsageError => new UsageError('PLAN_INVALID', lines.join('\n'));
