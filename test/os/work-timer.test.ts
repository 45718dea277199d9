/** A time limit that a pause of the machine does not use up. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { afterRunning, RunningTime } from '../../src/os/work-timer.ts';

let now: number;
let ended: number[];
const start = (ms: number): (() => void) =>
  afterRunning(
    ms,
    () => ended.push(now),
    () => now,
  );
/** Time passes while this process runs. */
function runs(ms: number): void {
  for (let passed = 0; passed < ms; passed += 100) {
    now += 100;
    vi.advanceTimersByTime(100);
  }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  [now, ended] = [5_000, []];
});
afterEach(() => void vi.useRealTimers());

test.each([100, 900, 1_000, 45_000])('a limit of %d ms ends after that time', (ms) => {
  start(ms);
  runs(ms - 100);
  expect(ended).toEqual([]);
  runs(200);
  expect(ended).toHaveLength(1);
});

test('a pause of an hour uses at most a second of a limit', () => {
  start(45_000);
  runs(20_000);
  now += 3_600_000;
  runs(23_000);
  expect(ended).toEqual([]);
  runs(2_000);
  expect(ended).toHaveLength(1);
});

test('ticks that load holds up count in full', () => {
  start(10_000);
  for (let tick = 0; tick < 5; tick += 1) {
    now += 2_000;
    vi.advanceTimersByTime(1_000);
  }
  expect(ended).toHaveLength(1);
});

test('a limit that was ended never fires', () => {
  const end = start(1_000);
  runs(500);
  end();
  end();
  runs(5_000);
  expect(ended).toEqual([]);
});

test('running time counts a pause as one second', () => {
  const time = new RunningTime(() => now);
  for (let second = 0; second < 10; second += 1) {
    now += 1_000;
    time.look();
  }
  now += 3_600_000;
  expect(time.look()).toBe(11_000);
  time.start();
  now += 500;
  expect(time.look()).toBe(500);
});
