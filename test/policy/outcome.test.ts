/** How a turn ends its task (docs/specification.md R3.6), and how a board ends a run (R3.11). */
import { describe, expect, it } from 'vitest';
import { FAILURE_CLASSES } from '../../src/model/agent/agent.ts';
import { gateSchema } from '../../src/model/run/run-state.ts';
import {
  exitCodeOf,
  isFaulty,
  judgeFault,
  judgeTurn,
  type FaultyTurn,
  type TurnVerdict,
} from '../../src/policy/outcome.ts';
import { world, type TaskSketch } from './world.ts';

const task = world({ tasks: [{ work: { timeoutMs: 90_000 } }] }).task('1');
const failed = { kind: 'failed', text: 'the end of it', message: 'exit code 3' } as const;

describe('judgeFault', () => {
  const end: FaultyTurn = { kind: 'failed', why: 'timeout', message: 'Too long.', text: 'begun' };
  const released: TurnVerdict = { do: 'release', reason: 'agent', fault: 'timeout', why: 'timeout: Too long.' };

  it('judgeFault returns the task for the same agent or another, and fails it if the fault is the task’s own', () => {
    expect(judgeFault(end, { done: 'again', afterMs: 5_000 })).toEqual({ ...released, retryAfterMs: 5_000 });
    expect(judgeFault({ ...end, retryAfterMs: 9 }, { done: 'again' })).toEqual({ ...released, retryAfterMs: 9 });
    expect(judgeFault({ ...end, retryAfterMs: 9 }, { done: 'replaced' })).toEqual({ ...released, retryAfterMs: 0 });
    expect(judgeFault(end, { done: 'nothing', for: 'run', why: 'Nobody.' })).toEqual(released);
    expect(judgeFault(end, { done: 'nothing', for: 'task', why: 'Nobody.' })).toEqual({
      do: 'fail',
      why: 'timeout: Too long. Nobody.',
      text: 'begun',
    });
  });

  it('judgeFault judges faults of an agent; the exit code of a program is no such fault', () => {
    expect(isFaulty(end)).toBe(true);
    expect(isFaulty({ ...end, why: 'exit' })).toBe(false);
    expect(isFaulty({ kind: 'aborted' })).toBe(false);
  });
});

describe('judgeTurn', () => {
  it('judgeTurn completes an answered task after its checks', () => {
    expect(judgeTurn({ kind: 'answered', text: 'done', exitCode: 0 }, task)).toEqual({
      do: 'complete',
      text: 'done',
      exitCode: 0,
    });
    expect(judgeTurn({ kind: 'answered', text: 'done' }, task)).toEqual({ do: 'complete', text: 'done' });
  });

  it('judgeTurn counts the failure of a program as a failed attempt', () => {
    expect(judgeTurn({ ...failed, why: 'exit', exitCode: 3 }, task)).toEqual({
      do: 'fail',
      why: 'exit code 3',
      text: 'the end of it',
      exitCode: 3,
    });
  });

  it('judgeTurn counts the time-out of a task as a failed attempt, and gives its length', () => {
    expect(judgeTurn({ ...failed, why: 'timeout' }, task)).toMatchObject({
      do: 'fail',
      why: 'timed out after 1m30s: exit code 3',
    });
  });

  it.each(FAILURE_CLASSES.filter((one) => one !== 'timeout'))('judgeTurn counts %s as no attempt', (why) => {
    expect(judgeTurn({ ...failed, why, retryAfterMs: 7_000 }, task)).toEqual({
      do: 'release',
      reason: 'agent',
      fault: why,
      why: `${why}: exit code 3`,
      retryAfterMs: 7_000,
    });
  });

  it('judgeTurn releases a stopped task', () => {
    expect(judgeTurn({ kind: 'aborted' }, task)).toMatchObject({ do: 'release', reason: 'released' });
  });
});

describe('exitCodeOf', () => {
  const board = (...tasks: (TaskSketch & { end: 'complete' | 'fail' | 'skip' | 'cancel' | 'none' })[]) => {
    const team = world({
      profile: 'v8',
      claim: 'auto',
      members: ['ada'],
      tasks: tasks.map(({ end: _, ...rest }) => rest),
    });
    for (const [at, { end }] of tasks.entries()) {
      const id = String(at + 1);
      if (end === 'skip') team.lead({ type: 'task.skipped', task: id, cascade: false, why: 'no need' });
      if (end === 'cancel') team.lead({ type: 'task.cancelled', task: id, why: 'no need' });
      if (end === 'complete' || end === 'fail') {
        team.claim('ada', id);
        team[end]('ada', id);
      }
    }
    return team.board;
  };
  const gate = (result: string) => gateSchema.parse({ name: 'test', result });

  it.each([
    ['all tasks are completed', board({ end: 'complete' }), 0],
    ['one task failed', board({ end: 'complete' }, { end: 'fail' }), 1],
    ['one task failed that is not required', board({ end: 'complete' }, { end: 'fail', required: false }), 0],
    ['one task was skipped', board({ end: 'skip' }), 1],
    ['one task was cancelled', board({ end: 'cancel' }), 1],
    ['one task is open', board({ end: 'none' }), 1],
    ['an internal task is open', board({ end: 'complete' }, { end: 'none', metadata: { _internal: true } }), 0],
  ] as const)('the exit code when %s', (_, one, code) => {
    expect(exitCodeOf(one, [], { strict: false })).toBe(code);
  });

  it.each([
    ['pass', 0, 0],
    ['fail', 1, 1],
    ['skipped', 0, 1],
  ] as const)('the exit code when a gate is %s: %i, strictly %i', (result, code, strictly) => {
    const one = board({ end: 'complete' });
    expect(exitCodeOf(one, [gate(result)], { strict: false })).toBe(code);
    expect(exitCodeOf(one, [gate(result)], { strict: true })).toBe(strictly);
  });
});
