/** The history of one task, read from outside: its accepted events, and the whole text of its last attempt. */
import { speaker } from '../../model/board/authority.ts';
import type { Task } from '../../model/board/task.ts';
import { readResult } from '../../store/board/results.ts';
import type { TeamReader } from '../../store/team/team-reader.ts';

interface TaskHistoryEvent {
  readonly at: string;
  readonly type: string;
  readonly by: string;
}

export function taskHistory({ board }: Pick<TeamReader, 'board'>, { id }: Task): TaskHistoryEvent[] {
  const past: TaskHistoryEvent[] = [];
  for (const { event } of board.log.historyOf(id)) {
    const changes =
      event.type === 'batch' ? event.changes.filter((change) => 'task' in change && change.task === id) : [event];
    for (const { type } of changes) past.push({ at: event.at, type, by: speaker(event.author) });
  }
  return past;
}

/** The result of the last finished attempt; undefined before the first. */
export function resultOf(
  { disk, paths }: Pick<TeamReader, 'disk' | 'paths'>,
  { id, claims }: Task,
): string | undefined {
  for (let epoch = claims; epoch > 0; epoch -= 1) {
    const text = readResult(disk, paths, id, epoch);
    if (text !== undefined) return text;
  }
  return undefined;
}
