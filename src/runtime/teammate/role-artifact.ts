/** What a task of a role is to produce: whether it is there (S4 "Resume Artifact Check"), and kept where it is not. */
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

/** Complete, and made for this task: not what an attempt that failed has left. */
export function artifactExists(
  { store, cwd }: Place,
  task: ClaimedTask,
  artifact: string,
  check: ArtifactCheck,
): boolean {
  const failures = [...store.board.history()].filter(
    ({ event, outcome }) => outcome.ok && event.type === 'task.failed' && event.task === task.id,
  );
  const since = Date.parse(failures.at(-1)?.event.at ?? task.created_at);
  return isArtifactComplete(store.disk, artifactPath(cwd, artifact), check, since);
}

/** What the agent has not written itself is kept for it. */
export function keepAnswer({ store: { disk }, cwd }: Place, task: ClaimedTask, answer: string): void {
  const { artifact } = task.work;
  if (artifact === undefined) return;
  const path = artifactPath(cwd, artifact);
  if (!isWrittenSince(disk, path, Date.parse(task.claimed_at))) keepFile(disk, path, artifactText(path, answer));
}
