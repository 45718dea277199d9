/** Agents without a team: the same limits, on a ledger in memory. */
import { expect, it } from 'vitest';
import { BudgetAccount } from '../../../src/model/team/budget-account.ts';
import type { BudgetLimits } from '../../../src/model/team/budget.ts';
import type { AgentSpec } from '../../../src/model/agent/agent.ts';
import { ownSpender } from '../../../src/runtime/budget/own-ledger.ts';
import { TurnBudget } from '../../../src/runtime/budget/turn-budget.ts';
import { FakeClock } from '../../support/clock.ts';

const SPEC: AgentSpec = { kind: 'exec', command: ['true'] };
const store = { clock: new FakeClock() };
const { signal } = new AbortController();

const limited = (limits: BudgetLimits, before?: BudgetAccount) =>
  ownSpender({ budget: [{ how: 'set', limits }], store }, before);
const budgetOf = (spender: Awaited<ReturnType<typeof ownSpender>>) =>
  new TurnBudget(spender, SPEC, { ...spender, perCall: false, isUrgent: true });

async function turn(budget: TurnBudget): Promise<unknown> {
  const begun = await budget.begin(undefined, 1_000, signal);
  if (typeof begun !== 'string') await budget.end({ kind: 'answered', text: 'done' });
  return begun;
}

it('without a limit nothing is reserved', async () => {
  const spender = await ownSpender({ store });
  expect(await turn(budgetOf(spender))).toBeUndefined();
  expect(spender.store.ledger.look()).toBeUndefined();
});

it('the turn after the last one is refused with the limit, and none waits', async () => {
  const budget = budgetOf(await limited({ team: { turns: 2 } }));
  expect(await turn(budget)).toBeInstanceOf(AbortSignal);
  expect(await turn(budget)).toBeInstanceOf(AbortSignal);
  expect(await turn(budget)).toBe('2 turns are used of the 2 turns of the team');
});

it('what a call of the team before had reserved and never told counts as spent', async () => {
  const before = new BudgetAccount();
  before.add({ do: 'limit', scope: 'team', limit: { turns: 1 } });
  before.add({ do: 'reserve', id: 'r', member: 'ada', by: 'i', agent: 'exec/', hold: { turns: 1 } });
  expect(await turn(budgetOf(await limited({}, before)))).toBe('1 turn is used of the 1 turn of the team');
});

it('what a team spent before counts', async () => {
  const before = new BudgetAccount();
  before.add({ do: 'limit', scope: 'team', limit: { turns: 3 }, spent: { turns: 2 } });
  const budget = budgetOf(await limited({ team: { turns: 100 } }, before));
  expect(await turn(budget)).toBeInstanceOf(AbortSignal);
  expect(await turn(budget)).toBe('3 turns are used of the 3 turns of the team');
});
