/** L1 and L6, and S4 for what is left at the end. L3 is L1: a robbed process is still inside. */
import type { Violation } from './check.ts';
import { those } from './history.ts';
import type { Machine } from './machine.ts';
import { DIRECTORY, TOKENS } from './scenarios/lock.ts';

export function checkLocks({ notes, files }: Machine): Violation[] {
  const found: Violation[] = [];
  let holder: number | undefined;
  for (const { kind, by, life } of those(notes, 'entered', 'left', 'killed'))
    if (kind === 'entered') {
      if (holder !== undefined) found.push({ id: 'L1', what: `${by} entered while life ${holder} was inside` });
      holder = life;
    } else if (holder === life) holder = undefined;
  for (const { by, lock } of those(notes, 'waited too long')) found.push({ id: 'L6', what: `${by} never got ${lock}` });
  const left = files.namesIn(DIRECTORY).filter((name) => /\.lock|\.tmp$/.test(name));
  for (const name of [...left, ...files.namesIn(TOKENS)]) found.push({ id: 'S4', what: `${name} is left` });
  return found;
}
