/** Characters that are repeated in a text, counted in time that grows with its length. */

/** How many backticks follow each other in a text at most: a fence of Markdown around it needs one more. */
export function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

/**
 * A text without these characters at its end. A pattern such as `/\/+$/` tries each place of a long run that does not
 * end the text: its time grows with the square.
 *
 * @param characters each a single UTF-16 unit
 */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
