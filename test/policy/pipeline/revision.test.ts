/**
 * Revisions (docs/specification.md R10.14): which tasks are done again, what waits for them, and the limit of
 * revisions.
 */
import { describe, expect, it } from 'vitest';
import type { Change } from '../../../src/model/board/event.ts';
import { openBlockers } from '../../../src/model/board/board.ts';
import { subjectCode } from '../../../src/model/board/task.ts';
import { revise, revisionOf } from '../../../src/policy/pipeline/revision.ts';
import { ada, byLead, openWorld, verdict, type World } from '../../model/world.ts';

/** RESEARCH-001 → DRAFT-001 → DRAFT-002 → QUALITY-001 → PLAN-001; the first `done` of them are completed. */
function spec(done: number): World {
  const world = openWorld();
  const codes = ['RESEARCH-001', 'DRAFT-001', 'DRAFT-002', 'QUALITY-001', 'PLAN-001'];
  for (const [at, code] of codes.entries())
    world.add({ subject: `${code} of it`, description: code, blockedBy: at === 0 ? [] : [String(at)] });
  for (const id of codes.keys()) if (id < done) finish(world, String(id + 1));
  return world;
}

function finish(world: World, id: string): void {
  expect([verdict(world.claim(id)), verdict(world.complete(id))]).toEqual(['ok', 'ok']);
}

/** Applies a revision. Returns the codes of the new tasks, each with its blockers and its dependants. */
function revised(world: World, id: string, feedback = 'More.'): string[] {
  const changes = revise(world.board, world.task(id), feedback);
  if ('ok' in changes) return [`${changes.code}: ${changes.why}`];
  expect(verdict(world.say(byLead(), { type: 'batch', changes: [...changes] }))).toBe('ok');
  return changes.map((change: Change) =>
    change.type === 'task.created'
      ? `${code(world, change.task)} after ${change.fields.blockedBy.map((one) => code(world, one)).join(', ')}`
      : change.type === 'task.blocked'
        ? `${code(world, change.task)} waits for ${code(world, change.by)}`
        : change.type,
  );
}
const code = (world: World, id: string): string => subjectCode(world.task(id).subject) ?? id;

describe('a revision', () => {
  const rows: [what: string, done: number, id: string, expected: string[]][] = [
    [
      'of research before any draft: the draft waits',
      1,
      '1',
      ['RESEARCH-001-R1 after ', 'DRAFT-001 waits for RESEARCH-001-R1'],
    ],
    [
      'of research, with everything that was made from it',
      4,
      '1',
      [
        'RESEARCH-001-R1 after ',
        'DRAFT-001-R1 after RESEARCH-001, RESEARCH-001-R1',
        'DRAFT-002-R1 after DRAFT-001, DRAFT-001-R1',
        'QUALITY-001-R1 after DRAFT-002, DRAFT-002-R1',
        'PLAN-001 waits for QUALITY-001-R1',
      ],
    ],
    [
      'of a draft, with later drafts and quality',
      4,
      '2',
      [
        'DRAFT-001-R1 after RESEARCH-001',
        'DRAFT-002-R1 after DRAFT-001, DRAFT-001-R1',
        'QUALITY-001-R1 after DRAFT-002, DRAFT-002-R1',
        'PLAN-001 waits for QUALITY-001-R1',
      ],
    ],
    [
      'of the last draft, while quality is pending',
      3,
      '3',
      ['DRAFT-002-R1 after DRAFT-001', 'QUALITY-001 waits for DRAFT-002-R1'],
    ],
    ['of quality alone', 4, '4', ['QUALITY-001-R1 after DRAFT-002', 'PLAN-001 waits for QUALITY-001-R1']],
    ['of a plan', 5, '5', ['PLAN-001-R1 after QUALITY-001']],
  ];
  it.each(rows)('a revision %s', (_, done, id, expected) => {
    expect(revised(spec(done), id)).toEqual(expected);
  });

  it('a revision tells its worker what must change', () => {
    const world = spec(2);
    revised(world, '1', 'The costs are missing.');
    expect(world.task('6').description).toBe('RESEARCH-001\n\nRevise it: The costs are missing.');
    expect(world.task('7').description).toBe('DRAFT-001\n\nRevise it: RESEARCH-001 is revised. The costs are missing.');
  });

  it('a revision waits for a running one, so that no two tasks write one artifact', () => {
    const world = spec(1);
    world.claim('2');
    expect(revised(world, '1')).toEqual([
      'RESEARCH-001-R1 after ',
      'DRAFT-001-R1 after RESEARCH-001, RESEARCH-001-R1, DRAFT-001',
      'DRAFT-002 waits for DRAFT-001-R1',
    ]);
    expect(openBlockers(world.board, world.task('3')).map((id) => code(world, id))).toEqual([
      'DRAFT-001',
      'DRAFT-001-R1',
    ]);
  });

  it('a second revision of a task is possible, a third is not: then a person decides', () => {
    const world = spec(1);
    revised(world, '1');
    expect(revised(world, '1')).toEqual(['FINAL: RESEARCH-001 was revised already, as RESEARCH-001-R1']);
    finish(world, '6');
    expect(revised(world, '6')).toEqual(['RESEARCH-001-R2 after ', 'DRAFT-001 waits for RESEARCH-001-R2']);
    finish(world, '7');
    expect(revised(world, '7')).toEqual([
      'FINAL: RESEARCH-001 was revised 2 times, the most allowed: approve it, or cancel the tasks that wait for it',
    ]);
  });

  it('a revision uses the newest version of each later task', () => {
    const world = spec(2);
    revised(world, '2');
    finish(world, '6');
    expect(revised(world, '1')).toEqual([
      'RESEARCH-001-R1 after ',
      'DRAFT-001-R2 after RESEARCH-001, RESEARCH-001-R1',
      'DRAFT-002 waits for DRAFT-001-R2',
    ]);
  });

  it('a revision needs a completed task that has a code', () => {
    const world = spec(0);
    world.add({ subject: 'Tidy up' });
    finish(world, '6');
    expect(revised(world, '1')[0]).toMatch(/^NOT_READY: task #1 is pending/);
    expect(revised(world, '6')[0]).toMatch(/^BAD_REFERENCE: /);
  });

  it('a revision leaves out an owner that has left', () => {
    const world = openWorld();
    world.add({ subject: 'PLAN-001', owner: ada });
    finish(world, '1');
    world.say(byLead(), { type: 'member.left', name: ada, why: 'done' });
    expect(revised(world, '1')).toEqual(['PLAN-001-R1 after ']);
    expect(world.task('2').owner).toBeUndefined();
  });

  it('a revision is numbered in the code', () => {
    expect(['DRAFT-001', 'DRAFT-001-R1 x', 'DRAFT-001-R12', 'R2', 'x DRAFT-001-R2'].map(revisionOf)).toEqual([
      0, 1, 12, 0, 0,
    ]);
  });
});
