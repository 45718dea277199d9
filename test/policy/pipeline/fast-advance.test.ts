/**
 * The table of fast-advance, row by row (docs/specification.md R10.7), and which member starts if a ready task has no
 * running one.
 */
import { describe, expect, it } from 'vitest';
import { fastAdvance, fastAdvanceText, unattendedWork } from '../../../src/policy/pipeline/fast-advance.ts';
import { name, world, type World } from '../world.ts';

const MEMBERS = ['writer:writer:DRAFT', 'executor:executor:IMPL', 'tester:tester:TEST', 'reviewer:reviewer:REVIEW'];

/** `DRAFT-001 writer`, `TEST-001 tester 1`: a code, its owner, and the ids of its blockers. */
function pipeline(...tasks: string[]): World {
  const team = world({ profile: 'pipeline', claim: 'prefix', members: MEMBERS });
  for (const sketch of tasks) {
    const [code = '', owner = '', ...blockedBy] = sketch.split(' ');
    const metadata = code.startsWith('CHECKPOINT') ? { _checkpoint: true } : {};
    team.add({ subject: `${code} Work`, owner, blockedBy, metadata });
  }
  return team;
}

function done(team: World, member: string, task: string): World {
  team.claim(member, task);
  team.complete(member, task);
  return team;
}

const after = (team: World, member: string, finished: string[], loops = false) =>
  fastAdvance(team.board, { name: name(member), loops, finished });

describe('fastAdvance', () => {
  it('fastAdvance starts no process for a task of the same prefix in an inner loop: the same process takes it', () => {
    const team = done(pipeline('DRAFT-001 writer', 'DRAFT-002 writer 1'), 'writer', '1');
    expect(after(team, 'writer', ['1'], true)).toEqual({ kind: 'inner loop', task: '2' });
  });

  it('fastAdvance starts the one successor of another prefix', () => {
    const team = done(pipeline('DRAFT-001 writer', 'IMPL-001 executor 1'), 'writer', '1');
    expect(after(team, 'writer', ['1'])).toEqual({ kind: 'successor', task: '2', member: 'executor' });
    expect(after(team, 'writer', ['1'], true)).toMatchObject({ kind: 'successor' });
  });

  it('fastAdvance starts the successor of a join when its last blocker is done', () => {
    const team = pipeline('IMPL-001 executor', 'TEST-001 tester', 'REVIEW-001 reviewer 1 2');
    done(team, 'executor', '1');
    team.claim('tester', '2');
    expect(after(team, 'executor', ['1'])).toEqual({ kind: 'others running', tasks: ['2'] });
    team.complete('tester', '2');
    expect(after(team, 'tester', ['2'])).toEqual({ kind: 'successor', task: '3', member: 'reviewer' });
  });

  it('fastAdvance leaves several ready tasks to the lead', () => {
    const team = done(pipeline('IMPL-001 executor', 'TEST-001 tester 1', 'REVIEW-001 reviewer 1'), 'executor', '1');
    expect(after(team, 'executor', ['1'])).toEqual({ kind: 'parallel', tasks: ['2', '3'] });
  });

  it.each([
    ['a task that waited for another blocker', pipeline('IMPL-001 executor', 'TEST-001 tester')],
    ['a task of the same role outside of a loop', pipeline('IMPL-001 executor', 'IMPL-002 executor 1')],
  ])('fastAdvance leaves to the lead: %s', (_, team) => {
    expect(after(done(team, 'executor', '1'), 'executor', ['1'])).toEqual({ kind: 'parallel', tasks: ['2'] });
  });

  it('fastAdvance reports the progress while other members work', () => {
    const team = pipeline('TEST-001 tester', 'REVIEW-001 reviewer');
    team.claim('reviewer', '2');
    expect(after(done(team, 'tester', '1'), 'tester', ['1'])).toEqual({ kind: 'others running', tasks: ['2'] });
  });

  it('fastAdvance reports that the pipeline may be complete when no member works', () => {
    expect(after(done(pipeline('TEST-001 tester'), 'tester', '1'), 'tester', ['1'])).toEqual({ kind: 'nothing left' });
  });

  it('fastAdvance asks a person at a checkpoint', () => {
    const team = pipeline('DRAFT-001 writer', 'CHECKPOINT-001 lead 1', 'IMPL-001 executor 2');
    expect(after(done(team, 'writer', '1'), 'writer', ['1'], true)).toEqual({ kind: 'checkpoint', task: '2' });
  });

  it('fastAdvance is reported in one sentence', () => {
    const team = done(pipeline('DRAFT-001 writer', 'IMPL-001 executor 1'), 'writer', '1');
    expect(fastAdvanceText(team.board, after(team, 'writer', ['1']))).toBe('executor is started for IMPL-001 Work');
  });
});

describe('unattendedWork', () => {
  const found = (team: World, ...owing: string[]) => [...unattendedWork(team.board, new Set(owing.map(name))).keys()];

  it('unattendedWork lists ready work of members that are not running, one task for each member', () => {
    const team = pipeline('IMPL-001 executor', 'IMPL-002 executor', 'TEST-001 tester', 'REVIEW-001 reviewer 3');
    expect(found(team)).toEqual(['executor', 'tester']);
    team.claim('executor', '1');
    expect(found(team)).toEqual(['tester']);
  });

  it('unattendedWork waits for the report of the member that made it ready: the report decides', () => {
    const team = done(pipeline('IMPL-001 executor', 'TEST-001 tester 1'), 'executor', '1');
    expect(found(team, 'executor')).toEqual([]);
    expect(found(team)).toEqual(['tester']);
  });
});
