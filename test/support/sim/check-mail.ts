/** M1 to M5 over the notes of senders and readers, and S4 for the files. */
import type { Violation } from './check.ts';
import { those, type Noted } from './history.ts';
import type { Machine } from './machine.ts';
import { INBOX, PATHS } from './scenarios/inbox.ts';

export function checkMail(machine: Machine): Violation[] {
  const { notes, files } = machine;
  if (!files.at(INBOX.bell)) return [];
  return [...lost(machine), ...repeated(machine), ...disordered(notes), ...unknown(notes), ...left(machine)];
}

/**
 * The lock was broken by a writer that never held it: then order and neighbours may suffer, and nothing may be lost.
 */
const isBroken = (notes: readonly Noted[]): boolean => those(notes, 'sent without lock').length > 0;

/** How often each text occurs. */
function counted(notes: readonly { readonly text: string }[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { text } of notes) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

/** The ids under which each text was handled. */
function idsOf(notes: readonly Noted[]): Map<string, Set<string>> {
  const ids = new Map<string, Set<string>>();
  for (const { text, id } of those(notes, 'handled')) ids.set(text, (ids.get(text) ?? new Set()).add(id));
  return ids;
}

/**
 * A foreign program that was stopped for 3 s or longer between its open and its write: its line may go to a file that is
 * gone (docs/reliability.md "What is not promised").
 */
const wroteLate = (notes: readonly Noted[], text: string): boolean =>
  those(notes, 'wrote late').some((note) => note.text === text);

function* lost({ notes, files, hasLostPower }: Machine): Generator<Violation> {
  const ids = idsOf(notes);
  const bad = files.text(INBOX.bad) ?? '';
  for (const [text, count] of counted(those(notes, 'sent'))) {
    const isForeign = text.startsWith('v8');
    if ((ids.get(text)?.size ?? 0) >= count || (isForeign && (hasLostPower || wroteLate(notes, text)))) continue;
    const isListed = bad.includes(text);
    if (!isListed || !(isForeign || isBroken(notes)))
      yield { id: 'M1', what: `${text} was sent and ${isListed ? 'came out damaged' : 'is gone'}` };
  }
}

/** After a power loss mail may be where it was before it was taken: then its delivery is not recorded. */
function* repeated({ notes, hasLostPower }: Machine): Generator<Violation> {
  const began = new Map(those(notes, 'began reading').map(({ life, at }) => [life, at]));
  const done = new Map<string, number>();
  const seen = new Set<string>();
  for (const note of those(notes, 'handled', 'acknowledged')) {
    if (note.kind === 'acknowledged') {
      for (const id of note.ids) done.set(id, Math.min(note.at, done.get(id) ?? note.at));
      continue;
    }
    const { id, text, life, isRedelivered } = note;
    if (seen.has(id) && !isRedelivered && !hasLostPower)
      yield { id: 'M2', what: `${text} came again, and nobody said so` };
    if ((began.get(life) ?? 0) > (done.get(id) ?? Number.POSITIVE_INFINITY))
      yield { id: 'M2', what: `${text} came again after it was acknowledged` };
    seen.add(id);
  }
  const sent = counted(those(notes, 'sending'));
  for (const [text, { size }] of idsOf(notes))
    if (size > (sent.get(text) ?? 0) && !hasLostPower) yield { id: 'M2', what: `${text} came under ${size} ids` };
}

function* disordered(notes: readonly Noted[]): Generator<Violation> {
  if (isBroken(notes)) return;
  const order = new Map(those(notes, 'sending').map(({ text }, at) => [text, at]));
  const last = new Map<string, number>();
  const seen = new Set<string>();
  for (const { text } of those(notes, 'handled')) {
    if (seen.has(text) || text.startsWith('v8')) continue;
    seen.add(text);
    const [from = ''] = text.split(' ');
    const at = order.get(text) ?? 0;
    if (at < (last.get(from) ?? -1)) yield { id: 'M3', what: `${text} came after a later one` };
    last.set(from, at);
  }
}

function* unknown(notes: readonly Noted[]): Generator<Violation> {
  const sent = new Set(those(notes, 'sending').map(({ text }) => text));
  for (const { text } of those(notes, 'handled'))
    if (!sent.has(text)) yield { id: 'M4', what: `${JSON.stringify(text)} was never sent` };
}

function* left({ files }: Machine): Generator<Violation> {
  for (const file of [...files.names(PATHS.folder), ...files.namesIn(PATHS.tokens)])
    if (/\.lock|\.tmp$|\.taken\.|^\d+-/.test(file)) yield { id: 'S4', what: `${file} is left` };
}
