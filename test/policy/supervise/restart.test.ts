/** Fault 37 of docs/reliability.md: restarts after 5, 10 and 20 s, then no more; 60 s of health reset the count. */
import { describe, expect, it } from 'vitest';
import { restartOf } from '../../../src/policy/supervise/restart.ts';
import { seen } from '../world.ts';

const dead = (restarts: number, deadFor: number, rest = {}) =>
  restartOf(seen('ada', { process: 'dead', death: 'signal SIGKILL', restarts, deadFor, ...rest }));

describe('a dead process', () => {
  it.each([
    [0, 5_000],
    [1, 10_000],
    [2, 20_000],
  ])('a process after %i restarts is restarted at %i ms and not before', (restarts, wait) => {
    expect(dead(restarts, wait - 1)).toBeUndefined();
    expect(dead(restarts, wait)).toMatchObject({ do: 'restart', member: 'ada', attempt: restarts + 1 });
  });

  it('a member is abandoned at once after the third restart, with the cause of death', () => {
    const verdict = dead(3, 0);
    expect(verdict).toMatchObject({ do: 'abandon', member: 'ada' });
    expect(verdict && 'why' in verdict && verdict.why).toContain('signal SIGKILL) after 3 restarts');
  });

  it('a member is abandoned at once if no agent can work for it', () => {
    expect(dead(0, 0, { unfit: true })).toMatchObject({ do: 'abandon', member: 'ada' });
  });

  it.each([
    ['abandoned', { givenUp: true }],
    ['quarantined', { quarantined: true }],
  ])('a dead process that is %s is not restarted', (_, rest) => {
    expect(dead(0, 60_000, rest)).toBeUndefined();
  });

  it('a process that a person started is never restarted: its member is abandoned', () => {
    expect(dead(0, 60_000, { byHand: true })).toMatchObject({ do: 'abandon', member: 'ada' });
  });
});

describe('a process that starts', () => {
  it.each([
    ['is waited for', { startingFor: 299_999 }, undefined],
    ['is ended when it hangs before it is ready', { startingFor: 300_000 }, 'stop'],
    ['is ended in quarantine too', { startingFor: 300_000, quarantined: true }, 'stop'],
  ] as const)('a starting process %s', (_, rest, what) => {
    expect(restartOf(seen('ada', { process: 'starting', ...rest }))?.do).toBe(what);
  });
});

describe('a restarted process', () => {
  it.each([
    ['has its count reset after 60 s', { restarts: 2 }, true],
    ['has no reset before', { restarts: 2, aliveFor: 59_999 }, false],
    ['has no reset while its heartbeat is stale', { restarts: 2, beatAge: 15_000 }, false],
    ['has no reset without restarts', { restarts: 0 }, false],
    ['that was abandoned and came back by hand is a member again', { givenUp: true, byHand: true }, true],
    ['has no reset in quarantine', { restarts: 1, quarantined: true }, false],
    ['has no reset while it starts', { restarts: 1, process: 'starting' }, false],
  ] as const)('a restarted process %s', (_, rest, pardoned) => {
    expect(restartOf(seen('ada', { aliveFor: 60_000, ...rest }))?.do).toBe(pardoned ? 'resetRestarts' : undefined);
  });
});
