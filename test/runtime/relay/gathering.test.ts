/** Whom the next transaction of a relay waits for: nobody who writes alone, and others only for a moment. */
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Gathering } from '../../../src/runtime/relay/gathering.ts';

const [ada, bob, cleo] = [{}, {}, {}];

// A millisecond passes by itself on a busy machine.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

class SetClock {
  time = 1_000;
  monotonic = (): number => this.time;
}

/** Whether it is over once all that is due now has run. */
async function isOver(wait: Promise<void>): Promise<boolean> {
  let over = false;
  void wait.then(() => (over = true));
  await setImmediate();
  return over;
}

/** One in which these have appended. */
function after(clock: SetClock, asked: readonly object[], meanwhile: readonly object[] = []): Gathering {
  const gathering = new Gathering(clock);
  for (const one of asked) gathering.appends(one);
  gathering.begin();
  for (const one of meanwhile) gathering.appends(one);
  gathering.end();
  return gathering;
}

it('who appends alone waits for nobody, however often', async () => {
  const gathering = after(new SetClock(), [ada, ada, ada]);
  for (let round = 0; round < 3; round += 1) {
    gathering.appends(ada);
    expect(await isOver(gathering.whole())).toBe(true);
    gathering.begin();
    gathering.end();
  }
});

it('the first of those who appended together waits until all have asked again', async () => {
  const gathering = after(new SetClock(), [ada, bob], [cleo]);
  const whole = gathering.whole();
  expect(await isOver(whole)).toBe(false);
  gathering.appends(ada);
  gathering.appends(ada);
  expect(await isOver(whole)).toBe(false);
  gathering.appends(bob);
  expect(await isOver(whole)).toBe(true);
});

it('who does not come is waited for once, and for a moment', async () => {
  const gathering = after(new SetClock(), [ada, bob]);
  gathering.appends(ada);
  const whole = gathering.whole();
  expect(await isOver(whole)).toBe(false);
  vi.advanceTimersByTime(1);
  expect(await isOver(whole)).toBe(true);
  gathering.begin();
  gathering.end();
  gathering.appends(ada);
  expect(await isOver(gathering.whole())).toBe(true);
});

it('who appended together long ago is not waited for', async () => {
  const clock = new SetClock();
  const gathering = after(clock, [ada, bob]);
  clock.time += 1_000;
  gathering.appends(ada);
  expect(await isOver(gathering.whole())).toBe(true);
});

it('what is urgent ends the wait, and has none if it came before', async () => {
  const gathering = after(new SetClock(), [ada, bob]);
  gathering.appends(ada);
  const whole = gathering.whole();
  gathering.hurry();
  expect(await isOver(whole)).toBe(true);
  gathering.begin();
  gathering.appends(bob);
  gathering.hurry();
  gathering.end();
  expect(await isOver(gathering.whole())).toBe(true);
});

it('a round without a record leaves it as it is', async () => {
  const gathering = after(new SetClock(), [ada, bob]);
  gathering.begin();
  gathering.end();
  gathering.appends(ada);
  expect(await isOver(gathering.whole())).toBe(false);
});
