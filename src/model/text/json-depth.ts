/** The outline of a JSON text, told without parsing it: a parser that recurses would overflow on a hostile one. */

/** Deeper JSON than this is not read. */
export const MAX_DEPTH = 64;

const QUOTE = 34;
const BACKSLASH = 92;
const COLON = 58;

export interface JsonOutline {
  readonly depth: number;
  /** How many keys the outermost object writes down: more than it has, when one stands there twice. */
  readonly keys: number;
}

/** What is inside strings does not count. Linear in the length of the text, whatever it holds. */
export function jsonOutlineOf(json: string): JsonOutline {
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

/** Where the string ends that begins at `from`; the end of the text if it never does. */
function endOfString(json: string, from: number): number {
  for (let at = json.indexOf('"', from); at !== -1; at = json.indexOf('"', at + 1)) {
    let first = at;
    while (first > from && json.charCodeAt(first - 1) === BACKSLASH) first -= 1;
    const isEscaped = (at - first) % 2 === 1;
    if (!isEscaped) return at;
  }
  return json.length;
}

/** Is this text nested deeper than {@link MAX_DEPTH}? Most have too few brackets for that, which takes no scan to tell. */
export const isDeep = (json: string): boolean =>
  count(json, '{', MAX_DEPTH) + count(json, '[', MAX_DEPTH) > MAX_DEPTH && depthOf(json) > MAX_DEPTH;

/**
 * Whether a text writes each key of the object that was parsed from it just once.
 *
 * @param parsed what `JSON.parse` made of it
 */
export function writesEachKeyOnce(json: string, parsed: object): boolean {
  const keys = Object.keys(parsed).length;
  // Each key that is written has a colon behind it: with no more colons than keys none stands there twice.
  return count(json, ':', keys) === keys || jsonOutlineOf(json).keys === keys;
}

/** How often a character stands in a text; counted until it is more than `most`. */
function count(text: string, char: string, most: number): number {
  let found = 0;
  for (let at = text.indexOf(char); at !== -1 && found <= most; at = text.indexOf(char, at + 1)) found += 1;
  return found;
}
