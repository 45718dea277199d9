import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { hasLiving } from '../../src/os/process-group.ts';
import { processes } from '../../src/os/process-table.ts';
import { ancestry, carriersOf, descendantsOf, killSeen, livingProcesses } from '../../src/os/process-tree.ts';
import { fakeTable } from '../fixtures/table.ts';
import { until } from '../fixtures/zoo.ts';
import { program } from '../support/programs.ts';

const children: ChildProcess[] = [];
const start = (env: Record<string, string>, file: string, ...args: string[]): ChildProcess => {
  const child = spawn(file, args, { stdio: 'ignore', env: { ...process.env, ...env } });
  children.push(child);
  return child;
};

afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});

describe('a process tree', () => {
  const table = fakeTable(10, [
    { pid: 1, parent: 0, startTime: '1' },
    { pid: 10, parent: 1, startTime: '50' },
    { pid: 20, parent: 10, startTime: '100' },
    { pid: 21, parent: 20, startTime: '101', environ: ['TEAMS_MARK=a'] },
    { pid: 22, parent: 20, startTime: '40', environ: ['TEAMS_MARK=a'] },
    { pid: 23, parent: 21, startTime: '102', state: 'Z' },
  ]);
  const pidsOf = (seen: readonly { readonly pid: number }[]): number[] => seen.map(({ pid }) => pid).toSorted();

  it('a process tree has the descendants of a root, without the root, zombies, and children older than their parent', () => {
    expect(pidsOf(descendantsOf(20, table))).toEqual([21]);
  });

  it('the ancestors of a process are found with the process itself', () => {
    expect([...ancestry(table)]).toEqual([10, 1]);
  });

  it('carriers of a variable are searched only among processes that are not older than the searching one', () => {
    expect(pidsOf(carriersOf('TEAMS_MARK=a', table))).toEqual([21]);
    expect(carriersOf('TEAMS_MARK=b', table)).toEqual([]);
  });

  it('a process is signalled only if pid and start time still name the same process', () => {
    const fake = fakeTable(10, [
      { pid: 20, startTime: '100' },
      { pid: 21, startTime: '999' },
    ]);
    const seen = livingProcesses(table).filter(({ pid }) => pid === 20 || pid === 21);
    expect(killSeen(seen, fake, fake.kill)).toBe(1);
    expect(fake.killed).toEqual([20]);
  });

  it('a group may be alive if the table lists nothing', () => {
    expect(hasLiving(20, { ...table, list: () => [] })).toBe(true);
    expect(hasLiving(20, table)).toBe(true);
    expect(hasLiving(99, table)).toBe(process.platform === 'darwin');
  });
});

describe('the process tree of this host', () => {
  it('the process tree of this host shows a child and its children, with their environment', async () => {
    const child = start({ TEAMS_TREE_TEST: 'x' }, '/bin/sh', '-c', 'sleep 60 & wait');
    await until('the child has a child', () => descendantsOf(child.pid ?? 0).length === 1);
    if (process.platform !== 'linux') return;
    const below = descendantsOf(child.pid ?? 0).map(({ pid }) => pid);
    expect(carriersOf('TEAMS_TREE_TEST=x').map(({ pid }) => pid)).toEqual(
      expect.arrayContaining([child.pid, ...below]),
    );
    expect(killSeen(descendantsOf(child.pid ?? 0))).toBe(1);
    await once(child, 'exit');
  });
});

/** A new pid namespace that keeps the host's /proc: pids there name other processes. */
const FOREIGN = ['-rUpf', '--kill-child', process.execPath];
const canUnshare = spawnSync('unshare', [...FOREIGN, '-e', '0']).status === 0;

describe('in a pid namespace that /proc does not belong to', () => {
  it.skipIf(!canUnshare)('in a foreign pid namespace every reader sees nothing and sends no signal', () => {
    expect(processes.list()).toContain(process.pid);
    const { stdout, stderr, status } = spawnSync(
      'unshare',
      [...FOREIGN, program('foreign-proc'), `PATH=${process.env['PATH'] ?? ''}`],
      {
        encoding: 'utf8',
      },
    );
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    expect(JSON.parse(stdout)).toEqual({
      identity: 'none',
      living: 0,
      below: 0,
      carriers: 0,
      groupMayLive: true,
      swept: 0,
      struck: 0,
      signalled: [],
    });
  });

  it.skipIf(canUnshare)('the foreign pid namespace is not tested: this user may not create one', () => {
    process.stderr.write(
      'SKIPPED: readers of a foreign /proc are not tried, for unshare makes no pid namespace here.\n',
    );
  });
});
