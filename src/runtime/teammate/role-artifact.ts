/**
 * The artifact that a role's task must make: whether it exists (docs/specification.md R10.5), and writing it from the
 * answer if not. And the artifacts of earlier tasks that are missing.
 */
import type { ArtifactCheck } from '../../model/pipeline/role-spec.ts';
import type { ClaimedTask, Task } from '../../model/board/task.ts';
import { artifactText, isArtifactComplete, isWrittenSince, keepArtifact } from '../../store/session/session-folder.ts';
import { lookAt } from '../../store/files/disk.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { withArtifact } from './artifact-place.ts';

interface Place {
  readonly store: Pick<TeamStore, 'disk' | 'board' | 'paths'>;
  readonly cwd: string;
}

/** Whether the artifact is complete and was made for this task. What a failed attempt left does not count. */
export function artifactExists(
  { store, cwd }: Place,
  task: ClaimedTask,
  artifact: string,
  check: ArtifactCheck,
): boolean {
  const failures = [...store.board.historyOf(task.id)].filter(({ event }) => event.type === 'task.failed');
  const since = Date.parse(failures.at(-1)?.event.at ?? task.created_at);
  const isComplete = (file: string): boolean => isArtifactComplete(store.disk, file, check, since);
  return withArtifact({ cwd, paths: store.paths }, artifact, isComplete) === true;
}

/** Writes the answer as the artifact, if the agent has not written the file itself. */
export function keepAnswer({ store: { disk, paths }, cwd }: Place, task: ClaimedTask, answer: string): void {
  const { artifact } = task.work;
  if (artifact === undefined) return;
  const keep = (file: string): void => {
    if (!isWrittenSince(disk, file, Date.parse(task.claimed_at))) keepArtifact(disk, file, artifactText(file, answer));
  };
  withArtifact({ cwd, paths }, artifact, keep, { make: true });
}

/** The document of an earlier task that is not there. */
interface MissingDocument {
  /** Relative to the working directory. */
  readonly path: string;
  /** The subject of its task. */
  readonly subject: string;
}

/** The documents of all tasks that this one waited for, directly or through others, that are missing or empty. */
export function missingDocuments({ store, cwd }: Place, task: Task): MissingDocument[] {
  const { tasks } = store.board.fold();
  const before = new Set(task.blockedBy);
  for (const id of before) for (const earlier of tasks.get(id)?.blockedBy ?? []) before.add(earlier);
  return [...before].flatMap((id): MissingDocument[] => {
    const { subject = '', work } = tasks.get(id) ?? {};
    const path = work?.artifact;
    if (path === undefined) return [];
    const file = withArtifact({ cwd, paths: store.paths }, path, (name) => lookAt(store.disk, name));
    return file?.isFile() === true && file.size > 0 ? [] : [{ path, subject }];
  });
}
