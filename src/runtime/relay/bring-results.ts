/** Brings the results that a record names: their files were written on the machine of its member. */
import { hashText, keepResult, readResult, resultsNamedIn } from '../../store/board/results.ts';
import type { EngineSession } from '../../store/engine/engine-session.ts';
import type { Disk } from '../../store/files/disk.ts';
import type { TeamPaths } from '../../store/files/paths.ts';

/** One whose text the store does not have stays without a file; its summary is in the record. */
export async function bringResults(
  session: EngineSession,
  { disk, paths, team }: { readonly disk: Disk; readonly paths: TeamPaths; readonly team: string },
  line: string,
): Promise<void> {
  for (const { task, epoch, hash } of resultsNamedIn(line)) {
    if (readResult(disk, paths, task, epoch) !== undefined) continue;
    const text = await session.kept(team, hash);
    // A result file stays as it is, so a wrong one would, too.
    if (text !== undefined && hashText(text) === hash) keepResult(disk, paths, task, epoch, text);
  }
}
