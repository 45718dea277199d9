/**
 * Where the artifact of a role's task may lie: in the working directory, not at a protected path, or in the session
 * folders of the team. A member may name any path, and replace any directory by a link, while this process may do what
 * the user may.
 */
import { resolve, sep } from 'node:path';
import { isTeamError } from '../../model/text/errors.ts';
import { protectedBy } from '../../policy/sandbox/workspace-path.ts';
import { cwdOf, type TeamReader } from '../../store/team/team-reader.ts';
import { at, locate, type ResolvedPath } from '../../store/workspace/resolved-path.ts';

interface ArtifactRoots {
  readonly cwd: string;
  readonly store: Pick<TeamReader, 'config' | 'disk' | 'paths'>;
}

/**
 * The path that a task means by its artifact. A tree of a role's own has no session folder: a document of the session is
 * named from the project.
 */
export function artifactPath({ cwd, store }: ArtifactRoots, artifact: string): string {
  const path = resolve(cwdOf(store), artifact);
  const isOfSession = Object.values(store.paths.session).some((folder) => path.startsWith(`${folder}${sep}`));
  return isOfSession ? path : resolve(cwd, artifact);
}

/**
 * @param use gets a name of the artifact, valid until it returns
 * @param make creates missing directories
 * @returns what `use` returned; undefined for a path elsewhere, or below a missing directory
 */
export function withArtifact<T>(
  roots: ArtifactRoots,
  artifact: string,
  use: (name: string) => T,
  { make = false } = {},
): T | undefined {
  const { cwd, store } = roots;
  const path = artifactPath(roots, artifact);
  const session = Object.values(store.paths.session).map((folder) => placeBelow(folder, path));
  const place = session.find((one) => one !== undefined) ?? unprotected(placeBelow(cwd, path));
  return place && unlessRefused(() => at(place, { make }, use));
}

const placeBelow = (root: string, path: string): ResolvedPath | undefined => unlessRefused(() => locate(root, path));

/** Judged as it is written, and as it is without links. */
const unprotected = (place: ResolvedPath | undefined): ResolvedPath | undefined =>
  place === undefined || [place.asked, place.path].some((path) => protectedBy(path, 'write') !== undefined)
    ? undefined
    : place;

/** Undefined where the way to a path leads elsewhere, was changed, or is not there. */
function unlessRefused<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (isTeamError(error) && ['POLICY_DENIED', 'USAGE', 'CORRUPT'].includes(error.code)) return undefined;
    throw error;
  }
}
