/** SPEC §8 "Choice": which fault of an agent, how often, gives its place to another, and what happens without one. */
import { describe, expect, it } from 'vitest';
import { FAILURE_CLASSES, type FailureClass } from '../../src/model/agent.ts';
import { judge } from '../../src/policy/judge.ts';
import type { MemberSighting } from '../../src/policy/sighting.ts';
import { bare, LIMITS, seen, sighting, world, type TeamSketch } from './world.ts';

type Rest = Partial<Omit<MemberSighting, 'name'>>;

function whenAda(rest: Rest, sketch: TeamSketch = {}) {
  const team = world({ members: ['ada', 'bob'], tasks: [{ owner: 'ada' }], ...sketch });
  return bare(judge(sighting(team, [seen('ada', { agent: 'codex', standIn: 'claude', ...rest })]), LIMITS));
}

const failed = (fault: FailureClass, times: number) => ({ fault: { fault, times, text: 'it said so' } });
const REPLACED = [{ do: 'fall back', member: 'ada', to: 'claude' }];

describe('an agent', () => {
  it.each<[FailureClass, number]>([
    ['not_installed', 1],
    ['unauthorised', 1],
    ['overflow', 2],
    ['bad_output', 2],
    ['timeout', 2],
    ['crashed', 4],
  ])('that failed by %s is replaced at time %i in a row, and not before', (fault, times) => {
    expect(whenAda(failed(fault, times))).toEqual(REPLACED);
    if (times > 1) expect(whenAda(failed(fault, times - 1))).toEqual([]);
  });

  it('that is refused for a while is waited for', () => {
    expect(whenAda(failed('rate_limited', 99))).toEqual([]);
  });

  it('without another in its place gets no more tasks, whatever an attempt does not count', () => {
    const { standIn: _, ...alone } = seen('ada', { agent: 'codex', ...failed('unauthorised', 1) });
    const team = world({ members: ['ada', 'bob'], tasks: [{ owner: 'ada' }] });
    const verdicts = judge(sighting(team, [alone]), LIMITS);
    expect(bare(verdicts)).toEqual([
      { do: 'quarantine', member: 'ada' },
      { do: 'assign', task: '1', owner: 'bob' },
    ]);
    expect(verdicts[0]).toMatchObject({
      why: 'its agent codex failed at once (unauthorised: it said so), and there is no other agent for it',
    });
    expect(judge(sighting(team, [{ ...alone, ...failed('timeout', 2) }]), LIMITS)).toEqual([]);
    expect(judge(sighting(team, [{ ...alone, quarantined: true }]), LIMITS)).not.toContainEqual(verdicts[0]);
  });

  it('of a person’s worker is the person’s to replace', () => {
    expect(whenAda({ byHand: true, ...failed('unauthorised', 1) })[0]).toEqual({ do: 'quarantine', member: 'ada' });
  });

  it.each(FAILURE_CLASSES)('that is a command never falls back: %s', (fault) => {
    expect(whenAda({ agent: 'exec', ...failed(fault, 9) })).toEqual([]);
  });

  it('in a relay is the loop’s to replace', () => {
    expect(whenAda(failed('unauthorised', 1), { profile: 'relay' })).toEqual([]);
  });
});
