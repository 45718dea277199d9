/** Who gets how many lines of the screen: the least that each needs, first come first served, then what each wants. */

export interface SpaceRequest {
  /** Below this it is not shown at all. */
  readonly least: number;
  readonly want: number;
}

/** @returns lines for each wish, never more in all than there are */
export function allocateLines(lines: number, wishes: readonly SpaceRequest[]): number[] {
  let left = lines;
  const given = wishes.map(({ least, want }) => {
    const first = Math.min(least, want);
    if (first > left) return 0;
    left -= first;
    return first;
  });
  // What is left goes round, one line each, so that no pane starves beside a long one.
  for (let isGiven = true; isGiven && left > 0;) {
    isGiven = false;
    for (const [index, { want }] of wishes.entries()) {
      const has = given[index] ?? 0;
      if (left === 0 || has === 0 || has >= want) continue;
      given[index] = has + 1;
      left -= 1;
      isGiven = true;
    }
  }
  return given;
}
