/**
 * Turns input into keys. Text that the terminal marks as pasted is text, with line breaks as spaces. Other input that
 * arrives at once was typed ahead of a busy program, so each of its keys counts.
 */
import type { Key as KeyOfInk } from 'ink';
import { charactersOf } from '../text-width.ts';
import type { Key } from './dashboard-state.ts';

type Named = 'upArrow' | 'downArrow' | 'pageUp' | 'pageDown' | 'return' | 'escape' | 'backspace' | 'delete';
type InkKey = Pick<KeyOfInk, Named | 'ctrl' | 'meta'>;

/** Makes the terminal mark pasted text. */
export const MARKS_PASTES = '\u001b[?2004h';
export const MARKS_NO_PASTES = '\u001b[?2004l';

/** The marks, as ink passes them on. */
const [BEGIN, END] = ['[200~', '[201~'];

export class Typing {
  #isPasted = false;

  keys(input: string, key: InkKey): Key[] {
    if (input === BEGIN || input === END) {
      this.#isPasted = input === BEGIN;
      return [];
    }
    const special = specialOf(input, key);
    if (special !== undefined) return [special];
    if (key.ctrl || key.meta) return [];
    const text = this.#isPasted ? input.replace(/[\r\n]+/g, ' ') : input.replace(/\r\n/g, '\r');
    return charactersOf(text).map(keyOf);
  }
}

function keyOf(text: string): Key {
  if (text === '\r' || text === '\n') return { kind: 'enter' };
  return text === '\u007f' || text === '\b' ? { kind: 'erase' } : { kind: 'text', text };
}

function specialOf(input: string, key: InkKey): Key | undefined {
  if (key.ctrl && input === 'c') return { kind: 'interrupt' };
  if (key.upArrow) return { kind: 'up' };
  if (key.downArrow) return { kind: 'down' };
  if (key.pageUp) return { kind: 'pageUp' };
  if (key.pageDown) return { kind: 'pageDown' };
  if (key.return) return { kind: 'enter' };
  if (key.escape) return { kind: 'escape' };
  return key.backspace || key.delete ? { kind: 'erase' } : undefined;
}
