/**
 * Redistribution (docs/specification.md R5.9): who gets a pending task whose owner is out, and what a member without
 * work gets.
 */
import { describe, expect, it } from 'vitest';
import { Workload, redistribute } from '../../../src/policy/supervise/redistribution.ts';
import type { MemberSighting } from '../../../src/policy/sighting.ts';
import { judge } from '../../../src/policy/supervise/judge.ts';
import { LIMITS, MINUTE, seen, sighting, world, type World } from '../world.ts';

const OUT = seen('worker-1', { quarantined: true });

function moves(team: World, members: readonly MemberSighting[], except: string[] = []) {
  const look = sighting(team, members);
  return redistribute(look, new Workload(look), new Set(except)).map(
    ({ task, owner }) => `#${task} → ${owner ?? 'nobody'}`,
  );
}

describe('a task whose owner is quarantined', () => {
  const heirOf = (members: readonly string[], told: readonly MemberSighting[]) =>
    moves(world({ members: ['worker-1', ...members], tasks: [{ owner: 'worker-1' }] }), [OUT, ...told]).join();

  it.each<[string, string[], MemberSighting[], string]>([
    [
      'goes to no other quarantined member',
      ['worker-2', 'worker-3'],
      [seen('worker-2', { quarantined: true })],
      'worker-3',
    ],
    [
      'goes by role before completed tasks',
      ['worker-2:designer', 'worker-3'],
      [seen('worker-3', { completed: 9 })],
      'worker-3',
    ],
    [
      'goes by fewer completed tasks before less time',
      ['worker-2', 'worker-3'],
      [seen('worker-2', { completed: 1 }), seen('worker-3', { workedMs: 9 })],
      'worker-3',
    ],
    [
      'goes by less time before the lower number',
      ['worker-2', 'worker-3'],
      [seen('worker-2', { workedMs: 9 })],
      'worker-3',
    ],
    ['goes to worker-2 before worker-10', ['worker-10', 'worker-2'], [], 'worker-2'],
    [
      'goes to a member that will be restarted rather than to none',
      ['worker-2'],
      [seen('worker-2', { process: 'dead' })],
      'worker-2',
    ],
    ['goes to no abandoned member', ['worker-2'], [seen('worker-2', { process: 'dead', givenUp: true })], 'nobody'],
    ['goes to no member that was never started', ['worker-2'], [seen('worker-2', { process: 'none' })], 'nobody'],
    ['goes to no member if there is none', [], [], 'nobody'],
  ])('a task whose owner is quarantined %s', (_, members, told, owner) => {
    expect(heirOf(members, told)).toBe(`#1 → ${owner}`);
  });

  it.each([
    ['backend work to codex', 'Write the API server', 'worker-3'],
    ['frontend work to gemini', 'Style the UI', 'worker-2'],
    ['other work by load', 'Tidy up', 'worker-2'],
  ])('a task goes by the route of its words before the load: %s', (_, subject, owner) => {
    const team = world({
      members: ['worker-1', 'worker-2', 'worker-3'],
      tasks: [{ owner: 'worker-1', subject }],
    });
    const told = [seen('worker-2', { agent: 'gemini' }), seen('worker-3', { agent: 'codex', completed: 5 })];
    expect(moves(team, [OUT, ...told])).toEqual([`#1 → ${owner}`]);
  });

  it('a task goes to an idle member before a busy one', () => {
    const team = world({
      members: ['worker-1', 'worker-2', 'worker-3'],
      tasks: [{ owner: 'worker-1' }, { owner: 'worker-2' }],
    });
    team.claim('worker-2', '2');
    expect(moves(team, [OUT, seen('worker-3', { completed: 5 })])).toEqual(['#1 → worker-3']);
  });

  it('several tasks are spread over the other members', () => {
    const tasks = Array.from({ length: 4 }, () => ({ owner: 'worker-1' }));
    const team = world({ members: ['worker-1', 'worker-2', 'worker-3'], tasks });
    expect(moves(team, [OUT])).toEqual(['#1 → worker-2', '#2 → worker-3', '#3 → worker-2', '#4 → worker-3']);
  });

  it('a task stays where it is if another rule of the look decides it, or after a member claimed it', () => {
    const team = world({ members: ['worker-1', 'worker-2'], tasks: [{ owner: 'worker-1' }, { owner: 'worker-1' }] });
    team.claim('worker-1', '1');
    expect(moves(team, [OUT], ['2'])).toEqual([]);
  });
});

describe('an owner is out', () => {
  it.each<[string, Partial<MemberSighting>, boolean]>([
    ['when it is abandoned', { process: 'dead', givenUp: true }, true],
    ['when only a person can start it again', { process: 'dead', byHand: true }, true],
    ['when a person stopped its process', { byHand: true, beatAge: 2 * MINUTE }, true],
    ['not while it waits for its restart', { process: 'dead', deadFor: MINUTE }, false],
    ['not while it starts', { process: 'starting' }, false],
    ['not before it was started', { process: 'none' }, false],
  ])('an owner is out %s', (_, rest, isMoved) => {
    const team = world({ members: ['worker-1', 'worker-2'], tasks: [{ owner: 'worker-1' }] });
    expect(moves(team, [seen('worker-1', rest)])).toEqual(isMoved ? ['#1 → worker-2'] : []);
  });

  it('an owner is out when it has left', () => {
    const team = world({ members: ['worker-1', 'worker-2'], tasks: [{ owner: 'worker-1' }] });
    team.lead({ type: 'member.left', name: OUT.name, why: 'done' });
    expect(moves(team, [])).toEqual(['#1 → worker-2']);
  });
});

describe('who may take a task', () => {
  it.each<[string, Parameters<typeof world>[0], string]>([
    [
      'assigned: a reviewer does not implement',
      { members: ['worker-1', 'rita:code-reviewer'], tasks: [{ subject: 'Implement the cache', owner: 'worker-1' }] },
      'nobody',
    ],
    [
      'assigned: a reviewer may analyse',
      { members: ['worker-1', 'rita:code-reviewer'], tasks: [{ subject: 'Analyse the cache', owner: 'worker-1' }] },
      'rita',
    ],
    [
      'auto: only the role',
      {
        profile: 'v8',
        claim: 'auto',
        members: ['worker-1:designer', 'bob'],
        tasks: [{ owner: 'worker-1', role: 'designer' }],
      },
      'nobody',
    ],
    [
      'auto: any member for a task without a role',
      { profile: 'v8', claim: 'auto', members: ['worker-1', 'bob:designer'], tasks: [{ owner: 'worker-1' }] },
      'bob',
    ],
    [
      'prefix: only a member with the prefix',
      {
        profile: 'pipeline',
        claim: 'prefix',
        members: ['worker-1:writer:DRAFT', 'bob:tester:TEST'],
        tasks: [{ subject: 'DRAFT-001 x', owner: 'worker-1' }],
      },
      'nobody',
    ],
    [
      'prefix: another member with the prefix',
      {
        profile: 'pipeline',
        claim: 'prefix',
        members: ['worker-1:writer:DRAFT', 'bob:writer:DRAFT'],
        tasks: [{ subject: 'DRAFT-001 x', owner: 'worker-1' }],
      },
      'bob',
    ],
  ])('%s', (_, sketch, owner) => {
    expect(moves(world(sketch), [OUT])).toEqual([`#1 → ${owner}`]);
  });

  it('in a relay no other member may take a task: each backend has its own', () => {
    const team = world({ profile: 'relay', members: ['worker-1', 'worker-2'], tasks: [{ owner: 'worker-1' }, {}] });
    expect(moves(team, [OUT])).toEqual([]);
  });
});

describe('a member that runs out of work', () => {
  const members = ['worker-1', 'worker-2', 'worker-3:designer'];

  it('a member without work gets an unowned ready task, one at a time, the best fit first', () => {
    const team = world({ members, tasks: [{ role: 'designer' }, {}, {}, {}] });
    expect(moves(team, [seen('worker-1', { completed: 1 })])).toEqual([
      '#1 → worker-3',
      '#2 → worker-2',
      '#3 → worker-1',
    ]);
  });

  it('a member gets no blocked task, and none while it has its own', () => {
    const team = world({ members: ['worker-1'], tasks: [{ owner: 'worker-1' }, {}, { blockedBy: ['2'] }] });
    expect(moves(team, [])).toEqual([]);
  });

  it('a member without work takes over a pending task of a busy member of its role', () => {
    const team = world({ members, tasks: [{ owner: 'worker-1' }, { owner: 'worker-1' }] });
    expect(moves(team, [])).toEqual([]);
    team.claim('worker-1', '1');
    expect(moves(team, [])).toEqual(['#2 → worker-2']);
  });

  it('in profiles where members claim, the lead assigns nothing', () => {
    expect(moves(world({ profile: 'v8', claim: 'auto', members, tasks: [{}] }), [])).toEqual([]);
  });
});

describe('the review of a finished task', () => {
  const REVIEW = { subject: 'Review it', metadata: { parent: '1', kind: 'review', type: 'review', depth: 1 } };

  function reviewed(...members: string[]): World {
    const team = world({ members, tasks: [{ owner: 'worker-1' }] });
    team.claim('worker-1', '1');
    team.complete('worker-1', '1');
    team.add(REVIEW);
    return team;
  }

  it('the review of a finished task goes to any member but its author, and otherwise waits', () => {
    expect(moves(reviewed('worker-1', 'worker-2'), [])).toEqual(['#2 → worker-2']);
    expect(moves(reviewed('worker-1'), [])).toEqual([]);
  });

  it('a review with no member but its author is reported, not waited for in silence', () => {
    const [verdict] = judge(sighting(reviewed('worker-1')), LIMITS);
    expect(verdict).toEqual({
      do: 'stuck',
      why: 'task #2 reviews the work of worker-1, and there is no other member to do it',
    });
  });
});
