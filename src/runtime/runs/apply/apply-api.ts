/** The library's entry point to what landed in a team with trees: brings it into the project's files. */
import { requireTexts } from '../../../model/member/member-input.ts';
import { parseName } from '../../../model/text/names.ts';
import { resolveTask } from '../../../model/board/task-reference.ts';
import { realClock } from '../../../os/system-clock.ts';
import { findTeam } from '../../../store/team/team-list.ts';
import { openForReading } from '../../../store/team/team-reader.ts';
import { teamPaths } from '../../../store/files/paths.ts';
import { libraryPlace, type PlaceOptions } from '../../relay/library-place.ts';
import { applyLanded } from './apply-landed.ts';

export interface ApplyOptions extends PlaceOptions {
  /** The id, key or subject of a task: only its change is applied. */
  readonly task?: string;
  readonly signal?: AbortSignal;
}

/** What an apply did. */
export interface Applied {
  /** How many changes of tasks it brought. */
  readonly landed: number;
  /** The files that it changed, relative to the root of the repository. */
  readonly files: readonly string[];
}

/**
 * Merges what landed since the last apply into the project's files as they are now, as `teams apply` does; `teams undo`
 * takes it back.
 *
 * @param team the name of a team with trees that does not run; it may be archived
 * @returns no files if they have all of it already
 * @throws UsageError `UNKNOWN_TEAM`, `UNKNOWN_TASK`, `USAGE` for a team without trees or a task of which nothing landed;
 *   ConflictError `LEAD_ALIVE`, `REFUSED` naming the files that were edited at the same place: then nothing is changed
 */
export async function apply(team: string, options: ApplyOptions = {}): Promise<Applied> {
  const { task, signal = new AbortController().signal } = options;
  requireTexts({ team });
  const name = parseName('team', team);
  const { root, relay } = await libraryPlace(options);
  using _relay = relay;
  const reader = openForReading(findTeam(root, name)?.paths ?? teamPaths(root, name), { clock: realClock });
  try {
    const only = task === undefined ? undefined : resolveTask(reader.board.fold(), task);
    const { landed, files } = await applyLanded(reader, { task: only }, { clock: realClock }, signal);
    return { landed, files: files.map(({ path }) => path) };
  } finally {
    reader.close();
  }
}
