/** The rows of the live page: the same as those of a page that is opened later. */
import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LEAD, teamEvents, TeamWatch } from '../../../src/app.ts';
import { runAtOnce } from '../../../src/surfaces/web/cooperative.ts';
import { LiveModel } from '../../../src/surfaces/web/live-model.ts';
import { PageModel } from '../../../src/surfaces/web/page/page-model.ts';
import type { Update } from '../../../src/surfaces/web/wire-types.ts';
import { ToldTeam } from '../../support/told-team.ts';

const isUpdate = (value: unknown): value is Update => typeof value === 'object' && value !== null;

class Viewer {
  readonly watch: TeamWatch;
  readonly live: LiveModel;
  readonly page = new PageModel();
  #after = 0;

  constructor(team: ToldTeam) {
    this.watch = new TeamWatch(team.store.paths);
    this.live = new LiveModel({ id: 'login', isArchived: false, of: this.watch.identity }, this.watch);
  }

  /** Reads events up to a number, then looks at the board, which may be ahead of them. */
  async look(events = Infinity): Promise<void> {
    for await (const event of teamEvents(this.watch.store))
      if (event.number > (this.watch.projection.last?.number ?? 0) && event.number <= events)
        this.watch.projection.add(event);
    runAtOnce(this.live.look());
    const update: unknown = JSON.parse(this.live.update(this.#after, []));
    if (!isUpdate(update)) throw new Error('The model made no object.');
    this.page.put(update);
    this.#after = update.number;
  }

  get shown(): unknown {
    const { spans, tasks, members, problems, path } = this.page;
    return { spans: [...spans.values()], tasks: [...tasks.values()], members, problems, path: path.tasks };
  }
}

describe('the live page', () => {
  it('shows the same as a page that is opened later, also where the board was ahead of the events', async () => {
    const team = new ToldTeam({ ada: 'executor/exec', bob: 'executor/exec' }).ledByUs().started('ada', 'bob');
    for (let at = 0; at < 12; at += 1) team.add(`Task ${at}`);
    team.wait(1_000);
    const live = new Viewer(team);
    await live.look();
    for (let at = 1; at <= 12; at += 1) {
      const member = at % 2 === 0 ? 'ada' : 'bob';
      team.claim(String(at), member).wait(1_000);
      await live.look();
      const claimed = live.watch.projection.last?.number ?? 0;
      if (at % 3 === 0) team.fail(String(at), member, 'it broke');
      else team.complete(String(at), member);
      // The board says that it has ended; the event that says how is not read yet.
      await live.look(claimed);
    }
    await live.look();
    const fresh = new Viewer(team);
    await fresh.look();
    expect(live.shown).toEqual(fresh.shown);
    expect(new Set([...live.page.spans.values()].map(({ end }) => end))).toEqual(new Set(['completed', 'failed']));
    live.watch.close();
    fresh.watch.close();
  });

  it('tells of a lead that is gone, which leaves no event', () => {
    const team = new ToldTeam({ ada: 'executor/exec' }).ledByUs().started('ada').add('Work');
    const { live, watch } = new Viewer(team);
    const look = (): boolean => runAtOnce(live.look());
    expect([look(), look()]).toEqual([true, false]);
    rmSync(team.store.paths.leaseOwner(LEAD));
    expect([look(), look()]).toEqual([true, false]);
    watch.close();
  });

  it('a task is held until its member was heard last, if the process of that member is gone', async () => {
    const team = new ToldTeam({ ada: 'executor/exec' }).ledByUs().started('ada').add('Work').claim('1', 'ada');
    team.process('ada', 'alive');
    const viewer = new Viewer(team);
    const { page } = viewer;
    const held = (): unknown => {
      const row = page.tasks.get('1');
      return row && page.heldMs(row, row.since + 7_000);
    };
    await viewer.look();
    expect(held()).toBe(7_000);
    team.process('ada', 'dead');
    await viewer.look();
    expect(held()).toBeLessThan(1_000);
    expect([...page.spans.values()]).toMatchObject([{ end: 'lost' }]);
    viewer.watch.close();
  });
});
