/** `teams watch` on a team with 200 events a second: how often it draws, and how late its event loop is. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ROOT } from '../lib/build.mjs';
import { whereIs } from '../lib/installed.mjs';
import { processorMs } from '../lib/process-cost.mjs';

const RATE = 200;
/** Reading the earlier events is not part of the measurement. */
const SETTLED_MS = 3_000;

export const rows = [14];

export async function measure(bench) {
  if (whereIs('tmux') === undefined) {
    bench.check('14.watch', { skipped: 'tmux is not installed: there is no terminal to draw on' });
    return;
  }
  const seen = await look(bench);
  bench.say(
    `${seen.events.toFixed(0)} events a second; ${seen.frames} frames in the fullest second, ${seen.mean.toFixed(1)} in the mean; the loop: p50 ${seen.loop.p50.toFixed(1)}, p99 ${seen.loop.p99.toFixed(1)}, worst ${seen.loop.max.toFixed(1)} ms`,
  );
  bench.check('14.watch', { ours: seen.share });
}

async function look(bench) {
  const { makeTeam } = await import('../.build/product.mjs');
  const members = [0, 1, 2, 3].map((n) => ({ name: `m${n}`, agent: { kind: 'exec' } }));
  const { paths } = makeTeam('bench', { members }, { root: bench.dir, environment: {} });
  const team = spawn(process.execPath, [join(ROOT, 'bench/product/busy-team.mjs'), bench.dir, String(RATE)], {
    stdio: 'inherit',
  });
  const screen = watching(bench.dir);
  const lines = () => [paths.log, paths.events].map((path) => countLines(path)).reduce((a, b) => a + b);
  try {
    await setTimeout(SETTLED_MS);
    await screen.told();
    const before = { lines: lines(), ms: processorMs(screen.pid()) };
    await setTimeout(bench.size.watchMs);
    const share = ((processorMs(screen.pid()) - before.ms) / bench.size.watchMs) * 100;
    const { loop, frames } = await screen.told();
    const seconds = bench.size.watchMs / 1_000;
    return {
      loop,
      share,
      frames: fullest(frames),
      mean: frames.length / seconds,
      events: (lines() - before.lines) / seconds,
    };
  } finally {
    screen.close();
    team.kill();
    await once(team, 'exit');
  }
}

const countLines = (path) => (existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean).length : 0);

/** `teams watch` in its own terminal. */
function watching(root) {
  const [loop, frames] = [join(root, 'loop.json'), join(root, 'frames.json')];
  const probe = join(ROOT, 'bench/lib/frame-probe.mjs');
  const line = `exec ${process.execPath} --import ${probe} ${join(ROOT, 'bin/teams.js')} watch bench --root ${root}`;
  const own = { HOME: root, TMUX_TMPDIR: root, LOOP_PROBE: loop, FRAME_PROBE: frames };
  const env = { PATH: process.env.PATH, LANG: 'C.UTF-8', TERM: 'xterm-256color', ...own };
  const tmux = (...argv) => execFileSync('tmux', argv, { env });
  tmux('-f', '/dev/null', 'new-session', '-d', '-x', '120', '-y', '40', line);
  const pid = () => Number(readFileSync(`${frames}.pid`, 'utf8'));
  return {
    pid,
    /** What was counted since the last question. */
    async told() {
      for (const file of [loop, frames]) rmSync(file, { force: true });
      process.kill(pid(), 'SIGUSR2');
      for (;;) {
        await setTimeout(20);
        try {
          return { loop: JSON.parse(readFileSync(loop, 'utf8')), frames: JSON.parse(readFileSync(frames, 'utf8')) };
        } catch {
          // Not written yet, or not completely.
        }
      }
    },
    close: () => tmux('kill-server'),
  };
}

/** Frames in the fullest second. */
const fullest = (frames) =>
  Math.max(0, ...frames.map((from, at) => frames.slice(at).filter((time) => time < from + 1_000).length));
