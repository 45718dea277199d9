/**
 * The record of a finished attempt: written once, before the event that names its hash. A result file without an event
 * is garbage.
 */
import { hash } from 'node:crypto';
import { parseBoardLine } from '../../model/board/board-line.ts';
import type { BoardEvent, Change } from '../../model/board/event.ts';
import { wholesNamedIn } from '../../model/board/request.ts';
import { visibleText } from '../../model/text/safe-text.ts';
import type { Disk } from '../files/disk.ts';
import { createOnce, readText, replaceFile } from '../files/file.ts';
import type { TeamPaths } from '../files/paths.ts';
import { tempToken } from '../files/temp-files.ts';

/** A result as it is kept: people print these files. */
export const keptText = (text: string): string => visibleText(text);

export const hashText = (text: string): string => hash('sha256', text);

/** Writes `results/<task>.<epoch>.md`. An existing file stays: the same claim may end twice. */
export const keepResult = (disk: Disk, paths: TeamPaths, task: string, epoch: number, text: string): boolean =>
  createOnce(disk, paths.result(task, epoch), text, tempToken());

/** The lead's copy of the last attempt's result: `results/<task>.md`. */
export const showResult = (disk: Disk, paths: TeamPaths, task: string, text: string): void =>
  replaceFile(disk, paths.result(task), text, tempToken(), { durable: false });

export const readResult = (disk: Disk, paths: TeamPaths, task: string, epoch: number): string | undefined =>
  readText(disk, paths.result(task, epoch));

/** The hashes of the whole texts of the requests in a record of the log. */
export function wholesIn(line: string): string[] {
  if (!line.includes('"request.made"') || !line.includes('/blobs/')) return [];
  const read = parseBoardLine(line);
  if (read.kind !== 'event') return [];
  return changesOf(read.event).flatMap((change) => (change.type === 'request.made' ? wholesNamedIn(change.text) : []));
}

/** The results that a record of the log names. */
export function* resultsNamedIn(line: string): Generator<{ task: string; epoch: number; hash: string }> {
  // Most lines name none, and a relay sees all lines of all teams.
  if (!line.includes('"hash":')) return;
  const read = parseBoardLine(line);
  if (read.kind !== 'event') return;
  for (const change of changesOf(read.event)) {
    if (change.type !== 'task.completed' && change.type !== 'task.submitted' && change.type !== 'task.failed') continue;
    const hash = change.result?.hash;
    if (hash !== undefined) yield { task: change.task, epoch: change.epoch, hash };
  }
}

const changesOf = (event: BoardEvent): readonly Change[] => (event.type === 'batch' ? event.changes : [event]);
