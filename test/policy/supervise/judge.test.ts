/** SPEC §9 as a table: what the lead sees → what follows, rule by rule. */
import { describe, expect, it } from 'vitest';
import { judge } from '../../../src/policy/supervise/judge.ts';
import type { MemberSighting, Sighting } from '../../../src/policy/sighting.ts';
import { bare, LIMITS, MINUTE, seen, sighting, world, type TeamSketch, type World } from '../world.ts';

const look = (team: World, members: readonly MemberSighting[] = [], rest: Partial<Sighting> = {}) =>
  bare(judge(sighting(team, members, rest), LIMITS));

const reason = (team: World, members: readonly MemberSighting[] = [], rest: Partial<Sighting> = {}): string =>
  judge(sighting(team, members, rest), LIMITS)
    .map((verdict) => ('why' in verdict ? verdict.why : ''))
    .join();

const DEAD = { process: 'dead', death: 'exit 1' } as const;

describe('the lead that slept', () => {
  it('forgives and does nothing else, whatever it sees', () => {
    const team = world({ members: ['ada', 'bob'], tasks: [{ owner: 'ada' }, { owner: 'bob' }] });
    team.claim('ada', '1');
    const old = [
      seen('ada', { beatAge: 99 * MINUTE, progressAge: 99 * MINUTE, checkedFor: 9 * MINUTE }),
      seen('bob', DEAD),
    ];
    expect(look(team, old, { overslept: true })).toEqual([{ do: 'resetDeadlines' }]);
  });
});

describe('the claim of a process that is gone', () => {
  const claimed = (): World => {
    const team = world({ members: ['ada', 'bob'], tasks: [{ owner: 'ada' }] });
    team.claim('ada', '1');
    return team;
  };

  it.each<[string, Partial<MemberSighting>, object[]]>([
    ['is lost when it died', DEAD, [{ do: 'release', reason: 'lost', member: 'ada', task: '1', epoch: 1 }]],
    [
      'is orphaned when it was stopped in order',
      { process: 'none' },
      [{ do: 'release', reason: 'orphaned', member: 'ada', task: '1', epoch: 1 }],
    ],
    ['stays while its next life starts: the fold frees it', { process: 'starting' }, []],
    ['stays while it lives', {}, []],
  ])('%s', (_, rest, verdicts) => {
    expect(look(claimed(), [seen('ada', rest)])).toEqual(verdicts);
  });

  it('is let be when it is not ours to see', () => {
    expect(look(claimed(), [], { members: [seen('bob')] })).toEqual([]);
  });

  it('is given back before its process is restarted, in one look', () => {
    expect(look(claimed(), [seen('ada', { ...DEAD, deadFor: 5_000 })])).toEqual([
      { do: 'release', reason: 'lost', member: 'ada', task: '1', epoch: 1 },
      { do: 'restart', member: 'ada', attempt: 1 },
    ]);
  });
});

describe('quarantine', () => {
  it.each([2, 3, 4])('after %i failed attempts in a row', (consecutiveFailures) => {
    const team = world({ members: ['ada', 'bob'], tasks: [{ owner: 'ada' }] });
    const verdicts = [
      { do: 'quarantine', member: 'ada' },
      { do: 'assign', task: '1', owner: 'bob' },
    ];
    expect(look(team, [seen('ada', { consecutiveFailures })])).toEqual(consecutiveFailures < 3 ? [] : verdicts);
  });

  it('is said once, and its member is not restarted', () => {
    const team = world({ members: ['ada'], tasks: [{}] });
    const ada = seen('ada', { ...DEAD, deadFor: 6_000, consecutiveFailures: 3 });
    expect(look(team, [ada])).toEqual([{ do: 'quarantine', member: 'ada' }]);
    expect(look(team, [{ ...ada, quarantined: true }])).toEqual([{ do: 'stuck' }]);
  });
});

it('gives away what a member owns in the same look in which it gives the member up', () => {
  const team = world({ members: ['ada', 'bob'], tasks: [{ owner: 'ada' }] });
  expect(look(team, [seen('ada', { ...DEAD, restarts: 3 })])).toEqual([
    { do: 'abandon', member: 'ada' },
    { do: 'assign', task: '1', owner: 'bob' },
  ]);
});

describe('what a failed blocker holds up', () => {
  const failed = (): World => {
    const team = world({
      members: ['ada'],
      tasks: [
        { owner: 'ada' },
        { blockedBy: ['1'] },
        { blockedBy: ['2'] },
        { blockedBy: ['1', '3'] },
        { blockedBy: ['1'], owner: 'ada' },
      ],
    });
    team.attempt('ada', '1');
    return team;
  };

  it('is skipped unattended, each chain by its first task', () => {
    expect(look(failed(), [], { unattended: true })).toEqual([
      { do: 'skip', task: '2' },
      { do: 'skip', task: '5' },
    ]);
    expect(reason(failed(), [], { unattended: true })).toBe('blocker #1 failed,blocker #1 failed');
  });

  it('waits for a person who attends, and says for what', () => {
    expect(look(failed())).toEqual([{ do: 'stuck' }]);
    expect(reason(failed())).toContain('task #2 waits for #1, which failed: retry it, skip it or unblock #2');
  });

  it('is skipped for a cancelled one too', () => {
    const team = world({ members: ['ada'], tasks: [{}, { blockedBy: ['1'] }] });
    team.lead({ type: 'task.cancelled', task: '1', why: 'no need' });
    expect(look(team, [], { unattended: true })).toEqual([{ do: 'skip', task: '2' }]);
    expect(reason(team, [], { unattended: true })).toBe('blocker #1 was cancelled');
  });

  it('is not given to another in the look that skips it', () => {
    const verdicts = look(failed(), [seen('ada', { quarantined: true })], { unattended: true });
    expect(verdicts).toEqual([
      { do: 'skip', task: '2' },
      { do: 'skip', task: '5' },
    ]);
  });
});

describe('the end', () => {
  it('is when every task is final', () => {
    const team = world({ members: ['ada'], tasks: [{ owner: 'ada' }] });
    team.attempt('ada', '1');
    expect(look(team)).toEqual([{ do: 'finish' }]);
  });

  it('comes before what a lead does that serves on', () => {
    const team = world({ members: ['ada'], tasks: [{ owner: 'ada' }] });
    team.attempt('ada', '1');
    const verdicts = [{ do: 'finish' }, { do: 'restart', member: 'ada', attempt: 1 }];
    expect(look(team, [seen('ada', { ...DEAD, deadFor: MINUTE })])).toEqual(verdicts);
  });

  it('is not while there are no tasks', () => {
    expect(look(world({ members: ['ada'] }))).toEqual([]);
  });

  it('does not wait for internal tasks', () => {
    const team = world({
      members: ['ada'],
      tasks: [{ owner: 'ada' }, { owner: 'lead', metadata: { _internal: true } }],
    });
    team.claim('ada', '1');
    team.complete('ada', '1');
    expect(look(team)).toEqual([{ do: 'finish' }]);
  });

  it('is not judged once the team closes', () => {
    const team = world({ members: ['ada'], tasks: [{ owner: 'ada' }] });
    team.lead({ type: 'team.closing' });
    expect(look(team, [seen('ada', { ...DEAD, deadFor: MINUTE })])).toEqual([]);
  });
});

describe('a team that cannot go on says what is missing', () => {
  const auto = { profile: 'v8', claim: 'auto' } as const;
  const prefix = { profile: 'pipeline', claim: 'prefix' } as const;

  it.each<[string, TeamSketch, MemberSighting[]]>([
    [
      'task #1 needs the role designer, which no member has',
      { ...auto, members: ['ada'], tasks: [{ role: 'designer' }] },
      [],
    ],
    ['task #1 has no member to do it: the team has no members', { ...auto, tasks: [{}] }, []],
    [
      'task #1 has no member to do it: no allowed member is running',
      { ...auto, members: ['ada'], tasks: [{}] },
      [seen('ada', { process: 'none' })],
    ],
    [
      'task #1 belongs to ada, which is not started',
      { members: ['ada'], tasks: [{ owner: 'ada' }] },
      [seen('ada', { process: 'none' })],
    ],
    [
      'task #1 belongs to ada, which is gone',
      { profile: 'relay', members: ['ada'], tasks: [{ owner: 'ada' }] },
      [seen('ada', { process: 'dead', givenUp: true })],
    ],
    [
      'task #1 belongs to ada, which is quarantined',
      { profile: 'relay', members: ['ada'], tasks: [{ owner: 'ada' }] },
      [seen('ada', { quarantined: true })],
    ],
    [
      'task #1 has a prefix that no member declares: TEST-001 x',
      { ...prefix, members: ['ada:writer:DRAFT'], tasks: [{ subject: 'TEST-001 x' }] },
      [],
    ],
    [
      'task #1 needs a member that may write, and there are only read-only ones',
      { members: ['rita:code-reviewer'], tasks: [{ subject: 'Fix it' }] },
      [],
    ],
  ])('%s', (why, sketch, members) => {
    expect(reason(world(sketch), members)).toBe(why);
    expect(look(world(sketch), members)).toEqual([{ do: 'stuck' }]);
  });

  it('in a few words, however many tasks wait', () => {
    const tasks = Array.from({ length: 500 }, () => ({ role: 'designer' }));
    expect(reason(world({ ...auto, members: ['ada'], tasks }))).toMatch(/; and 495 more$/);
  });

  it.each<[string, TeamSketch, MemberSighting[]]>([
    ['the lead', { tasks: [{ owner: 'lead' }] }, []],
    ['a member that starts', { ...auto, members: ['ada'], tasks: [{}] }, [seen('ada', { process: 'starting' })]],
    [
      'a member that will be restarted',
      { members: ['ada'], tasks: [{}] },
      [seen('ada', { process: 'dead', deadFor: 10 })],
    ],
    ['a running member that has not looked yet', { ...auto, members: ['ada'], tasks: [{}] }, []],
  ])('but not while it waits for %s', (_, sketch, members) => {
    expect(look(world(sketch), members)).toEqual([]);
  });

  it('but not while a person may claim', () => {
    expect(look(world({ ...auto, members: ['ada'], tasks: [{}] }), [], { members: [] })).toEqual([]);
  });
});
