/**
 * `npm run screenshots`: every view of the page with small, middle and large teams, light and dark, on a desk and on a
 * phone. All pictures go to screenshots/; the few that the documentation shows go to docs/ui/. It also finds what is
 * broken in a picture: a page that scrolls sideways, cut text, controls that something else covers, faint text.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Page as Tab } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { drawn, goTo, hasBrowser, TABS, useBrowser } from '../support/browser.ts';
import { FAULTS, type DrawnFault } from '../support/drawn-faults.ts';
import { openPage } from '../support/web.ts';
import { scene, SCENES } from './scene.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const ALL = join(ROOT, 'screenshots');
const KEPT = join(ROOT, 'docs', 'ui');
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const WIDTHS = { 1440: 900, 390: 844 } as const;
const THEMES = ['light', 'dark'] as const;
const MORE = ['board/task/TASK', 'overview/member/ada', 'overview/file/board/log.jsonl'];

/** What keys open over a view. */
const DIALOGS = {
  help: (tab: Tab) => tab.keyboard.press('?'),
  search: async (tab: Tab) => {
    await tab.keyboard.press('Control+k');
    await tab.keyboard.type('session');
    await tab
      .getByRole('dialog')
      .getByText(/session/)
      .first()
      .waitFor();
  },
} as const;

/** The pictures of the documentation: `view-tasks-theme-width`. */
const SHOWN = new Set([
  'overview-50-light-1440',
  'output-50-dark-1440',
  'board-2000-dark-1440',
  'graph-50-light-1440',
  'timeline-50-light-1440',
  'changes-12-light-1440',
  'overview-50-light-390',
  'output-50-dark-390',
]);

/** Of lossy pictures: text stays sharp. */
const QUALITY = 78;

describe.skipIf(!hasBrowser)('screenshots', () => {
  const open = useBrowser();
  beforeAll(() => {
    rmSync(ALL, { recursive: true, force: true });
    for (const folder of [ALL, KEPT]) mkdirSync(folder, { recursive: true });
  });

  it.each(Object.keys(SCENES).map(Number))('all views of a team of %i tasks are whole', async (tasks) => {
    const sizes = SCENES[tasks];
    if (sizes === undefined) throw new Error(`No scene has ${tasks} tasks.`);
    const team = await scene(sizes);
    const { url } = await openPage(team.root);
    const failed = [...team.store.board.fold().tasks.values()].find(({ status }) => status === 'failed')?.id ?? '1';
    const found: string[] = [];
    for (const colorScheme of THEMES)
      for (const [width, height] of Object.entries(WIDTHS)) {
        const viewport = { width: Number(width), height };
        const { tab, complaints } = await open(url, { colorScheme, viewport, hasTouch: width === '390' });
        await tab.evaluate(AXE);
        const look = async (what: string): Promise<void> => {
          const title = `${what}-${tasks}-${colorScheme}-${width}`;
          await picture(tab, title);
          found.push(...(await faults(tab)).map((fault) => `${title}: ${fault}`));
        };
        for (const place of [...TABS, ...MORE]) {
          await goTo(tab, place.replace('TASK', failed));
          await settled(tab);
          await look(place.replace('TASK', 'failed').replaceAll(/[/.]/g, '-'));
        }
        await goTo(tab, 'overview');
        for (const [name, openIt] of Object.entries(DIALOGS)) {
          await settled(tab);
          await openIt(tab);
          await drawn(tab);
          await look(name);
          await tab.keyboard.press('Escape');
        }
        found.push(...complaints);
      }
    expect(found).toEqual([]);
  });
});

/** Nothing is awaited any more. */
async function settled(tab: Tab): Promise<void> {
  await tab.locator('.view').first().waitFor();
  for (const one of await tab.getByText(/^(?:Comparing|Reading|Reading the mail)…$/).all())
    await one.waitFor({ state: 'detached', timeout: 20_000 });
  await tab.evaluate('document.fonts.ready.then(() => undefined)');
  await drawn(tab);
}

async function picture(tab: Tab, title: string): Promise<void> {
  await tab.screenshot({ path: join(ALL, `${title}.png`), animations: 'disabled' });
  if (!SHOWN.has(title)) return;
  const session = await tab.context().newCDPSession(tab);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
  writeFileSync(join(KEPT, `${title}.webp`), Buffer.from(data, 'base64'));
}

async function faults(tab: Tab): Promise<string[]> {
  const seen = await tab.evaluate<DrawnFault[]>(FAULTS);
  const { violations } = await tab.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    `axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })`,
  );
  return [
    ...seen.map(({ kind, what }) => `${kind}: ${what}`),
    ...violations.map(({ id, nodes }) => `axe ${id}: ${nodes.length} × ${nodes[0]?.html.slice(0, 120) ?? ''}`),
  ];
}
