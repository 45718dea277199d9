/**
 * Makes foreign text harmless for a terminal, a log and a browser. Names, bodies, errors and agent output pass these
 * functions before they are shown. Terminal control is removed, never interpreted; readable text stays.
 */

/**
 * `ESC [ … m` and similar sequences, with the one-byte C1 form. They are removed as a whole, so that no `[31m` is left.
 */
const CONTROL_SEQUENCE = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]/g;

/**
 * OSC, DCS, SOS, PM and APC strings (titles, links, the clipboard) are removed up to their terminator, which must be in
 * the same line. A string without a terminator is ordinary text and hides nothing.
 */
const CONTROL_STRING =
  /(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u0090-\u009f\n]*(?:\u0007|\u001b\\|\u009c)/g;

/**
 * C0 except tab and newline, DEL, C1; characters without width or that change the text direction; invisible tag
 * letters; single halves of surrogate pairs.
 */
const UNSAFE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\p{Cs}\u{e0000}-\u{e007f}]/gu;

/** For text of any number of lines. Applying it twice gives the same result. */
export const safeText = (text: string): string =>
  text.replace(CONTROL_STRING, '').replace(CONTROL_SEQUENCE, '').replace(UNSAFE, '');

/**
 * A line of a program's output as a terminal leaves it: without colours, its indentation stays, and of a progress bar,
 * which writes over itself, the last state. Files have what a terminal would obey spelled; both forms are known here.
 */
export function printedLine(line: string): string {
  if (AS_PRINTED.test(line)) return line.trimEnd();
  const states = (hasReturns(line) ? line.replaceAll('^M', '\r') : line).split('\r');
  const text = (state: string): string => safeText(state.replaceAll(SPELLED_ESCAPE, ''));
  return text(states.findLast((state) => text(state).trim() !== '') ?? '').trimEnd();
}

/** Most lines of most programs: nothing of them is taken out, and nothing is spelled. */
const AS_PRINTED = /^[\t -\]_-~]*$/;

/** `^[[31m` and `^[]0;title^G`, as {@link visibleText} writes them. */
const SPELLED_ESCAPE = /\^\[(?:\[[0-?]*[ -/]*[@-~]|\][^^\n]*(?:\^G|\^\[\\))/g;

/** A single `^M` in the midst of a line may be a text about the key. */
const hasReturns = (line: string): boolean =>
  line.startsWith('^M') || line.endsWith('^M') || line.indexOf('^M') !== line.lastIndexOf('^M');

/** The same as one line: line breaks and runs of white space become one space. */
export const safeLine = (text: string): string => safeText(text.replaceAll('\r', ' ')).replace(/\s+/g, ' ').trim();

/**
 * The name of a file, which its author chose, within a line or a list: as it is, or in quotes with escapes if it has a
 * line break, blanks that are not seen, or characters that {@link safeText} removes. Two names never look the same.
 */
export const shownPath = (path: string): string =>
  safeLine(path) === path && !path.startsWith('"') ? path : safeJson(path);

/**
 * What a terminal would obey: C0 except tab and newline, DEL, C1, and characters that change the direction of text. A
 * carriage return before a newline is not one.
 */
const OBEYED =
  /([\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069])\1*|\r(?!\n)/g;

/** Text for a file that people print to a terminal: nothing is left out, and what a terminal would obey is spelled. */
export const visibleText = (text: string): string => text.replace(OBEYED, spelled);

/** `^[` for ESC, as `cat -v` has it; `<U+202E>` for others. */
function spelled(run: string): string {
  const code = run.charCodeAt(0);
  const one =
    code < 0x20 || code === 0x7f
      ? `^${String.fromCharCode(code ^ 0x40)}`
      : `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
  return one.repeat(run.length);
}

/** JSON on one line with the same meaning for programs and no effect on a terminal. */
export const safeJson = (value: unknown): string => escapedJson(JSON.stringify(value));

/** {@link UNSAFE}, and the ends of lines of some readers, such as Python's. */
const UNSAFE_IN_JSON = new RegExp(UNSAFE.source.replace('[', '[\\u2028\\u2029'), 'gu');

/** Most lines have nothing else: to see that takes two thirds of the time of a search for what is unsafe. */
const PLAIN = /^[ -~]*$/;

/** The same for a text that is JSON already. */
export const escapedJson = (json: string): string => (PLAIN.test(json) ? json : json.replace(UNSAFE_IN_JSON, escaped));

/** What JSON writes as it is, and nothing but that. */
const UNQUOTED = /^[ !#-[\]-~]*$/;

/** Whether JSON has the text as it is, between quotation marks. */
export const needsNoEscape = (text: string): boolean => UNQUOTED.test(text);

/** {@link safeJson} of a text: to quote what needs no escape takes a third of the time. */
export const quoted = (text: string): string => (needsNoEscape(text) ? `"${text}"` : safeJson(text));

const escaped = (character: string): string =>
  Array.from({ length: character.length }, (_, index) => {
    const unit = character.charCodeAt(index).toString(16).padStart(4, '0');
    return `\\u${unit}`;
  }).join('');
