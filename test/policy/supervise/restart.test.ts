/** RELIABILITY fault 37: restarts after 5, 10 and 20 s, then no more; 60 s of health start the count again. */
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
  ])('after %i restarts is restarted at %i ms and not before', (restarts, wait) => {
    expect(dead(restarts, wait - 1)).toBeUndefined();
    expect(dead(restarts, wait)).toMatchObject({ do: 'restart', member: 'ada', attempt: restarts + 1 });
  });

  it('is given up at once after the third restart, and says how it died', () => {
    const verdict = dead(3, 0);
    expect(verdict).toMatchObject({ do: 'abandon', member: 'ada' });
    expect(verdict && 'why' in verdict && verdict.why).toContain('signal SIGKILL) after 3 restarts');
  });

  it('is given up at once when no agent can work for it', () => {
    expect(dead(0, 0, { unfit: true })).toMatchObject({ do: 'abandon', member: 'ada' });
  });

  it.each([
    ['given up', { givenUp: true }],
    ['quarantined', { quarantined: true }],
  ])('that is %s stays dead', (_, rest) => {
    expect(dead(0, 60_000, rest)).toBeUndefined();
  });

  it('of a person is never restarted: it is given up', () => {
    expect(dead(0, 60_000, { byHand: true })).toMatchObject({ do: 'abandon', member: 'ada' });
  });
});

describe('a process that starts', () => {
  it.each([
    ['is waited for', { startingFor: 29_999 }, undefined],
    ['is ended when it hangs before it is ready', { startingFor: 30_000 }, 'stop'],
    ['is ended in quarantine too', { startingFor: 30_000, quarantined: true }, 'stop'],
  ] as const)('%s', (_, rest, what) => {
    expect(restartOf(seen('ada', { process: 'starting', ...rest }))?.do).toBe(what);
  });
});

describe('a restarted process', () => {
  it.each([
    ['is pardoned after 60 s', { restarts: 2 }, true],
    ['is not pardoned before', { restarts: 2, aliveFor: 59_999 }, false],
    ['is not pardoned while its heart stands still', { restarts: 2, beatAge: 15_000 }, false],
    ['has nothing to be pardoned without restarts', { restarts: 0 }, false],
    ['that was given up and came back by hand is a member again', { givenUp: true, byHand: true }, true],
    ['is not pardoned in quarantine', { restarts: 1, quarantined: true }, false],
    ['is not pardoned while it starts', { restarts: 1, process: 'starting' }, false],
  ] as const)('%s', (_, rest, pardoned) => {
    expect(restartOf(seen('ada', { aliveFor: 60_000, ...rest }))?.do).toBe(pardoned ? 'resetRestarts' : undefined);
  });
});
