/**
 * The artifact that a role's task must make: whether it exists (docs/specification.md R10.5), and writing it from the
 * answer if not.
 */
import type { ArtifactCheck } from '../../model/pipeline/role-spec.ts';
import type { ClaimedTask } from '../../model/board/task.ts';
import {
  artifactPath,
  artifactText,
  isArtifactComplete,
  isWrittenSince,
  keepFile,
} from '../../store/session/session-folder.ts';
import type { TeamStore } from '../../store/team/team-store.ts';

interface Place {
  readonly store: Pick<TeamStore, 'disk' | 'board'>;
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
  return isArtifactComplete(store.disk, artifactPath(cwd, artifact), check, since);
}

/** Writes the answer as the artifact, if the agent has not written the file itself. */
export function keepAnswer({ store: { disk }, cwd }: Place, task: ClaimedTask, answer: string): void {
  const { artifact } = task.work;
  if (artifact === undefined) return;
  const path = artifactPath(cwd, artifact);
  if (!isWrittenSince(disk, path, Date.parse(task.claimed_at))) keepFile(disk, path, artifactText(path, answer));
}
