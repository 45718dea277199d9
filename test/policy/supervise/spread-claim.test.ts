/** What members choose where a claim takes a while to be known. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Board } from '../../../src/model/board/board.ts';
import { nextClaims } from '../../../src/model/board/listed-tasks.ts';
import type { Task } from '../../../src/model/board/task.ts';
import type { Name } from '../../../src/model/text/names.ts';
import { spreadClaim } from '../../../src/policy/supervise/spread-claim.ts';
import { name, world, type World } from '../world.ts';

const MEMBERS = ['ada', 'bob', 'cy', 'dee'];
const team = (tasks: number, members = MEMBERS): World =>
  world({ profile: 'v8', claim: 'auto', members, tasks: Array.from({ length: tasks }, () => ({})) });
const choices = (seen: World, members = MEMBERS): (string | undefined)[] =>
  members.map((member) => spreadClaim(seen.board, name(member))?.id);

/** The rule as it reads: all of the first ready tasks are looked at. */
function chosenOfAll(board: Board, member: Name, except: ReadonlySet<string>): Task | undefined {
  const all = [...board.members.keys()].toSorted();
  const ready = nextClaims(board, member, { except, most: 2 * all.length });
  if (ready[0]?.owner === member) return ready[0];
  const idle = all.filter((one) => one === member || !board.busy.has(one));
  const choices = new Map<Name, Task>();
  for (const task of ready) {
    const one = all[(Number(task.id) - 1) % all.length];
    if (one !== undefined && idle.includes(one) && !choices.has(one)) choices.set(one, task);
  }
  const free = ready.filter((task) => ![...choices.values()].includes(task));
  for (const one of idle) {
    const task = choices.has(one) ? undefined : free.shift();
    if (task !== undefined) choices.set(one, task);
  }
  return choices.get(member) ?? ready[idle.indexOf(member) % Math.max(ready.length, 1)];
}

const SKETCHED = ['ada', 'bob:designer', 'cy:analyst:RESEARCH', 'dee', 'eve'];
const sketch = fc.record({
  owner: fc.option(fc.constantFrom('ada', 'bob'), { nil: undefined, freq: 12 }),
  role: fc.option(fc.constantFrom('designer', 'executor'), { nil: undefined, freq: 4 }),
  prefix: fc.constantFrom('', '', 'RESEARCH-'),
  isBlocked: fc.boolean(),
});

describe('a claim that is spread', () => {
  it.each(['auto', 'prefix', 'assigned'] as const)(
    'on random boards (%s) it is the one of all ready tasks',
    (claim) => {
      fc.assert(
        fc.property(
          fc.array(sketch, { maxLength: 40 }),
          fc.boolean(),
          fc.array(fc.nat({ max: 60 }), { maxLength: 25 }),
          fc.uniqueArray(fc.nat({ max: 40 }).map(String), { maxLength: 4 }),
          (sketches, isPlain, steps, except) => {
            const tasks = sketches.map(({ isBlocked, prefix, ...task }, at) => {
              const blockedBy = isBlocked && at > 0 ? [String(Math.ceil(at / 2))] : [];
              const code = `${prefix}${String(at + 1).padStart(3, '0')}`;
              if (isPlain) return {};
              return prefix === '' ? { ...task, blockedBy } : { subject: `${code}: look`, blockedBy };
            });
            const seen = world({ profile: 'v8', claim, members: SKETCHED, tasks });
            const lost = new Set(except);
            for (const step of [0, ...steps]) {
              for (const member of seen.board.members.keys())
                expect(spreadClaim(seen.board, member, lost)?.id).toBe(chosenOfAll(seen.board, member, lost)?.id);
              const member = [...seen.board.members.keys()][step % SKETCHED.length];
              if (member === undefined) continue;
              const current = seen.board.busy.get(member);
              const next = spreadClaim(seen.board, member, lost)?.id;
              if (current !== undefined) seen.complete(member, current);
              else if (next !== undefined) seen.claim(member, next);
            }
          },
        ),
        { numRuns: 150 },
      );
    },
  );

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
