/** May a role do this work (S2 gotcha 12)? A reviewer implements badly, so it is not given an implementation. */
import type { RoleSpec } from '../../model/pipeline/role-spec.ts';
import { taskType, type TaskType } from '../task-type.ts';

const TYPES: readonly TaskType[] = ['implement', 'test', 'review', 'explore'];

type Fitting = Pick<RoleSpec, 'name' | 'readOnly' | 'capabilities'>;

/** The sorts of work that a role is for: those it names, else all, or what looking is enough for. */
export function abilities({ capabilities, readOnly }: Fitting): readonly TaskType[] {
  const named = TYPES.filter((type) => capabilities.includes(type));
  const able = named.length > 0 ? named : TYPES;
  return readOnly ? able.filter((type) => type !== 'implement' && type !== 'test') : able;
}

/** @returns why not; undefined when it may, also where no word of the subject tells what sort of work it is */
export function misfit(role: Fitting, subject: string): string | undefined {
  const type = taskType({ subject, metadata: {} });
  const able = abilities(role);
  if (type === undefined || able.includes(type)) return undefined;
  const nature = role.readOnly ? ', and changes no files' : '';
  return `"${subject}" is ${type} work, and the role ${role.name} is for ${able.join(' and ')}${nature}`;
}
