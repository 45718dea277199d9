/**
 * Text from outside, made harmless for a terminal, a log and a browser: names, bodies, errors and agent output all pass
 * here before they are shown. What drives a terminal is taken out, never interpreted; what a person reads stays.
 */

/** `ESC [ … m` and its kin, with the one-byte C1 form: taken out whole, so that no `[31m` is left behind. */
const CONTROL_SEQUENCE = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]/g;

/**
 * OSC, DCS, SOS, PM and APC strings (titles, links, the clipboard) are taken out up to their terminator, which must come
 * in the same line: one that nobody ends is text like any other, and swallows nothing.
 */
const CONTROL_STRING =
  /(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u0090-\u009f\n]*(?:\u0007|\u001b\\|\u009c)/g;

/**
 * C0 but for tab and newline, DEL, C1; what has no width, or turns the direction of what follows; the invisible tag
 * letters; the lone half of a surrogate pair.
 */
const UNSAFE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\p{Cs}\u{e0000}-\u{e007f}]/gu;

/** Text of any number of lines. The result is its own `safeText`. */
export const safeText = (text: string): string =>
  text.replace(CONTROL_STRING, '').replace(CONTROL_SEQUENCE, '').replace(UNSAFE, '');

/** The same as one line: line breaks and runs of white space become one space. */
export const safeLine = (text: string): string => safeText(text.replaceAll('\r', ' ')).replace(/\s+/g, ' ').trim();

/** JSON on one line that says the same to a program, and does nothing to a terminal. */
export const safeJson = (value: unknown): string => JSON.stringify(value).replace(UNSAFE, escaped);

const escaped = (character: string): string =>
  Array.from({ length: character.length }, (_, index) => {
    const unit = character.charCodeAt(index).toString(16).padStart(4, '0');
    return `\\u${unit}`;
  }).join('');
