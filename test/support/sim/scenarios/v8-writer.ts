/**
 * The v8 program's writer, step by step: it gives up after a number of tries, writes all the same, and unlinks a lock
 * that it may never have held. It knows nothing of our files.
 */
import { isTaken, O_APPEND, O_CREAT, O_EXCL, O_WRONLY, type Disk } from '../../../../src/store/files/disk.ts';
import type { InboxPaths } from '../../../../src/store/files/paths.ts';
import { KEEP_MS } from '../../../../src/store/mail/reader.ts';
import type { Body, Run } from '../life.ts';

const RETRY_MS = 50;
/** Milliseconds between two messages. */
const PAUSE_MS = 2;

/** @param texts its messages; a text may be there twice */
export const v8Writer =
  (inbox: InboxPaths, texts: readonly string[], tries: number): Body =>
  (run) => {
    for (const text of texts) {
      run.note({ kind: 'sending', text });
      const wrote = writeToInbox(run, { ...inbox, tries }, 'v8', text, (what) => run.note({ kind: what, text }));
      run.note({ kind: wrote ? 'sent' : 'refused', text });
      run.sleep(PAUSE_MS);
    }
  };

interface Place {
  readonly inbox: string;
  readonly lock: string;
  readonly tries: number;
}

/** @returns whether it wrote; false where its program would throw */
export function writeToInbox(
  run: Run,
  { inbox, lock, tries }: Place,
  sender: string,
  content: string,
  onOdd: (what: 'sent without lock' | 'wrote late') => void = () => {},
): boolean {
  if (!acquired(run, lock, tries)) onOdd('sent without lock');
  const line = Buffer.from(`${JSON.stringify({ type: 'message', sender, content, timestamp: 1 })}\n`);
  const wrote = appended(run, inbox, line, () => onOdd('wrote late'));
  unlinked(run.disk, lock);
  return wrote;
}

function acquired(run: Run, lock: string, tries: number): boolean {
  for (let n = 0; n < tries; n += 1)
    try {
      run.disk.closeSync(run.disk.openSync(lock, O_CREAT | O_EXCL | O_WRONLY, 0o600));
      return true;
    } catch (error) {
      if (!isTaken(error)) return false;
      run.sleep(RETRY_MS);
    }
  return false;
}

/** Python continues after a short write; a full disk is an exception for its caller. */
function appended({ disk, clock }: Run, inbox: string, line: Buffer, onLate: () => void): boolean {
  try {
    const fd = disk.openSync(inbox, O_CREAT | O_APPEND | O_WRONLY, 0o600);
    const openedAt = clock.monotonic();
    for (let at = 0; at < line.length;) at += disk.writeSync(fd, line, at, line.length - at, null);
    if (clock.monotonic() - openedAt >= KEEP_MS) onLate();
    disk.closeSync(fd);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}

function unlinked(disk: Disk, lock: string): void {
  try {
    disk.unlinkSync(lock);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}
