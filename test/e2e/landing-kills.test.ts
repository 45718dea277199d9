/**
 * Nothing is lost: members write, a queue lands, and random processes of the run with their git get SIGKILL, while the
 * user's own `git gc --prune=now` never stops. The check reads only the user's repository, after the team's folders are
 * gone. `npm run test:landing` runs many seeds with many kills.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { BIN, Workplace } from '../support/cli.ts';
import { allowLeft } from '../support/leftovers.ts';
import { running } from '../support/processes.ts';
import { git } from '../support/tree-scene.ts';

const SEEDS = (process.env['LANDING_SEEDS'] ?? '1').split(',').map(Number);
const KILLS = Number(process.env['LANDING_KILLS'] ?? '8');

/** Writes a token that is said outside of the tree only when it is in the file. */
const TASK = `#!/bin/bash
token="token-$1-$$-$RANDOM$RANDOM"
say() { echo "$token" >>"$TOLD"; }
mkdir -p own slot; echo "$token" >"own/$1.txt"; say
sleep 0.0$((RANDOM % 9))
case $2 in
  place) echo "line $1" >>list.txt;;
  count) n=$(ls slot | wc -l); sleep 0.1; echo "$n" >"slot/$1";;
  alone) echo "region $1" >"region-$1.txt";;
esac
sleep 0.0$((RANDOM % 9))
`;
/** All counts differ: two that were begun on one state merge cleanly and are wrong together. */
const GATE = 'test -z "$(cat slot/* 2>/dev/null | sort | uniq -d)" && ! grep -rq "<<<<<<<" list.txt';
const KINDS = ['place', 'count', 'alone', 'place', 'count', 'place'];

/** A small generator, so that a seed draws the same numbers again. */
function draws(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761;
  return (below) => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) % below;
}

const userState = (at: string) => ({
  head: git(at, 'rev-parse', 'HEAD'),
  refs: git(at, 'for-each-ref', 'refs/heads', 'refs/stash', 'refs/tags'),
  index: git(at, 'ls-files', '--stage'),
  config: readFileSync(join(at, '.git/config'), 'utf8'),
  status: git(at, 'status', '--porcelain', '--untracked-files=all'),
  files: Object.fromEntries(
    ['staged.txt', 'edited.txt', 'mine.txt'].map((name) => [name, readFileSync(join(at, name), 'utf8')]),
  ),
});

interface Spoilt {
  readonly gate?: string;
  readonly kills?: number;
  /** Called before the check, with the user's repository. */
  readonly spoil?: (at: string) => void;
}

async function campaign(seed: number, { gate = GATE, kills: most = KILLS, spoil }: Spoilt = {}): Promise<void> {
  const draw = draws(seed);
  const place = new Workplace();
  const at = join(place.root, 'work');
  const told = join(place.root, 'told');
  mkdirSync(at);
  writeFileSync(told, '');
  git(at, 'init', '-q', '-b', 'trunk');
  for (const name of ['staged.txt', 'edited.txt', 'list.txt', 'stashed.txt'])
    writeFileSync(join(at, name), `${name}\n`);
  writeFileSync(join(at, 'task.sh'), TASK, { mode: 0o755 });
  writeFileSync(join(at, 'p.json'), JSON.stringify(planOf(told, gate)));
  git(at, 'add', '-A');
  git(at, 'commit', '-qm', 'begin');
  writeFileSync(join(at, 'stashed.txt'), 'put away\n');
  git(at, 'stash', '-q');
  writeFileSync(join(at, 'staged.txt'), 'staged\n');
  git(at, 'add', 'staged.txt');
  writeFileSync(join(at, 'edited.txt'), 'edited\n');
  writeFileSync(join(at, 'mine.txt'), 'untracked\n');
  // As the first run does it.
  writeFileSync(join(at, '.git/info/exclude'), '.teams/\n.tasks/\n');
  const before = userState(at);
  const collecting = collectGarbage(at);
  const ours = (): number[] => running().flatMap(({ pid, cwd }) => (cwd?.startsWith(at) === true ? [pid] : []));
  let kills = 0;
  let code = -1;
  let why = '';
  const mains = new Set<string>();
  for (let run = 0; code !== 0 && run < 60 + most; run += 1) {
    const verb = existsSync(join(at, '.teams/p/config.json'))
      ? ['resume', 'p', '--retry-failed']
      : ['run', 'p.json', '--fresh'];
    const child = spawn(process.execPath, [BIN, ...verb, '--quiet'], {
      cwd: at,
      env: place.environment,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const complained = text(child.stderr);
    const ended = once(child, 'exit');
    while (child.exitCode === null && child.signalCode === null) {
      await Promise.race([ended, wait(60 + draw(240))]);
      const main = mainIn(at);
      if (main !== undefined) mains.add(main);
      const found = ours();
      // A lead that has only just begun has nothing to lose yet.
      if (kills >= most || found.length < 3 || main === undefined) continue;
      const victim = found[draw(found.length)] ?? 0;
      for (const { pid } of [
        ...running().filter(({ parent, command }) => parent === victim && command.startsWith('git')),
        { pid: victim },
      ])
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It has ended meanwhile.
        }
      kills += 1;
    }
    await ended;
    code = child.exitCode ?? -1;
    why = await complained;
    await waitForNone(() => ours().length === 0);
  }
  const collections = await collecting.stop();
  expect(code, why).toBe(0);
  const ref = (name: string): string =>
    git(at, 'for-each-ref', '--format=%(refname)', 'refs/teams')
      .split('\n')
      .find((one) => one.endsWith(`/${name}`)) ?? name;
  const [root, main] = [ref('root'), ref('main')];
  const values = [...mains].map((commit) => ({ commit, isRed: isRed(at, commit) }));
  rmSync(join(at, '.teams'), { recursive: true, force: true });
  rmSync(join(at, '.tasks'), { recursive: true, force: true });
  spoil?.(at);
  git(at, 'gc', '--prune=now', '--quiet');
  expect(git(at, 'fsck', '--no-dangling').trim()).toBe('');
  expect(userState(at)).toEqual(before);
  expect(values.flatMap((value) => (value.isRed ? [`red ${value.commit.slice(0, 7)}`] : []))).toEqual([]);
  expect(isRed(at, main)).toBe(false);
  // Each task landed once.
  const landed = git(
    at,
    'log',
    '--first-parent',
    '--format=%(trailers:key=Teams-Task,valueonly,separator=%x2C)',
    `${root}..${main}`,
  )
    .trim()
    .split('\n');
  expect(landed.toSorted((a, b) => Number(a) - Number(b))).toEqual(
    KINDS.concat(KINDS).map((_, index) => String(index + 1)),
  );
  expect(git(at, 'show', `${main}:list.txt`).trim().split('\n').slice(1).sort()).toHaveLength(
    KINDS.concat(KINDS).filter((kind) => kind === 'place').length,
  );
  // Every token that a task wrote, half done ones included.
  const objects = git(at, 'rev-list', '--objects', '--all')
    .split('\n')
    .filter((line) => line.includes(' own/'));
  const kept = new Set(objects.map((line) => git(at, 'cat-file', 'blob', line.split(' ')[0] ?? '').trim()));
  const tokens = readFileSync(told, 'utf8').trim().split('\n');
  expect(tokens.filter((token) => !kept.has(token))).toEqual([]);
  expect(collections.failed).toEqual([]);
  console.log(
    `seed ${seed}: ${kills} kills, ${tokens.length} writes kept, ${mains.size} values of main, ${collections.done} collections`,
  );
}

const planOf = (told: string, gate: string): object => ({
  name: 'p',
  isolation: 'trees',
  members: ['ada', 'bob', 'cy', 'dan'].map((name) => ({ name, agent: { kind: 'exec' } })),
  tasks: KINDS.concat(KINDS).map((kind, index) => ({
    subject: `Task ${index + 1}`,
    run: `./task.sh ${index + 1} ${kind}`,
    env: { TOLD: told },
    retries: 100,
  })),
  gates: { test: gate },
});

function mainIn(at: string): string | undefined {
  try {
    return git(at, '--git-dir=.teams/p/vault.git', 'for-each-ref', '--format=%(refname) %(objectname)', 'refs/teams')
      .split('\n')
      .find((line) => line.includes('/main '))
      ?.split(' ')[1];
  } catch {
    return undefined; // It is not made yet.
  }
}

function isRed(at: string, commit: string): boolean {
  const slots = git(at, 'ls-tree', '-r', '--name-only', commit, 'slot').split('\n').filter(Boolean);
  const counts = slots.map((path) => git(at, 'show', `${commit}:${path}`).trim());
  return new Set(counts).size !== counts.length || git(at, 'show', `${commit}:list.txt`).includes('<<<<<<<');
}

async function waitForNone(isOver: () => boolean): Promise<void> {
  for (let look = 0; look < 600 && !isOver(); look += 1) await wait(25);
  expect(isOver()).toBe(true);
}

/** The user's own git, which removes at once what nothing refers to. */
function collectGarbage(at: string) {
  let [isOver, done] = [false, 0];
  const failed: string[] = [];
  const loop = (async () => {
    while (!isOver) {
      const child = spawn('git', ['gc', '--prune=now', '--quiet'], {
        // From elsewhere, so that it is not taken for a process of the run.
        cwd: '/',
        env: { PATH: process.env['PATH'], HOME: at, GIT_DIR: join(at, '.git'), GIT_WORK_TREE: at },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let said = '';
      child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
      await once(child, 'close');
      if (child.exitCode !== 0 && child.signalCode === null) failed.push(said);
      else done += 1;
      await wait(150);
    }
  })();
  return {
    async stop() {
      isOver = true;
      await loop;
      return { failed, done };
    },
  };
}

it.each(SEEDS)(
  'no byte is lost and no red state becomes common, whatever is killed: seed %i',
  { timeout: 600_000 + KILLS * 15_000 },
  async (seed) => {
    allowLeft(/./);
    await campaign(seed);
  },
);

/** The check itself is checked. */
it('the check sees a common state that is red, where the gate always says yes', { timeout: 600_000 }, async () => {
  allowLeft(/./);
  await expect(campaign(1, { gate: 'true', kills: 0 })).rejects.toThrow(/'red /);
});

it('the check sees lost work, where what killed members left is not kept', { timeout: 900_000 }, async () => {
  allowLeft(/./);
  const spoil = (at: string): void => {
    for (const ref of git(at, 'for-each-ref', '--format=%(refname)', 'refs/teams').split('\n'))
      if (/\/(?:left|attempts|trees|candidates)\//.test(ref)) git(at, 'update-ref', '-d', ref);
  };
  await expect(campaign(2, { kills: 8, spoil })).rejects.toThrow(/token-/);
});
