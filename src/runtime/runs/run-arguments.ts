/** Interprets the arguments of `teams run` with the templates and roles that exist. */
import type { Config } from '../../model/config/config.ts';
import { UsageError } from '../../model/text/errors.ts';
import { parseName, type Name } from '../../model/text/names.ts';
import { parseRoleSpec, type RoleSpec } from '../../model/pipeline/role-spec.ts';
import { parseRunWords, type RunSpec } from '../../model/plan/run-spec.ts';
import { parseTemplate, type Template } from '../../model/plan/template.ts';
import { readShelf, requireShelfEntry } from '../../store/session/shelf.ts';
import { shippedFolder } from '../process/package.ts';

export interface RunAsk {
  readonly spec: RunSpec;
  readonly task: string;
}

/** @throws UsageError `USAGE` for a first word that looks like a spec but is none, and if there is no task */
export function runAsk(words: readonly string[], root: string, { maxAgents }: Pick<Config, 'maxAgents'>): RunAsk {
  const parsed = parseRunWords(words, {
    roles: new Set(readShelf(root, 'roles', shippedFolder('roles')).keys()),
    templates: new Set(readShelf(root, 'templates', shippedFolder('templates')).keys()),
    maxAgents,
  });
  if (!parsed.ok) throw new UsageError('USAGE', parsed.why);
  return { spec: parsed.spec, task: parsed.task };
}

interface RunTemplate {
  readonly template?: Template | undefined;
  readonly roles: ReadonlyMap<Name, RoleSpec>;
  readonly warnings: readonly string[];
}

/** Roles that a route may choose if the arguments name none. */
const ROUTED = ['executor', 'designer'] as const;

/**
 * The template of a spec, and the roles that its workers may have.
 *
 * @throws UsageError `TEMPLATE_INVALID`, `ROLE_INVALID`, `USAGE` for an unknown role; StoreError `UNTRUSTED`
 */
export function resolveTemplate(
  spec: RunSpec,
  root: string,
  { defaultAgentType }: Pick<Config, 'defaultAgentType'>,
): RunTemplate {
  const shelved = spec.kind === 'template' ? templateOf(spec.template, root) : undefined;
  const routed = ROUTED.map((name) => parseName('role', name));
  const named = shelved?.workers.map(({ role }) => role) ?? (spec.kind === 'count' ? [spec.role] : routed);
  const shelf = readShelf(root, 'roles', shippedFolder('roles'));
  const read = [...new Set([...named, defaultAgentType])].map((name) => {
    const { text, file } = requireShelfEntry(shelf, 'roles', name);
    return parseRoleSpec(name, { text, file });
  });
  return {
    template: shelved,
    roles: new Map(read.map(({ role }) => [role.name, role])),
    warnings: read.flatMap(({ warnings }) => warnings),
  };
}

function templateOf(name: Name, root: string): Template {
  const { text, file } = requireShelfEntry(readShelf(root, 'templates', shippedFolder('templates')), 'templates', name);
  return parseTemplate(name, { text, file });
}
