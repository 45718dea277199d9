/** The end of a program in its isolation, with all its processes, and many of them at once. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { execAgent } from '../../src/model/agent/agent.ts';
import { isServed, serveLocal } from '../../src/os/local-server.ts';
import type { HeldProgram } from '../../src/runtime/isolation/open-program-isolation.ts';
import { until, Workplace } from '../support/cli.ts';
import { fencePlace, openFence, runInside } from '../support/fence.ts';
import { allowLeft } from '../support/leftovers.ts';
import { pids, running, type Running } from '../support/processes.ts';
import { team } from '../support/session.ts';
import { tempDir } from '../support/temp.ts';

/** A command that other tests on this machine do not run at the same time. */
const SLEEP = `sleep 600.${process.pid}`;
const DAEMON = `(setsid env -i /bin/${SLEEP} &);`;
const CHILD = `${SLEEP} &`;
/** Eight processes: three daemons with two forks, four children, the shell. */
const EIGHT = `${DAEMON.repeat(3)} ${`${CHILD} `.repeat(4)} wait`;
/** Far above the 4 to 62 ms of `npm run bench -- fence`, and far below the 600 s of what must end. */
const GONE_WITHIN_MS = 3_000;

/** Those that this process started, at any depth, the double-forked ones too: inside, the first process adopts them. */
function below(ancestor: number): Running[] {
  const all = running();
  const parents = new Map(all.map(({ pid, parent }) => [pid, parent]));
  const isBelow = (pid: number): boolean => {
    const parent = parents.get(pid);
    return parent !== undefined && (parent === ancestor || isBelow(parent));
  };
  return all.filter(({ pid }) => isBelow(pid));
}

function namespaceOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return undefined;
  }
}

const isOf =
  (directory: string) =>
  ({ cwd, command }: Running): boolean =>
    command.endsWith(SLEEP) || [cwd, command].some((text) => text?.includes(directory));

/** @returns the processes of the program of this teammate, by the namespace that they share */
function programOf(teammate: number): { outer: number; init: number; inside: number[] } | undefined {
  const all = below(teammate);
  const own = namespaceOf(process.pid);
  const inside = all.filter(({ pid }) => ![undefined, own].includes(namespaceOf(pid)));
  const init = inside.find(({ parent }) => !inside.some(({ pid }) => pid === parent));
  const sleepers = inside.filter(({ command }) => command.endsWith(SLEEP));
  if (init === undefined || sleepers.length < 7) return undefined;
  return { outer: init.parent, init: init.pid, inside: inside.map(({ pid }) => pid) };
}

it.each(['outer', 'init', 'teammate'] as const)(
  'kill -9 of %s ends all eight processes of a member’s program, and those that isolate it',
  async (target) => {
    const tasks = [{ subject: 'Work', work: { run: EIGHT } }];
    const on = await team({ members: [{ name: 'ada', agent: execAgent('true'), sandbox: 'workspace-write' }], tasks });
    if (target === 'teammate') allowLeft();
    const teammate = spawn(process.execPath, [resolve('bin/teammate.cjs'), on.root, 'crew', 'ada'], {
      env: { PATH: '/usr/bin:/bin', XDG_STATE_HOME: join(on.root, 'state'), HOME: tempDir() },
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    const ended = once(teammate, 'exit');
    onTestFinished(async () => {
      teammate.kill('SIGTERM');
      await ended;
    });
    const pid = teammate.pid ?? 0;
    await until(() => programOf(pid) !== undefined, 'all eight run');
    const { outer, init, inside } = programOf(pid) ?? expect.fail('The program has ended.');
    // The first process, the eight, and the programs that set limits and run the command.
    expect(inside.length).toBeGreaterThanOrEqual(9);
    const space = namespaceOf(init);
    // Also one that was started meanwhile. A zombie is gone: it waits for the first process of the machine to collect it.
    const left = (): Running[] => running().filter(({ pid: one }) => one === outer || namespaceOf(one) === space);
    expect(left().length).toBeGreaterThanOrEqual(10);
    const began = performance.now();
    process.kill({ outer, init, teammate: pid }[target], 'SIGKILL');
    while (left().length > 0 && performance.now() - began < GONE_WITHIN_MS) await sleep(5);
    expect(left()).toEqual([]);
    if (target === 'teammate') await ended;
  },
);

it('fifty members isolated at once start, work and leave no process, socket or directory', async () => {
  const place = new Workplace();
  const project = mkdtempSync(join(realpathSync(homedir()), '.fence-test-'));
  onTestFinished(() => rmSync(project, { recursive: true, force: true }));
  const names = Array.from({ length: 50 }, (_, at) => `m${at}`);
  const members = names.map((member) => ({ name: member, agent: { kind: 'exec' }, sandbox: 'workspace-write' }));
  // Each waits for all, and leaves a daemon.
  const wait = 'while [ $(ls up | wc -l) -lt 50 ]; do sleep 0.1; done';
  const work = (member: string): string =>
    `mkdir -p up; : > up/${member}; ${wait}; ${DAEMON} teams send team-lead ${member}`;
  const tasks = names.map((owner) => ({ subject: `Work of ${owner}`, owner, run: work(owner) }));
  writeFileSync(join(project, 'plan.json'), JSON.stringify({ name: 'fifty', members, tasks }));
  const sockets = tempDir();
  vi.stubEnv('TMPDIR', sockets);
  const before = new Set(pids());
  const environment = { PATH: '/usr/bin:/bin', TMPDIR: sockets };
  const [{ code, err }] = await Promise.all([
    place.say(['run', 'plan.json'], { cwd: project, environment }),
    until(() => readdirSync(sockets).length >= 50, 'fifty directories with sockets', 110_000),
  ]);
  expect(code, err).toBe(0);
  const events = readFileSync(join(project, '.teams/fifty/events.jsonl'), 'utf8');
  expect(events.match(/"sandbox\.held"/g)).toHaveLength(50);
  expect(running(pids().filter((pid) => !before.has(pid))).filter(isOf(project))).toEqual([]);
  expect(readdirSync(sockets)).toEqual([]);
  expect(readdirSync(project).toSorted()).toEqual(['.tasks', '.teams', 'plan.json', 'up']);
  expect(readdirSync(join(place.root, 'home/state/teams/isolations'))).toEqual([]);
}, 180_000);

it('a start after a crash removes the directories that the crash left', async () => {
  const place = fencePlace();
  mkdirSync(join(place.work, '.vscode'));
  writeFileSync(join(place.work, '.gemini'), '');
  const before = readdirSync(place.work);
  const records = join(place.home, '.local/state/teams/isolations');
  mkdirSync(records, { recursive: true });
  mkdirSync(join(place.work, '.codex'));
  mkdirSync(join(place.work, '.claude/settings'), { recursive: true });
  const stubs = ['.codex', '.claude', '.env'].map((name) => join(place.work, name));
  writeFileSync(join(records, 'teams-dead.json'), JSON.stringify({ socket: join(place.base, 'gone'), stubs }));
  const held = await openFence(place);
  await held.close();
  // What somebody has filled meanwhile is not ours to remove.
  expect(readdirSync(place.work).toSorted()).toEqual([...before, '.claude'].toSorted());
  expect(readdirSync(records)).toEqual([]);
});

const socketOf = (held: HeldProgram): string =>
  join(/--ro-bind (\S+\/s) \/run\/teams\/s/.exec(held.hold(['true']).join(' '))?.[1] ?? '', 'sock');

it('a socket that is made anew is seen inside', async () => {
  const place = fencePlace();
  const held = await openFence(place);
  rmSync(socketOf(held));
  expect(await isServed(socketOf(held))).toBe(false);
  expect(await runInside(held, place, 'teams status 2>&1; echo $?')).toMatch(/cannot be reached.*\n4\n$/);
  const server = await serveLocal(socketOf(held), async (request) => {
    await request.send('stdout', Buffer.from('again\n'));
    await request.send('exit', Uint8Array.of(7));
  });
  expect(await runInside(held, place, 'teams status; echo $?')).toBe('again\n7\n');
  await server.close();
});
