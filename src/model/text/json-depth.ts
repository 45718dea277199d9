/** Measures a JSON text without parsing it: a recursive parser would overflow on hostile input. */

/** JSON that is nested deeper is not read. */
export const MAX_DEPTH = 64;

const QUOTE = 34;
const BACKSLASH = 92;
const COLON = 58;

interface JsonOutline {
  readonly depth: number;
  /** How many keys the outermost object writes; if a key is repeated, this is more than the parsed object has. */
  readonly keys: number;
}

/** Content of strings does not count. Time is linear in the length of the text. */
function jsonOutlineOf(json: string): JsonOutline {
  let depth = 0;
  let deepest = 0;
  let keys = 0;
  for (let at = 0; at < json.length; at += 1) {
    const char = json.charCodeAt(at);
    if (char === QUOTE) at = endOfString(json, at + 1);
    else if (char === 123 || char === 91) deepest = Math.max(deepest, ++depth);
    else if (char === 125 || char === 93) depth -= 1;
    else if (char === COLON && depth === 1) keys += 1;
  }
  return { depth: deepest, keys };
}

export const depthOf = (json: string): number => jsonOutlineOf(json).depth;

/** The end of the string that begins at `from`; the end of the text if it has no end. */
function endOfString(json: string, from: number): number {
  for (let at = json.indexOf('"', from); at !== -1; at = json.indexOf('"', at + 1)) {
    let first = at;
    while (first > from && json.charCodeAt(first - 1) === BACKSLASH) first -= 1;
    const isEscaped = (at - first) % 2 === 1;
    if (!isEscaped) return at;
  }
  return json.length;
}

/**
 * Whether a text is nested deeper than {@link MAX_DEPTH}. Most texts have too few brackets for that and need no scan.
 */
export const isDeep = (json: string): boolean =>
  count(json, '{', MAX_DEPTH) + count(json, '[', MAX_DEPTH) > MAX_DEPTH && depthOf(json) > MAX_DEPTH;

/**
 * Whether a text writes each key of its parsed object only once.
 *
 * @param parsed the result of `JSON.parse`
 */
export function writesEachKeyOnce(json: string, parsed: object): boolean {
  const keys = Object.keys(parsed).length;
  // Each written key has a colon after it: if there are no more colons than keys, no key is repeated.
  return count(json, ':', keys) === keys || jsonOutlineOf(json).keys === keys;
}

/** How many times a character is in a text; stops counting above `most`. */
function count(text: string, char: string, most: number): number {
  let found = 0;
  for (let at = text.indexOf(char); at !== -1 && found <= most; at = text.indexOf(char, at + 1)) found += 1;
  return found;
}
