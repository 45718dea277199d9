/** Divides the lines of the screen: first the least that each pane needs, in order, then what each wants. */

interface SpaceRequest {
  /** With fewer lines the pane is not shown. */
  readonly least: number;
  readonly want: number;
}

/** @returns the lines for each request; their sum never exceeds `lines` */
export function allocateLines(lines: number, wishes: readonly SpaceRequest[]): number[] {
  let left = lines;
  const given = wishes.map(({ least, want }) => {
    const first = Math.min(least, want);
    if (first > left) return 0;
    left -= first;
    return first;
  });
  // The remaining lines are given one by one in turn, so that a long pane does not take them all.
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
