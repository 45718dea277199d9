/** Who may begin: what is granted, what waits, what is refused; and that a limit holds whatever happens. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { METERS, type Amount, type BudgetScope, type LedgerEntry } from '../../../src/model/team/budget.ts';
import { BudgetAccount } from '../../../src/model/team/budget-account.ts';
import { admit, type BudgetAsk } from '../../../src/policy/budget/admission.ts';

const limit = (scope: BudgetScope, amount: Amount): LedgerEntry => ({ do: 'limit', scope, limit: amount });
const held = (id: string, hold: Amount, member = 'bob', task?: string): LedgerEntry => ({
  do: 'reserve',
  id,
  member,
  by: member,
  agent: 'x/y',
  hold,
  task,
});
const used = (id: string, amount: Amount): LedgerEntry => ({ do: 'settle', id, used: amount });

function accountOf(...entries: LedgerEntry[]): BudgetAccount {
  const account = new BudgetAccount();
  for (const entry of entries) account.add(entry);
  return account;
}

const ask = (want: Amount, over: Partial<BudgetAsk> = {}): BudgetAsk => ({
  member: 'ada',
  by: 'ada',
  want,
  least: {},
  ...over,
});

describe('a reservation', () => {
  it.each([
    ['is granted where nothing is limited', [], ask({ cost: 9 }), { do: 'grant', hold: { cost: 9 } }],
    ['is granted within the limit', [limit('team', { cost: 5 })], ask({ cost: 5 }), { do: 'grant', hold: { cost: 5 } }],
    [
      'is cut to what is left if nothing else is reserved',
      [limit('team', { cost: 5 })],
      ask({ cost: 9 }),
      { do: 'grant', hold: { cost: 5 } },
    ],
    [
      'of what nobody knows takes all that is left, and names no amount where nothing is limited',
      [limit('team', { cost: 5 })],
      ask({ cost: Infinity, tokens: Infinity }),
      { do: 'grant', hold: { cost: 5 } },
    ],
    [
      'waits for what another holds',
      [limit('team', { cost: 5 }), held('1', { cost: 4 })],
      ask({ cost: 2 }),
      { do: 'wait', why: 'others reserved $4.0000 of the team; $0.0000 are used of $5.0000' },
    ],
    [
      'is refused when the limit is used up',
      [limit('team', { turns: 2 }), held('1', { turns: 2 }), used('1', { turns: 2 })],
      ask({ turns: 1 }),
      { do: 'refuse', why: '2 turns are used of the 2 turns of the team' },
    ],
    [
      'is refused at once when even all that others hold would not suffice',
      [limit('team', { tokens: 1_000 }), held('1', { tokens: 500 })],
      ask({ tokens: 5_000 }, { least: { tokens: 2_000 } }),
      {
        do: 'refuse',
        why: '0 tokens are used of the 1,000 tokens of the team, and the next call may need 2,000 tokens',
      },
    ],
    [
      'counts for its member',
      [limit('member.ada', { turns: 1 }), held('1', { turns: 1 }, 'ada'), used('1', { turns: 1 })],
      ask({ turns: 1 }),
      { do: 'refuse', why: '1 turn is used of the 1 turn of member ada' },
    ],
    [
      'counts for its task, whoever does it',
      [limit('task.3', { time: 60_000 }), held('1', { time: 60_000 }, 'bob', '3'), used('1', { time: 60_000 })],
      ask({ time: 60_000 }, { task: '3' }),
      { do: 'refuse', why: '1m are used of the 1m of task #3' },
    ],
    [
      'of another task is free',
      [limit('task.3', { turns: 1 }), held('1', { turns: 1 }, 'bob', '3')],
      ask({ turns: 1 }, { task: '4' }),
      { do: 'grant', hold: { turns: 1 } },
    ],
    [
      'of a model without a price is refused under a limit of cost',
      [limit('team', { cost: 5 })],
      ask({ cost: Infinity }, { unpriced: 'gpt-x' }),
      {
        do: 'refuse',
        why: 'the price of gpt-x is unknown, so the cost limit of the team cannot hold: give its price under "prices" in the configuration, or limit tokens',
      },
    ],
  ] as const)('%s', (_, entries, asked, expected) => {
    expect(admit(accountOf(...entries), asked)).toEqual(expected);
  });

  it('adds to what the same process holds already', () => {
    const account = accountOf(limit('team', { cost: 5 }), held('1', { cost: 3 }, 'ada'));
    expect(admit(account, ask({ cost: 4 }))).toEqual({ do: 'grant', hold: { cost: 2 } });
  });
});

describe('a limit', () => {
  it('is never exceeded by any order of reservations and settlements, and every reservation can be settled once', () => {
    const step = fc.record({
      member: fc.constantFrom('ada', 'bob', 'cyd'),
      task: fc.constantFrom(undefined, '1', '2'),
      want: fc.record({
        cost: fc.double({ min: 0, max: 4, noNaN: true }),
        tokens: fc.nat(4_000),
        turns: fc.constant(1),
      }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      ends: fc.boolean(),
    });
    const limits = fc.record({
      team: fc.record({ cost: fc.integer({ min: 1, max: 10 }), tokens: fc.integer({ min: 1, max: 9_000 }) }),
      'member.ada': fc.record({ turns: fc.integer({ min: 1, max: 5 }) }),
      'task.1': fc.record({ cost: fc.integer({ min: 1, max: 5 }) }),
    });
    fc.assert(
      fc.property(limits, fc.array(step, { maxLength: 60 }), (set, steps) => {
        const account = accountOf(
          limit('team', set.team),
          limit('member.ada', set['member.ada']),
          limit('task.1', set['task.1']),
        );
        let last = 0;
        for (const { member, task, want, share, ends } of steps) {
          const admission = admit(account, { member, by: member, task, want, least: {} });
          if (admission.do === 'grant') account.add(held(String((last += 1)), admission.hold, member, task));
          const [first] = account.open.values();
          if (ends && first)
            account.add(
              used(
                first.id,
                Object.fromEntries(Object.entries(first.hold).map(([meter, most]) => [meter, (most ?? 0) * share])),
              ),
            );
          for (const [scope, most] of account.limits)
            for (const meter of METERS) {
              const spent = (account.spent.get(scope)?.[meter] ?? 0) + account.reserved(scope, meter);
              expect(spent).toBeLessThanOrEqual((most[meter] ?? Infinity) + 1e-9);
            }
        }
      }),
      { numRuns: 500 },
    );
  });
});
