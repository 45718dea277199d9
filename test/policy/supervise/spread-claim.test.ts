/** What members choose where a claim takes a while to be known. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { spreadClaim } from '../../../src/policy/supervise/spread-claim.ts';
import { name, world, type World } from '../world.ts';

const MEMBERS = ['ada', 'bob', 'cy', 'dee'];
const team = (tasks: number, members = MEMBERS): World =>
  world({ profile: 'v8', claim: 'auto', members, tasks: Array.from({ length: tasks }, () => ({})) });
const choices = (seen: World, members = MEMBERS): (string | undefined)[] =>
  members.map((member) => spreadClaim(seen.board, name(member))?.id);

describe('a claim that is spread', () => {
  it('members that see the same board choose different tasks, the first ones', () => {
    expect(choices(team(10))).toEqual(['1', '2', '3', '4']);
  });

  it('a claim of another member leaves the choices as they are', () => {
    const seen = team(10);
    seen.claim('bob', '2');
    expect(choices(seen)).toEqual(['1', undefined, '3', '4']);
  });

  it('an own task comes first, and nobody else chooses it', () => {
    const seen = world({ profile: 'v8', claim: 'auto', members: MEMBERS, tasks: [{}, {}, { owner: 'dee' }, {}, {}] });
    expect(choices(seen)).toEqual(['1', '2', '5', '3']);
  });

  it('fewer tasks than idle members are shared, and one is always chosen', () => {
    expect(choices(team(2))).toEqual(['1', '2', '1', '2']);
    expect(choices(team(1))).toEqual(['1', '1', '1', '1']);
    expect(choices(team(0))).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('what was lost is not chosen again', () => {
    expect(spreadClaim(team(3).board, name('ada'), new Set(['1']))?.id).not.toBe('1');
  });

  it('a member that becomes idle again changes no choice of the others', () => {
    const seen = team(12);
    for (const [member, task] of [
      ['ada', '1'],
      ['bob', '2'],
    ] as const)
      seen.claim(member, task);
    expect(choices(seen)).toEqual([undefined, undefined, '3', '4']);
    seen.complete('ada', '1');
    expect(choices(seen)).toEqual(['5', undefined, '3', '4']);
  });

  it('a task waits for a bounded number of later ones while the member whose number it has is busy', () => {
    const seen = team(40);
    seen.claim('bob', '2');
    const order: string[] = [];
    while (order.length < 39) {
      const task = spreadClaim(seen.board, name('ada'));
      if (task === undefined) break;
      seen.claim('ada', task.id);
      seen.complete('ada', task.id);
      order.push(task.id);
    }
    for (const [at, id] of order.entries()) expect(Math.abs(Number(id) - at)).toBeLessThan(40);
    expect(new Set(order).size).toBe(39);
  });

  it('whichever members are idle, none loses a claim while there are as many tasks', () => {
    fc.assert(
      fc.property(fc.subarray(MEMBERS, { minLength: 1 }), fc.integer({ min: 4, max: 9 }), (order, tasks) => {
        const seen = team(tasks + MEMBERS.length - order.length);
        for (const busy of MEMBERS.filter((one) => !order.includes(one))) {
          const own = spreadClaim(seen.board, name(busy));
          if (own) seen.claim(busy, own.id);
        }
        const chosen = order.map((member): [string, string | undefined] => [
          member,
          spreadClaim(seen.board, name(member))?.id,
        ]);
        expect(new Set(chosen.map(([, task]) => task)).size).toBe(order.length);
      }),
    );
  });
});
