/** Supervision as a table, rule by rule: sighting → verdicts (docs/specification.md R5.6). */
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
  it('a lead that slept resets its deadlines and does nothing else', () => {
    const team = world({ members: ['ada', 'bob'], tasks: [{ owner: 'ada' }, { owner: 'bob' }] });
    team.claim('ada', '1');
    const old = [
      seen('ada', { beatAge: 99 * MINUTE, progressAge: 99 * MINUTE, checkedFor: 9 * MINUTE }),
      seen('bob', DEAD),
    ];
    expect(look(team, old, { overslept: true })).toEqual([{ do: 'resetDeadlines' }]);
  });
});

describe('a paused team', () => {
  const paused = (): World => {
    const team = world({ members: ['ada', 'bob'], tasks: [{ owner: 'ada' }, { owner: 'bob' }] });
    team.claim('ada', '1');
    team.lead({ type: 'team.paused' });
    return team;
  };

  it('nobody is checked, restarted or given work in a pause, and no run ends', () => {
    const silent = seen('ada', { beatAge: 99 * MINUTE, progressAge: 99 * MINUTE });
    expect(look(paused(), [silent, seen('bob', DEAD)])).toEqual([]);
    const team = world({ members: ['ada'], tasks: [{ owner: 'ada' }] });
    team.claim('ada', '1');
    team.complete('ada', '1');
    expect(look(team, [seen('ada')])).toEqual([{ do: 'finish' }]);
    team.lead({ type: 'team.paused' });
    expect(look(team, [seen('ada')])).toEqual([]);
  });

  it('the claim of a process that dies in a pause ends', () => {
    expect(look(paused(), [seen('ada', DEAD)])).toEqual([
      { do: 'release', reason: 'lost', member: 'ada', task: '1', epoch: 1 },
    ]);
  });
});

describe('the claim of a process that is gone', () => {
  const claimed = (): World => {
    const team = world({ members: ['ada', 'bob'], tasks: [{ owner: 'ada' }] });
    team.claim('ada', '1');
    return team;
  };

  it.each<[string, Partial<MemberSighting>, object[]]>([
    ['is lost if the process died', DEAD, [{ do: 'release', reason: 'lost', member: 'ada', task: '1', epoch: 1 }]],
    [
      'is orphaned if the process was stopped in order',
      { process: 'none' },
      [{ do: 'release', reason: 'orphaned', member: 'ada', task: '1', epoch: 1 }],
    ],
    ['stays while its next incarnation starts: the fold frees it', { process: 'starting' }, []],
    ['stays while the process lives', {}, []],
  ])('the claim of a process %s', (_, rest, verdicts) => {
    expect(look(claimed(), [seen('ada', rest)])).toEqual(verdicts);
  });

  it('the claim of a process stays if the lead cannot see the process', () => {
    expect(look(claimed(), [], { members: [seen('bob')] })).toEqual([]);
  });

  it('the claim of a dead process is released before the restart, in one look', () => {
    expect(look(claimed(), [seen('ada', { ...DEAD, deadFor: 5_000 })])).toEqual([
      { do: 'release', reason: 'lost', member: 'ada', task: '1', epoch: 1 },
      { do: 'restart', member: 'ada', attempt: 1 },
    ]);
  });
});

describe('quarantine', () => {
  it.each([2, 3, 4])('a member is quarantined after %i failed tasks in a row', (consecutiveFailures) => {
    const team = world({ members: ['ada', 'bob'], tasks: [{ owner: 'ada' }] });
    const verdicts = [
      { do: 'quarantine', member: 'ada' },
      { do: 'assign', task: '1', owner: 'bob' },
    ];
    expect(look(team, [seen('ada', { consecutiveFailures })])).toEqual(consecutiveFailures < 3 ? [] : verdicts);
  });

  it('quarantine is decided once, and a quarantined member is not restarted', () => {
    const team = world({ members: ['ada'], tasks: [{}] });
    const ada = seen('ada', { ...DEAD, deadFor: 6_000, consecutiveFailures: 3 });
    expect(look(team, [ada])).toEqual([{ do: 'quarantine', member: 'ada' }]);
    expect(look(team, [{ ...ada, quarantined: true }])).toEqual([{ do: 'stuck' }]);
  });

  describe('and a task that a person retried', () => {
    const retried = (by: 'person' | 'lead', role?: string): World => {
      const team = world({ claim: 'auto', members: ['ada:tester', 'bob'], tasks: [{ owner: 'ada', role }] });
      team.attempt('ada', '1');
      if (by === 'person') team.person({ type: 'task.retried', task: '1' });
      else team.lead({ type: 'task.retried', task: '1' });
      return team;
    };
    const ada = seen('ada', { process: 'none', quarantined: true, consecutiveFailures: 3 });
    const lifted = [
      { do: 'lift', member: 'ada' },
      { do: 'start', member: 'ada' },
    ];

    it('ends the quarantine of the only member that may do it', () =>
      expect(look(retried('person', 'tester'), [ada, seen('bob')])).toEqual(lifted));

    it('goes to another member that may do it', () =>
      expect(look(retried('person'), [ada, seen('bob')])).toEqual([{ do: 'assign', task: '1', owner: 'bob' }]));

    it('ends no quarantine if the lead retried it', () =>
      expect(look(retried('lead', 'tester'), [ada, seen('bob')])).not.toContainEqual(lifted[0]));
  });
});

it('the lead reassigns what a member owns in the same look in which it abandons the member', () => {
  const team = world({ members: ['ada', 'bob'], tasks: [{ owner: 'ada' }] });
  expect(look(team, [seen('ada', { ...DEAD, restarts: 3 })])).toEqual([
    { do: 'abandon', member: 'ada' },
    { do: 'assign', task: '1', owner: 'bob' },
  ]);
});

describe('the dependants of a failed task', () => {
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

  it('an unattended team skips the dependants of a failed task, each chain by its first task', () => {
    expect(look(failed(), [], { unattended: true })).toEqual([
      { do: 'skip', task: '2', because: '1' },
      { do: 'skip', task: '5', because: '1' },
    ]);
    expect(reason(failed(), [], { unattended: true })).toBe('blocker #1 failed,blocker #1 failed');
  });

  it('an attended team waits for a person, and says what for', () => {
    expect(look(failed())).toEqual([{ do: 'stuck' }]);
    expect(reason(failed())).toContain('task #2 waits for #1, which failed: retry it, skip it or unblock #2');
  });

  it('the dependants of a cancelled task are skipped too', () => {
    const team = world({ members: ['ada'], tasks: [{}, { blockedBy: ['1'] }] });
    team.lead({ type: 'task.cancelled', task: '1', why: 'no need' });
    expect(look(team, [], { unattended: true })).toEqual([{ do: 'skip', task: '2' }]);
    expect(reason(team, [], { unattended: true })).toBe('blocker #1 was cancelled');
  });

  it('a task is not reassigned in the look that skips it', () => {
    const verdicts = look(failed(), [seen('ada', { quarantined: true })], { unattended: true });
    expect(verdicts).toEqual([
      { do: 'skip', task: '2', because: '1' },
      { do: 'skip', task: '5', because: '1' },
    ]);
  });
});

describe('the end', () => {
  it('the end comes when every task is final', () => {
    const team = world({ members: ['ada'], tasks: [{ owner: 'ada' }] });
    team.attempt('ada', '1');
    expect(look(team)).toEqual([{ do: 'finish' }]);
  });

  it('the end comes before what a serving lead does', () => {
    const team = world({ members: ['ada'], tasks: [{ owner: 'ada' }] });
    team.attempt('ada', '1');
    const verdicts = [{ do: 'finish' }, { do: 'restart', member: 'ada', attempt: 1 }];
    expect(look(team, [seen('ada', { ...DEAD, deadFor: MINUTE })])).toEqual(verdicts);
  });

  it('there is no end while there are no tasks', () => {
    expect(look(world({ members: ['ada'] }))).toEqual([]);
  });

  it('the end does not wait for internal tasks', () => {
    const team = world({
      members: ['ada'],
      tasks: [{ owner: 'ada' }, { owner: 'lead', metadata: { _internal: true } }],
    });
    team.claim('ada', '1');
    team.complete('ada', '1');
    expect(look(team)).toEqual([{ do: 'finish' }]);
  });

  it('the end is not judged after the team began to close', () => {
    const team = world({ members: ['ada'], tasks: [{ owner: 'ada' }] });
    team.lead({ type: 'team.closing' });
    expect(look(team, [seen('ada', { ...DEAD, deadFor: MINUTE })])).toEqual([]);
  });
});

describe('a blocked team says what is missing', () => {
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

  it('a blocked team says what is missing in a few words, however many tasks wait', () => {
    const tasks = Array.from({ length: 500 }, () => ({ role: 'designer' }));
    expect(reason(world({ ...auto, members: ['ada'], tasks }))).toMatch(/; and 495 more$/);
  });

  it.each<[string, TeamSketch, MemberSighting[]]>([
    ['the lead', { tasks: [{ owner: 'lead' }] }, []],
    ['a starting member', { ...auto, members: ['ada'], tasks: [{}] }, [seen('ada', { process: 'starting' })]],
    [
      'a member that will be restarted',
      { members: ['ada'], tasks: [{}] },
      [seen('ada', { process: 'dead', deadFor: 10 })],
    ],
    ['a running member that has not looked yet', { ...auto, members: ['ada'], tasks: [{}] }, []],
  ])('a team is not blocked while it waits for %s', (_, sketch, members) => {
    expect(look(world(sketch), members)).toEqual([]);
  });

  it('a team is not blocked while a person may claim', () => {
    expect(look(world({ ...auto, members: ['ada'], tasks: [{}] }), [], { members: [] })).toEqual([]);
  });
});
