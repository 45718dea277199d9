/** "Did you mean": finds the known word nearest to an unknown one. */

/** Longer words are not compared: they are hardly typing errors. */
const LONGEST = 64;

/**
 * The optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours.
 * Source: Damerau (1964), Wagner and Fischer (1974).
 */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current[column] = Math.min(
        (above[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (before[column - 2] ?? 0) + 1 : Infinity,
      );
    }
    before = above;
    above = current;
  }
  return above[b.length] ?? 0;
}

/** The candidate nearest to `word`, the first of equals; undefined if none is near enough. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > LONGEST) return undefined;
  const wanted = word.toLowerCase();
  let best: string | undefined;
  let least = Math.min(word.length, Math.max(1, Math.floor(word.length / 3)) + 1);
  for (const candidate of candidates) {
    if (candidate.length > LONGEST || Math.abs(candidate.length - word.length) >= least) continue;
    const far = distance(wanted, candidate.toLowerCase());
    if (far >= least) continue;
    best = candidate;
    least = far;
  }
  return best;
}

/** The end of a sentence about an unknown word: `; did you mean "maxAgents"?`, or only the full stop. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const meant = nearest(word, candidates);
  return meant === undefined ? '.' : `; did you mean ${JSON.stringify(meant)}?`;
}

/** The same, followed by all known words; for short lists. */
export function didYouMeanOneOf(word: string, candidates: Iterable<string>): string {
  const known = [...candidates];
  return `${didYouMean(word, known)}${known.length === 0 ? '' : ` Known are ${known.join(', ')}.`}`;
}

/** The same; `cure` is the rest of the sentence where none is near enough. */
export function didYouMeanOr(cure: string, word: string, candidates: Iterable<string>): string {
  const meant = nearest(word, candidates);
  return meant === undefined ? `; ${cure}.` : `; did you mean ${JSON.stringify(meant)}?`;
}

/** The sentence about a name that is no member's. */
export const noMember = (team: string, name: string, members: Iterable<string>): string =>
  `Team ${team} has no member ${name}${didYouMeanOr(`\`teams status ${team}\` lists them`, name, members)}`;
