/** Brings the texts that a record or mail names by their hash: their files were written on another machine. */
import { randomBytes } from 'node:crypto';
import { hashText, keepResult, readResult, resultsNamedIn, wholesIn } from '../../store/board/results.ts';
import type { EngineSession } from '../../store/engine/engine-session.ts';
import { lookAt, type Disk } from '../../store/files/disk.ts';
import { createOnce, makeDirectory } from '../../store/files/file.ts';
import type { TeamPaths } from '../../store/files/paths.ts';

/** What has the texts of a team. */
type TextSource = Pick<EngineSession, 'kept'>;

interface TextPlace {
  readonly disk: Disk;
  readonly paths: TeamPaths;
  /** Its id in the store. */
  readonly team: string;
}

/**
 * The results of a record, and the whole texts of its requests. One whose text the store does not have stays without a
 * file; the record has its summary.
 */
export async function bringTexts(session: EngineSession, place: TextPlace, line: string): Promise<void> {
  const { disk, paths } = place;
  for (const { task, epoch, hash } of resultsNamedIn(line)) {
    if (readResult(disk, paths, task, epoch) !== undefined) continue;
    const text = await textOf(session, place, hash);
    if (text !== undefined) keepResult(disk, paths, task, epoch, text);
  }
  for (const hash of wholesIn(line)) await bringBlob(session, place, hash);
}

/** A long text, into `blobs/`. */
export async function bringBlob(session: TextSource, place: TextPlace, hash: string): Promise<void> {
  const { disk, paths } = place;
  if (!/^[0-9a-f]{64}$/.test(hash) || lookAt(disk, paths.blob(hash))) return;
  const text = await textOf(session, place, hash);
  if (text === undefined) return;
  makeDirectory(disk, paths.blobs);
  createOnce(disk, paths.blob(hash), text, randomBytes(4).toString('hex'));
}

/** A file stays as it is, so a wrong one would, too. */
async function textOf(session: TextSource, { team }: TextPlace, hash: string): Promise<string | undefined> {
  const text = await session.kept(team, hash);
  return text !== undefined && hashText(text) === hash ? text : undefined;
}
