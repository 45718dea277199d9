/** Which members are woken when tasks become ready: no more than can claim, and always the same order. */
import { describe, expect, it } from 'vitest';
import { whomToWake } from '../../../src/policy/supervise/claiming.ts';
import { name, world, type TeamSketch, type World } from '../world.ts';

const AUTO = { profile: 'v8', claim: 'auto' } as const;
const woken = (team: World, ids: string[], { except, lost = [] }: { except?: string; lost?: string[] } = {}) =>
  whomToWake(
    team.board,
    ids.map((id) => team.task(id)),
    { except: except === undefined ? undefined : name(except), isThere: (one) => !lost.includes(one) },
  );

describe('whomToWake', () => {
  it.each<[string, TeamSketch, string[]]>([
    ['the owner', { members: ['ada', 'bob'], tasks: [{ owner: 'bob' }] }, ['bob']],
    ['the lead for its own task', { members: ['ada'], tasks: [{ owner: 'lead' }] }, ['lead']],
    ['one for one task, by number', { ...AUTO, members: ['w-10', 'w-2'], tasks: [{}] }, ['w-2']],
    ['as many as tasks', { ...AUTO, members: ['w-1', 'w-2', 'w-3'], tasks: [{}, {}] }, ['w-1', 'w-2']],
    [
      'all members when there are more tasks',
      { ...AUTO, members: ['w-1', 'w-2'], tasks: [{}, {}, {}] },
      ['w-1', 'w-2'],
    ],
    [
      'only members with the role',
      { ...AUTO, members: ['ada', 'dee:designer'], tasks: [{ role: 'designer' }, { role: 'designer' }] },
      ['dee'],
    ],
    [
      'the owner, and another member for the rest',
      { ...AUTO, members: ['ada', 'bob'], tasks: [{}, { owner: 'ada' }] },
      ['ada', 'bob'],
    ],
    [
      'only members with the prefix',
      {
        profile: 'pipeline',
        claim: 'prefix',
        members: ['ada:writer:DRAFT', 'bob:tester:TEST'],
        tasks: [{ subject: 'TEST-001 x' }],
      },
      ['bob'],
    ],
    ['no member for a task that the lead must assign first', { members: ['ada'], tasks: [{}] }, []],
  ])('whomToWake wakes %s', (_, sketch, names) => {
    const team = world(sketch);
    expect(woken(team, [...team.board.tasks.keys()])).toEqual(names);
  });

  it('whomToWake wakes no busy member: it looks at the board when it is done', () => {
    const team = world({ ...AUTO, members: ['ada', 'bob'], tasks: [{}, {}, { owner: 'ada' }] });
    team.claim('ada', '1');
    expect(woken(team, ['2', '3'])).toEqual(['bob']);
  });

  it('whomToWake wakes neither the member that made the tasks ready nor one that has left', () => {
    const team = world({ ...AUTO, members: ['ada', 'bob', 'cy'], tasks: [{}, {}] });
    team.lead({ type: 'member.left', name: name('bob'), why: 'done' });
    expect(woken(team, ['1', '2'], { except: 'ada' })).toEqual(['cy']);
  });

  it('whomToWake wakes one more member where the process of the first one is lost', () => {
    const team = world({ ...AUTO, members: ['ada', 'bob', 'cy', 'dan'], tasks: [{}, {}] });
    expect(woken(team, ['1'], { lost: ['ada', 'bob'] })).toEqual(['ada', 'cy']);
    expect(woken(team, ['1', '2'], { lost: ['ada'] })).toEqual(['ada', 'bob', 'cy']);
    expect(woken(team, ['1'], { lost: ['ada', 'bob', 'cy', 'dan'] })).toEqual(['ada']);
  });
});
