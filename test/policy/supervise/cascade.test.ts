/**
 * The cascade (docs/specification.md R8.10): implement → test → review → end, bounded, once each, and by which member.
 */
import { describe, expect, it, vi } from 'vitest';
import { workSchema } from '../../../src/model/board/task.ts';
import { matcher } from '../../../src/policy/file-patterns.ts';
import { cascades, filesOf, followUp } from '../../../src/policy/supervise/cascade.ts';
import { judge } from '../../../src/policy/supervise/judge.ts';
import type { CascadeRules, FollowUp, MemberSighting, Verdict } from '../../../src/policy/sighting.ts';
import { taskType } from '../../../src/policy/task-type.ts';
import { LIMITS, name, seen, sighting, world, type TaskSketch, type World } from '../world.ts';

const ON: CascadeRules = { canSpawn: true };

describe('the type of a task', () => {
  it.each([
    ['Implement user profile API', 'implement'],
    ['Create tests for login', 'test'],
    ['Add a review button', 'implement'],
    ['Write integration tests', 'test'],
    ['Add coverage for the parser', 'test'],
    ['Fix failing tests', 'implement'],
    ['Update the test runner', 'test'],
    ['[backend] [P1] Build the cache', 'implement'],
    ['Review tests', 'review'],
    ['Checking imports', 'review'],
    ['Debug the build', 'explore'],
    ['Analyse coverage', 'explore'],
    ['Please refactor it', 'implement'],
    ['Address feedback in prefixes', undefined],
    ['Latest contest of inspectors', undefined],
    ['[test] Move it', undefined],
  ])('%s → %s', (subject, type) => {
    expect(taskType({ subject, metadata: {} })).toBe(type);
  });

  it('the type of a task in its metadata comes before its words', () => {
    expect(taskType({ subject: 'Implement it', metadata: { type: 'review' } })).toBe('review');
    expect(taskType({ subject: 'Implement it', metadata: { type: 'dance' } })).toBe('implement');
  });
});

/** A world in which ada has completed the task. */
function completed(task: TaskSketch, member = 'ada'): World {
  const team = world({ members: [member], tasks: [{ owner: member.split(':')[0] ?? '', ...task }] });
  team.claim(member.split(':')[0] ?? '', '1');
  team.complete(member.split(':')[0] ?? '', '1');
  return team;
}

const next = (team: World, id = '1', rules = ON): FollowUp | undefined => followUp(team.board, team.task(id), rules);

describe('the follow-up', () => {
  it.each([
    ['Implement user profile API', 'Write tests for user profile API', 'test-engineer'],
    ['[backend] Fix the cache', 'Write tests for the cache', 'test-engineer'],
    ['Refactor', 'Write tests for Refactor', 'test-engineer'],
    ['Write tests for user profile API', 'Review user profile API and tests', 'quality-reviewer'],
    ['Write API integration tests', 'Review API and tests', 'quality-reviewer'],
    ['Test the login', 'Review the login and tests', 'quality-reviewer'],
  ])('the follow-up of %s is %s', (subject, follow, role) => {
    expect(next(completed({ subject }))).toMatchObject({ subject: follow, role, tier: 'sonnet' });
  });

  it.each([
    ['a review', { subject: 'Review the API' }],
    ['an exploration', { subject: 'Explore the code' }],
    ['a subject without a known verb', { subject: 'Move the files' }],
    ['[no-cascade]', { subject: '[no-cascade] Fix critical bug in auth' }],
    ['depth 3', { subject: 'Fix it', metadata: { depth: 3 } }],
  ])('there is no follow-up after %s', (_, task) => {
    expect(next(completed(task))).toBeUndefined();
  });

  it('there is no follow-up without a rule, and none of a failed task', () => {
    expect(cascades(sighting(completed({ subject: 'Fix it' })), LIMITS)).toEqual([]);
    const team = world({ members: ['ada'], tasks: [{ subject: 'Fix it', owner: 'ada' }] });
    team.attempt('ada', '1');
    expect(next(team)).toBeUndefined();
  });

  it('follow-ups go implement → test → review → end, once each', () => {
    const team = completed({ subject: 'Implement user profile API' });
    const subjects: string[] = [];
    for (let id = 1, follow = next(team); follow; id += 1, follow = next(team, String(id))) {
      subjects.push(`${follow.subject} (${follow.metadata.depth})`);
      team.add({ subject: follow.subject, metadata: follow.metadata, owner: 'ada' });
      expect(next(team, String(id))).toBeUndefined();
      team.claim('ada', String(id + 1));
      team.complete('ada', String(id + 1));
    }
    expect(subjects).toEqual(['Write tests for user profile API (1)', 'Review user profile API and tests (2)']);
  });

  it('the follow-up is the template’s rule for the role that did the task', () => {
    const byRole = new Map([
      [name('designer'), 'review'],
      [name('executor'), 'none'],
    ] as const);
    expect(
      next(completed({ subject: 'Build the page' }, 'dee:designer'), '1', { canSpawn: true, byRole }),
    ).toMatchObject({ subject: 'Review the page', kind: 'review' });
    expect(next(completed({ subject: 'Build the page' }), '1', { canSpawn: true, byRole })).toBeUndefined();
    expect(
      next(completed({ subject: 'Review the page' }, 'dee:designer'), '1', { canSpawn: true, byRole }),
    ).toBeUndefined();
  });
});

describe('the owner of a follow-up', () => {
  const places = (verdicts: readonly Verdict[]): string[] =>
    verdicts.flatMap((verdict) => {
      if (verdict.do !== 'follow up') return [];
      const { place } = verdict;
      return [place.do === 'assign' ? place.owner : place.do === 'spawn' ? `spawn ${place.role}` : place.do];
    });
  const place = (subject: string, members: string[], told: MemberSighting[] = [], maxAgents = 5) => {
    const team = completed({ subject });
    for (const member of members) team.join(member);
    return places(cascades(sighting(team, told), { ...LIMITS, maxAgents, cascade: ON }))[0];
  };

  it.each<[string, string, string[], MemberSighting[], string]>([
    ['an idle member with the role', 'Fix it', ['tim:test-engineer'], [], 'tim'],
    ['otherwise any idle member, also the author of the tested work', 'Fix it', ['dee:designer'], [], 'ada'],
    [
      'never a reviewer for tests',
      'Fix it',
      ['rita:code-reviewer'],
      [seen('ada', { process: 'dead' })],
      'spawn test-engineer',
    ],
    ['never the author for a review', 'Test it', [], [], 'spawn quality-reviewer'],
    ['a reviewer of any kind for a review', 'Test it', ['rita:code-reviewer'], [], 'rita'],
    [
      'never a member that can only run commands',
      'Fix it',
      ['tim:test-engineer'],
      [seen('tim', { needsCommand: true }), seen('ada', { needsCommand: true })],
      'spawn test-engineer',
    ],
    ['never a quarantined member', 'Fix it', ['tim:test-engineer'], [seen('tim', { quarantined: true })], 'ada'],
  ])('a follow-up goes to: %s', (_, subject, members, told, who) => {
    expect(place(subject, members, told)).toBe(who);
  });

  it('a follow-up waits when the team is full', () => {
    expect(place('Test it', [], [], 1)).toBe('queue');
  });

  it('follow-ups go one at a time: two go to two members, and not to a member that just got a task', () => {
    const team = completed({ subject: 'Fix one' });
    const second = team.add({ subject: 'Fix two', owner: 'ada' });
    team.claim('ada', second.id);
    team.complete('ada', second.id);
    team.join('tim:test-engineer');
    const limits = { ...LIMITS, maxAgents: 2, cascade: ON };
    expect(places(cascades(sighting(team), limits))).toEqual(['tim', 'ada']);
    expect(places(cascades(sighting(team), limits, new Set([name('tim')])))).toEqual(['ada', 'queue']);
  });

  it('a look reads completed tasks once, and again only those whose follow-up is still due', () => {
    const team = world({ members: ['ada'] });
    const limits = { ...LIMITS, cascade: ON };
    const done = (subject: string): void => {
      const { id } = team.add({ subject, owner: 'ada' });
      team.claim('ada', id);
      team.complete('ada', id);
    };
    for (let one = 0; one < 50; one += 1) done(`Review part ${one}`);
    done('Fix it');
    const due = (): string[] => {
      const found = cascades(sighting(team), limits);
      const every = [...team.board.tasks.values()].filter((task) => followUp(team.board, task, ON) !== undefined);
      const told = found.map((verdict) => ('task' in verdict ? verdict.task : ''));
      expect(told).toEqual(every.map(({ id }) => id));
      return told;
    };
    expect(due()).toEqual(['51']);
    const [read, walked] = [vi.spyOn(team.board.tasks, 'get'), vi.spyOn(team.board.tasks, 'values')];
    const looked = (): void => {
      cascades(sighting(team), limits);
      const ids = new Set(read.mock.calls.map(([id]) => Number(id)).filter((id) => id <= 50));
      expect([ids.size, walked.mock.calls.length]).toEqual([0, 0]);
    };
    looked();
    vi.restoreAllMocks();
    team.add({ subject: 'Write tests for it', metadata: { parent: '51', kind: 'test', depth: 1 } });
    expect(due()).toEqual([]);
    done('Build more');
    expect(due()).toEqual(['53']);
  });

  it('other rules of one board are looked at anew', () => {
    const team = completed({ subject: 'Fix it' });
    expect(cascades(sighting(team), { ...LIMITS, cascade: ON, cascadeDepth: 0 })).toEqual([]);
    expect(cascades(sighting(team), { ...LIMITS, cascade: ON })).toHaveLength(1);
  });

  it('follow-ups are created before the team may finish', () => {
    const team = completed({ subject: 'Fix it' });
    const limits = { ...LIMITS, cascade: ON };
    expect(judge(sighting(team), limits).map((verdict) => verdict.do)).toEqual(['follow up']);
    expect(judge(sighting(team), LIMITS).map((verdict) => verdict.do)).toEqual(['finish']);
  });
});

describe('the files of a follow-up', () => {
  const files = (kind: 'test' | 'review', own: string[]) =>
    filesOf({ kind }, { work: workSchema.parse({ files: own }) });

  it('a follow-up has the test files for a tester that names files, and no files for any other member', () => {
    expect(files('review', ['src/a'])).toEqual([]);
    expect(files('test', [])).toEqual([]);
    const isIts = matcher(files('test', ['src/a']));
    const tests = [
      'test/a.ts',
      'src/a.test.ts',
      'src/__tests__/a.js',
      'a_test.go',
      'tests/test_a.py',
      'src/ATest.java',
    ];
    expect(tests.filter((file) => !isIts(file))).toEqual([]);
    expect(['src/a.ts', 'src/latest.ts', 'package.json', 'src/Contest.ts'].filter(isIts)).toEqual([]);
  });
});
