/** How a run stands, as one word, and the headline of its report. */
import { describe, expect, it } from 'vitest';
import type { RunState } from '../../src/model/run/run-state.ts';
import { headline, runOutcome, RUN_OUTCOMES, type RunFactsSeen } from '../../src/policy/run-outcome.ts';
import { world, type World } from './world.ts';

const NOBODY: RunFactsSeen = { isLed: false, isCancelled: false };
const after = (exitCode: number, status: RunState['status'] = 'shutdown'): RunFactsSeen => ({
  ...NOBODY,
  state: { status, exitCode, gates: [] },
});
const one = (): World => world({ members: ['ada'], tasks: [{ owner: 'ada' }] });
function done(): World {
  const team = one();
  team.claim('ada', '1');
  team.complete('ada', '1');
  return team;
}
function paused(): World {
  const team = one();
  team.lead({ type: 'team.paused' });
  return team;
}
function closed(team = one()): World {
  team.lead({ type: 'team.closed' });
  return team;
}

describe('the outcome of a run', () => {
  it.each<[string, World, RunFactsSeen, string]>([
    ['with a lead', one(), { ...NOBODY, isLed: true }, 'running'],
    ['with a lead, in a pause', paused(), { ...NOBODY, isLed: true }, 'waiting'],
    ['whose lead is gone in a pause', paused(), after(1, 'active'), 'interrupted'],
    ['with a lead after an earlier end', one(), { ...after(1), isLed: true }, 'running'],
    ['with exit code 0', one(), after(0), 'succeeded'],
    ['with exit code 1', one(), after(1, 'failed'), 'failed'],
    ['whose second lead is gone', one(), after(1, 'active'), 'interrupted'],
    ['whose lead died while it ended', one(), after(0, 'completing'), 'interrupted'],
    ['that was never led', one(), NOBODY, 'interrupted'],
    ['whose tasks workers did without a lead', done(), NOBODY, 'succeeded'],
    ['that was cancelled', closed(), { ...NOBODY, isCancelled: true }, 'cancelled'],
    ['that ended and was put away', closed(), { ...after(0), isCancelled: true }, 'succeeded'],
  ])('the outcome of a run %s', (_, { board }, facts, wanted) => {
    expect(runOutcome(board, facts)).toBe(wanted);
  });

  it('a member that asks makes a led team wait', () => {
    const team = one();
    team.claim('ada', '1');
    const request = '00000000000000000000000099';
    team.member('ada', { type: 'request.made', request, kind: 'question', about: '1', text: 'Which one?' });
    expect(runOutcome(team.board, { ...NOBODY, isLed: true })).toBe('waiting');
    expect(runOutcome(team.board, NOBODY)).toBe('interrupted');
  });
});

describe('the headline', () => {
  it('only a run that succeeded is called complete', () => {
    const { board } = one();
    for (const outcome of RUN_OUTCOMES)
      expect(headline(board, outcome, []) === 'TEAM COMPLETE').toBe(outcome === 'succeeded');
  });

  it('a headline says what failed, or how much is done', () => {
    const { board } = one();
    expect(headline(board, 'failed', ['test'])).toBe('TEAM FAILED: test failed');
    expect(headline(board, 'interrupted', [])).toBe('TEAM INTERRUPTED: 0 of 1 task done');
    const team = world({ members: ['ada'], tasks: [{ owner: 'ada' }, { blockedBy: ['1'] }] });
    team.attempt('ada', '1');
    team.lead({ type: 'task.skipped', task: '2', cascade: false, why: '#1 failed' });
    expect(headline(team.board, 'failed', [])).toBe('TEAM FAILED: 1 failed, 1 skipped');
  });
});
