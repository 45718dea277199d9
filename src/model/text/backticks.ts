/** How many backticks follow each other in a text at most: a fence of Markdown around it needs one more. */
export function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
