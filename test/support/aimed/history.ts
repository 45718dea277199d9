/**
 * The history of each process, one line for each step in its own file outside the store; and the judge that compares
 * all histories with the store's files.
 */
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { isTeamError } from '../../../src/model/text/errors.ts';

interface Note {
  readonly op: string;
  /** The subject, with the same id in the store's files. */
  readonly id: string;
  /** `fail`: it was refused and had no effect. `unknown`: it may or may not have been done. */
  readonly kind: 'invoke' | 'ok' | 'fail' | 'unknown' | 'effect' | 'redelivered effect';
}

export class History {
  readonly #fd: number;

  constructor(directory: string, life: string) {
    mkdirSync(directory, { recursive: true });
    this.#fd = openSync(join(directory, `${life}.jsonl`), 'a');
  }

  note(note: Note): void {
    writeSync(this.#fd, `${JSON.stringify(note)}\n`);
  }

  /** @param work false for a refusal */
  async attempt(op: string, id: string, work: () => unknown): Promise<boolean> {
    this.note({ op, id, kind: 'invoke' });
    const kind = await outcomeOf(work);
    this.note({ op, id, kind });
    return kind === 'ok';
  }

  close(): void {
    closeSync(this.#fd);
  }
}

const REFUSALS = new Set(['LOCK_TIMEOUT', 'STALE_CLAIM', 'QUOTA', 'UNKNOWN_RECIPIENT']);

async function outcomeOf(work: () => unknown): Promise<'ok' | 'fail' | 'unknown'> {
  try {
    return (await work()) === false ? 'fail' : 'ok';
  } catch (error) {
    if (!isTeamError(error)) throw error;
    return REFUSALS.has(error.code) ? 'fail' : 'unknown';
  }
}

/** Every process's notes, each process's in order. */
export const notesIn = (directory: string): Note[][] =>
  readdirSync(directory).map((file) =>
    readFileSync(join(directory, file), 'utf8')
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Note])),
  );

/**
 * Compares the history of an operation with the files. An acknowledged one is there once, a refused one is not, an
 * interrupted one is there once or not at all, and nothing else is there.
 *
 * @param there the ids that the store's files show, as often as they show them
 * @returns the violations, in words
 */
export function judge(op: string, notes: readonly Note[], there: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const id of there) counts.set(id, (counts.get(id) ?? 0) + 1);
  const said = new Map<string, Note['kind']>();
  for (const note of notes) if (note.op === op && said.get(note.id) !== 'ok') said.set(note.id, note.kind);
  const known = [...said].flatMap(([id, is]) => {
    const count = counts.get(id) ?? 0;
    if (count > 1) return [`${op} ${id}: there ${count} times`];
    if (is === 'ok' && count === 0) return [`${op} ${id}: acknowledged and lost`];
    return is === 'fail' && count === 1 ? [`${op} ${id}: refused and done`] : [];
  });
  return [...known, ...[...counts.keys()].flatMap((id) => (said.has(id) ? [] : [`${op} ${id}: done by nobody`]))];
}

/** M1, M2: sent mail was used; used again only where it was marked so, and never after it was acknowledged. */
export function judgeUse(lives: readonly (readonly Note[])[], sent: readonly string[]): string[] {
  const notes = lives.flat();
  const effects = (id: string, kind: Note['kind']): number =>
    notes.filter((note) => note.op === 'use' && note.id === id && note.kind === kind).length;
  // An interrupted acknowledgement whose mail never came again had taken effect.
  const acknowledged = new Set(notes.flatMap(({ op, id }) => (op === 'acknowledge' ? [id] : [])));
  const wrong = sent.flatMap((id) => {
    const [first, again] = [effects(id, 'effect'), effects(id, 'redelivered effect')];
    if (first + again === 0) return [`${id}: never used`];
    if (first > 1) return [`${id}: used ${first} times, and only once redelivered`];
    return acknowledged.has(id) ? [] : [`${id}: never acknowledged`];
  });
  return [...wrong, ...usedAfterwards(lives, sent)];
}

/** One process uses nothing after it acknowledged it, and nothing that was not sent. */
function usedAfterwards(lives: readonly (readonly Note[])[], sent: readonly string[]): string[] {
  const known = new Set(sent);
  return lives.flatMap((notes) => {
    const done = new Set<string>();
    return notes.flatMap(({ op, id, kind }) => {
      if (op === 'acknowledge' && kind === 'ok') done.add(id);
      if (op !== 'use') return [];
      return [
        ...(done.has(id) ? [`${id}: used after it was acknowledged`] : []),
        ...(known.has(id) ? [] : [`${id}: never sent`]),
      ];
    });
  });
}
