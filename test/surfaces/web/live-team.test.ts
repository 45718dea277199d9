/** One team for the page: what any number of clients get of its events. */
import { setTimeout } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { teamEvents } from '../../../src/app.ts';
import { LiveTeam } from '../../../src/surfaces/web/live-team.ts';
import { PageModel } from '../../../src/surfaces/web/page/page-model.ts';
import type { Update } from '../../../src/surfaces/web/wire-types.ts';
import { ToldTeam } from '../../support/told-team.ts';

const isUpdate = (value: unknown): value is Update => typeof value === 'object' && value !== null;

/** A page that gets what changed since the number that it got last, as the server of the page sends it. */
class Client {
  /** Of the events that it was told, in their order. */
  readonly numbers: number[] = [];
  readonly page = new PageModel();
  readonly #live: LiveTeam;
  readonly #end = new AbortController();
  readonly #done: Promise<void>;

  constructor(live: LiveTeam) {
    this.#live = live;
    this.#done = this.#follow();
    onTestFinished(() => this.#close());
  }

  async #close(): Promise<void> {
    this.#end.abort();
    await this.#done;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#end;
    using _ = this.#live.watched();
    let after = 0;
    do {
      const { number, version, text } = this.#live.update(after);
      const update: unknown = JSON.parse(text);
      if (!isUpdate(update)) throw new Error('The team made no object.');
      this.page.put(update);
      this.numbers.push(...update.events.map((event) => event.number));
      expect([update.number, this.numbers.at(-1) ?? 0]).toEqual([number, number]);
      after = number;
      await this.#changed(version);
    } while (!signal.aborted);
  }

  async #changed(version: number): Promise<void> {
    const { signal } = this.#end;
    while (!(await this.#live.changed(version, 1_000, signal))) if (signal.aborted) return;
  }
}

it('each client gets each event once, and gets them while others go on to come', async () => {
  const told = new ToldTeam({ ada: 'executor/exec' }).ledByUs().started('ada');
  const place = { id: 'login', paths: told.store.paths, isArchived: false };
  const live = await LiveTeam.open(place, { watch: {}, why: {} });
  onTestFinished(() => live.close());
  const clients = [new Client(live)];
  const isTold = (): boolean => (clients[0]?.numbers.length ?? 0) > 10;
  for (let at = 0; at < 200 || (at < 2_000 && !isTold()); at += 1) {
    for (let each = 0; each < 4; each += 1) told.note('agent.printed', { member: 'ada', text: `line ${at}` });
    if (at % 10 === 0) clients.push(new Client(live));
    await setTimeout(5);
  }
  expect(isTold()).toBe(true);
  let last = 0;
  for await (const { number } of teamEvents(told.store)) last = number;
  const all = Array.from({ length: last }, (_, at) => at + 1);
  for (const { numbers, page } of clients) {
    await expect.poll(() => numbers.at(-1), { timeout: 20_000 }).toBe(last);
    expect([numbers, page.events.map(({ number }) => number)]).toEqual([all, all]);
  }
});
