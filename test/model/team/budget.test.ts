/** Limits as people write them, and what a ledger's records add up to. */
import { describe, expect, it } from 'vitest';
import { parseLimit } from '../../../src/model/team/budget.ts';
import { BudgetAccount } from '../../../src/model/team/budget-account.ts';

describe('a limit in one word', () => {
  it.each([
    ['cost=5', ['team', { cost: 5 }]],
    ['cost=$0.50', ['team', { cost: 0.5 }]],
    ['team.tokens=1000', ['team', { tokens: 1_000 }]],
    ['member.ada.turns=3', ['member.ada', { turns: 3 }]],
    ['task.12.time=1.5h', ['task.12', { time: 5_400_000 }]],
  ])('%s', (text, limit) => {
    expect(parseLimit(text)).toEqual(limit);
  });

  it.each([
    '',
    'cost',
    'cost=',
    'money=5',
    'ada.cost=5',
    'member.ada=5',
    'task.x.cost=1',
    'cost=-1',
    'tokens=1.5',
    'turns=x',
    'time=long',
  ])('%j is told to be none, with what was expected', (text) => {
    const read = parseLimit(text);
    expect(typeof read === 'string' ? read : 'a limit').toMatch(/Expected|must|Invalid|Too/i);
  });
});

describe('an account', () => {
  const reserve = {
    do: 'reserve',
    id: '1',
    member: 'ada',
    task: '3',
    by: 'p',
    agent: 'claude/',
    hold: { cost: 2 },
  } as const;

  it('counts what was used for the team, the member and the task, and a settlement once', () => {
    const account = new BudgetAccount();
    account.add({ do: 'limit', scope: 'team', limit: { cost: 5 }, spent: { cost: 1 } });
    account.add(reserve);
    expect(account.reserved('task.3', 'cost')).toBe(2);
    for (let times = 0; times < 2; times += 1) account.add({ do: 'settle', id: '1', used: { cost: 1.5 } });
    expect(account.spent.get('team')).toMatchObject({ cost: 2.5 });
    expect(account.spent.get('member.ada')).toMatchObject({ cost: 1.5 });
    expect(account.spent.get('task.3')).toMatchObject({ cost: 1.5 });
    expect(account.all).toEqual([]);
  });

  it('remembers the last turns of an agent that told what it used', () => {
    const account = new BudgetAccount();
    for (let turn = 1; turn <= 40; turn += 1) {
      account.add({ ...reserve, id: String(turn) });
      account.add({
        do: 'settle',
        id: String(turn),
        used: { cost: turn },
        ...(turn === 40 ? { untold: ['cost'] } : {}),
      });
    }
    expect(account.turns.get('claude/')).toHaveLength(32);
    expect(account.turns.get('claude/')?.at(-1)).toEqual({ cost: 39 });
    expect(account.untold.get('cost')).toBe(1);
  });

  it('nobody waits after a limit was changed, a reservation was granted, or its turn was ended', () => {
    const account = new BudgetAccount();
    const refuse = { do: 'refuse', member: 'ada', by: 'p', why: 'no', waits: false } as const;
    account.add(refuse);
    account.add({ do: 'limit', scope: 'team', limit: { cost: 9 } });
    expect(account.waiting.size).toBe(0);
    account.add(refuse);
    account.add(reserve);
    expect(account.waiting.size).toBe(0);
    account.add(refuse);
    account.add({ do: 'withdraw', member: 'ada', by: 'p' });
    expect(account.waiting.size).toBe(0);
  });
});
