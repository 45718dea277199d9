/**
 * Turns input into keys. Text that the terminal marks as pasted is text, with line breaks as spaces. Other input that
 * arrives at once was typed ahead of a busy program, so each of its keys counts.
 */
import type { Key as KeyOfInk } from 'ink';
import { charactersOf } from '../text-width.ts';
import type { Key } from './dashboard-state.ts';

type Named =
  | 'upArrow'
  | 'downArrow'
  | 'leftArrow'
  | 'rightArrow'
  | 'pageUp'
  | 'pageDown'
  | 'home'
  | 'end'
  | 'tab'
  | 'return'
  | 'escape'
  | 'backspace'
  | 'delete';
type InkKey = Pick<KeyOfInk, Named | 'ctrl' | 'meta' | 'shift'>;

/** Makes the terminal mark pasted text. */
export const MARKS_PASTES = '\u001b[?2004h';
export const MARKS_NO_PASTES = '\u001b[?2004l';

/** Makes the terminal send buttons and the wheel of the mouse. */
export const SENDS_MOUSE = '\u001b[?1000h\u001b[?1006h';
export const SENDS_NO_MOUSE = '\u001b[?1006l\u001b[?1000l';

/** A button of the mouse, as ink passes it on: `[<0;12;4M`; `m` at the end is its release. */
const MOUSE = /\[<(\d+);(\d+);(\d+)([Mm])/g;

/** The marks, as ink passes them on. */
const [BEGIN, END] = ['[200~', '[201~'];

export class Typing {
  #isPasted = false;

  keys(input: string, key: InkKey): Key[] {
    if (input === BEGIN || input === END) {
      this.#isPasted = input === BEGIN;
      return [];
    }
    if (!this.#isPasted && input.startsWith('[<')) return [...input.matchAll(MOUSE)].flatMap(pointOf);
    const special = specialOf(input, key);
    if (special !== undefined) return [special];
    if (key.ctrl || key.meta) return [];
    const text = this.#isPasted ? input.replace(/[\r\n]+/g, ' ') : input.replace(/\r\n/g, '\r');
    return charactersOf(text).map(keyOf);
  }
}

function pointOf([, button, column, row, end]: readonly string[]): Key[] {
  const at = { x: Number(column) - 1, y: Number(row) - 1 };
  if (end === 'm') return [];
  if (button === '64') return [{ kind: 'wheelUp', ...at }];
  if (button === '65') return [{ kind: 'wheelDown', ...at }];
  return button === '0' ? [{ kind: 'click', ...at }] : [];
}

function keyOf(text: string): Key {
  if (text === '\r' || text === '\n') return { kind: 'enter' };
  return text === '\u007f' || text === '\b' ? { kind: 'erase' } : { kind: 'text', text };
}

function specialOf(input: string, key: InkKey): Key | undefined {
  if (key.ctrl && input === 'c') return { kind: 'interrupt' };
  if (key.ctrl && input === 'z') return { kind: 'suspend' };
  if (key.upArrow) return { kind: 'up' };
  if (key.downArrow) return { kind: 'down' };
  if (key.leftArrow) return { kind: key.shift ? 'stepLeft' : 'left' };
  if (key.rightArrow) return { kind: key.shift ? 'stepRight' : 'right' };
  if (key.pageUp) return { kind: 'pageUp' };
  if (key.pageDown) return { kind: 'pageDown' };
  if (key.home) return { kind: 'home' };
  if (key.end) return { kind: 'end' };
  if (key.tab) return { kind: 'tab' };
  if (key.return) return { kind: 'enter' };
  if (key.escape) return { kind: 'escape' };
  return key.backspace || key.delete ? { kind: 'erase' } : undefined;
}
