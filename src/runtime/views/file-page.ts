/** A page of a file of a team's record, for a user who follows a number to its source. Read-only; links are refused. */
import { join } from 'node:path';
import { UsageError } from '../../model/text/errors.ts';
import { quoted } from '../../model/text/document-problem.ts';
import { mayBeShown } from '../../policy/view/shown-files.ts';
import { lookAt, realDisk } from '../../store/files/disk.ts';
import type { Page } from '../../store/files/line-page.ts';
import type { TeamPaths } from '../../store/files/paths.ts';
import { locate } from '../../store/workspace/resolved-path.ts';
import { readPage } from '../../store/workspace/workspace-text.ts';

export interface WantedPage {
  /** `team/events.jsonl`, `board/log.jsonl`. */
  readonly file: string;
  /** The first line, from 1. */
  readonly from: number;
}

export interface ShownPage extends Page, WantedPage {}

const LINES = 400;
const BYTES = 512 * 1024;

/** @throws UsageError `POLICY_DENIED` for a file that must not be shown; `USAGE` for a file that is not text */
export function shownPage({ folder, board }: TeamPaths, { file, from }: WantedPage): ShownPage {
  const [place, path] = placeOf(file);
  if (place === undefined || !mayBeShown(place, path))
    throw new UsageError('POLICY_DENIED', `${quoted(file)} is not a file of the team's record (rule: shown files).`);
  const found = locate(place === 'team' ? folder : board, path);
  // A link to another file of the same folder would show a file that must not be shown.
  if (found.path !== found.asked)
    throw new UsageError('POLICY_DENIED', `${quoted(file)} is a link (rule: shown files).`);
  // A file of the record that is not written yet is shown as empty.
  const isThere = lookAt(realDisk, join(found.root, found.path)) !== undefined;
  return {
    file,
    from,
    ...(isThere ? readPage(found, { from, lines: LINES, bytes: BYTES }) : { lines: [], total: 0 }),
  };
}

function placeOf(file: string): ['team' | 'board' | undefined, string] {
  const at = file.indexOf('/');
  const place = file.slice(0, at);
  return [place === 'team' || place === 'board' ? place : undefined, file.slice(at + 1)];
}
