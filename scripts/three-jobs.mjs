/**
 * node scripts/three-jobs.mjs — the three jobs of a person by stop-watch, with the command as it is built:
 *
 * 1. from an empty project and the README to a first own run, at most 180 s with the time to read;
 * 2. a red run of 20 tasks mended in the view that it was started in, at most 60 s, in three sizes of a terminal;
 * 3. what each of 12 agents does now, and who waits for the person with which question: on one screen of a terminal,
 *    without a key, at most 10 s after `teams watch`.
 *
 * Needs tmux. A job that takes longer, or a fact that is not on the screen, is named, and the exit code is 1.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** A person reads technical text so fast. */
const WORDS_A_MINUTE = 200;
/** Longer than a person types the words of the README. */
const TYPED_A_SECOND = 5;
const LONGEST_MS = 60_000;

const inSeconds = (since) => (performance.now() - since) / 1_000;

/** A directory with `teams` on the PATH of its environment. */
function workplace() {
  const work = mkdtempSync(join(tmpdir(), 'teams-jobs-'));
  mkdirSync(join(work, 'bin'));
  const script = `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, 'bin/teams.js')}" "$@"\n`;
  writeFileSync(join(work, 'bin/teams'), script, { mode: 0o755 });
  const env = {
    PATH: `${join(work, 'bin')}:${process.env.PATH}`,
    HOME: work,
    XDG_STATE_HOME: join(work, 'state'),
    TMUX_TMPDIR: work,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    SHELL: '/bin/sh',
  };
  const project = join(work, 'project');
  mkdirSync(project);
  return { project, env, end: () => rmSync(work, { recursive: true, force: true, maxRetries: 5 }) };
}

/** Only what stands in the README up to its first table is read, and typed as it stands. */
function firstRun() {
  const { project, env, end } = workplace();
  try {
    const [read] = readFileSync(join(ROOT, 'README.md'), 'utf8').split('\n## Four doors');
    const [, example] = /## First result\s+```sh\n([^]*?)```/.exec(read);
    const words = read.split(/\s+/).length;
    const test = { test: "node -e 'process.exit(0)'", build: 'echo built' };
    writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'shop', scripts: test }));
    const begun = performance.now();
    const shell = (line) =>
      execFileSync('/bin/sh', ['-ec', line], { cwd: project, env, encoding: 'utf8', stdio: 'pipe' });
    const typed = example.split('\n').flatMap((line) => line.replace(/\s+#.*/, '') || []);
    for (const line of typed) shell(line);
    const ran = inSeconds(begun);
    const reading = (60 * words) / WORDS_A_MINUTE;
    const typing = typed.join('\n').length / TYPED_A_SECOND;
    return {
      seconds: reading + typing + ran,
      how: `${words} words to read ${reading.toFixed(0)} s, to type ${typing.toFixed(0)} s, the programs ${ran.toFixed(1)} s`,
    };
  } finally {
    end();
  }
}

/** The same as the recordings of the documentation, which are not written again. */
function mended() {
  const out = mkdtempSync(join(tmpdir(), 'teams-jobs-'));
  try {
    const said = execFileSync(process.execPath, [join(ROOT, 'scripts/recordings.mjs'), out], { encoding: 'utf8' });
    const times = [...said.matchAll(/^(\S+): red to green in ([\d.]+) s$/gm)].map(([, size, seconds]) => [
      size,
      Number(seconds),
    ]);
    return {
      seconds: Math.max(...times.map(([, seconds]) => seconds)),
      how: times.map(([size, seconds]) => `${size} ${seconds} s`).join(', '),
    };
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

const NAMES = ['ada', 'bob', 'cleo', 'dan', 'eve', 'finn', 'gil', 'hana', 'ivo', 'jo', 'kim', 'lea'];
const ASKER = 'kim';
const QUESTION = 'Which VAT rate';

/** Twelve members at work; one asks and waits. */
const PLAN = JSON.stringify({
  name: 'twelve',
  members: NAMES.map((name) => ({ name, agent: { kind: 'exec' } })),
  tasks: NAMES.flatMap((name) => [
    { subject: `Read the ${name} module`, owner: name, run: 'sleep 0.2' },
    {
      subject: `Mend the ${name} module`,
      owner: name,
      run:
        name === ASKER
          ? `teams send lead "${QUESTION} holds for exports?" --kind question; sleep 60`
          : `echo compiling ${name}; sleep 60`,
    },
  ]),
});

async function glance() {
  const { project, env, end } = workplace();
  const tmux = (...args) => execFileSync('tmux', args, { env, encoding: 'utf8' });
  const teams = (...args) =>
    execFileSync('teams', args, { cwd: project, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  try {
    writeFileSync(join(project, 'plan.json'), PLAN);
    teams('run', 'plan.json', '--detach');
    const needs = [QUESTION, '1 waits for you', '11 of 12 working'];
    const times = [];
    for (const [columns, rows, facts] of [
      [140, 40, [...NAMES, ...needs]],
      [80, 24, [...NAMES, ...needs]],
      [60, 12, [...NAMES, ...needs]],
    ]) {
      const begun = performance.now();
      tmux(
        '-f',
        '/dev/null',
        'new-session',
        '-d',
        '-s',
        `s${columns}`,
        '-x',
        String(columns),
        '-y',
        String(rows + 1),
        '-c',
        project,
        'teams watch twelve; sleep 60',
      );
      let missing = facts;
      let screen = '';
      while (missing.length > 0 && performance.now() - begun < LONGEST_MS) {
        await setTimeout(100);
        screen = tmux('capture-pane', '-p', '-t', `s${columns}`);
        missing = facts.filter((fact) => !screen.includes(fact));
      }
      const shown = NAMES.filter((name) => screen.includes(`Mend the ${name}`)).length;
      times.push({ size: `${columns}x${rows}`, seconds: inSeconds(begun), missing, shown });
    }
    return {
      seconds: Math.max(...times.map(({ seconds }) => seconds)),
      missing: times.flatMap(({ size, missing }) => missing.map((one) => `${size}: ${one}`)),
      how: times.map(({ size, seconds, shown }) => `${size} ${seconds.toFixed(1)} s with ${shown} of 12`).join(', '),
    };
  } finally {
    spawnSync('teams', ['cancel', 'twelve', '--yes'], { cwd: project, env });
    spawnSync('tmux', ['kill-server'], { env });
    end();
  }
}

const JOBS = [
  ['From an empty project to a first own run', 180, firstRun],
  ['A red run of 20 tasks mended in its view', 60, mended],
  ['12 agents at a glance', 10, glance],
];
for (const [what, most, job] of JOBS) {
  const { seconds, how, missing = [] } = await job();
  const isMet = seconds <= most && missing.length === 0;
  if (!isMet) process.exitCode = 1;
  const not = missing.length === 0 ? '' : `; NOT ON THE SCREEN: ${missing.join(', ')}`;
  console.log(
    `${what}: ${seconds.toFixed(1)} s of ${most} s ${isMet ? 'at most' : 'NOT MET'} (${how}${not}; load ${loadavg()[0].toFixed(1)})`,
  );
}
