/**
 * `teams ui` for a team of 50 members, 5,000 tasks and 100,000 messages, in Chromium. Measures how soon content is
 * visible, how late the server's event loop is meanwhile, and how even the frames are while each long list is scrolled
 * from end to end.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { ROOT } from '../lib/build.mjs';
import { median, quantile } from '../lib/figures.mjs';
import { whereIs } from '../lib/installed.mjs';

const LISTS = [
  ['board', '.column-completed .windowed'],
  ['mail', '.mail-columns .windowed'],
  ['activity', '.activity-view .windowed'],
  ['timeline', '.timeline .windowed'],
];

export const rows = [14];

export async function measure(bench) {
  const executablePath = whereIs('chromium');
  const seen = executablePath === undefined ? undefined : await look(bench, executablePath);
  for (const [id, key] of [
    ['14.paint', 'paint'],
    ['14.data', 'data'],
    ['14.loop', 'loop'],
    ['14.scroll', 'frame'],
  ])
    bench.check(id, seen === undefined ? { skipped: 'chromium is not installed' } : { ours: seen[key] });
}

async function look(bench, executablePath) {
  const { greatTeam } = await import('../.build/great-team.mjs');
  const root = bench.dir;
  greatTeam(bench.size.page, root);
  const { chromium } = await import('playwright-core');
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({ args, executablePath });
  try {
    const rounds = [];
    for (let round = 0; round < Math.min(3, bench.size.rounds); round += 1)
      rounds.push(await opened(bench, browser, root, round));
    return Object.fromEntries(Object.keys(rounds[0]).map((key) => [key, median(rounds.map((one) => one[key]))]));
  } finally {
    await browser.close();
  }
}

/** Runs in the page before the page's own code: records when the board appeared, and when all of it was there. */
const WATCHING = `
  globalThis.seen = new Promise((done) => {
    let data;
    new MutationObserver((_, observer) => {
      if (document.querySelector('header progress') === null) return;
      data ??= performance.now();
      if (document.querySelector('header').textContent.includes('reading')) return;
      observer.disconnect();
      done({ data, whole: performance.now() });
    }).observe(document, { childList: true, subtree: true });
  });
`;

async function opened(bench, browser, root, round) {
  const server = await serve(root, join(bench.dir, 'probe.json'));
  const idle = await idleBeside(join(bench.dir, 'idle.json'));
  const tab = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  try {
    await tab.addInitScript(WATCHING);
    await tab.goto(server.url);
    const { data, whole } = await tab.evaluate('seen');
    const paint = await tab.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime");
    const [loop, floor] = [await server.loop(), await idle.loop()];
    const frames = [];
    for (const [view, list] of LISTS) {
      const deltas = await scrolled(tab, view, list);
      frames.push(...deltas);
      bench.say(
        `round ${round + 1}, ${view}: ${deltas.length} frames, p50 ${quantile(deltas, 0.5).toFixed(1)}, p99 ${quantile(deltas, 0.99).toFixed(1)}, worst ${Math.max(...deltas).toFixed(1)} ms`,
      );
    }
    bench.say(
      `round ${round + 1}: paint ${paint.toFixed(0)}, board ${data.toFixed(0)}, whole ${whole.toFixed(0)} ms; the server's loop: worst ${loop.max.toFixed(0)}, p99 ${loop.p99.toFixed(0)} ms; that of a Node program that does nothing: worst ${floor.max.toFixed(0)} ms`,
    );
    return { paint, data, whole, loop: loop.max, frame: quantile(frames, 0.99) };
  } finally {
    await tab.close();
    await Promise.all([server.stop(), idle.stop()]);
  }
}

/** The gaps between frames while a list is scrolled through in 120 steps. */
async function scrolled(tab, view, list) {
  await tab.evaluate(`location.hash = '#/login/${view}'`);
  await tab.locator(`${list} .windowed-row`).first().waitFor();
  await setTimeout(500);
  return tab.evaluate(
    `new Promise((done) => {
      const box = document.querySelector('${list}');
      const gaps = [];
      let last = performance.now();
      const step = (now) => {
        gaps.push(now - last);
        last = now;
        box.scrollTop = ((box.scrollHeight - box.clientHeight) * gaps.length) / 120;
        if (gaps.length < 120) requestAnimationFrame(step);
        else done(gaps.slice(1));
      };
      requestAnimationFrame(step);
    })`,
  );
}

/** `teams ui` as it ships. */
const serve = (root, probe) =>
  watched(probe, root, [join(ROOT, 'bin', 'teams.js'), '--quiet', 'ui', 'login', '--root', root]);

/** What the machine alone makes of a loop: Chromium has both processors, and another program waits for them. */
const idleBeside = (probe) => watched(probe, '/', ['-e', "console.log('up'); setInterval(() => {}, 1000)"]);

/** A program that prints a line when it is up, and its event loop's delay since the last question. */
async function watched(probe, home, argv) {
  const child = spawn(process.execPath, ['--import', join(ROOT, 'bench', 'lib', 'loop-probe.mjs'), ...argv], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, HOME: home, LOOP_PROBE: probe },
  });
  const [url] = await once(createInterface({ input: child.stdout }), 'line');
  return {
    url,
    async loop() {
      rmSync(probe, { force: true });
      child.kill('SIGUSR2');
      while (!existsSync(probe)) await setTimeout(5);
      await setTimeout(20);
      return JSON.parse(readFileSync(probe, 'utf8'));
    },
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}
