/** Moving through the past: each wish leads where it says, and the last of several counts. */
import { expect, it, onTestFinished } from 'vitest';
import { PastWatch, type PastMove } from '../../../src/runtime/past/past-watch.ts';
import { parseMoment } from '../../../src/model/text/moment.ts';
import { ToldTeam } from '../../support/told-team.ts';

/** 48 events, the last 41 of them a second apart. */
function told(): ToldTeam {
  const team = new ToldTeam({ ada: 'executor/exec', bob: 'executor/exec' }).led().started('ada');
  for (let at = 1; at <= 41; at += 1) team.wait(1_000).add(`Task ${at}`);
  return team;
}

async function opened(from: string): Promise<(...moves: PastMove[]) => Promise<PastWatch['shown']>> {
  const moment = parseMoment(from);
  if (moment === undefined) throw new Error(`${from} is no moment.`);
  const watch = await PastWatch.open(told().store.paths, moment);
  const stop = new AbortController();
  const looks = watch.follow(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await looks.return(undefined);
    watch.close();
  });
  return async (...moves) => {
    for (const move of moves) watch.move(move);
    await looks.next();
    expect(watch.look().board.tasks.size).toBe(Math.max(0, watch.shown.number - 7));
    expect(watch.look().at).toBe(watch.shown.now);
    return watch.shown;
  };
}

const BACK: PastMove = { to: 'event', by: -1 };

it('moves by an event and by a larger step, not beyond the ends, and counts wishes that come at once', async () => {
  const move = await opened('20');
  expect(await move({ to: 'event', by: 1 })).toMatchObject({ number: 21, events: 48, isPlaying: false });
  expect(await move(BACK, BACK, BACK)).toMatchObject({ number: 18 });
  expect(await move({ to: 'step', by: -1 })).toMatchObject({ number: 8 });
  expect(await move({ to: 'step', by: -1 })).toMatchObject({ number: 1 });
  expect(await move({ to: 'last' })).toMatchObject({ number: 48 });
  expect(await move({ to: 'event', by: 1 })).toMatchObject({ number: 48 });
  expect(await move({ to: 'first' })).toMatchObject({ number: 1 });
});

it('shows the wished time, also between two events', async () => {
  const move = await opened('e48');
  const { firstAt, lastAt } = await move(BACK);
  const middle = await move({ to: 'share', share: 0.5 });
  expect(middle.now).toBe((firstAt + lastAt) / 2);
  expect(middle.at).toBeLessThan(middle.now);
});

it('plays from where it stands at its speed, from the beginning at the end, and stops at the end', async () => {
  const move = await opened('48');
  const { firstAt, lastAt } = await move({ to: 'faster' }, { to: 'play' });
  const faster: PastMove = { to: 'faster' };
  let shown = await move(faster, faster, faster, faster);
  expect(shown).toMatchObject({ speed: 3_600 });
  for (; shown.isPlaying; shown = await move()) {
    expect(shown.now).toBeGreaterThan(firstAt);
    expect(shown.now).toBeLessThanOrEqual(lastAt);
  }
  expect(shown).toMatchObject({ number: 48, now: lastAt });
  const playing = await move({ to: 'slower' }, { to: 'slower' }, { to: 'slower' }, { to: 'slower' }, { to: 'play' });
  expect(playing).toMatchObject({ speed: 1, isPlaying: true });
  expect(playing.number).toBeLessThan(12);
  expect(await move(BACK)).toMatchObject({ isPlaying: false });
});
