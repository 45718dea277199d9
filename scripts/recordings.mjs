/**
 * node scripts/recordings.mjs [DIRECTORY] — runs a plan of 20 tasks in tmux, lets one fail, mends it without leaving the
 * view, and keeps the screens of each step as text in docs/recordings/ (or DIRECTORY), one file a size of the terminal.
 * Needs `npm run build` and tmux.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const target = process.argv[2] ?? join(ROOT, 'docs', 'recordings');
const SIZES = [
  [60, 12],
  [80, 24],
  [140, 40],
];
const LONGEST_MS = 60_000;

const MODULES = ['accounts', 'billing', 'catalog', 'delivery', 'export', 'feeds'];
const task = (subject, run, ...blockedBy) =>
  `  - ${JSON.stringify({ subject, run, ...(blockedBy.length > 0 ? { blockedBy } : {}) })}`;
const PLAN = [
  'name: shop',
  'members:',
  ...['ada', 'bob', 'cleo', 'dan'].map((name) => `  - {name: ${name}, agent: {kind: exec}}`),
  'tasks:',
  ...MODULES.map((one) => task(`Build ${one}`, `echo compiling ${one}; sleep 1.5; echo ${one}: 14 files`)),
  ...MODULES.map((one) =>
    task(
      `Test ${one}`,
      one === 'billing'
        ? 'sleep 0.5; echo "12 tests"; echo "FAIL invoice.test: expected 19 % VAT, got 16 %" >&2; test -e vat-19'
        : `sleep 1; echo ${one}: 12 tests passed`,
      `Build ${one}`,
    ),
  ),
  ...MODULES.map((one) => task(`Package ${one}`, `echo ${one}.tar.gz; sleep 0.4`, `Test ${one}`)),
  task('Publish', 'echo published 6 packages', ...MODULES.map((one) => `Package ${one}`)),
  task('Announce', 'echo announced', 'Publish'),
].join('\n');

/** One run in a terminal of this size. */
async function record(columns, rows) {
  const work = mkdtempSync(join(tmpdir(), 'teams-recording-'));
  const env = {
    PATH: process.env.PATH,
    HOME: work,
    XDG_STATE_HOME: join(work, 'state'),
    TMUX_TMPDIR: work,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    SHELL: '/bin/sh',
  };
  const tmux = (...args) => execFileSync('tmux', args, { env, encoding: 'utf8' });
  const steps = [];
  const began = performance.now();
  const seconds = () => ((performance.now() - began) / 1_000).toFixed(1);
  const keep = (what) => {
    const screen = tmux('capture-pane', '-p')
      .split('\n')
      .map((line) => line.trimEnd());
    const shown = screen
      .slice(0, rows)
      .join('\n')
      .replaceAll(work, '/home/you/project')
      .replaceAll(/led by pid \d+/g, 'led by pid 4711');
    steps.push(`--- ${seconds()} s: ${what}`, shown, '');
  };
  const until = async (what, pattern) => {
    const end = performance.now() + LONGEST_MS;
    while (!pattern.test(tmux('capture-pane', '-p'))) {
      if (performance.now() > end) throw new Error(`never on the screen: ${what}\n${tmux('capture-pane', '-p')}`);
      await setTimeout(50);
    }
    await setTimeout(400);
  };
  const press = async (...keys) => {
    tmux('send-keys', ...keys);
    await setTimeout(600);
  };
  try {
    writeFileSync(join(work, 'teams.yaml'), PLAN);
    const command = `${process.execPath} ${join(ROOT, 'bin/teams.js')} run; sleep 60`;
    tmux('-f', '/dev/null', 'new-session', '-d', '-x', String(columns), '-y', String(rows + 1), '-c', work, command);
    await until('members at work', /working/);
    await setTimeout(2_000);
    keep('the run works');
    await until('the failure', /1 failed/);
    keep('a test has failed; the others go on');
    await until('the end', /The run has ended/);
    const ended = performance.now();
    keep('the run has ended and waits');
    await press('Enter');
    keep('Enter: the output of what failed');
    await press('Escape');
    await press('w');
    keep('w: why, and whose move is next');
    await press('Escape');
    // What a person does in an editor.
    writeFileSync(join(work, 'vat-19'), '');
    await press('R');
    keep('R: what failed, and what was skipped because of it, is tried again');
    await until('the report', /\.teams\/shop\n/);
    const mended = ((performance.now() - ended) / 1_000).toFixed(1);
    keep(`the report stays on the screen; red to green in ${mended} s`);
    return { text: `${columns} columns, ${rows} rows\n\n${steps.join('\n')}`, mended };
  } finally {
    spawnSync('tmux', ['kill-server'], { env });
    rmSync(work, { recursive: true, force: true });
  }
}

mkdirSync(target, { recursive: true });
for (const [columns, rows] of SIZES) {
  const { text, mended } = await record(columns, rows);
  writeFileSync(join(target, `red-run-${columns}x${rows}.txt`), text);
  console.log(`${columns}x${rows}: red to green in ${mended} s`);
}
