/** A template: the members of a team, their phases, and the follow-ups of their work (docs/specification.md R8.2). */
import * as z from 'zod';
import { tierSchema } from '../agent/agent.ts';
import { UsageError } from '../text/errors.ts';
import { isName, type Name } from '../text/names.ts';
import { MAX_MEMBERS } from './plan-limits.ts';
import { CASCADE_KINDS } from './plan-schema.ts';
import { check, closed, MAX_PROBLEMS } from '../text/document-problem.ts';
import { readSource } from '../text/yaml-source.ts';

const roleName = z.custom<Name>((value) => typeof value === 'string' && isName(value), 'Expected the name of a role.');

/** Kinds or configured names; the first available one is used, else the default agent. */
const routeSchema = z.array(z.string().min(1).max(64)).max(16).default([]);

const workerSchema = closed({
  role: roleName,
  tier: tierSchema,
  route: routeSchema,
  /** A worker of a later letter waits for all workers of the letter before it. */
  phase: z
    .string()
    .regex(/^[A-Z]$/, 'Expected a phase to be one capital letter, A first.')
    .default('A'),
});

const templateSchema = closed({
  description: z.string().max(1_000).default(''),
  workers: z.array(workerSchema).min(1).max(MAX_MEMBERS),
  /** By the role that did the work; `false`: no follow-ups. A role without an entry follows the usual rules. */
  cascade: z.union([z.boolean(), z.record(roleName, z.enum(CASCADE_KINDS))]).default(true),
});

export interface Template extends z.infer<typeof templateSchema> {
  readonly name: Name;
}
type TemplateWorker = Template['workers'][number];

/** @throws UsageError `TEMPLATE_INVALID` that lists every problem, each in a line `file:line:column: sentence` */
export function parseTemplate(name: Name, { text, file }: { text: string; file: string }): Template {
  const read = readSource({ text, file, format: 'yaml' });
  const checked = check(templateSchema, read.value);
  if (read.problems.length === 0 && checked.ok) return { name, ...checked.value };
  const wrong = checked.ok ? [] : checked.problems;
  const places =
    read.problems.length > 0 ? read.problems : wrong.map((one) => ({ ...read.locate(one), text: one.text }));
  const lines = places.slice(0, MAX_PROBLEMS).map(({ line, col, text: why }) => `${file}:${line}:${col}: ${why}`);
  throw new UsageError('TEMPLATE_INVALID', lines.join('\n'));
}

/** For each worker, the positions of the workers of the phase before its own. */
export function phasesOf(workers: readonly Pick<TemplateWorker, 'phase'>[]): number[][] {
  const phases = [...new Set(workers.map(({ phase }) => phase))].sort();
  return workers.map(({ phase }) => {
    const before = phases[phases.indexOf(phase) - 1];
    return workers.flatMap((worker, at) => (worker.phase === before ? [at] : []));
  });
}
