import { describe, expect, it } from 'vitest';
import { fixChanges, fixNeeds, needsFix, unresolvedVerdicts } from '../../../src/policy/pipeline/fix-loop.ts';
import { world, type TaskSketch, type World } from '../world.ts';

const MEMBERS = ['dev:executor:IMPL', 'fe:fe-developer:DEV-FE', 'tst:tester:TEST', 'rev:reviewer:REVIEW'];

/** IMPL-001, tested and reviewed side by side, and a task behind both. */
const SIDE_BY_SIDE: TaskSketch[] = [
  { subject: 'IMPL-001 Build', owner: 'dev' },
  { subject: 'TEST-001 Test', owner: 'tst', blockedBy: ['1'], metadata: { _fix: 'IMPL-001' } },
  { subject: 'REVIEW-001 Review', owner: 'rev', blockedBy: ['1'], metadata: { _fix: 'IMPL-001' } },
  { subject: 'IMPL-009 Release', owner: 'dev', blockedBy: ['2', '3'] },
];
/** Two halves and one review behind both tests. */
const TWO_HALVES: TaskSketch[] = [
  { subject: 'IMPL-001 Back', owner: 'dev' },
  { subject: 'DEV-FE-001 Front', owner: 'fe' },
  { subject: 'TEST-001 Test', owner: 'tst', blockedBy: ['1'], metadata: { _fix: 'IMPL-001' } },
  { subject: 'REVIEW-001 Review', owner: 'rev', blockedBy: ['3', '2'], metadata: { _fix: ['IMPL-001', 'DEV-FE-001'] } },
];

const pipeline = (tasks: TaskSketch[]): World =>
  world({ profile: 'pipeline', claim: 'prefix', members: MEMBERS, tasks });

function done(the: World, member: string, task: string, verdict?: 'NEEDS_FIX', summary = 'the button'): void {
  the.claim(member, task);
  if (verdict !== undefined) the.member(member, { type: 'task.updated', task, metadata: { verdict } });
  const result = { summary, files: [] };
  the.member(member, { type: 'task.completed', task, epoch: the.epoch(task), result });
}

const needs = ({ board }: World): string[] => fixNeeds(board).map(({ task, kind }) => `${kind} ${task.id}`);

/** Carries out the rounds that are due. */
function redo(the: World): void {
  for (const need of fixNeeds(the.board))
    if (need.kind === 'due') for (const change of fixChanges(the.board, need)) the.lead(change);
}

const pending = ({ board }: World): string[] =>
  [...board.tasks.values()].flatMap(({ status, subject, blockedBy }) =>
    status === 'pending' ? [`${subject} < ${blockedBy.join(' ')}`] : [],
  );

describe('one work with two tests', () => {
  it('one round waits for both and carries the findings of both', () => {
    const the = pipeline(SIDE_BY_SIDE);
    done(the, 'dev', '1');
    done(the, 'tst', '2', 'NEEDS_FIX', 'NEEDS_FIX: the sum is wrong');
    expect(needs(the)).toEqual(['awaited 2']);
    done(the, 'rev', '3', 'NEEDS_FIX', 'NEEDS_FIX: the name is wrong');
    expect(needs(the)).toEqual(['due 2']);
    redo(the);
    expect(pending(the)).toEqual([
      'IMPL-009 Release < 2 3 6 7',
      'IMPL-002 Build < 2 3',
      'TEST-002 Test < 5',
      'REVIEW-002 Review < 5',
    ]);
    for (const finding of ['the sum is wrong', 'the name is wrong'])
      expect(the.task('5').description).toContain(finding);
    expect(needs(the)).toEqual([]);
    expect(unresolvedVerdicts(the.board)).toEqual([]);
  });

  it('both test again what one rejected, and after two rounds the verdict is unresolved', () => {
    const the = pipeline(SIDE_BY_SIDE.slice(0, 3));
    done(the, 'dev', '1');
    for (const [impl, test, review] of [
      ['', '2', '3'],
      ['4', '5', '6'],
      ['7', '8', '9'],
    ] as const) {
      if (impl !== '') done(the, 'dev', impl);
      done(the, 'rev', review);
      done(the, 'tst', test, 'NEEDS_FIX');
      redo(the);
    }
    expect(needs(the)).toEqual(['exhausted 8']);
    expect(unresolvedVerdicts(the.board)).toEqual(['TEST-003 Test']);
    expect([...the.board.tasks.keys()]).toHaveLength(9);
  });

  it('a rejection that a later round answers is resolved', () => {
    const the = pipeline(SIDE_BY_SIDE.slice(0, 3));
    done(the, 'dev', '1');
    done(the, 'rev', '3');
    done(the, 'tst', '2', 'NEEDS_FIX');
    redo(the);
    done(the, 'dev', '4');
    done(the, 'tst', '5');
    done(the, 'rev', '6');
    expect([needs(the), unresolvedVerdicts(the.board)]).toEqual([[], []]);
  });
});

describe('a review of two halves', () => {
  const reviewed = (summary: string): World => {
    const the = pipeline(TWO_HALVES);
    done(the, 'dev', '1');
    done(the, 'fe', '2');
    done(the, 'tst', '3');
    done(the, 'rev', '4', 'NEEDS_FIX', summary);
    redo(the);
    return the;
  };

  it('sends back the half that it names, with its tests', () => {
    expect(pending(reviewed('NEEDS_FIX\nDEV-FE-001: the button'))).toEqual([
      'DEV-FE-002 Front < 4',
      'REVIEW-002 Review < 5',
    ]);
    expect(pending(reviewed('NEEDS_FIX\nIMPL-001: the sum'))).toEqual([
      'IMPL-002 Back < 3 4',
      'TEST-002 Test < 5',
      'REVIEW-002 Review < 5 6',
    ]);
  });

  it('sends back both halves if it names none', () => {
    const the = reviewed('NEEDS_FIX');
    expect(pending(the)).toEqual([
      'IMPL-002 Back < 3 4',
      'DEV-FE-002 Front < 3 4',
      'TEST-002 Test < 5',
      'REVIEW-002 Review < 5 6 7',
    ]);
    expect(the.task('8').metadata['_fix']).toEqual(['IMPL-002', 'DEV-FE-002']);
  });

  it('waits where a test before it rejects: the review has not begun', () => {
    const the = pipeline(TWO_HALVES);
    done(the, 'dev', '1');
    done(the, 'tst', '3', 'NEEDS_FIX');
    expect(needs(the)).toEqual(['due 3']);
    redo(the);
    expect(pending(the)).toContain('REVIEW-001 Review < 3 2 6');
  });
});

it('a rejection of a task that sends nothing back is unresolved', () => {
  const the = pipeline([{ subject: 'TEST-001 Test', owner: 'tst' }]);
  done(the, 'tst', '1', 'NEEDS_FIX');
  expect([needs(the), unresolvedVerdicts(the.board)]).toEqual([['exhausted 1'], ['TEST-001 Test']]);
});

it('only a first line that is exactly NEEDS_FIX rejects', () =>
  expect(['NEEDS_FIX\nx', ' NEEDS_FIX ', 'It NEEDS_FIX'].map(needsFix)).toEqual([true, true, false]));
