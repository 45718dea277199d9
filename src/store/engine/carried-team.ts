/** A team as it is carried between its files and the engine: its log, its ledger, its documents, its unread mail, and what they name. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../model/text/clock.ts';
import { parseBoardLine } from '../../model/board/board-line.ts';
import { safeJson } from '../../model/text/safe-text.ts';
import type { Name } from '../../model/text/names.ts';
import { parseMail } from '../../model/team/message.ts';
import { hashText, readResult, resultsNamedIn, wholesIn } from '../board/results.ts';
import { lookAt, realDisk } from '../files/disk.ts';
import { createOnce, makeDirectory, readText } from '../files/file.ts';
import { linesOf } from '../files/journal.ts';
import { newId } from '../files/new-ids.ts';
import type { TeamPaths } from '../files/paths.ts';
import { createBell } from '../mail/bell.ts';
import { waitingLines } from '../mail/inbox-view.ts';
import { fillFolder } from '../team/create-store.ts';
import { documentsOf, type Documents } from '../replica/team-documents.ts';
import { isLedgerRecord } from '../team/ledger.ts';
import { TeamStore } from '../team/team-store.ts';

export interface CarriedTeam {
  /** Its ULID. */
  readonly id: string;
  readonly name: Name;
  /** Its records, each once. */
  readonly lines: readonly string[];
  /** The records of its budget. */
  readonly ledger: readonly string[];
  readonly documents: Documents;
  readonly mail: readonly CarriedMail[];
  /** Results, long bodies and whole texts of requests, which records and mail name by their hash. */
  readonly texts: readonly string[];
}

/** What waits for a member. */
export interface CarriedMail {
  readonly member: Name;
  readonly lines: readonly string[];
  /** A process has taken some of it and not said that it was used: it is marked when it is delivered again. */
  readonly isTaken: boolean;
}

/**
 * Reads a team that nobody writes.
 *
 * @param of its id, and everybody who may have mail
 */
export function readCarried(
  paths: TeamPaths,
  of: { readonly id: string; readonly members: readonly Name[] },
): CarriedTeam {
  const known = new Set<string>();
  const lines = linesOf(realDisk, paths.log).filter((line) => {
    const read = parseBoardLine(line);
    if (read.kind !== 'event' || known.has(read.event.id)) return false;
    known.add(read.event.id);
    return true;
  });
  const mail = of.members.map((member) => mailOf(paths, member)).filter((one) => one.lines.length > 0);
  const texts = [
    ...lines.flatMap((line) =>
      [...resultsNamedIn(line)].map(({ task, epoch, hash }) => ({
        text: readResult(realDisk, paths, task, epoch),
        hash,
      })),
    ),
    ...blobsIn(lines, mail).map((hash) => ({ text: readText(realDisk, paths.blob(hash)), hash })),
  ];
  return {
    id: of.id,
    name: paths.name,
    lines,
    ledger: lookAt(realDisk, paths.ledger) ? linesOf(realDisk, paths.ledger).filter(isLedgerRecord) : [],
    documents: documentsOf(realDisk, paths),
    mail,
    texts: texts.flatMap(({ text, hash }) => (text !== undefined && hashText(text) === hash ? [text] : [])),
  };
}

function mailOf(paths: TeamPaths, member: Name): CarriedMail {
  const inbox = paths.inbox(member);
  const waiting = [...waitingLines(realDisk, inbox)];
  return {
    member,
    lines: waiting.map(({ text, message }) => text ?? safeJson(message)),
    isTaken: waiting.some(({ file }) => file !== inbox.inbox),
  };
}

/** The hashes of long bodies of mail, and of whole texts that the board keeps in part. */
export const blobsIn = (records: readonly string[], mail: readonly CarriedMail[]): string[] => [
  ...new Set([
    ...records.flatMap(wholesIn),
    ...mail.flatMap(({ lines }) => lines.flatMap((line) => blobOf(line) ?? [])),
  ]),
];

function blobOf(line: string): string | undefined {
  const read = parseMail(line);
  const blob = read.ok ? read.line.blob : undefined;
  return blob !== undefined && /^[0-9a-f]{64}$/.test(blob) ? blob : undefined;
}

/** Writes a team into folders that nobody knows yet. */
export function writeCarried(draft: TeamPaths, team: CarriedTeam, clock: Clock): void {
  fillFolder(realDisk, draft, recordsOf(team.lines), team.documents);
  if (team.ledger.length > 0) put(draft.ledger, recordsOf(team.ledger));
  const texts = new Map(team.texts.map((text) => [hashText(text), text]));
  for (const line of team.lines)
    for (const { task, epoch, hash } of resultsNamedIn(line)) put(draft.result(task, epoch), texts.get(hash));
  const blobs = blobsIn(team.lines, team.mail);
  if (blobs.length > 0) makeDirectory(realDisk, draft.blobs);
  for (const hash of blobs) put(draft.blob(hash), texts.get(hash));
  for (const { member, lines, isTaken } of team.mail) {
    const inbox = draft.inbox(member);
    const path = isTaken ? inbox.segment(1, newId(clock.now())) : inbox.inbox;
    put(path, lines.map((line) => `${line}\n`).join(''));
  }
  const store = new TeamStore(draft, { clock, create: true });
  try {
    for (const { name, state } of store.board.fold().members.values())
      if (state === 'joined') createBell(realDisk, draft.inbox(name).bell);
    forgetViews(store);
  } finally {
    store.board.close();
    store.events.close();
    store.locks.close();
    store.pinned.close();
  }
}

const recordsOf = (lines: readonly string[]): string => lines.map((line) => `\n${line}\n`).join('');

/** The views of tasks are made anew, from the beginning of the log. */
export function forgetViews({ state }: TeamStore): void {
  const known = state.isSealed() ? state.readOwn() : undefined;
  if (known === undefined) return;
  const { viewsOffset: _, noiseOffset: __, ...kept } = known;
  state.write(kept);
}

function put(path: string, text: string | undefined): void {
  if (text !== undefined) createOnce(realDisk, path, text, randomBytes(4).toString('hex'));
}
