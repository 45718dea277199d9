/** A member claims what is free at the end of the log, and writes no claim that is refused where it could know. */
import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ownIdentity } from '../../../src/os/process-table.ts';
import { MemberSession } from '../../../src/runtime/team/member-session.ts';
import { SendRate } from '../../../src/runtime/team/send-rate.ts';
import { Tasks } from '../../../src/runtime/team/task-service.ts';
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
  [...store.board.log.history()].flatMap(({ event, outcome }) =>
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

it('a person claims in the name of a member only if it has no process, which would do nothing meanwhile', async () => {
  const on = told().add('One').add('Two', { owner: 'bob' });
  const { paths } = on.store;
  writeFileSync(paths.leaseOwner(name('ada')), JSON.stringify({ ...ownIdentity(), since: 0 }));
  const as = (member: string): Tasks => new Tasks(on.store, { kind: 'person', name: name(member) });
  await expect(as('ada').claim('1')).rejects.toMatchObject({
    code: 'MEMBER_ALIVE',
    message: `The process of ada (pid ${process.pid}) claims its tasks itself; \`teams task update login 1 --owner ada\` gives it this one.`,
  });
  // What the board would refuse is refused as for everybody.
  await expect(as('ada').claim('2')).rejects.toMatchObject({ code: 'POLICY_DENIED' });
  expect(await as('bob').claim('2')).toMatchObject({ status: 'in_progress' });
  expect(claimed(on)).toEqual(['ada 2 POLICY_DENIED', 'bob 2 won']);
});
