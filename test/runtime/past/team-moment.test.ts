/** `teams at`: each moment of a told story, as it was when it was told. */
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseMoment } from '../../../src/model/text/moment.ts';
import { safeJson } from '../../../src/model/text/safe-text.ts';
import { columnsOf } from '../../../src/policy/view/board-columns.ts';
import { teamAt, type TeamMoment } from '../../../src/runtime/past/team-moment.ts';
import { isTeamError } from '../../../src/model/text/errors.ts';
import { name } from '../../support/team.ts';
import { ToldTeam } from '../../support/told-team.ts';

const SECOND = 1_000;

const at = async (team: ToldTeam, text: string): Promise<TeamMoment> => {
  const moment = parseMoment(text);
  if (moment === undefined) throw new Error(`${text} is no moment`);
  return teamAt(team.store, moment);
};

/** What a view of the living team shows of the board, now. */
const now = (team: ToldTeam) => {
  const board = team.store.board.fold();
  return {
    phase: board.phase,
    tasks: Object.values(columnsOf(board))
      .flat()
      .sort((one, other) => Number(one.id) - Number(other.id)),
    members: [...board.members.values()].map(({ name, role, state }) => ({
      name,
      role,
      state,
      task: board.busy.get(name) ?? null,
    })),
  };
};

const boardOf = ({ phase, tasks, members }: TeamMoment) => ({
  phase,
  tasks,
  members: members.map(({ last: _, ...member }) => member),
});

const STORY: readonly ((team: ToldTeam) => ToldTeam)[] = [
  (team) => team.led(),
  (team) => team.started('ada', 'bob'),
  (team) => team.add('One').add('Two', { blockedBy: ['1'] }),
  (team) => team.claim('1', 'ada'),
  (team) => team.note('agent.said', { member: 'ada', text: 'half' }),
  (team) => team.complete('1', 'ada'),
  (team) => team.claim('2', 'bob'),
  (team) => team.fail('2', 'bob', 'no disk'),
  (team) => team.say({ type: 'task.retried', task: '2' }),
  (team) => team.say({ type: 'team.paused' }),
];

/** Tells the story, one second a step, and keeps what the team was after each. */
function told() {
  const team = new ToldTeam({ ada: 'explorer/exec', bob: 'executor/exec' });
  const steps = STORY.map((step) => {
    step(team.wait(SECOND));
    const lines = readFileSync(team.store.paths.log, 'utf8').split('\n').length - 1;
    return { then: now(team), lines, time: new Date(team.clock.now()).toISOString() };
  });
  return { team, steps };
}

it('each moment is as it was, by its time, its line and its event', async () => {
  const { team, steps } = told();
  for (const [step, { then, lines, time }] of steps.entries()) {
    const seen = await at(team, time);
    expect(boardOf(seen), `step ${step}`).toEqual(then);
    expect(boardOf(await at(team, `b${lines}`)), `step ${step}`).toEqual(then);
    expect(await at(team, String(seen.event.number)), `step ${step}`).toEqual(seen);
    expect(seen.event.at).toBe(time);
    expect(seen.line).toBe(lines);
  }
});

it('the last event that names a member is told, also of the event log', async () => {
  const { team, steps } = told();
  const lasts = (await at(team, steps[4]?.time ?? '')).members.map(({ name, last }) => [name, last?.type]);
  expect(lasts).toEqual([
    ['ada', 'agent.said'],
    ['bob', 'member.started'],
  ]);
});

it('a damaged line changes nothing', async () => {
  const { team, steps } = told();
  const before = await at(team, steps[9]?.time ?? '');
  appendFileSync(team.store.paths.log, '\nnot JSON\n');
  const lines = readFileSync(team.store.paths.log, 'utf8').split('\n').length - 1;
  expect(await at(team, `b${lines}`)).toEqual(before);
});

it('of a clock that went back, the later time counts', async () => {
  const { team, steps } = told();
  team.wait(-5 * SECOND).add('Late');
  expect((await at(team, steps[4]?.time ?? '')).tasks.map(({ subject }) => subject)).toEqual(['One', 'Two', 'Late']);
});

it('mail counts from the time at which it was sent', async () => {
  const { team, steps } = told();
  const line = (content: string, time: string): string =>
    safeJson({ type: 'message', sender: 'bob', content, timestamp: Date.parse(time) / 1_000, id: content });
  const [early, late] = [steps[1]?.time ?? '', steps[5]?.time ?? ''];
  appendFileSync(team.store.paths.inbox(name('ada')).inbox, `${line('first', early)}\n${line('second', late)}\n`);
  expect((await at(team, steps[0]?.time ?? '')).mail).toEqual([]);
  expect((await at(team, early)).mail).toEqual([
    { to: 'ada', sent: 1, unread: 1, last: { at: early, from: 'bob', text: 'first' } },
  ]);
  expect((await at(team, late)).mail).toEqual([
    { to: 'ada', sent: 2, unread: 2, last: { at: late, from: 'bob', text: 'second' } },
  ]);
});

it('mail counts as read from its receipt on, by the place of the board, not by the clock', async () => {
  const team = new ToldTeam({ ada: 'explorer/exec' }).led().wait(SECOND).add('One');
  const { store } = team;
  await team.mailed('ada', 'first').mailed('ada', 'second').wait(SECOND).add('Two').wait(SECOND).reads('ada', 1);
  // A clock that goes back: the second one is read after task 3 was made, though its time is earlier.
  await team
    .wait(SECOND)
    .add('Three')
    .wait(-10 * SECOND)
    .reads('ada');
  team.wait(11 * SECOND).add('Four');
  const unread = async (tasks: number): Promise<unknown> => {
    const lines = readFileSync(store.paths.log, 'utf8').split('\n');
    const place = lines.findIndex((one) => one.includes(`"task":"${tasks}"`)) + 1;
    return (await at(team, `b${place}`)).mail[0]?.unread;
  };
  expect(await unread(1)).toBe(2);
  expect(await unread(2)).toBe(2);
  expect(await unread(3)).toBe(1);
  expect(await unread(4)).toBe(0);
  // A run of an earlier version has no receipts.
  rmSync(store.paths.inbox(name('ada')).receipts);
  expect(await unread(1)).toBe(null);
});

it('receipts that cannot be written or read stop no mail', async () => {
  const team = new ToldTeam({ ada: 'explorer/exec' }).led().mailed('ada', 'x');
  const { receipts } = team.store.paths.inbox(name('ada'));
  mkdirSync(receipts);
  await team.wait(SECOND).reads('ada');
  team.add('One');
  expect((await at(team, 'b4')).mail).toMatchObject([{ to: 'ada', unread: null }]);
  expect(readFileSync(team.store.paths.inbox(name('ada')).history, 'utf8')).toContain('"x"');
  rmSync(receipts, { recursive: true });
  writeFileSync(receipts, 'no JSON\n{"at":1}\n');
  expect((await at(team, 'b4')).mail).toMatchObject([{ to: 'ada', unread: null }]);
});

it.each([
  ['9999', 'no event 9999'],
  ['b9999', 'no line 9999'],
  ['b1', 'before the first record'],
  ['1999-01-01T00:00Z', 'its first one was at'],
])('%s is refused', async (text, why) => {
  const { team } = told();
  const refused = await at(team, text).catch((error: unknown) => error);
  expect(isTeamError(refused) && refused.code).toBe('USAGE');
  expect(String(refused)).toContain(why);
});
