/** Reads the shipped pipelines and the project's own, together with the roles that they need. */
import { basename, join, resolve } from 'node:path';
import { isTeamError, UsageError } from '../../../model/text/errors.ts';
import type { Name } from '../../../model/text/names.ts';
import { misfits, parsePipeline, rolesOf, type Pipeline } from '../../../model/pipeline/pipeline-definition.ts';
import { prefixProblems, type RoleSpec } from '../../../model/pipeline/role-spec.ts';
import { rootPaths, type ShelfKind } from '../../../store/files/paths.ts';
import { requireShelfEntry, type ShelfEntry } from '../../../store/session/shelf.ts';
import { trustFile } from '../../../store/user/trust.ts';
import { createUserFile } from '../../../store/user/user-file-writer.ts';
import { roleNamed, shelfOf, takeFrom } from '../../team/named-files.ts';

export interface GivenPipeline {
  readonly pipeline: Pipeline;
  readonly roles: readonly GivenRole[];
  /** Unknown entries in role files. */
  readonly warnings: readonly string[];
}

export interface GivenRole {
  readonly spec: RoleSpec;
  /** The whole file, for the session folder. */
  readonly text: string;
}

/**
 * The pipeline with this name and its roles, checked that they fit together.
 *
 * @throws UsageError `USAGE` for an unknown name, `PLAN_INVALID`, `ROLE_INVALID`; StoreError `UNTRUSTED`
 */
export function pipelineNamed(root: string, name: string): GivenPipeline {
  const pipeline = read(root, takeFrom(root, 'pipelines', name));
  const given = rolesOf(pipeline).map((role) => ({
    ...roleNamed(root, role),
    text: takeFrom(root, 'roles', role).text,
  }));
  const specs = given.map(({ role }) => role);
  const problems = [
    ...prefixProblems(specs),
    ...misfits(pipeline, new Map(specs.map((spec): [Name, RoleSpec] => [spec.name, spec]))),
  ];
  if (problems.length > 0) throw new UsageError('PLAN_INVALID', problems.join('\n'));
  return {
    pipeline,
    roles: given.map(({ role, text }) => ({ spec: role, text })),
    warnings: given.flatMap(({ warnings }) => warnings),
  };
}

function read(root: string, found: ShelfEntry): Pipeline {
  const shelf = shelfOf(root, 'pipelines');
  return parsePipeline(found.name, found, (stage) => requireShelfEntry(shelf, 'pipelines', stage));
}

interface ListedPipeline {
  readonly name: Name;
  readonly from: 'project' | 'package';
  readonly description: string;
  readonly tasks: number;
  readonly roles: readonly Name[];
  /** Why it cannot be run. */
  readonly problem?: string;
}

/** All pipelines; one that cannot be run is listed with the reason. */
export const listPipelines = (root: string): ListedPipeline[] =>
  [...shelfOf(root, 'pipelines').values()].map(({ name, from }) => {
    try {
      const { pipeline } = pipelineNamed(root, name);
      const { description, tasks } = pipeline;
      return { name, from, description, tasks: tasks.length, roles: rolesOf(pipeline) };
    } catch (error) {
      if (!isTeamError(error)) throw error;
      return { name, from, description: '', tasks: 0, roles: [], problem: error.message };
    }
  });

/**
 * Copies a pipeline, the pipelines that are its stages, and their roles, so that the user can change them. Existing
 * files stay.
 *
 * @param target by default the project's own `.teams/`, where they replace the shipped ones
 */
export function ejectPipeline(
  root: string,
  name: string,
  target: { readonly cwd: string; readonly directory: string } | undefined,
): { made: string[]; kept: string[] } {
  const { stages, roles } = partsOf(root, name);
  const folder = (kind: ShelfKind): string =>
    target === undefined ? rootPaths(root).shelf(kind) : resolve(target.cwd, target.directory, kind);
  const files = [
    ...stages.map((one) => ({ path: join(folder('pipelines'), basename(one.file)), text: one.text })),
    ...roles.map((one) => ({ path: join(folder('roles'), basename(one.file)), text: one.text })),
  ];
  const made = files.filter(({ path, text }) => createUserFile(path, text)).map(({ path }) => path);
  // The user asked for these files, so they are trusted until they change.
  for (const { path, text } of files) if (made.includes(path)) trustFile(path, text);
  return { made, kept: files.map(({ path }) => path).filter((path) => !made.includes(path)) };
}

function partsOf(root: string, name: string): { stages: ShelfEntry[]; roles: ShelfEntry[] } {
  const shelf = shelfOf(root, 'pipelines');
  const stages = [requireShelfEntry(shelf, 'pipelines', name)];
  const [first] = stages;
  if (first === undefined) return { stages, roles: [] };
  const pipeline = parsePipeline(first.name, first, (stage) => {
    const found = requireShelfEntry(shelf, 'pipelines', stage);
    if (!stages.includes(found)) stages.push(found);
    return found;
  });
  return { stages, roles: rolesOf(pipeline).map((role) => takeFrom(root, 'roles', role)) };
}
