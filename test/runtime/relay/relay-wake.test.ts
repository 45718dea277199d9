/** What a relay waits for between two rounds: a wake is never lost, and early wakes leave one timer. */
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Clock } from '../../../src/model/text/clock.ts';
import { RelayWake } from '../../../src/runtime/relay/relay-wake.ts';

/** Its sleeps end when the test says so, or with their signal. */
class HeldClock implements Clock {
  time = 0;
  readonly sleeps: { readonly ends: number; readonly end: () => void }[] = [];

  now = (): number => this.time;
  monotonic = (): number => this.time;

  sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const one = { ends: this.time + ms, end: resolve };
      this.sleeps.push(one);
      signal?.addEventListener('abort', () => {
        this.sleeps.splice(this.sleeps.indexOf(one), 1);
        resolve();
      });
    });

  goTo(time: number): void {
    this.time = time;
    const over = this.sleeps.filter(({ ends }) => ends <= time);
    for (const one of over) {
      this.sleeps.splice(this.sleeps.indexOf(one), 1);
      one.end();
    }
  }
}

/** Whether a wait is over once all that is due has run. */
async function isOver(wait: Promise<void>): Promise<boolean> {
  let over = false;
  void wait.then(() => (over = true));
  await setImmediate();
  return over;
}

it('a wait ends by a wake, also by one that came before it, and each wake counts once', async () => {
  const wake = new RelayWake(new HeldClock());
  const first = wake.wait(1_000);
  expect(await isOver(first)).toBe(false);
  wake.wake();
  expect(await isOver(first)).toBe(true);
  wake.wake();
  wake.wake();
  expect(await isOver(wake.wait(1_000))).toBe(true);
  expect(await isOver(wake.wait(1_000))).toBe(false);
});

it('a wait ends by its time', async () => {
  const clock = new HeldClock();
  const wait = new RelayWake(clock).wait(1_000);
  clock.goTo(999);
  expect(await isOver(wait)).toBe(false);
  clock.goTo(1_000);
  expect(await isOver(wait)).toBe(true);
});

it('early wakes leave one timer, an earlier time has its own, and the end leaves none', async () => {
  const clock = new HeldClock();
  const wake = new RelayWake(clock);
  for (let at = 0; at < 100; at += 1) {
    clock.goTo(at);
    const wait = wake.wait(1_099);
    wake.wake();
    await wait;
  }
  expect(clock.sleeps).toHaveLength(1);
  const soon = wake.wait(110);
  expect(clock.sleeps).toHaveLength(2);
  clock.goTo(110);
  expect(await isOver(soon)).toBe(true);
  wake.end();
  expect(clock.sleeps).toHaveLength(0);
});

it('a timer that was left over ends the next wait, whose own time follows', async () => {
  const clock = new HeldClock();
  const wake = new RelayWake(clock);
  const first = wake.wait(1_000);
  clock.goTo(500);
  wake.wake();
  await first;
  const second = wake.wait(1_500);
  clock.goTo(1_000);
  expect(await isOver(second)).toBe(true);
  const third = wake.wait(1_500);
  clock.goTo(1_500);
  expect(await isOver(third)).toBe(true);
});
