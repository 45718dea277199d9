/** Ways out of a program's isolation that were tried and hold: mounts of its own, exchanged names, the socket. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, it } from 'vitest';
import { fencePlace, openFence, runInside, type FencePlace } from '../support/fence.ts';
import { isolatedLaunch } from '../../src/agents/programs/program-dialect.ts';
import type { ProgramIsolate } from '../../src/policy/sandbox/program-isolation.ts';
import { openShellIsolation } from '../../src/runtime/isolation/open-shell-isolation.ts';
import type { HeldProgram } from '../../src/runtime/isolation/open-program-isolation.ts';

let place: FencePlace;
let held: HeldProgram;
const inside = (script: string): Promise<string> =>
  runInside(held, place, script, { env: { TEAMS_SOCKET: '/run/teams/s/sock', NODE: process.execPath } });

beforeEach(async () => {
  place = fencePlace();
  mkdirSync(join(place.work, '.git'));
  writeFileSync(join(place.work, '.git/config'), '[core]\n');
  writeFileSync(join(place.work, '.env'), 'K=1\n');
  writeFileSync(join(place.work, '.teams/crew/config.json'), 'secret of the team');
  held = await openFence(place);
});

it('a namespace of its own uncovers nothing and makes nothing writable', async () => {
  const tries = [
    'umount .git',
    'umount .teams',
    'umount -l .mcp.json',
    'mount --bind . /tmp',
    'mount --rbind . /tmp && cat /tmp/.teams/crew/config.json',
    'mount --move .git /tmp/n',
    'mount -o remount,rw,bind .git',
    'echo evil > .git/config',
    'mv .env was',
    'cat .teams/crew/config.json',
  ];
  const script = tries.map((one) => `( ${one} ) >/dev/null 2>&1 && echo "${one}"`).join('\n');
  writeFileSync(join(place.work, 'try.sh'), `mkdir -p /tmp/n\n${script}\necho tried\n`);
  const said = await inside('unshare -Urm sh try.sh 2>/dev/null || echo tried');
  expect(said.trim().split('\n').at(-1)).toBe('tried');
  expect(said.replace('tried\n', '')).toBe('');
  expect(readFileSync(join(place.work, '.git/config'), 'utf8')).toBe('[core]\n');
});

it('no file of a shell is read outside, where its input is a socket and no shell has started it', async () => {
  const home = join(place.work, 'home');
  mkdirSync(home);
  for (const file of [join(home, '.bashrc'), join(home, 'env.sh')]) writeFileSync(file, 'echo read; touch "$MARK"\n');
  const mark = join(place.base, 'mark');
  const env = {
    ...place.environment,
    HOME: home,
    BASH_ENV: join(home, 'env.sh'),
    ENV: join(home, 'env.sh'),
    MARK: mark,
  };
  const [program = '', ...argv] = held.hold(['echo', 'done']);
  const child = spawn(program, argv, { cwd: place.work, env, stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.end();
  const [said] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  expect([said, existsSync(mark)]).toEqual(['done\n', false]);
});

it('variables of the loader count inside only: what a member writes there is not loaded outside', async () => {
  const env = { ...place.environment, LD_PRELOAD: join(place.work, 'x.so'), LD_LIBRARY_PATH: 'lib', OTHER: 'o' };
  const isolate: ProgramIsolate = (...how) => held.hold(...how);
  const launch = isolatedLaunch(
    { argv: ['sh', '-c', 'echo $LD_LIBRARY_PATH $OTHER'], env },
    { isolate },
    { sandbox: 'workspace-write' },
  );
  expect(Object.keys(launch.env).filter((name) => name.startsWith('LD_'))).toEqual([]);
  expect(launch.argv.slice(0, launch.argv.indexOf('--')).join(' ')).toContain(`--setenv LD_PRELOAD ${env.LD_PRELOAD}`);
  const [program = '', ...argv] = launch.argv;
  const child = spawn(program, argv, { cwd: place.work, env: launch.env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [said, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  expect(said).toBe('lib o\n');
  // Only the programs inside are told that there is no such file.
  expect(errors).not.toMatch(/bash|bwrap/);
});

it('a kept name cannot be exchanged, linked or cloned', async () => {
  const tries = [
    'mv -T sub .git',
    'mv -T sub .vscode',
    'mv --exchange sub .git',
    'ln .env other',
    'ln .git/config other',
    'ln -sfn sub .git',
    'rmdir .vscode',
    'rm -rf .git',
  ];
  const script = tries.map((one) => `( ${one} ) >/dev/null 2>&1 && echo '${one}'`).join('; ');
  expect(await inside(`mkdir sub; ${script}; true`)).toBe('');
  expect(existsSync(join(place.work, '.git/config'))).toBe(true);
});

describe('names that another member can exchange while a program starts', () => {
  const mountsOver = (one: HeldProgram, name: string): boolean =>
    one.hold(['true']).some((word, at, all) => word === join(place.work, name) && all[at - 1] !== '--bind');

  it('are not mounted over: a mount would follow a link that stands there at that moment', async () => {
    const bob = await openFence(place, { member: 'bob' });
    await runInside(bob, place, 'echo x > .env.later');
    const late = await openFence(place, { member: 'eve' });
    expect([held, bob, late].map((one) => mountsOver(one, '.env.later'))).toEqual([false, false, false]);
    expect([held, bob, late].map((one) => mountsOver(one, '.env'))).toEqual([true, true, true]);
    await bob.close();
    await held.close();
    // Nobody is left who could exchange it.
    expect(mountsOver(late, '.env.later')).toBe(true);
  });

  it('were links when somebody began, and are none now', async () => {
    await held.close();
    rmSync(join(place.work, '.git'), { recursive: true });
    mkdirSync(join(place.base, 'elsewhere'));
    symlinkSync(join(place.base, 'elsewhere'), join(place.work, '.git'));
    const bob = await openFence(place, { member: 'bob' });
    await runInside(bob, place, 'rm .git; mkdir .git');
    expect(mountsOver(await openFence(place, { member: 'eve' }), '.git')).toBe(false);
  });
});

describe('a name that became a link between the look and the mount', () => {
  const SECRET = 'a secret of the user';
  /** Its argv is made before; what it prints shows what it sees. */
  function seen(argv: readonly string[]): string {
    renameSync(join(place.work, '.git'), join(place.work, 'was'));
    symlinkSync('../.ssh', join(place.work, '.git'));
    const [file = '', ...args] = argv;
    const { stdout, status } = spawnSync(file, args, {
      cwd: place.work,
      encoding: 'utf8',
      env: { PATH: '/usr/bin:/bin' },
    });
    return `${status}: ${stdout}`;
  }
  beforeEach(async () => {
    mkdirSync(join(place.home, '.ssh'));
    writeFileSync(join(place.home, '.ssh/id'), SECRET);
    await runInside(held, place, 'mkdir ~/.ssh');
  });
  const script = (): string => `cat ${place.home}/.ssh/id .git/id was/config 2>/dev/null; true`;

  it('shows no program another file, and starts none', () => {
    expect(seen(held.hold(['/bin/sh', '-c', script()]))).toMatch(/^(?:1|126): $/);
  });

  it('shows no shell command another file, and starts none', async () => {
    const { around } = await openShellIsolation({ setting: 'auto', root: place.work, environment: place.environment });
    expect(seen(around(place.work, true, ['/bin/sh', '-c', script()]))).toBe('126: ');
  });
});

const DENIED: readonly (readonly string[])[] = [
  ['status', '--root', '/'],
  ['--root=/etc', 'status'],
  ['send', '--as', 'lead', 'x', 'y'],
  ['task', 'create', 'x', '--run', 'id'],
  ['task', 'create', 'x', '--verify=id'],
  // To the command line, a value may be `--`.
  ['task', 'create', '--subject', '--', '--run=id'],
  ['task', 'create', 'x', '--timeout', '--', '--verify', 'id'],
  ['send', '--kind', '--', '--as=lead', 'x', 'y'],
  ['task', 'list', '--owner', '--', '--root=/'],
  ['mcp', '--http'],
  ['send', 'lead', '--file', '/etc/shadow'],
  ['task list', '--root', '/'],
  ['inbox', 'bob'],
  ['take', 'bob'],
  ['doctor'],
  ['spawn', 'eve'],
  ['wisdom', '--export', '/etc/x'],
  [],
];

it('the socket refuses what a member may not say, in any form, and lives on', async () => {
  const client = `
    const { connect } = require('node:net');
    const say = (bytes) => new Promise((done) => {
      const all = [];
      const socket = connect('/run/teams/s/sock').on('data', (part) => all.push(part));
      socket.on('close', () => done(Buffer.concat(all).toString())).on('error', () => {});
      socket.end(bytes);
    });
    (async () => {
      for (const argv of ${JSON.stringify(DENIED)}) {
        const said = await say(JSON.stringify({ argv }) + '\\n');
        console.log(/POLICY_DENIED|form of this version/.test(said) ? 'denied' : JSON.stringify([argv, said]));
      }
      for (const bytes of ['', '{', '\\n', '[]\\n', '{"argv":"status"}\\n', '\\u0000'.repeat(100) + '\\n', 'x'.repeat(2 ** 21)])
        console.log(/"|lead|ada/.test(await say(bytes)) ? 'told' : 'refused');
    })();`;
  writeFileSync(join(place.work, 'client.cjs'), client);
  const lines = (await inside('"$NODE" client.cjs')).trim().split('\n');
  expect(lines).toEqual([...DENIED.map(() => 'denied'), ...Array.from({ length: 7 }, () => 'refused')]);
  expect(await inside('teams wisdom 2>&1')).toContain('There is no team under');
});

it('connections that say nothing close, and the socket serves again', async () => {
  const client = `
    const { connect } = require('node:net');
    const all = Array.from({ length: 200 }, () => connect('/run/teams/s/sock').on('error', () => {}));
    setTimeout(() => { for (const one of all) one.destroy(); }, 200);`;
  writeFileSync(join(place.work, 'client.cjs'), client);
  await inside('"$NODE" client.cjs');
  expect(await inside('teams wisdom 2>&1')).toContain('There is no team under');
});
