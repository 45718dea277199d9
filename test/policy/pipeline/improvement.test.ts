import { describe, expect, it } from 'vitest';
import { fixChanges, fixNeeds, unresolvedVerdicts } from '../../../src/policy/pipeline/fix-loop.ts';
import { improvementChanges, improvements, improvementsIn } from '../../../src/policy/pipeline/improvement.ts';
import { world, type TaskSketch, type World } from '../world.ts';

const MEMBERS = ['dev:executor:IMPL', 'tst:tester:TEST', 'rev:reviewer:REVIEW:IMPROVE'];
const TASKS: TaskSketch[] = [
  { subject: 'IMPL-001 Build', owner: 'dev' },
  { subject: 'TEST-001 Test', owner: 'tst', blockedBy: ['1'], metadata: { _fix: 'IMPL-001' } },
  { subject: 'REVIEW-001 Review', owner: 'rev', blockedBy: ['1'], metadata: { _fix: 'IMPL-001' } },
  { subject: 'IMPL-009 Release', owner: 'dev', blockedBy: ['2', '3'] },
];

const pipeline = (): World => world({ profile: 'pipeline', claim: 'prefix', members: MEMBERS, tasks: TASKS });

function done(the: World, member: string, task: string, metadata: Record<string, string | string[]> = {}): void {
  the.claim(member, task);
  if (Object.keys(metadata).length > 0) the.member(member, { type: 'task.updated', task, metadata });
  the.member(member, { type: 'task.completed', task, epoch: the.epoch(task), result: { summary: 'done', files: [] } });
}

const due = ({ board }: World): string[] =>
  improvements(board).map(
    ({ works, reviews }) => `${works.map(({ id }) => id).join()} for ${reviews.map(({ id }) => id).join()}`,
  );
function improve(the: World): void {
  for (const one of improvements(the.board)) for (const change of improvementChanges(the.board, one)) the.lead(change);
}
const added = ({ board }: World): string[] =>
  [...board.tasks.values()]
    .slice(TASKS.length)
    .map(
      ({ subject, owner, blockedBy, required }) =>
        `${subject} (${owner ?? ''}) < ${blockedBy.join(' ')}${required ? ' required' : ''}`,
    );

describe('findings that do not block', () => {
  it('are the lines IMPROVE: of an answer', () => {
    const answer = 'PASS\nIMPROVE: name the limit\n  - IMPROVE: a test for zero\nTo IMPROVE: no\nIMPROVE:\nimprove: no';
    expect(improvementsIn(answer)).toEqual(['name the limit', 'a test for zero']);
    expect(improvementsIn('IMPROVE: x\n'.repeat(50))).toHaveLength(20);
  });

  it('make one round of the work and a check by the reviewer, both not required, when every test is over', () => {
    const the = pipeline();
    done(the, 'dev', '1');
    done(the, 'rev', '3', { improvements: ['name the limit'] });
    expect(due(the)).toEqual([]);
    done(the, 'tst', '2', { improvements: ['a test for zero'] });
    expect(due(the)).toEqual(['1 for 2,3']);
    improve(the);
    expect(added(the)).toEqual([
      'IMPL-002 Build (dev) < 2 3',
      'IMPROVE-001 Check the improvements of IMPL-002 (rev) < 5',
    ]);
    for (const finding of ['REVIEW-001:\n- name the limit', 'TEST-001:\n- a test for zero'])
      for (const id of ['5', '6']) expect(the.task(id).description).toContain(finding);
    expect(the.task('4').blockedBy).toEqual(['2', '3']);
    expect(due(the)).toEqual([]);
  });

  it('make no others, and a check that rejects does not fail the run', () => {
    const the = pipeline();
    done(the, 'dev', '1');
    done(the, 'tst', '2');
    done(the, 'rev', '3', { improvements: ['name the limit'] });
    improve(the);
    done(the, 'dev', '5');
    done(the, 'rev', '6', { verdict: 'NEEDS_FIX', improvements: ['more'] });
    expect(due(the)).toEqual([]);
    expect(fixNeeds(the.board)).toEqual([]);
    expect(unresolvedVerdicts(the.board)).toEqual([]);
  });

  it('wait until what blocks is resolved', () => {
    const the = pipeline();
    done(the, 'dev', '1');
    done(the, 'tst', '2', { verdict: 'NEEDS_FIX' });
    done(the, 'rev', '3', { improvements: ['name the limit'] });
    expect(due(the)).toEqual([]);
    for (const need of fixNeeds(the.board))
      if (need.kind === 'due') for (const change of fixChanges(the.board, need)) the.lead(change);
    expect(the.task('5').description).toContain('REVIEW-001, which does not block:\n- name the limit');
    expect(the.task('7').metadata).not.toHaveProperty('improvements');
    done(the, 'dev', '5');
    done(the, 'tst', '6');
    done(the, 'rev', '7', { improvements: ['name it better'] });
    // The findings about the rejected work are over: its next round was reviewed.
    expect(due(the)).toEqual(['5 for 7']);
  });
});
