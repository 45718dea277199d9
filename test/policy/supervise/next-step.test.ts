import { describe, expect, it } from 'vitest';
import {
  nextStep,
  whileIdle,
  type IdleAction,
  type Situation,
  type NextStep,
} from '../../../src/policy/supervise/next-step.ts';

describe('what a teammate does next', () => {
  const rows: [own: Situation['own'], hasMail: boolean, hasReady: boolean, expected: NextStep][] = [
    ['none', false, false, 'wait'],
    ['none', false, true, 'claim'],
    ['none', true, false, 'read'],
    ['none', true, true, 'read'],
    ['workable', false, false, 'go on'],
    ['workable', false, true, 'go on'],
    ['workable', true, false, 'go on'],
    ['workable', true, true, 'go on'],
    ['asked about', false, false, 'wait'],
    ['asked about', false, true, 'wait'],
    ['asked about', true, false, 'read'],
    ['asked about', true, true, 'read'],
  ];
  it.each(rows)(
    'the next step of a teammate with %s in hand, mail %s, a ready task %s: %s',
    (own, hasMail, hasReady, expected) => {
      expect(nextStep({ isPaused: false, own, hasMail, hasReady })).toBe(expected);
      expect(nextStep({ isPaused: true, own, hasMail, hasReady })).toBe('wait');
    },
  );
});

describe('what is due in idleness', () => {
  const idle = { idleFor: 0, hasNews: true, waitsForAnswer: false, timeoutMs: undefined };
  const rows: [what: string, given: Partial<Parameters<typeof whileIdle>[0]>, expected: IdleAction[]][] = [
    ['nothing after a short wait', { idleFor: 999 }, []],
    ['the idle notice after a second', { idleFor: 1_000 }, ['tell idle']],
    ['no notice when the lead was told, or no task was done', { idleFor: 1_000, hasNews: false }, []],
    ['a message about blocked tasks after two minutes', { idleFor: 120_000, hasNews: false }, ['tell blocked']],
    ['the exit at the time-out', { idleFor: 500, timeoutMs: 500 }, ['leave']],
    ['the exit at once if the time-out is 0', { timeoutMs: 0 }, ['leave']],
    ['all of these together', { idleFor: 120_000, timeoutMs: 120_000 }, ['tell idle', 'tell blocked', 'leave']],
    ['nothing while a person must answer', { idleFor: 999_999, timeoutMs: 0, waitsForAnswer: true }, []],
  ];
  it.each(rows)('an idle teammate does %s', (_, given, expected) => {
    expect(whileIdle({ ...idle, ...given })).toEqual(expected);
  });
});
