/** Brings the results that a record names: their files were written on the machine of its member. */
import { parseBoardLine, type Change } from '../../model/board/event.ts';
import { hashText, keepResult, readResult } from '../../store/board/results.ts';
import type { EngineSession } from '../../store/engine/engine-session.ts';
import type { Disk } from '../../store/files/disk.ts';
import type { TeamPaths } from '../../store/files/paths.ts';

/** One whose text the store does not have stays without a file; its summary is in the record. */
export async function bringResults(
  session: EngineSession,
  { disk, paths, team }: { readonly disk: Disk; readonly paths: TeamPaths; readonly team: string },
  line: string,
): Promise<void> {
  const read = parseBoardLine(line);
  if (read.kind !== 'event') return;
  const changes: readonly Change[] = read.event.type === 'batch' ? read.event.changes : [read.event];
  for (const change of changes) {
    if (change.type !== 'task.completed' && change.type !== 'task.submitted' && change.type !== 'task.failed') continue;
    const hash = change.result?.hash;
    if (hash === undefined || readResult(disk, paths, change.task, change.epoch) !== undefined) continue;
    const text = await session.kept(team, hash);
    // A result file stays as it is, so a wrong one would, too.
    if (text !== undefined && hashText(text) === hash) keepResult(disk, paths, change.task, change.epoch, text);
  }
}
