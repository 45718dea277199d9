import { describe, expect, it } from 'vitest';
import { isLasting, pauseAfter } from '../../../src/policy/landing/landing-trouble.ts';
import {
  heldBack,
  holdsIn,
  line,
  next,
  refusedChange,
  type GateVerdict,
  type LineEntry,
  type QueueStep,
} from '../../../src/policy/landing/queue.ts';
import { trespass } from '../../../src/policy/landing/trespass.ts';
import type { LandingTask } from '../../../src/model/board/task.ts';
import { ada, bob, byLead, byMember, openWorld, ulid, type World } from '../../model/world.ts';

const ATTEMPT = { commit: 'a'.repeat(40), base: 'b'.repeat(40) };

function submit(world: World, id: string, files: string[], who = ada): void {
  world.claim(id, who);
  const epoch = world.task(id).claims;
  const result = { summary: '', files };
  world.say(byMember(who), { type: 'task.submitted', task: id, epoch, result, attempt: ATTEMPT });
}

const bounce = (world: World, id: string, files: string[]): void =>
  void world.say(byLead(), {
    type: 'task.bounced',
    task: id,
    epoch: world.task(id).claims,
    cause: 'conflict',
    why: 'it conflicts',
    files,
  });

function three(): World {
  const world = openWorld();
  for (let at = 0; at < 3; at += 1) world.add();
  return world;
}
const ids = (world: World, most = 8): string[] => line(world.board, most).map(({ id }) => id);

describe('the line', () => {
  it('changes come in as they were submitted, those of one moment by number, and no more than a batch', () => {
    const world = three();
    for (const id of ['2', '1', '3']) submit(world, id, [`${id}.txt`]);
    expect(ids(world)).toEqual(['1', '2', '3']);
    expect(ids(world, 2)).toEqual(['1', '2']);
  });

  it('a change that waits for a person lets others pass; it comes in when it is accepted, or goes back with the note', () => {
    const world = three();
    for (const id of ['1', '2']) submit(world, id, [`${id}.txt`]);
    for (const [about, at] of [
      ['1', 1],
      ['2', 2],
    ] as const)
      world.say(byMember(ada), { type: 'request.made', request: ulid(at), kind: 'review', about, text: '' });
    submit(world, '3', ['3.txt']);
    expect(ids(world)).toEqual(['3']);
    expect(refusedChange(world.board)).toBeUndefined();
    world.say(byLead(), { type: 'request.answered', request: ulid(2), approve: true, text: '' });
    expect(ids(world)).toEqual(['2', '3']);
    world.say(byLead(), { type: 'request.answered', request: ulid(1), approve: false, text: 'shorter' });
    expect(refusedChange(world.board)).toMatchObject({ task: { id: '1' }, why: 'shorter' });
    expect(ids(world)).toEqual(['2', '3']);
  });

  it('a change that came back holds its files until it landed, and goes first then', () => {
    const world = three();
    submit(world, '1', ['a']);
    bounce(world, '1', ['a']);
    submit(world, '2', ['a', 'b'], bob);
    submit(world, '3', ['c'], ada);
    expect(ids(world)).toEqual(['3']);
    const [hold] = holdsIn(world.board);
    expect(hold?.task).toBe('1');
    const second = world.task('2');
    expect(second.status === 'landing' && heldBack(second, holdsIn(world.board))).toEqual({ task: '1', file: 'a' });
    world.say(byLead(), { type: 'task.landed', task: '3', epoch: 1, commit: ATTEMPT.commit });
    submit(world, '1', ['a']);
    expect(ids(world)).toEqual(['1']);
    world.say(byLead(), { type: 'task.cancelled', task: '1', why: '' });
    expect(ids(world)).toEqual(['2']);
  });

  it('of two holds on each other’s files the older one goes first', () => {
    const world = three();
    submit(world, '1', ['a', 'b']);
    bounce(world, '1', ['a', 'b']);
    submit(world, '2', ['a', 'b'], bob);
    bounce(world, '2', ['a', 'b']);
    submit(world, '2', ['a', 'b'], bob);
    expect(ids(world)).toEqual([]);
    submit(world, '1', ['a', 'b']);
    expect(ids(world)).toEqual(['1']);
  });
});

const task = (id: string): LandingTask => {
  const world = openWorld();
  world.add();
  submit(world, '1', ['f']);
  const made = world.task('1');
  if (made.status !== 'landing') throw new Error(made.status);
  return { ...made, id };
};
const stacked = (id: string): LineEntry => ({ kind: 'stacked', task: task(id), tree: `t${id}`, commit: `c${id}` });
const red = (times = 1): GateVerdict => ({ ok: false, red: times, why: 'red' });
const green: GateVerdict = { ok: true, red: 0, why: '' };
const short = (step: QueueStep): string =>
  'upTo' in step
    ? `${step.do} ${step.upTo.task.id}`
    : step.do === 'bounce'
      ? `bounce ${step.entry.task.id} ${step.cause}`
      : step.do;

describe('what is next', () => {
  const four = ['1', '2', '3', '4'].map(stacked);
  it.each<[string, Record<string, GateVerdict>, string]>([
    ['nothing is known', {}, 'gate 4'],
    ['the last one is green', { t4: green }, 'land 4'],
    ['the last one is red', { t4: red() }, 'gate 2'],
    ['the half before it is red', { t4: red(), t2: red() }, 'gate 1'],
    ['the half before it is green', { t4: red(), t2: green }, 'land 2'],
    ['the first is red once', { t1: red() }, 'gate 1'],
    ['the first is red twice', { t1: red(2) }, 'bounce 1 gate'],
    ['the first is red and then green', { t1: { ok: true, red: 1, why: '' } }, 'land 1'],
    ['a later one mends the first', { t1: red(), t3: green }, 'land 3'],
  ])('%s: %j → %s', (_, verdicts, expected) => {
    expect(short(next(four, new Map(Object.entries(verdicts))))).toBe(expected);
  });

  it('a conflict with what landed goes back at once; one with a change before it waits', () => {
    const conflict = (onMain: boolean): LineEntry => ({
      kind: 'conflict',
      task: task('2'),
      onMain,
      why: 'w',
      files: ['f'],
    });
    expect(short(next([conflict(true), stacked('3')], new Map()))).toBe('bounce 2 conflict');
    expect(short(next([stacked('1'), conflict(false), stacked('3')], new Map()))).toBe('gate 3');
    expect(short(next([], new Map()))).toBe('wait');
    const failed: LineEntry = { kind: 'failed', task: task('1'), why: 'w' };
    expect(short(next([failed], new Map()))).toBe('wait');
    expect(short(next([failed, stacked('3')], new Map()))).toBe('gate 3');
    expect(short(next([{ kind: 'stray', task: task('4'), why: 'w', files: ['x'] }], new Map()))).toBe('bounce 4 stray');
  });

  it('git that fails is waited for, longer each time; what lasts a minute is no passing trouble, but a full disk is', () => {
    expect([1, 2, 3, 4, 5, 6, 7].map(pauseAfter)).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    expect([5, 6].map((tries) => isLasting(tries, { isWaitedFor: false }))).toEqual([false, true]);
    expect(isLasting(1_000, { isWaitedFor: true })).toBe(false);
  });

  it('one culprit of n costs at most 1 + ⌈log2 n⌉ + 2 gates', () => {
    for (const n of [1, 2, 4, 8, 16])
      for (let culprit = 0; culprit < n; culprit += 1) {
        let stack = Array.from({ length: n }, (_, at) => stacked(String(at + 1)));
        const verdicts = new Map<string, GateVerdict>();
        let gates = 0;
        let main: string[] = [];
        for (let step = next(stack, verdicts); step.do !== 'wait'; step = next(stack, verdicts)) {
          if (step.do === 'gate') {
            gates += 1;
            const at = stack.indexOf(step.upTo);
            const isRed = stack.slice(0, at + 1).some((one) => one.task.id === String(culprit + 1));
            const before = verdicts.get(step.upTo.tree)?.red ?? 0;
            verdicts.set(step.upTo.tree, isRed ? red(before + 1) : green);
          } else if (step.do === 'land') {
            const at = stack.indexOf(step.upTo);
            main = [...main, ...stack.slice(0, at + 1).map((one) => one.task.id)];
            stack = stack.slice(at + 1);
          } else {
            expect(step.entry.task.id).toBe(String(culprit + 1));
            // Without it the others have other trees.
            stack = stack
              .filter((one) => one !== step.entry)
              .map((one) => (one.kind === 'stacked' ? { ...one, tree: `${one.tree}'` } : one));
          }
        }
        expect(main).toHaveLength(n - 1);
        // The second look at the culprit, and the rest once more.
        expect(gates, `${culprit} of ${n}`).toBeLessThanOrEqual(1 + Math.ceil(Math.log2(n)) + 2 + 1);
      }
  });
});

describe('files of others', () => {
  it.each([
    [['src/a.ts'], ['src/**'], [], []],
    [['src/a.ts', 'docs/x.md'], ['src/**'], [], ['docs/x.md']],
    [['src/a.ts', 'docs/x.md'], ['src/**'], ['docs/x.md'], []],
    [['free.txt', 'lib/b.ts'], [], [], ['lib/b.ts']],
  ])('%j with %j and %j', (changed, own, granted, expected) => {
    expect(trespass({ changed, own, granted, others: ['lib/**'] })).toEqual(expected);
  });
});
