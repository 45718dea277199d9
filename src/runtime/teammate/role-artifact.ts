/**
 * The artifact that a role's task must make: whether it exists (docs/specification.md R10.5), and writing it from the
 * answer if not. And the artifacts of earlier tasks that are missing.
 */
import type { ArtifactCheck } from '../../model/pipeline/role-spec.ts';
import type { ClaimedTask, Task } from '../../model/board/task.ts';
import { artifactText, isArtifactComplete, isWrittenSince, keepArtifact } from '../../store/session/session-folder.ts';
import { lookAt } from '../../store/files/disk.ts';
import { cwdOf } from '../../store/team/team-reader.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { withArtifact } from './artifact-place.ts';

/** After these an attempt begins anew. */
const ENDS: ReadonlySet<string> = new Set(['task.failed', 'task.bounced']);
const KEPT: ReadonlySet<string | undefined> = new Set(['tree.kept', 'tree.set_aside']);

interface Place {
  readonly store: Pick<TeamStore, 'disk' | 'board' | 'paths' | 'config' | 'events'>;
  readonly cwd: string;
}

/**
 * Whether the artifact is complete and was made for this task. What a failed attempt left does not count; with trees
 * neither does what an attempt left whose change came back, or whose tree was kept away and made anew.
 */
export function artifactExists(
  { store, cwd }: Place,
  task: ClaimedTask,
  artifact: string,
  check: ArtifactCheck,
): boolean {
  const ends = [...store.board.log.historyOf(task.id)].filter(({ event }) => ENDS.has(event.type));
  const kept = cwd === cwdOf(store) ? undefined : lastKept(store, task);
  const since = Math.max(Date.parse(ends.at(-1)?.event.at ?? task.created_at), kept ?? 0);
  const isComplete = (file: string): boolean => isArtifactComplete(store.disk, file, check, since);
  return withArtifact({ cwd, store }, artifact, isComplete) === true;
}

/** When work of its member was last taken out of its tree, in wall milliseconds. */
function lastKept({ events }: Place['store'], { claim }: ClaimedTask): number | undefined {
  const kept = [...events.read()].filter(({ event }) => event.member === claim.member && KEPT.has(event.type));
  const at = kept.at(-1)?.event.at;
  return at === undefined ? undefined : Date.parse(at);
}

/** Writes the answer as the artifact, if the agent has not written the file itself. */
export function keepAnswer({ store, cwd }: Place, task: ClaimedTask, answer: string): void {
  const { artifact } = task.work;
  if (artifact === undefined) return;
  const keep = (file: string): void => {
    const { disk } = store;
    if (!isWrittenSince(disk, file, Date.parse(task.claimed_at))) keepArtifact(disk, file, artifactText(file, answer));
  };
  withArtifact({ cwd, store }, artifact, keep, { make: true });
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
    const file = withArtifact({ cwd, store }, path, (name) => lookAt(store.disk, name));
    return file?.isFile() === true && file.size > 0 ? [] : [{ path, subject }];
  });
}
