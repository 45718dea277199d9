/** The page in a real browser: a large team, accessibility, and hostile text, which has no effect. */
import { appendFileSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page as Tab } from 'playwright-core';
import { ulid } from 'ulid';
import { describe, expect, it } from 'vitest';
import { drawn, goTo, hasBrowser, TABS, useBrowser } from '../../support/browser.ts';
import { FAULTS, type DrawnFault } from '../../support/drawn-faults.ts';
import { greatTeam } from '../../support/great-team.ts';
import { PAYLOADS } from '../../support/payloads.ts';
import { name } from '../../support/team.ts';
import { ToldTeam } from '../../support/told-team.ts';
import { openPage } from '../../support/web.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The findings of axe. */
interface Checked {
  readonly passes: readonly unknown[];
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

const countOf = (tab: Tab): Promise<number> => tab.evaluate("document.querySelectorAll('*').length");

/** Parts of the page that only a text could have made: elements, handlers, effects of a script. */
const FOREIGN = `[
  ...[...document.querySelectorAll('body :is(script,img,iframe,object,embed,math,template,style,link,base,meta,a[href],details,foreignObject)')]
    .map((one) => one.tagName),
  ...[...document.querySelectorAll('*')].flatMap((one) => one.getAttributeNames().filter((name) => /^on|^autofocus|^srcdoc/.test(name))),
  ...('pwned' in globalThis ? ['it ran'] : []),
]`;
const foreign = (tab: Tab): Promise<string[]> => tab.evaluate(FOREIGN);

describe.skipIf(!hasBrowser)('in a browser', () => {
  const open = useBrowser();

  it('the document says what it is doing before its script is there, and the script draws over it', async () => {
    const team = new ToldTeam({ ada: 'executor/exec' }).led();
    const { tab } = await open((await openPage(team.root)).url);
    await tab.route('**/page.js', (route) => route.abort());
    await tab.reload();
    await tab.getByRole('main').getByText('Looking for teams…', { exact: true }).waitFor();
    await tab.getByRole('heading', { name: 'teams', exact: true }).waitFor();
    await tab.unroute('**/page.js');
    await tab.reload();
    await tab.getByText('no lead runs').or(tab.getByText('led by process')).waitFor();
    expect(await tab.getByText('Looking for teams…').count()).toBe(0);
    for (const role of ['banner', 'main', 'navigation'] as const) expect(await tab.getByRole(role).count()).toBe(1);
  });

  it('nothing is said of a team that is not read yet', async () => {
    const team = new ToldTeam({ ada: 'executor/exec' }).ledByUs().add('Work');
    const { tab } = await open((await openPage(team.root)).url);
    let answer = (): void => {};
    const held = new Promise<void>((resolve) => (answer = resolve));
    await tab.route('**/stream*', async (route) => {
      await held;
      await route.continue();
    });
    await tab.reload();
    await tab.getByRole('main').getByText('Reading the team…', { exact: true }).waitFor();
    for (const where of TABS) {
      await goTo(tab, where);
      await drawn(tab);
      expect(await tab.getByRole('main').innerText()).toBe('Reading the team…');
      expect(await tab.getByRole('banner').innerText()).not.toMatch(/lead|led|0/);
    }
    await goTo(tab, 'overview/member/ada');
    const details = tab.getByRole('complementary', { name: 'member ada' });
    await details.waitFor();
    expect(await details.innerText()).toBe('×');
    answer();
    await tab.getByText('led by process').waitFor();
    await details.getByText('Worked', { exact: true }).waitFor();
    await goTo(tab, 'board');
    await tab.getByRole('button', { name: '#1 Work' }).waitFor();
  });

  it('the page draws a team of 50 members, 5,000 tasks and 100,000 messages row by row, as far as it is visible', async () => {
    const team = greatTeam({ members: 50, tasks: 5_000, messages: 100_000 });
    const { tab, complaints } = await open((await openPage(team.root)).url);
    await goTo(tab, 'board');
    await tab.getByRole('heading', { name: 'Completed 3,750' }).waitFor();
    expect(await tab.getByRole('list', { name: 'Completed tasks' }).getByRole('listitem').count()).toBeLessThan(40);
    expect(await countOf(tab)).toBeLessThan(1_500);
    await tab.getByRole('button', { name: /^#3750 / }).focus();
    await tab.keyboard.press('End');
    await tab.getByRole('button', { name: /^#1 / }).waitFor();
    await goTo(tab, 'mail');
    await tab.getByText('100,000 found').waitFor();
    expect(await countOf(tab)).toBeLessThan(1_000);
    await tab.getByRole('searchbox').fill('(4711)');
    await tab.getByText('1 found').waitFor();
    await tab.getByRole('button', { name: /\(4711\)/ }).click();
    await tab.getByRole('article').getByText('(4711)').waitFor();
    await goTo(tab, 'timeline');
    await tab.getByRole('button', { name: 'By task' }).click();
    await tab.getByRole('list', { name: 'Tasks' }).waitFor();
    expect(await countOf(tab)).toBeLessThan(1_500);
    expect(complaints).toEqual([]);
  });

  it('no text becomes a part of the page, from any source', async () => {
    expect(new Set(PAYLOADS).size).toBeGreaterThanOrEqual(100);
    const team = new ToldTeam({ ada: 'executor/claude' }).ledByUs().started('ada').process('ada', 'alive');
    for (const [at, text] of PAYLOADS.entries()) {
      const id = String(at + 1);
      team.add(text, { description: text }).claim(id, 'ada');
      if (at % 2 === 0) team.complete(id, 'ada', text);
      else team.fail(id, 'ada', text);
      team.note('agent.said', { member: 'ada', task: id, text }).note(text.slice(0, 60), { member: 'ada', text });
      team.note('message.sent', { member: text.slice(0, 60), to: text.slice(0, 60), id, text });
      team.note('agent.spent', { member: 'ada', task: id, kind: text, model: text, input_tokens: 1, output_tokens: 1 });
    }
    const inbox = team.store.paths.inbox(name('ada')).inbox;
    for (const text of PAYLOADS)
      appendFileSync(inbox, `${JSON.stringify({ type: text, sender: text, content: text, timestamp: 1 })}\n`);
    const asked = { kind: 'question', text: PAYLOADS.join('\n') } as const;
    team.as('ada', { type: 'request.made', request: ulid(), ...asked });
    const page = await openPage(team.root);
    const sendable = PAYLOADS.filter((text) => text.trim() !== '');
    await Promise.all(sendable.map((text) => page.do('login', { do: 'send', to: 'ada', text })));
    const { tab, complaints } = await open(page.url);
    const places = [...TABS, ...['1', '2', '30', '61', '77'].map((id) => `board/task/${id}`)];
    const more = [
      'overview/member/ada',
      'board/file/team/events.jsonl',
      'board/file/board/log.jsonl',
      'mail/file/team/ada_inbox.jsonl',
      'board/task/%3Cimg%3E',
    ];
    for (const place of [...places, ...more, `overview/member/${encodeURIComponent(PAYLOADS[0] ?? '')}`]) {
      await goTo(tab, place);
      await drawn(tab);
      expect([place, await foreign(tab)]).toEqual([place, []]);
    }
    await goTo(tab, 'mail');
    await tab.getByRole('searchbox').fill('<img src=x onerror');
    await tab.locator('.mail-row', { hasText: '<img src=x onerror="globalThis.pwned=1">' }).first().click();
    await tab.getByRole('article').getByText('<img src=x onerror="globalThis.pwned=1">', { exact: true }).waitFor();
    expect(await foreign(tab)).toEqual([]);
    expect(complaints.filter((one) => !one.includes('400') && !one.includes('404'))).toEqual([]);
  });

  it.each([
    { device: 'desk', viewport: { width: 1440, height: 900 } },
    { device: 'phone', viewport: { width: 390, height: 844 } },
  ])('no view scrolls sideways, cuts text or covers a control ($device)', async ({ viewport }) => {
    const team = greatTeam({ members: 8, tasks: 50, messages: 40, failures: 3 });
    const { tab } = await open((await openPage(team.root)).url, { viewport });
    const found: string[] = [];
    for (const place of [...TABS, 'board/task/34', 'overview/member/ada', 'overview/file/board/log.jsonl']) {
      await goTo(tab, place);
      await drawn(tab);
      // Details cover the views of a phone.
      const views = tab.locator('nav:not([inert]) [aria-current]');
      if ((await views.count()) > 0) await views.click({ trial: true, position: { x: 4, y: 4 } });
      else expect([viewport.width, place]).toEqual([390, expect.stringContaining('/')]);
      const faults = await tab.evaluate<DrawnFault[]>(FAULTS);
      found.push(...faults.map(({ kind, what }) => `${place}: ${kind}: ${what}`));
    }
    expect(found).toEqual([]);
  });

  it.each([
    {
      colorScheme: 'light',
      rules: { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] },
    },
    // The same page differs only in its colours.
    { colorScheme: 'dark', rules: { runOnly: ['color-contrast'] } },
  ] as const)('the page is accessible: axe finds nothing serious ($colorScheme)', async ({ colorScheme, rules }) => {
    const team = greatTeam({ members: 6, tasks: 60, messages: 40 });
    team.note('member.exited', { member: 'dan', text: 'signal SIGKILL' }).process('dan', 'dead');
    const { tab } = await open((await openPage(team.root)).url, { colorScheme });
    // The page's policy allows only its own script; the test injects axe through the browser.
    await tab.evaluate(AXE);
    const found: string[] = [];
    for (const place of [...TABS, 'board/task/1', 'overview/member/ada', 'overview/file/board/log.jsonl']) {
      await goTo(tab, place);
      await drawn(tab);
      await tab.locator('.view').first().waitFor();
      const { passes, violations } = await tab.evaluate<Checked>(`axe.run(${JSON.stringify(rules)})`);
      expect(passes.length).toBeGreaterThan(0);
      const bad = violations.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes[0]?.html.slice(0, 160) ?? ''}`);
      found.push(...bad.filter((one) => /^(?:serious|critical)/.test(one)).map((one) => `${place}: ${one}`));
      if (place === TABS.at(-1)) await tab.keyboard.press('t');
    }
    // The last three places were looked at in the past.
    await tab.getByRole('region', { name: 'Past' }).waitFor();
    expect(found).toEqual([]);
  });
});
