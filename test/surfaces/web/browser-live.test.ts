/** A page that was open during a whole run shows the same as one that is opened later, in every view. */
import { setTimeout } from 'node:timers/promises';
import type { Page as Tab } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { drawn, goTo, hasBrowser, TABS, useBrowser } from '../../support/browser.ts';
import { Workplace } from '../../support/cli.ts';
import { ToldTeam } from '../../support/told-team.ts';
import { openPage } from '../../support/web.ts';

const MEMBERS = Array.from({ length: 50 }, (_, at) => `m${at + 1}`);
const TASKS = 300;
/** How often the two pages are compared. */
const LOOKS = 4;

/** What a view shows: its texts, and where the bars of the timeline are. */
const SHOWN = `(() => {
  const bars = [...document.querySelectorAll('main svg rect, main .bar, main [style]')];
  return [
    document.querySelector('header').innerText,
    document.querySelector('main').innerText,
    ...bars.map((one) => one.getAttribute('style') ?? ['x', 'y', 'width', 'class'].map((key) => one.getAttribute(key)).join()),
  ].join('\\n');
})()`;

const PATIENCE = { timeout: 30_000, interval: 250 };

const differences = (one: string, other: string): string[][] => {
  const [here, there] = [one.split('\n'), other.split('\n')];
  return Array.from({ length: Math.max(here.length, there.length) }, (_, at) => [
    here[at] ?? '',
    there[at] ?? '',
  ]).filter(([before, after]) => before !== after);
};

async function viewOf(tab: Tab, where: string): Promise<string> {
  await goTo(tab, where);
  await drawn(tab);
  return tab.evaluate<string>(SHOWN);
}

/** A run of 50 members, step by step. */
class LongRun {
  readonly told = new ToldTeam(Object.fromEntries(MEMBERS.map((member) => [member, 'executor/exec'])));
  readonly #working: { task: string; member: string }[] = [];
  #step = 0;

  constructor() {
    this.told.ledByUs().started(...MEMBERS);
    for (let at = 1; at <= TASKS; at += 1) this.told.add(`Task ${at}`, at > 60 ? { blockedBy: [String(at - 60)] } : {});
  }

  /** Nothing is worked on, and nothing can be claimed: a task that failed holds those behind it. */
  get isDone(): boolean {
    return this.#working.length === 0 && this.#ready() === undefined;
  }

  /** A task is claimed, or one ends. */
  step(): void {
    this.#step += 1;
    this.told.wait(137);
    const idle = MEMBERS.find((member) => !this.#working.some((one) => one.member === member));
    const task = this.#ready();
    if (idle !== undefined && task !== undefined && (this.#step % 3 !== 0 || this.#working.length === 0)) {
      this.told.claim(task, idle);
      this.#working.push({ task, member: idle });
      return;
    }
    const [ended] = this.#working.splice((this.#step * 7) % Math.max(1, this.#working.length), 1);
    if (ended === undefined) return;
    const spent = { input_tokens: 10, output_tokens: 2, usd: 0.01 };
    this.told.note('agent.spent', { member: ended.member, task: ended.task, kind: 'claude', model: 'opus', ...spent });
    if (Number(ended.task) % 23 === 0) this.told.fail(ended.task, ended.member, `no such file: ${ended.task}.txt`);
    else this.told.complete(ended.task, ended.member, `made ${ended.task}`);
  }

  #ready(): string | undefined {
    const { tasks } = this.told.store.board.fold();
    const isFree = (id: string): boolean => tasks.get(id)?.status === 'completed';
    return [...tasks.values()].find((task) => task.status === 'pending' && task.blockedBy.every(isFree))?.id;
  }
}

describe.skipIf(!hasBrowser)('in a browser', () => {
  const open = useBrowser();

  it('each view of a page that was open during the run of 50 members is that of a page that is opened later', async () => {
    const run = new LongRun();
    const { url } = await openPage(run.told.root);
    const live = await open(url, { now: run.told.clock.now() });
    for (let look = 1; look <= LOOKS; look += 1) {
      for (let step = 0; step < 100 || (look === LOOKS && !run.isDone && step < 10_000); step += 1) {
        run.step();
        // The live page is drawn again and again, in one view after the other.
        if (step % 25 === 0) await viewOf(live.tab, TABS[(step / 25) % TABS.length] ?? 'board');
      }
      // What goes on now is drawn up to now.
      const now = run.told.clock.now();
      await live.tab.clock.setFixedTime(now);
      const fresh = await open(url, { now });
      for (const where of TABS)
        await expect
          .poll(async () => differences(await viewOf(live.tab, where), await viewOf(fresh.tab, where)), PATIENCE)
          .toEqual([]);
      await fresh.tab.close();
    }
    expect(run.isDone).toBe(true);
    // The team has no project, so nothing can be said of its changes.
    expect(live.complaints.filter((text) => !text.includes('400 (Bad Request)'))).toEqual([]);
  }, 240_000);

  it('an answer that takes longer than the next update is shown, and asked for again only after it', async () => {
    const told = new ToldTeam({ ada: 'executor/exec' }).ledByUs().started('ada');
    const { url } = await openPage(told.root);
    const { tab } = await open(url);
    let [asked, waiting, together] = [0, 0, 0];
    await tab.route('**/changes', async (route) => {
      asked += 1;
      together = Math.max(together, (waiting += 1));
      await setTimeout(600);
      waiting -= 1;
      const answer = { files: ['a.txt'], text: `+answer ${asked}`, isCut: false };
      // A page that asks anew has given this answer up.
      await route.fulfill({ json: answer }).catch(() => undefined);
    });
    await goTo(tab, 'changes');
    const shown = tab.locator('main pre').innerText({ timeout: 20_000 });
    let [ended, isShown] = [0, false];
    void shown.then(() => (isShown = true));
    while (!isShown && ended < 400) {
      told
        .add(`Task ${(ended += 1)}`)
        .claim(String(ended), 'ada')
        .complete(String(ended), 'ada');
      await setTimeout(50);
    }
    expect(await shown).toMatch(/^\+answer \d+\n$/);
    expect(together).toBe(1);
    // What has changed meanwhile is asked for.
    await expect.poll(() => tab.locator('main pre').innerText(), PATIENCE).toMatch(/^\+answer (?!1\n)\d+\n$/);
  });

  it('a page that is open while its team is made anew shows the new one, and nothing of the one before', async () => {
    const place = new Workplace();
    const run = (subject: string) => {
      const members = [{ name: 'ada', agent: { kind: 'exec' } }];
      place.put('login.json', JSON.stringify({ members, tasks: [{ subject, run: `echo ${subject}` }] }));
      return place.say(['run', 'login.json', '--fresh', '--quiet']);
    };
    expect((await run('First')).code).toBe(0);
    const { url } = await openPage(place.root);
    const { tab } = await open(url);
    const shown = async (where: string) => {
      await goTo(tab, where);
      await drawn(tab);
      return tab.locator('main').innerText();
    };
    for (const where of ['board', 'output']) await expect.poll(() => shown(where), PATIENCE).toContain('First');
    expect((await run('Second')).code).toBe(0);
    for (const where of ['output', 'board', 'activity']) {
      await expect.poll(() => shown(where), PATIENCE).toContain('Second');
      expect(await shown(where)).not.toContain('First');
    }
    await tab.reload();
    await expect.poll(() => shown('board'), PATIENCE).toContain('Second');
  });
});
