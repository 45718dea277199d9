/** The page in a real browser: used by keyboard and mouse, with each figure followed to its file. */
import { ulid } from 'ulid';
import type { Page as Tab } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OutputLog } from '../../../src/store/board/output-log.ts';
import { drawn, goTo, hasBrowser, TABS, useBrowser } from '../../support/browser.ts';
import { greatTeam } from '../../support/great-team.ts';
import { name } from '../../support/team.ts';
import { ToldTeam } from '../../support/told-team.ts';
import { openPage } from '../../support/web.ts';

/** Numbers that are neither figures with a file, nor texts of a member, nor links to a task, a member or a view. */
const LOOSE = `[...document.querySelectorAll('header, main, aside')].flatMap((part) => {
  const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode;
    const isMeant = /\\d/.test(data) && parentElement.closest('option, .said, [aria-hidden=true]') === null;
    if (isMeant && parentElement.closest('button, [role=button]') === null) found.push(data);
  }
  return found;
})`;

/** The element that gets the key after Ctrl-K, however soon it follows. */
const NEXT_KEY = `(() => {
  dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true }));
  return new Promise((resolve) => setTimeout(() => resolve(document.activeElement.ariaLabel)));
})()`;

/** The files that figures and lists of files lead to. */
const FILES = `[...document.querySelectorAll('.figure, .files .link')].map((one) =>
  one.classList.contains('link') ? one.textContent : one.title.split(': from ').at(-1))`;

/** The side at which each line of a text begins. */
const SIDES = `((box) => {
  const { left, right } = box.getBoundingClientRect();
  const [text] = box.childNodes;
  let at = 0;
  return text.data.trimEnd().split('\\n').map((line) => {
    const range = document.createRange();
    range.setStart(text, at);
    range.setEnd(text, (at += line.length + 1) - 1);
    const place = range.getBoundingClientRect();
    return place.left - left < right - place.right ? 'left' : 'right';
  });
})`;

interface Outline {
  readonly landmarks: readonly string[];
  /** The levels of the headings, in the order of the page. */
  readonly headings: readonly number[];
  /** How many parts are told when they change. */
  readonly live: number;
}

const OUTLINE = `(() => {
  const all = (what) => [...document.querySelectorAll(what)];
  return {
    landmarks: all('header, nav, main, aside').map((one) => one.tagName),
    headings: all('h1, h2, h3, h4, h5, h6').map((one) => Number(one.tagName.slice(1))),
    live: all('[role=status], [aria-live]').length,
  };
})()`;

/** Where the focus is after each of so many presses of Tab; the browser's own bar may have it between. */
async function tabbed(tab: Tab, times: number): Promise<Set<string>> {
  const where = new Set<string>();
  for (let press = 0; press < times; press += 1) {
    await tab.keyboard.press('Tab');
    const at = await tab.evaluate<string>(
      "(document.activeElement.closest('dialog, aside') ?? document.activeElement).tagName",
    );
    if (at !== 'BODY') where.add(at);
  }
  return where;
}

const sentTo = (tab: Tab, who: string): Promise<void> =>
  tab
    .getByRole('status')
    .filter({ hasText: `Told ${who}.` })
    .waitFor();

describe.skipIf(!hasBrowser)('in a browser', () => {
  const open = useBrowser();

  it('every figure of every panel leads to its file, and every file opens', async () => {
    const team = greatTeam({ members: 4, tasks: 30, messages: 12 });
    const page = await openPage(team.root);
    const { tab } = await open(page.url);
    const files = new Set<string>();
    for (const place of [...TABS, 'board/task/1', 'board/task/24', 'overview/member/ada', 'overview/member/lead']) {
      await goTo(tab, place);
      await drawn(tab);
      if (place === 'mail') await tab.locator('.mail-row').first().click();
      if (place.includes('/')) await tab.getByRole('complementary').locator('.files').waitFor();
      expect([place, await tab.evaluate(LOOSE)]).toEqual([place, []]);
      const found = await tab.evaluate<string[]>(FILES);
      expect([place, found.length]).not.toEqual([place, 0]);
      for (const file of found) files.add(file);
    }
    const all = [...files].map((file) => file.replace('*', 'bob'));
    expect(all).toEqual(expect.arrayContaining(['board/log.jsonl', 'team/events.jsonl', 'team/processes/ada.json']));
    const shown = await Promise.all(
      all.map(async (file) => [file, (await page.ask(`teams/login/file?file=${encodeURIComponent(file)}`)).status]),
    );
    expect(shown).toEqual(all.map((file) => [file, 200]));
    await goTo(tab, 'spending');
    await tab.getByRole('button', { name: /tokens in all, open team\/events.jsonl/ }).click();
    await tab.getByLabel('Lines of team/events.jsonl').getByText('agent.spent').first().waitFor();
    await goTo(tab, 'mail/file/team/*_inbox.jsonl');
    await tab.getByRole('complementary').getByRole('button', { name: 'team/ada_inbox.jsonl' }).click();
    await tab.getByText('The file is empty.').waitFor();
  });

  it('a search over everything opens what it found, by keyboard', async () => {
    const team = greatTeam({ members: 3, tasks: 20, messages: 5 });
    const page = await openPage(team.root);
    const { tab } = await open(page.url);
    expect(await tab.evaluate(NEXT_KEY)).toBe('Search tasks, output, mail and events');
    const dialog = tab.getByRole('dialog', { name: 'Search everything' });
    await tab.keyboard.type('plan file');
    const found = dialog.getByRole('button', { name: /#\d+ .*the plan file/ }).first();
    await found.waitFor();
    const subject = (await found.textContent()) ?? '';
    await found.focus();
    await tab.keyboard.press('Enter');
    const id = /#(\d+)/.exec(subject)?.[1] ?? '';
    await tab.getByRole('complementary', { name: `task ${id}` }).waitFor();
    await dialog.waitFor({ state: 'detached' });
    await tab.keyboard.press('Escape');
    await tab.getByRole('button', { name: 'Search', exact: true }).click();
    await tab.keyboard.type('surely nowhere');
    await dialog.getByText('Nothing matches.').waitFor();
    await tab.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  it('Tab stays in what covers the page, and the focus returns when that closes', async () => {
    const team = greatTeam({ members: 3, tasks: 20, messages: 5 });
    const page = await openPage(team.root);
    const { tab } = await open(page.url);
    const before = tab.getByRole('button', { name: 'Search', exact: true });
    await before.focus();
    await tab.keyboard.press('?');
    await tab.getByRole('dialog', { name: 'Keys' }).waitFor();
    expect(await tabbed(tab, 5)).toEqual(new Set(['DIALOG']));
    await tab.keyboard.press('Escape');
    await tab.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await tab.evaluate<string>('document.activeElement.textContent')).toBe('Search');

    await tab.setViewportSize({ width: 390, height: 800 });
    await before.focus();
    await goTo(tab, 'board/task/1');
    await tab.getByRole('complementary').locator('.files').waitFor();
    expect(await tabbed(tab, 60)).toEqual(new Set(['ASIDE']));
    await tab.keyboard.press('Escape');
    await tab.getByRole('complementary').waitFor({ state: 'detached' });
    expect(await tab.evaluate<string>('document.activeElement.textContent')).toBe('Search');
  });

  it('a phone shows the tasks that failed first', async () => {
    const team = new ToldTeam({ ada: 'executor/claude' }).ledByUs().started('ada');
    team.add('Test it').claim('1', 'ada').fail('1', 'ada', 'exit 3').add('Ship it');
    const page = await openPage(team.root);
    const { tab } = await open(page.url, { viewport: { width: 390, height: 844 } });
    await goTo(tab, 'board');
    const failed = tab.getByRole('list', { name: 'Failed tasks' }).getByRole('button', { name: /Test it/ });
    const ready = tab.getByRole('list', { name: 'Ready tasks' }).getByRole('button', { name: /Ship it/ });
    await failed.waitFor();
    expect((await failed.boundingBox())?.x).toBeLessThan((await ready.boundingBox())?.x ?? 0);
  });

  it('each view has its landmarks and headings in order, for those who hear the page', async () => {
    const team = greatTeam({ members: 3, tasks: 20, messages: 5 });
    const page = await openPage(team.root);
    const { tab } = await open(page.url);
    for (const place of [...TABS, 'board/task/1', 'overview/member/ada']) {
      await goTo(tab, place);
      await drawn(tab);
      const { landmarks, headings, live } = await tab.evaluate<Outline>(OUTLINE);
      const more = place.includes('/') ? ['ASIDE'] : [];
      expect({ place, landmarks }).toEqual({ place, landmarks: ['HEADER', 'NAV', 'MAIN', ...more] });
      const skipped = headings.filter((level, at) => level > (headings[at - 1] ?? 0) + 1);
      expect({ place, headings, skipped }).toEqual({ place, headings, skipped: [] });
      expect(headings.filter((level) => level === 1)).toHaveLength(1);
      expect(headings.length).toBeGreaterThan(1);
      expect(live).toBeGreaterThan(0);
    }
  });

  it('the page is used by keyboard, carries out commands, and catches up after a lost connection', async () => {
    const team = greatTeam({ members: 3, tasks: 20, messages: 5 });
    const page = await openPage(team.root);
    const { tab } = await open(page.url, { reducedMotion: 'reduce' });
    expect(tab.url()).not.toContain(page.token);
    const moves =
      "[...document.querySelectorAll('*')].filter((one) => getComputedStyle(one).transitionDuration !== '0s')";
    expect(await tab.evaluate(`document.getAnimations().length + ${moves}.length`)).toBe(0);
    const answer = tab.getByRole('textbox', { name: 'Answer to ada' });
    for (let tabs = 0; tabs < 40 && !(await answer.and(tab.locator(':focus')).isVisible()); tabs += 1)
      await tab.keyboard.press('Tab');
    await tab.keyboard.type('Postgres, please');
    await tab.keyboard.press('Control+Enter');
    await answer.waitFor({ state: 'detached' });
    expect([...team.store.board.fold().requests.values()]).toMatchObject([
      { state: 'answered', answer: 'Postgres, please' },
    ]);
    await tab.keyboard.press('3');
    const cards = tab.getByRole('list', { name: 'Completed tasks' }).getByRole('button');
    await cards.first().focus();
    await tab.keyboard.press('ArrowDown');
    await tab.keyboard.press('Enter');
    await tab.getByRole('complementary', { name: /^task/ }).getByText('History').waitFor();
    await tab.keyboard.press('Escape');
    await tab.getByRole('complementary').waitFor({ state: 'detached' });
    await tab.locator('.card:focus').waitFor();
    await tab.keyboard.press('/');
    await tab.getByRole('searchbox', { name: 'Find a task' }).and(tab.locator(':focus')).waitFor();
    await tab.context().setOffline(true);
    team.add('Written while it was cut off');
    await tab.context().setOffline(false);
    await tab.getByRole('button', { name: 'Written while it was cut off' }).waitFor();
  });

  it('each line that a member wrote has its own direction, and one line is a line', async () => {
    const team = new ToldTeam({ ada: 'executor' }).ledByUs();
    team.add('Translate it', { description: 'English (1) first.\nالسطر الثاني (2) من abc.' });
    const { disk, paths } = team.store;
    const log = new OutputLog(disk, paths.output(name('ada')), paths.outputParts(name('ada')));
    onTestFinished(() => log.close());
    log.begin({ task: '1', claim: 1 }, new Date(team.store.clock.now()).toISOString());
    log.append(Buffer.from('السطر الأول (1) من abc.\n'));
    const { tab } = await open((await openPage(team.root)).url);
    await goTo(tab, 'output');
    await tab.getByRole('button', { name: /ada/ }).first().click();
    await tab.getByText('1 line', { exact: true }).waitFor();
    const output = tab.getByRole('log', { name: 'Output of ada' }).filter({ hasText: 'abc' });
    await output.waitFor();
    expect(await tab.evaluate(`${SIDES}(document.querySelector('.output-lines'))`)).toEqual(['right']);
    await goTo(tab, 'board/task/1');
    await tab.getByText('English (1) first.').waitFor();
    expect(await tab.evaluate(`${SIDES}(document.querySelector('aside .text'))`)).toEqual(['left', 'right']);
  });

  it('the page sends mail to one and to all, approves and rejects plans, and has a result done again', async () => {
    const team = new ToldTeam({ ada: 'executor/claude', bob: 'reviewer/claude', cleo: 'executor/claude' }).ledByUs();
    team.started('ada', 'bob', 'cleo').process('ada', 'alive').process('bob', 'alive').process('cleo', 'alive');
    team
      .add('Write it')
      .add('Review it')
      .add('DRAFT-001 Measure it')
      .claim('1', 'ada')
      .claim('2', 'bob')
      .claim('3', 'cleo');
    const ask = (member: string, kind: 'plan' | 'consensus', about: string): string => {
      const request = ulid();
      team.as(member, { type: 'request.made', request, kind, about, text: `what ${member} would do` });
      return request;
    };
    const [plan, other] = [ask('ada', 'plan', '1'), ask('bob', 'plan', '2')];
    const held = ask('cleo', 'consensus', '3');
    team.complete('3', 'cleo');
    const { tab, complaints } = await open((await openPage(team.root)).url);
    const requests = () => team.store.board.fold().requests;
    const decide = (task: string) => tab.getByRole('form', { name: new RegExp(`^Decide on task ${task} `) });
    await decide('1').getByRole('button', { name: 'Approve' }).click();
    await decide('1').waitFor({ state: 'detached' });
    expect(requests().get(plan)).toMatchObject({ state: 'answered', approve: true });
    await tab.getByRole('button', { name: '#2' }).first().click();
    const aside = tab.getByRole('complementary', { name: 'task 2' });
    await aside.getByRole('textbox').fill('Read the tests first');
    await aside.getByRole('button', { name: 'Refuse' }).click();
    await decide('2').first().waitFor({ state: 'detached' });
    expect(requests().get(other)).toMatchObject({
      state: 'answered',
      approve: false,
      answer: 'PLAN REFUSED: Task #2: Read the tests first',
    });
    await tab.keyboard.press('Escape');
    await decide('3').getByRole('textbox').fill('Measure twice');
    await decide('3').getByRole('button', { name: 'Request a revision' }).click();
    await decide('3').waitFor({ state: 'detached' });
    expect(requests().get(held)).toMatchObject({ state: 'answered', approve: false, answer: 'Measure twice' });
    await goTo(tab, 'overview/member/bob');
    await tab.getByRole('textbox', { name: 'Message to bob' }).fill('Have a look');
    await tab.getByRole('button', { name: 'Send' }).click();
    await sentTo(tab, 'bob');
    await goTo(tab, 'mail');
    await tab.getByRole('textbox', { name: 'Message' }).fill('All of you: well done');
    await tab.getByRole('button', { name: 'Send' }).click();
    await sentTo(tab, 'ada, bob, cleo');
    await tab.getByRole('button', { name: /lead → cleo .*All of you: well done/ }).waitFor();
    expect(complaints).toEqual([]);
  });
});
