/** How long a run will probably go on. */
import { describe, expect, it } from 'vitest';
import type { MemberState } from '../../../src/model/member/member-status.ts';
import { remainingOf } from '../../../src/policy/view/remaining-time.ts';
import type { RunOutcome } from '../../../src/policy/run-outcome.ts';
import { world } from '../world.ts';

const { board } = world({ members: ['ada'], tasks: [{ owner: 'ada' }, { owner: 'ada' }] });
const SPEED = { completions: [10_000, 20_000, 30_000], startedAt: 0 };

function left(outcome: RunOutcome, states: MemberState[], at = 30_000): number | undefined {
  return remainingOf({ board, outcome, members: states.map((state) => ({ state })), at }, SPEED);
}

describe('the remaining time', () => {
  it('of a run is what its tasks take at the speed of the last ones', () => {
    expect(left('running', ['working'])).toBe(20_000);
  });

  it('grows while nothing is completed, until all should have been', () => {
    expect(left('running', ['working'], 45_000)).toBe(30_000);
    expect(left('running', ['working'], 50_000)).toBe(33_333);
    expect(left('running', ['working'], 50_001)).toBeUndefined();
  });

  it('is told while one member waits for a person and another works', () => {
    expect(left('waiting', ['waiting', 'working'])).toBe(20_000);
  });

  it.each<[RunOutcome, MemberState[]]>([
    ['waiting', ['waiting', 'idle']],
    ['failed', ['stopped']],
    ['succeeded', ['stopped']],
    ['interrupted', ['dead']],
  ])('is not guessed for a run that is %s with members that are %s', (outcome, states) => {
    expect(left(outcome, states)).toBeUndefined();
  });
});
