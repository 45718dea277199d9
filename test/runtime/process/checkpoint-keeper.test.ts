import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CheckpointKeeper } from '../../../src/runtime/process/checkpoint-keeper.ts';

/** What grows, and as much of it as is written, in two steps. */
function logged() {
  const log = { size: 0, begun: 0, written: 0 };
  let now = -1_000;
  const keeper = new CheckpointKeeper(
    function* () {
      const { size } = log;
      if (size === log.begun) return;
      log.begun = size;
      yield;
      log.written = size;
    },
    { monotonic: () => now },
  );
  now = 0;
  const grow = (): void => {
    log.size += 1;
    keeper.keep();
  };
  return { log, keeper, grow, pass: (ms: number) => (now += ms) };
}

describe('what keeps a checkpoint', () => {
  it('writes it at most once in a second, however fast the log grows', async () => {
    const { log, grow, pass } = logged();
    for (let n = 0; n < 100; n += 1) {
      grow();
      await setImmediate();
    }
    expect(log.written).toBe(1);
    pass(999);
    grow();
    await setImmediate();
    expect(log.written).toBe(1);
    pass(1);
    grow();
    await setImmediate();
    expect(log.written).toBe(102);
  });

  it('writes the rest at its end, also of what it has begun', async () => {
    const { log, keeper, grow } = logged();
    grow();
    expect(log).toEqual({ size: 1, begun: 1, written: 0 });
    grow();
    keeper.finish();
    expect(log).toEqual({ size: 2, begun: 2, written: 2 });
    await setImmediate();
    keeper.finish();
    expect(log.written).toBe(2);
  });

  it('gives up what it has begun when it stops', async () => {
    const { log, keeper, grow } = logged();
    grow();
    keeper.stop();
    await setImmediate();
    expect(log.written).toBe(0);
  });
});
