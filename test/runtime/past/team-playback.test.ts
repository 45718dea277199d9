/** A view that moves through the past: each moment as it was, whichever way it is reached. */
import { rmSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { parseMoment } from '../../../src/model/text/moment.ts';
import { columnsOf } from '../../../src/policy/view/board-columns.ts';
import { TeamPlayback } from '../../../src/runtime/past/team-playback.ts';
import { name } from '../../support/team.ts';
import { ToldTeam } from '../../support/told-team.ts';

const open: TeamPlayback[] = [];
afterEach(() => {
  for (const playback of open.splice(0)) playback.close();
});

const opened = async (team: ToldTeam): Promise<TeamPlayback> => {
  const playback = await TeamPlayback.open(team.store.paths);
  open.push(playback);
  return playback;
};

const shown = (playback: TeamPlayback): unknown => {
  const { board, members, outcome, problems } = playback.look();
  const rows = members.map(({ name, state, task }) => ({ name, state, task }));
  const { spans, completions } = playback.projection;
  const worked = spans.all(board.tasks).map(({ task, to }) => [task, to]);
  return structuredClone({ cards: columnsOf(board), rows, outcome, problems, worked, completions });
};

/** A run of four tasks; each moment is what the team was after a step. */
function told(): ToldTeam {
  const team = new ToldTeam({ ada: 'executor/exec', bob: 'executor/exec' }).led().started('ada', 'bob');
  for (const subject of ['One', 'Two', 'Three', 'Four']) team.wait(1_000).add(subject);
  team.wait(1_000).claim('1', 'ada').wait(1_000).claim('2', 'bob');
  team.wait(1_000).complete('1', 'ada').wait(1_000).fail('2', 'bob', 'no disk');
  return team.wait(1_000).claim('3', 'ada');
}

it('shows each moment the same, forward and back', async () => {
  const forward = await opened(told());
  const moments: unknown[] = [];
  for (let number = 1; number <= forward.place.events; number += 1) {
    await forward.moveTo(number);
    expect(forward.place.number).toBe(number);
    moments.push(shown(forward));
  }
  for (let number = forward.place.events; number >= 1; number -= 1) {
    await forward.moveTo(number);
    expect(shown(forward), `event ${number}`).toEqual(moments[number - 1]);
  }
  expect(new Set(moments.map((one) => JSON.stringify(one))).size).toBeGreaterThan(8);
});

it('ends with what the living team shows, and begins before its first task', async () => {
  const team = told();
  const playback = await opened(team);
  await playback.moveTo(Infinity);
  expect(columnsOf(playback.look().board)).toEqual(columnsOf(team.store.board.fold()));
  const states = playback.look().members.map(({ name, state, task }) => [name, state, task]);
  expect(states).toEqual([
    ['ada', 'working', '3'],
    ['bob', 'idle', null],
  ]);
  await playback.moveTo(1);
  expect(playback.look().board.tasks.size).toBe(0);
  expect(playback.lately(10).map(({ number }) => number)).toEqual([1]);
});

it('finds the event of a time', async () => {
  const playback = await opened(told());
  const { firstAt, lastAt, events } = playback.place;
  const numberAt = (ms: number): number => playback.numberAt({ kind: 'time', ms });
  expect(numberAt(lastAt)).toBe(events);
  expect(numberAt(lastAt - 1)).toBeLessThan(events);
  expect(() => numberAt(firstAt - 1)).toThrow('no event by then');
  await playback.moveTo(numberAt(lastAt - 1));
  expect(playback.clock.now()).toBeLessThan(lastAt);
  expect(parseMoment('e3')).toEqual({ kind: 'event', number: 3 });
  expect(playback.numberAt({ kind: 'event', number: 3 })).toBe(3);
});

it('tells how much mail was unread by then, forward and back, and null where that was not recorded', async () => {
  const team = new ToldTeam({ ada: 'executor/exec' }).led().wait(1_000).add('One');
  await team.wait(500).mailed('ada', 'first').mailed('lead', 'for the lead').wait(1_000).add('Two').reads('ada');
  team.wait(1_000).add('Three');
  const playback = await opened(team);
  const last = playback.place.events;
  const unread = async (number: number): Promise<unknown[]> => {
    await playback.moveTo(number);
    const { members, unread: ofLead } = playback.look();
    return [members[0]?.unread, ofLead];
  };
  expect(await unread(last)).toEqual([0, 1]);
  expect(await unread(last - 1)).toEqual([1, 1]);
  expect(await unread(last - 2)).toEqual([0, 0]);
  expect(await unread(last)).toEqual([0, 1]);
  rmSync(team.store.paths.inbox(name('ada')).receipts);
  const later = await opened(team);
  await later.moveTo(last);
  expect(later.look().members[0]?.unread).toBe(null);
});
