/** Short waits that leave nothing behind, however often they are made. */
import { getEventListeners } from 'node:events';
import process from 'node:process';
import { expect, it } from 'vitest';
import { pause, pauseAside } from '../../src/os/pause.ts';

const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

it.each([
  ['pause', pause],
  ['pauseAside', pauseAside],
] as const)('%s leaves no listener at a signal, whether its time is over or the signal aborts', async (_, wait) => {
  const over = new AbortController();
  for (let time = 0; time < 20; time += 1) {
    await wait(1, over.signal);
    expect(listeners(over.signal)).toBe(0);
  }
  const waiting = wait(60_000, over.signal);
  expect(listeners(over.signal)).toBe(1);
  over.abort();
  await waiting;
  expect(listeners(over.signal)).toBe(0);
  await wait(60_000, over.signal);
});

it('pauseAside keeps no process alive, and pause does', async () => {
  const holding = (): number => process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length;
  const over = new AbortController();
  const before = holding();
  const aside = pauseAside(60_000, over.signal);
  expect(holding()).toBe(before);
  const held = pause(60_000, over.signal);
  expect(holding()).toBe(before + 1);
  over.abort();
  await Promise.all([aside, held]);
});
