import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMainThread, Worker } from 'node:worker_threads';
import ts from 'typescript';
import { afterEach, describe, expect, it } from 'vitest';
import { identityOf, livenessOf, ownIdentity, processes, stateOf } from '../../src/os/process-table.ts';
import { isFirstThread } from '../../src/os/process-table-linux.ts';
import { psTable, type Run } from '../../src/os/process-table-darwin.ts';
import { BOOT, fakeTable, NAMESPACE } from '../fixtures/table.ts';
import type { ProcessIdentity } from '../../src/model/agent/process-identity.ts';

const children: ChildProcess[] = [];
const start = (file: string, ...args: string[]): ChildProcess => {
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  children.push(child);
  return child;
};

const ended = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
};

const identified = (child: ChildProcess): ProcessIdentity => {
  const identity = identityOf(child.pid ?? 0);
  if (identity === undefined) throw new Error('the child has no identity');
  return identity;
};

/** Polls the process table, which gives no notice of changes. */
const until = async (holds: () => boolean): Promise<void> => {
  for (const end = Date.now() + 5_000; !holds(); await new Promise((resolve) => setTimeout(resolve, 2)))
    if (Date.now() > end) throw new Error('it never came true');
};

afterEach(async () => {
  await Promise.all(children.splice(0).map(ended));
});

describe('a life', () => {
  const table = fakeTable(10, [
    { pid: 20, startTime: '500' },
    { pid: 21, startTime: '500', state: 'T' },
    { pid: 22, startTime: '500', state: 'Z' },
    { pid: 23, startTime: '500', state: 'Z', threads: 2 },
    { pid: 24, startTime: '500', hidden: 'unreadable' },
  ]);
  const who = { pid: 20, startTime: '500', bootId: BOOT, pidNamespace: NAMESPACE };
  it.each([
    ['is alive while pid, start time, boot and namespace agree', who, 'alive'],
    ['is alive while stopped', { ...who, pid: 21 }, 'alive'],
    ['is over for a zombie', { ...who, pid: 22 }, 'dead'],
    ['goes on if only the first thread has ended', { ...who, pid: 23 }, 'alive'],
    ['is over if the pid is gone', { ...who, pid: 99 }, 'dead'],
    ['is over if the pid was reused', { ...who, startTime: '400' }, 'dead'],
    ['is over after a reboot', { ...who, bootId: 'boot-0' }, 'dead'],
    ['is over after a reboot in a container too', { ...who, bootId: 'boot-0', pidNamespace: 'pid:[2]' }, 'dead'],
    ['is unknown in another pid namespace', { ...who, pidNamespace: 'pid:[2]' }, 'unknown'],
    ['is unknown if the process cannot be read', { ...who, pid: 24 }, 'unknown'],
    ['is unknown for an identity that its owner could not read', { ...who, startTime: '' }, 'unknown'],
    ['is unknown for an invalid pid', { ...who, pid: -1 }, 'unknown'],
  ])('the life of a process %s', (_, identity, life) => {
    expect(livenessOf(identity, table)).toBe(life);
  });

  it('the life of a process is unknown if the boot cannot be read', () => {
    expect(livenessOf(who, { ...table, bootId: () => '' })).toBe('unknown');
    expect(livenessOf({ ...who, bootId: 'boot-0' }, { ...table, bootId: () => '' })).toBe('unknown');
  });
});

describe('the table of this host', () => {
  it('the table shows this process as alive, the same at every look', () => {
    expect(livenessOf(ownIdentity())).toBe('alive');
    expect(identityOf(process.pid)).toEqual(ownIdentity());
    expect(processes.list()).toContain(process.pid);
    expect(processes.user(process.pid)).toBe(process.getuid?.());
  });

  it('the table shows a child as running, stopped and gone', async () => {
    const child = start('sleep', '60');
    const identity = identified(child);
    expect(processes.stat(identity.pid)).toMatchObject({ parent: process.pid });
    expect(livenessOf(identity)).toBe('alive');
    child.kill('SIGSTOP');
    await until(() => stateOf(identity.pid) === 'T');
    expect(livenessOf(identity)).toBe('alive');
    await ended(child);
    expect(livenessOf(identity)).toBe('dead');
    expect(stateOf(identity.pid)).toBeUndefined();
    expect(identityOf(identity.pid)).toBeUndefined();
  });

  it('the table shows a zombie as dead', async () => {
    const parent = start('/bin/sh', '-c', 'sleep 0.5 & echo $!; exec sleep 60');
    let line = '';
    parent.stdout?.setEncoding('utf8').on('data', (text: string) => (line += text));
    await until(() => line.endsWith('\n'));
    const zombie = identityOf(Number(line));
    if (zombie === undefined) throw new Error('the short-lived child was gone before the look');
    await until(() => stateOf(zombie.pid) === 'Z');
    expect(livenessOf(zombie)).toBe('dead');
  });

  it('the table reads a program whose name looks like the rest of the line', async (ctx) => {
    if (process.platform !== 'linux') ctx.skip('there is no /proc here');
    const directory = mkdtempSync(join(tmpdir(), 'teams-name-'));
    try {
      symlinkSync('/bin/sleep', join(directory, 'a) Z 1 (b)'));
      const child = start(join(directory, 'a) Z 1 (b)'), '60');
      await until(() => processes.stat(child.pid ?? 0) !== 'unreadable');
      expect(processes.stat(child.pid ?? 0)).toMatchObject({ parent: process.pid, threads: 1 });
      expect(stateOf(child.pid ?? 0)).toMatch(/^[RSD]$/);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it('the table reads the arguments of a program', async (ctx) => {
    if (process.platform !== 'linux') ctx.skip('there is no /proc here');
    const child = spawn('sleep', ['60'], { env: { TEAMS_RUN: 'one two' }, stdio: 'ignore' });
    children.push(child);
    await until(() => processes.environ(child.pid ?? 0).includes('TEAMS_RUN=one two'));
    expect(processes.limits(child.pid ?? 0)).toEqual(processes.limits(process.pid));
  });
});

describe('the table by ps', () => {
  const rows = [
    '    1     0     1     0 Ss   Thu Nov 21 10:00:00 2024    ',
    '  501     1   501  1000 S+   Thu Nov 21 10:00:07 2024    ',
    '  502   501   501  1000 Z    Fri Nov  1 10:00:08 2024    ',
  ];
  const run: Run = (file, args) => {
    if (file.endsWith('sysctl'))
      return { status: 0, stdout: args.includes('kern.boottime') ? '{ sec = 1732180000, usec = 0 }' : '' };
    if (args.includes('-E')) return { status: 0, stdout: 'sleep 60 TEAMS_MARK=m HOME=/x\n' };
    const pid = args[1];
    const shown = args[0] === '-p' ? rows.filter((row) => row.trim().startsWith(`${pid} `)) : rows;
    return { status: shown.length > 0 ? 0 : 1, stdout: shown.join('\n') };
  };
  const table = psTable(run);

  it('the table by ps lists, and reads pid, parent, group, user, state and start', () => {
    expect(table.list()).toEqual([1, 501, 502]);
    expect(table.stat(501)).toMatchObject({ pid: 501, parent: 1, group: 501, state: 'S', startTime: '1732183207' });
    expect(table.stat(502)).toMatchObject({ state: 'Z', startTime: '1730455208' });
    expect(table.user(501)).toBe(1000);
    expect(table.environ(501)).toContain('TEAMS_MARK=m');
    expect(table.bootId()).toBe('1732180000');
  });

  it('the table by ps asks the system at the second look, not its list', () => {
    const changing = [...rows];
    const moving = psTable((_, args) =>
      args[0] === '-p' ? { status: 1, stdout: '' } : { status: 0, stdout: changing.join('\n') },
    );
    moving.list();
    expect(moving.stat(501)).toMatchObject({ pid: 501 });
    expect(moving.stat(501)).toBe('gone');
  });

  it('the table by ps is empty if ps cannot run', () => {
    const blind = psTable(() => ({ status: null, stdout: '' }));
    expect(blind.list()).toEqual([]);
    expect(blind.refused()).toBe(1);
    expect(blind.stat(501)).toBe('unreadable');
    expect(livenessOf({ pid: 501, startTime: '1', bootId: 'b', pidNamespace: 'host' }, blind)).toBe('unknown');
  });
});

describe.runIf(process.platform === 'linux')('the table of Linux', () => {
  it.each([10, 8_180, 20_000, 120_000])('reads an environment with a value of %i bytes to its end', async (length) => {
    const value = 'ä'.repeat(length / 2);
    const child = spawn('cat', [], { stdio: ['pipe', 'pipe', 'ignore'], env: { LONG: value, LAST: 'seen' } });
    children.push(child);
    // `cat` answers: the environment is that of `cat`, not of the fork.
    child.stdin.write('.');
    await once(child.stdout, 'data');
    const environ = processes.environ(child.pid ?? 0);
    if (typeof environ === 'string') throw new Error(environ);
    expect(environ).toContain('LAST=seen');
    expect(environ).toContain(`LONG=${Buffer.from(value).toString('latin1')}`);
  });
});

it.runIf(process.platform === 'linux')(
  'the main thread is the first one of its process, a worker thread is not',
  async () => {
    expect(isFirstThread()).toBe(isMainThread);
    const source = readFileSync(join(import.meta.dirname, '../../src/os/process-table-linux.ts'), 'utf8');
    const { outputText } = ts.transpileModule(source, { compilerOptions: { module: ts.ModuleKind.CommonJS } });
    const own = `((exports, require) => {${outputText}\n})(exports, (name) => (name.startsWith('node:') ? require(name) : {}));`;
    const worker = new Worker(`${own}require('node:worker_threads').parentPort.postMessage(exports.isFirstThread());`, {
      eval: true,
    });
    expect(await once(worker, 'message')).toEqual([false]);
  },
);
