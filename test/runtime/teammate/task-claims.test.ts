/** A member claims what is free at the end of the log, and writes no claim that is refused where it could know. */
import { expect, it } from 'vitest';
import { MemberSession } from '../../../src/runtime/team/member-session.ts';
import { SendRate } from '../../../src/runtime/team/send-rate.ts';
import { Claims } from '../../../src/runtime/teammate/task-claims.ts';
import { name } from '../../support/team.ts';
import { ToldTeam } from '../../support/told-team.ts';

const told = (): ToldTeam => new ToldTeam({ ada: 'executor', bob: 'executor' }).led().started('ada', 'bob');

function claimsOf({ store }: ToldTeam, member: string): Claims {
  const incarnation = store.board.fold().members.get(name(member))?.incarnation ?? '';
  const speaker = { kind: 'member', name: name(member), incarnation } as const;
  return new Claims(new MemberSession(store, speaker, new SendRate(store.clock, 50), () => {}));
}

const claimed = ({ store }: ToldTeam): string[] =>
  [...store.board.history()].flatMap(({ event, outcome }) =>
    event.type === 'task.claimed' ? [`${event.member} ${event.task} ${outcome.ok ? 'won' : outcome.code}`] : [],
  );

it('a task that another member claimed meanwhile is not asked for again: the next one is claimed', async () => {
  const on = told().add('One').add('Two');
  const claims = claimsOf(on, 'bob');
  expect(claims.ready(on.store.board.fold())?.id).toBe('1');
  on.claim('1', 'ada');
  await claims.claim();
  expect(claimed(on)).toEqual(['ada 1 won', 'bob 2 won']);
});

it('nothing is written where nothing is free any more', async () => {
  const on = told().add('One');
  const claims = claimsOf(on, 'bob');
  expect(claims.ready(on.store.board.fold())?.id).toBe('1');
  on.claim('1', 'ada');
  await claims.claim();
  expect(claimed(on)).toEqual(['ada 1 won']);
});
