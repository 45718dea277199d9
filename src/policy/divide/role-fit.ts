/**
 * Whether a role may do this work (docs/specification.md R8.8). A reviewer implements badly, so it gets no
 * implementation.
 */
import type { RoleSpec } from '../../model/pipeline/role-spec.ts';
import { taskType, type TaskType } from '../task-type.ts';

const TYPES: readonly TaskType[] = ['implement', 'test', 'review', 'explore'];

type Fitting = Pick<RoleSpec, 'name' | 'readOnly' | 'capabilities'>;

/**
 * The types of work that a role may do: those that it names, else all. A read-only role may neither implement nor test.
 */
export function abilities({ capabilities, readOnly }: Fitting): readonly TaskType[] {
  const named = TYPES.filter((type) => capabilities.includes(type));
  const able = named.length > 0 ? named : TYPES;
  return readOnly ? able.filter((type) => type !== 'implement' && type !== 'test') : able;
}

/** @returns why not; undefined if it may, or if the subject names no type of work */
export function misfit(role: Fitting, subject: string): string | undefined {
  const type = taskType({ subject, metadata: {} });
  const able = abilities(role);
  if (type === undefined || able.includes(type)) return undefined;
  const nature = role.readOnly ? ', and changes no files' : '';
  return `"${subject}" is ${type} work, and the role ${role.name} is for ${able.join(' and ')}${nature}`;
}
