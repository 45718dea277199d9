/** What a run may use, by finished tasks of earlier runs. */
import { describe, expect, it } from 'vitest';
import { forecast, rangeOf, similarTasks, taskSize, type PastTask } from '../../../src/policy/budget/forecast.ts';

const past = (over: Partial<PastTask> = {}): PastTask => ({
  role: 'executor',
  agent: 'claude',
  model: 'opus',
  size: 'small',
  turns: 1,
  tokens: 1_000,
  usd: 0.1,
  durationMs: 60_000,
  ...over,
});
const { role, agent, model, size } = past();
const like = { role, agent, model, size };
const task = (members: readonly number[], ...blockedBy: number[]) => ({
  doers: members.map((member) => ({ member, traits: like })),
  blockedBy,
});
const same = (value: number) => ({ median: value, p90: value });

describe('the tasks that a planned one is compared with', () => {
  const five = (over: Partial<PastTask>): PastTask[] => Array.from({ length: 5 }, () => past(over));
  const alike = five({});
  const ofSize = five({ role: 'writer' });
  const ofRole = five({ size: 'large' });
  const ofModel = five({ role: 'writer', size: 'large' });
  const ofKind = five({ model: 'haiku' });
  const others = five({ agent: 'codex' });

  it.each<[string, PastTask[], PastTask[]]>([
    ['role, kind, model and size', [...alike, ...ofSize, ...ofRole, ...ofKind, ...others], alike],
    ['kind, model and size', [...ofSize, ...ofRole, ...ofKind, ...others], ofSize],
    ['kind, model and role', [...ofRole, ...ofModel, ...ofKind, ...others], ofRole],
    ['kind and model', [...ofModel, ...ofKind, ...others], ofModel],
    ['its kind', [...ofKind, ...others], ofKind],
    ['fewer than five of one sort: the next sort', [...alike.slice(1), ...ofSize], [...alike.slice(1), ...ofSize]],
    ['none of its kind: nothing', others, []],
  ])('are like it in %s', (_, all, expected) => {
    expect(similarTasks(like, all)).toEqual(expected);
  });

  it('may be of any model, if its own is not known', () => {
    expect(similarTasks({ ...like, model: null }, [...alike, ...ofKind])).toEqual([...alike, ...ofKind]);
  });
});

describe('a forecast', () => {
  it('of nothing, or of what nothing is known about, is none', () => {
    expect(forecast([], [past()])).toBeUndefined();
    expect(forecast([task([0])], [])).toBeUndefined();
    expect(forecast([task([])], [past()])).toBeUndefined();
    const stranger = { member: 1, traits: { ...like, agent: 'codex' } };
    expect(forecast([task([0]), { doers: [stranger], blockedBy: [] }], [past()])).toBeUndefined();
  });

  it('adds up what its tasks use, and members work at the same time', () => {
    expect(forecast([task([0]), task([1])], [past()])).toEqual({
      turns: same(2),
      tokens: same(2_000),
      usd: same(0.2),
      durationMs: same(60_000),
    });
  });

  it.each<[string, ReturnType<typeof task>[], number]>([
    ['one member does one after the other', [task([0]), task([0])], 2],
    ['who is free takes the next', [task([0, 1]), task([0, 1]), task([0, 1])], 2],
    ['a task waits for another', [task([0]), task([1], 0)], 2],
    ['a blocker may come later', [task([0], 1), task([1], 2), task([2])], 3],
    [
      'a chain of a thousand',
      Array.from({ length: 1_000 }, (_, at) => task([at], ...(at < 999 ? [at + 1] : []))),
      1_000,
    ],
  ])('takes as long as its longest way: %s', (_, tasks, minutes) => {
    expect(forecast(tasks, [past()])?.durationMs).toEqual(same(minutes * 60_000));
  });

  it('knows no cost where a price was not known, and everything else', () => {
    expect(forecast([task([0])], [past({ usd: null })])).toMatchObject({ usd: null, tokens: same(1_000) });
  });

  it('tells the median and the 90th percentile of runs like the past, the same each time', () => {
    const some = Array.from({ length: 100 }, (_, at) => past({ tokens: at + 1 }));
    const one = forecast([task([0])], some);
    expect(Math.abs((one?.tokens.median ?? 0) - 50)).toBeLessThan(6);
    expect(Math.abs((one?.tokens.p90 ?? 0) - 90)).toBeLessThan(4);
    // Of 100 tasks the sum is near 100 times the mean: the high ones and the low ones make up for each other.
    const many = forecast(
      Array.from({ length: 100 }, () => task([0])),
      some,
    );
    expect(Math.abs((many?.tokens.median ?? 0) - 5_050)).toBeLessThan(60);
    expect(many?.tokens.p90).toBeLessThan(5_050 + 1.28 * 290 + 80);
    expect(many?.tokens.p90).toBeGreaterThan(5_050 + 1.28 * 290 - 80);
    expect(forecast([task([0])], some)).toEqual(one);
  });

  it('of 500 tasks and 64 members is told at once', () => {
    const members = Array.from({ length: 64 }, (_, at) => at);
    const some = Array.from({ length: 2_000 }, (_, at) => past({ tokens: at }));
    const began = performance.now();
    expect(
      forecast(
        Array.from({ length: 500 }, () => task(members)),
        some,
      ),
    ).toBeDefined();
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});

it.each([
  [[], 0, 0],
  [[7], 7, 7],
  [[3, 1, 2], 2, 3],
  [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 5, 9],
])('half of %j are at most the median, and nine of ten at most the other', (values, median, p90) => {
  expect(rangeOf(values)).toEqual({ median, p90 });
});

it.each([
  [50, 'small'],
  [51, 'medium'],
  [250, 'medium'],
  [251, 'large'],
])('a task of %d words is %s', (words, expected) => {
  expect(taskSize({ subject: 'Build', description: ' word'.repeat(words - 1) })).toBe(expected);
});
