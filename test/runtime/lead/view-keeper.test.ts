/** The task views that a lead writes: a part between two looks, and at its end as many as time allows. */
import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ViewKeeper } from '../../../src/runtime/lead/view-keeper.ts';
import { FakeClock } from '../../support/clock.ts';
import { ToldTeam } from '../../support/told-team.ts';

/** Each look at it takes so many milliseconds. */
class TickingClock extends FakeClock {
  step = 0;
  #ticked = 0;

  override monotonic(): number {
    this.#ticked += this.step;
    return super.monotonic() + this.#ticked;
  }
}

const TASKS = 1_000;

/** @param changed ids of the tasks that changed, by default all */
function keeper(changed = Array.from({ length: TASKS }, (_, at) => String(at + 1))) {
  const clock = new TickingClock();
  const told = new ToldTeam({ ada: 'executor/exec' }, { clock });
  for (let n = 1; n <= TASKS; n += 1) told.add(`Task ${n}`);
  const views = new ViewKeeper(told.store);
  const written = (): number => readdirSync(told.store.paths.board).filter((file) => /^\d+\.json$/.test(file)).length;
  const left = (): unknown[] =>
    [...told.store.events.read()].flatMap(({ event }) => (event.type === 'view.left' ? [event.text] : []));
  views.changed(changed);
  return { clock, views, written, left };
}

it('a lead that ends writes all views', () => {
  const { views, written, left } = keeper();
  views.finish();
  expect([written(), left()]).toEqual([TASKS, []]);
});

it('a lead whose views would take too long at its end leaves some to the next lead, and says how many', () => {
  const { clock, views, written, left } = keeper();
  clock.step = 1_000;
  views.finish();
  expect(written()).toBeGreaterThanOrEqual(200);
  expect(written()).toBeLessThan(TASKS);
  expect(left()).toEqual([`${TASKS - written()} task views are as they were before`]);
  clock.step = 0;
  views.finish();
  expect(written()).toBe(TASKS);
});

it('a lead that does not know which views are old looks at the tasks in parts, and then knows what the views show', () => {
  const { clock, views, written } = keeper([]);
  let looks = 0;
  const search = function* (): Generator<string | undefined> {
    for (; looks < 5 * TASKS; looks += 1) yield looks > 0 && looks < 10 ? String(looks) : undefined;
  };
  views.begin(['77'], search());
  clock.advance(200);
  expect([views.flush(), looks < 2 * TASKS, views.writtenTo]).toEqual([false, true, undefined]);
  while (!views.flush()) clock.advance(200);
  expect([looks, written()]).toEqual([5 * TASKS, 10]);
  expect(views.writtenTo).toBeGreaterThan(0);
});

it('a few changed views are written at the next look, many wait for two seconds', () => {
  const { clock, views, written } = keeper(['1', '2']);
  clock.advance(200);
  expect([views.flush(), written()]).toEqual([true, 2]);
  views.changed(Array.from({ length: 200 }, (_, at) => String(at + 3)));
  clock.advance(1_900);
  expect([views.flush(), written()]).toEqual([false, 2]);
  clock.advance(100);
  expect([views.flush(), written()]).toEqual([true, 202]);
});

it('while members stop, a lead writes a few views at a time, and has fewer to write at its end', () => {
  const { views, written } = keeper(['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12']);
  expect([views.ahead(), written()]).toEqual([true, 10]);
  expect([views.ahead(), written()]).toEqual([false, 12]);
  expect([views.ahead(), views.writtenTo === undefined]).toEqual([false, false]);
});
