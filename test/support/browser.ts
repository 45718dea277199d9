/** A real browser for the page's tests: one for all tests of a file, a new context for each tab. */
import process from 'node:process';
import { chromium, type Browser, type BrowserContextOptions, type Page as Tab } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { defined } from '../../src/model/text/defined.ts';
import { findProgram } from '../../src/os/program-path.ts';
import { isRoot } from './user.ts';

const executablePath = findProgram('chromium', process.env['PATH'] ?? '');
if (executablePath === undefined) console.warn('NO CHROMIUM on PATH: the page is not tested in a browser.');

export const hasBrowser = executablePath !== undefined;

export const TABS = ['overview', 'output', 'board', 'graph', 'timeline', 'changes', 'mail', 'spending', 'activity'];

export interface OpenTab {
  readonly tab: Tab;
  /** What the browser reported: errors, refusals, dialogs. */
  readonly complaints: string[];
}

/**
 * Starts a browser before the tests of a file. The returned function opens a tab at an address and waits until it is
 * loaded. With `now` the time stands still there, in milliseconds since 1970.
 */
export function useBrowser(): (url: string, options?: BrowserContextOptions & { now?: number }) => Promise<OpenTab> {
  let browser: Browser | undefined;
  beforeAll(async () => {
    const args = isRoot ? ['--no-sandbox'] : [];
    browser = await chromium.launch({ args, ...defined({ executablePath }) });
  });
  afterAll(() => browser?.close());
  return async (url, { now, ...options } = {}) => {
    if (browser === undefined) throw new Error('The browser has not been started.');
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    onTestFinished(() => context.close());
    const tab = await context.newPage();
    if (now !== undefined) await tab.clock.setFixedTime(now);
    const complaints: string[] = [];
    tab.on('console', (message) => complaints.push(message.text()));
    tab.on('pageerror', (error) => complaints.push(error.message));
    tab.on('dialog', (dialog) => complaints.push(dialog.message()));
    await tab.goto(url);
    await tab.getByText('led by process').or(tab.getByText('no lead runs')).waitFor();
    await tab.getByText('reading the events').waitFor({ state: 'detached' });
    return { tab, complaints };
  };
}

export const goTo = (tab: Tab, where: string, team = 'login'): Promise<void> =>
  tab.evaluate(`location.hash = '#/${team}/${where}'`);

/** Waits until the present state is drawn. */
export const drawn = (tab: Tab): Promise<void> =>
  tab.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))');
