/** The write gate of a member whose plans are approved, where its question is written while it is told to leave. */
import { expect, it } from 'vitest';
import { PlanGate } from '../../../src/runtime/teammate/plan-gate.ts';
import { MemberSession } from '../../../src/runtime/team/member-session.ts';
import { SendRate } from '../../../src/runtime/team/send-rate.ts';
import { name } from '../../support/team.ts';
import { ToldTeam } from '../../support/told-team.ts';

it('a member that is told to leave while its plan is written to the board does not wait for the answer', async () => {
  const told = new ToldTeam({ ada: 'executor/exec' });
  told.led().started('ada').add('Build').claim('1', 'ada');
  const incarnation = told.store.board.board.members.get(name('ada'))?.incarnation ?? '';
  const speaker = { kind: 'member', name: name('ada'), incarnation } as const;
  const session = new MemberSession(told.store, speaker, new SendRate(told.clock, 1), () => {});
  const task = session.task();
  if (task === undefined) throw new Error('ada has no task.');
  const asked: string[] = [];
  // The order to leave comes while the request is being written: the gate asks again when it is on the board.
  const isLeaving = (): boolean => told.store.board.fold().requests.size > 0;
  const gate = new PlanGate({
    session,
    openPlanner: undefined,
    isLeaving,
    onApproved: () => asked.push('approved'),
  });
  const { end } = await gate.before(() => Promise.reject(new Error('The task began.')))(task, [], () =>
    Promise.resolve({ kind: 'answered', text: 'First this, then that.' }),
  );
  expect(end).toEqual({ kind: 'aborted' });
  expect(asked).toEqual([]);
});
