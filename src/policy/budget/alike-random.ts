/** Numbers from 0 to 1, below 1, that look like chance and are the same each time: a policy has no chance of its own. */
export function alikeRandom(): () => number {
  let state = 0x9e_37_79_b9;
  // Mulberry32.
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
