/**
 * Monitoring (docs/specification.md R5.6; faults 8 and 36 of docs/reliability.md): a silent member is asked, then
 * ended; a hung one is told from a slow one.
 */
import { describe, expect, it } from 'vitest';
import type { MemberSighting } from '../../../src/policy/sighting.ts';
import { judge } from '../../../src/policy/supervise/judge.ts';
import { bare, LIMITS, MINUTE, seen, sighting, world, type TeamSketch } from '../world.ts';

type Rest = Partial<Omit<MemberSighting, 'name'>>;

/** The verdicts if ada, who works on task #1, is seen like this. */
function whenAda(rest: Rest, sketch: TeamSketch = {}) {
  const team = world({ members: ['ada', 'bob'], tasks: [{ owner: 'ada' }], ...sketch });
  team.claim('ada', '1');
  return bare(judge(sighting(team, [seen('ada', rest)]), LIMITS));
}

const CHECK = { do: 'check', member: 'ada', task: '1' };
const FENCED = { do: 'fence', member: 'ada', task: '1', epoch: 1, reason: 'fenced', stop: true, heir: 'bob' };
const LOST = { ...FENCED, reason: 'lost' };

describe('a member at work', () => {
  it.each<[string, Rest, object[]]>([
    ['is left alone for 5 minutes', { progressAge: 5 * MINUTE - 1 }, []],
    ['is asked after 5 minutes without progress', { progressAge: 5 * MINUTE }, [CHECK]],
    ['is asked once in each silence', { progressAge: 6 * MINUTE, checkedFor: MINUTE }, []],
    ['is asked before its task is taken away, however late', { progressAge: 30 * MINUTE }, [CHECK]],
    ['keeps its task while it answers', { progressAge: 9 * MINUTE, checkedFor: 4 * MINUTE, answered: true }, []],
    ['keeps its task while its process lives', { progressAge: 9 * MINUTE, checkedFor: 4 * MINUTE }, []],
    [
      'loses its task after 10 minutes: an answer shows life, not progress',
      { progressAge: 10 * MINUTE, checkedFor: 5 * MINUTE, answered: true },
      [FENCED],
    ],
    [
      'is dead if its heartbeat is stale and 2 minutes pass unanswered',
      { progressAge: 7 * MINUTE, checkedFor: 2 * MINUTE, beatAge: 15_000 },
      [LOST],
    ],
    ['has 2 minutes to answer', { progressAge: 7 * MINUTE, checkedFor: 2 * MINUTE - 1, beatAge: 3 * MINUTE }, []],
    [
      'has an answer that counts for a limited time',
      { progressAge: 9 * MINUTE, checkedFor: 4 * MINUTE, beatAge: 2 * MINUTE, answered: true },
      [LOST],
    ],
    [
      'keeps its answer while its heartbeat may return',
      { progressAge: 9 * MINUTE, checkedFor: 4 * MINUTE, beatAge: MINUTE, answered: true },
      [],
    ],
  ])('a member at work %s', (_, rest, verdicts) => {
    expect(whenAda(rest)).toEqual(verdicts);
  });

  it.each<[string, Rest, object[]]>([
    ['is bounded by that only', { progressAge: 60 * MINUTE }, []],
    ['is bounded by that also after a check', { progressAge: 60 * MINUTE, checkedFor: 50 * MINUTE }, []],
    [
      'is asked if the heartbeat of the process that keeps the time is stale',
      { progressAge: 60 * MINUTE, beatAge: 15_000 },
      [CHECK],
    ],
    [
      'is left alone when the heartbeat returns',
      { progressAge: 60 * MINUTE, beatAge: 900, checkedFor: 3 * MINUTE },
      [],
    ],
    [
      'is ended if the heartbeat stays stale',
      { progressAge: 60 * MINUTE, beatAge: 3 * MINUTE, checkedFor: 2 * MINUTE },
      [LOST],
    ],
  ])('a task with its own time-out %s', (_, rest, verdicts) => {
    expect(whenAda({ boundedByTimeout: true, ...rest })).toEqual(verdicts);
  });
});

describe('a task that is taken away', () => {
  const hung = { progressAge: 10 * MINUTE, checkedFor: 5 * MINUTE };

  it('a task that is taken away returns to its member after the restart if there is no other', () => {
    expect(whenAda(hung, { members: ['ada'] })).toEqual([
      { ...CHECK, do: 'fence', epoch: 1, reason: 'fenced', stop: true },
    ]);
  });

  it('a task taken from a worker that a person started leaves the process alone', () => {
    expect(whenAda({ ...hung, byHand: true })).toEqual([{ ...FENCED, stop: false }]);
    expect(whenAda({ ...hung, byHand: true }, { members: ['ada'] })).toEqual([{ ...FENCED, stop: false, heir: null }]);
  });

  it('a task that had no owner stays unowned when it is taken away', () => {
    const { heir: _, ...verdict } = FENCED;
    expect(whenAda(hung, { profile: 'v8', claim: 'auto', tasks: [{}] })).toEqual([verdict]);
  });

  it('in a pipeline a task that is taken away is only reset', () => {
    const sketch = {
      profile: 'pipeline',
      claim: 'prefix',
      members: ['ada:analyst:DRAFT', 'bob:analyst:DRAFT'],
    } as const;
    const { heir: _, ...verdict } = FENCED;
    expect(whenAda(hung, { ...sketch, tasks: [{ subject: 'DRAFT-001 x', owner: 'ada' }] })).toEqual([verdict]);
  });

  it('in a relay no task is taken away, because a relay has its own time-outs', () => {
    expect(whenAda(hung, { profile: 'relay' })).toEqual([]);
  });

  it('a task that is taken away counts as lost from the third time on, and the third loss ends it', () => {
    const team = world({ members: ['ada', 'bob'], tasks: [{ owner: 'ada' }] });
    const reasons: string[] = [];
    while (team.task('1').status === 'pending') {
      team.claim('ada', '1');
      const [verdict] = judge(sighting(team, [seen('ada', hung)]), LIMITS);
      if (verdict?.do !== 'fence') throw new Error('not fenced');
      reasons.push(`${verdict.reason}${verdict.heir === undefined ? ', no heir' : ''}`);
      team.lead({ type: 'task.released', task: '1', epoch: verdict.epoch, reason: verdict.reason, why: verdict.why });
    }
    expect(reasons).toEqual(['fenced', 'fenced', 'lost', 'lost', 'lost, no heir']);
    expect(team.task('1')).toMatchObject({ status: 'failed', code: 'POISON' });
  });
});

describe('a process without a task', () => {
  const idle = (rest: Rest) =>
    bare(judge(sighting(world({ members: ['ada'], tasks: [{ owner: 'ada' }] }), [seen('ada', rest)]), LIMITS));

  it('a process without a task is ended after 2 minutes without a heartbeat, so that it can be restarted', () => {
    expect(idle({ beatAge: 2 * MINUTE - 1 })).toEqual([]);
    expect(idle({ beatAge: 2 * MINUTE })).toEqual([{ do: 'stop', member: 'ada' }]);
  });

  it('a process that a person started is not ended: what it owns goes to an available member', () => {
    expect(idle({ beatAge: 2 * MINUTE, byHand: true })).toEqual([{ do: 'assign', task: '1', owner: null }]);
  });
});

it('a person who works as a member is never watched', () => {
  const team = world({ members: ['ada'], tasks: [{ owner: 'ada' }] });
  team.write({ type: 'task.claimed', task: '1', member: seen('ada').name }, { person: seen('ada').name, epoch: 1 });
  expect(judge(sighting(team, [seen('ada', { progressAge: 99 * MINUTE, process: 'none' })]), LIMITS)).toEqual([]);
});
