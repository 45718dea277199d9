import { describe, expect, it } from 'vitest';
import { allDependants, claimRefusal, count, isDone, ownsPrefix, waitsFor } from '../../../src/model/board/board.ts';
import { nextClaim } from '../../../src/model/board/listed-tasks.ts';
import { LEAD } from '../../../src/model/text/names.ts';
import { resolveTask } from '../../../src/model/board/task-reference.ts';
import { ada, bob, byLead, cy, openWorld, reviewer, type World } from '../world.ts';

const next = (world: World, member = ada) => nextClaim(world.board, member)?.id;
const refusal = (world: World, id: string, member = ada) =>
  claimRefusal(world.board, world.task(id), world.board.members.get(member), member)?.code;

describe('nextClaim', () => {
  it('nextClaim takes the lowest id, and 10 comes after 2', () => {
    const world = openWorld();
    for (let n = 0; n < 11; n += 1) world.add();
    world.say(byLead(), { type: 'task.cancelled', task: '1', why: '' });
    expect(next(world)).toBe('2');
    for (let id = 2; id < 10; id += 1) world.say(byLead(), { type: 'task.cancelled', task: `${id}`, why: '' });
    expect(next(world)).toBe('10');
  });

  it('nextClaim takes an own task before an unowned one with a lower id', () => {
    const world = openWorld();
    world.add();
    world.add({ owner: bob });
    world.add({ owner: ada });
    world.add({ owner: ada });
    expect(next(world)).toBe('3');
    expect(next(world, cy)).toBe('1');
  });

  it('nextClaim takes an unowned task while the own one is blocked, and leaves out the excluded ids', () => {
    const world = openWorld();
    world.add({ owner: bob });
    world.add({ owner: ada, blockedBy: ['1'] });
    world.add();
    world.add();
    expect(next(world)).toBe('3');
    expect(nextClaim(world.board, ada, new Set(['3']))?.id).toBe('4');
    expect(nextClaim(world.board, ada, new Set(['3', '4']))).toBeUndefined();
  });

  it('nextClaim takes only a task whose claim the fold accepts', () => {
    const world = openWorld();
    world.add({ role: reviewer });
    world.add({ owner: LEAD });
    expect(next(world)).toBeUndefined();
    expect(next(world, cy)).toBe('1');
    expect(next(world, LEAD)).toBe('2');
    world.claim('1', cy);
    world.add();
    expect(next(world, cy)).toBeUndefined();
    expect(next(world, ada)).toBe('3');
    world.say(byLead(), { type: 'team.closing' });
    expect(next(world, ada)).toBeUndefined();
  });
});

describe('claimRefusal', () => {
  it('claimRefusal names the first reason, and at most a few blockers', () => {
    const world = openWorld();
    for (let n = 0; n < 30; n += 1) world.add();
    const id = world.add({ blockedBy: Array.from({ length: 30 }, (_, at) => `${at + 1}`) });
    const refused = claimRefusal(world.board, world.task(id), world.board.members.get(ada), ada);
    expect(refused?.code).toBe('NOT_READY');
    expect(refused?.why).toMatch(/^task #31 waits for #1, .*#10 and 20 more$/);
  });

  it('claimRefusal lets only members and the lead claim', () => {
    const world = openWorld();
    world.add();
    expect(refusal(world, '1', ada)).toBeUndefined();
    expect(refusal(world, '1', LEAD)).toBeUndefined();
    world.say(byLead(), { type: 'member.left', name: ada, why: '' });
    expect(refusal(world, '1', ada)).toBe('UNKNOWN_MEMBER');
  });

  it('claimRefusal keeps the lead from tasks with a role, unless the lead owns them', () => {
    const world = openWorld();
    world.add({ role: reviewer });
    world.add({ role: reviewer, owner: LEAD });
    expect(refusal(world, '1', LEAD)).toBe('POLICY_DENIED');
    expect(refusal(world, '2', LEAD)).toBeUndefined();
  });
});

describe('prefixes', () => {
  it('prefixes match whole words: IMPL owns IMPL-001 and not IMPLX-001', () => {
    const world = openWorld('prefix', { ada: ['IMPL'] });
    const member = world.board.members.get(ada);
    const owns = (subject: string) => member && ownsPrefix(world.board, member, subject);
    expect(['IMPL-001 x', '[tag] IMPL-002', 'IMPL-001-R2', 'IMPLX-001 x', 'impl-001', 'do IMPL-001'].map(owns)).toEqual(
      [true, true, true, false, false, false],
    );
  });

  it('a prefix still belongs to its role after the member has left', () => {
    const world = openWorld('prefix', { ada: ['DEV'], bob: ['DEV-FE'] });
    world.add({ subject: 'DEV-FE-001 x' });
    world.say(byLead(), { type: 'member.left', name: bob, why: '' });
    expect(refusal(world, '1', ada)).toBe('POLICY_DENIED');
  });
});

describe('count and isDone', () => {
  it('counts leave internal tasks out and include blocked ones', () => {
    const world = openWorld();
    expect(isDone(world.board)).toBe(false);
    world.add({ metadata: { _internal: true } });
    expect(isDone(world.board)).toBe(false);
    world.add({ blockedBy: ['1'] });
    world.add({ metadata: { _internal: 'true' } });
    world.claim('3', bob);
    expect(count(world.board)).toMatchObject({ total: 2, pending: 1, in_progress: 1, blocked: 1, completed: 0 });
    world.complete('3', bob);
    world.say(byLead(), { type: 'task.cancelled', task: '2', why: '' });
    expect(isDone(world.board)).toBe(true);
    expect(count(world.board)).toMatchObject({ total: 2, cancelled: 1, completed: 1, blocked: 0 });
  });
});

describe('dependants', () => {
  it('dependants are found once each, also indirect ones, lowest id first', () => {
    const world = openWorld();
    world.add();
    for (const blockedBy of [['1'], ['1'], ['2', '3']]) world.add({ blockedBy });
    for (let n = 5; n <= 11; n += 1) world.add({ blockedBy: [`${n - 1}`] });
    expect(allDependants(world.board, '1').map(({ id }) => id)).toEqual([
      '2',
      '3',
      '4',
      '5',
      '6',
      '7',
      '8',
      '9',
      '10',
      '11',
    ]);
    expect(waitsFor(world.board, '11', '1')).toBe(true);
    expect(waitsFor(world.board, '1', '11')).toBe(false);
  });

  it('dependants are found in a board of 10,000 tasks that all wait for one', () => {
    const world = openWorld();
    world.add();
    for (let n = 2; n <= 10_000; n += 1) world.add({ blockedBy: ['1'] });
    expect(allDependants(world.board, '1')).toHaveLength(9_999);
  });
});

describe('resolveTask', () => {
  const world = openWorld();
  world.add({ key: 'build', subject: 'Build it' });
  world.add({ subject: 'build' });
  world.add({ subject: 'RESEARCH-001 Read' });
  world.add({ subject: 'Twice' });
  world.add({ subject: 'Twice' });
  world.add({ key: '3', subject: 'A key like an id' });
  const id = (reference: string) => resolveTask(world.board, reference).id;

  it.each([
    ['build', '1'],
    ['Build it', '1'],
    ['RESEARCH-001', '3'],
    ['RESEARCH-001 Read', '3'],
    ['2', '2'],
    ['#2', '2'],
    ['3', '6'],
    ['#3', '3'],
  ])('%s is #%s: the key, then the subject or its code, then the id', (reference, expected) => {
    expect(id(reference)).toBe(expected);
  });

  it.each([
    ['biuld it', 'did you mean #1 "Build it"?'],
    ['buidl', 'did you mean #1 "Build it"?'],
    ['a key like', 'did you mean #6 "A key like an id"?'],
    ['an', '`teams task list login` shows them.'],
    ['something else', '`teams task list login` shows them.'],
  ])('for %s, which no task has: %s', (reference, cure) => {
    expect(() => id(reference)).toThrow(`There is no task "${reference}"; ${cure}`);
  });

  it('several matches are an error, and so is none', () => {
    expect(() => id('Twice')).toThrow(expect.objectContaining({ code: 'BAD_REFERENCE' }));
    expect(() => id('Twice')).toThrow('#4, #5');
    for (const none of ['RESEARCH', 'twice', '99', '#99', '', '#', '02', ' 2', '__proto__'])
      expect(() => id(none), none).toThrow(expect.objectContaining({ code: 'UNKNOWN_TASK' }));
  });
});
