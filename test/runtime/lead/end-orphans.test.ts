/** What a new lead ends of an earlier one: only what is proven to serve this folder. */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, utimesSync } from 'node:fs';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { endOrphans } from '../../../src/runtime/lead/end-orphans.ts';
import type { Mark } from '../../../src/model/agent/process-mark.ts';
import { markEnvironment } from '../../../src/os/mark-environment.ts';
import { identityOf, processes } from '../../../src/os/process-table.ts';
import { isRunning } from '../../support/session.ts';
import { name } from '../../support/team.ts';
import { ToldTeam } from '../../support/told-team.ts';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** @param open a directory that the process holds open */
function sleeper(open?: string, env = process.env): number {
  const fd = open === undefined ? undefined : openSync(open, 'r');
  const child = spawn('sleep', ['60'], {
    env,
    stdio: ['ignore', 'ignore', 'ignore', ...(fd === undefined ? [] : [fd])],
  });
  if (fd !== undefined) closeSync(fd);
  children.push(child);
  onTestFinished(() => void child.kill('SIGKILL'));
  return child.pid ?? 0;
}

describe.runIf(process.platform === 'linux')('a process of the roster', () => {
  const team = () => {
    const { store } = new ToldTeam({ ada: 'executor/exec' });
    const { identity } = store.pinned;
    const record = (pid: number, facts: object = {}): void =>
      store.roster.write({ version: 1, name: name('ada'), phase: 'running', ...identityOf(pid), ...facts });
    return { store, identity, record };
  };

  it('that names this folder is ended', async () => {
    const { store, identity, record } = team();
    const pid = sleeper();
    record(pid, { folder: identity });
    await endOrphans(store);
    expect(isRunning(pid)).toBe(false);
    expect(store.roster.all()).toEqual([]);
  });

  it('that names another folder is left alone, and its record is removed', async () => {
    const { store, identity, record } = team();
    const pid = sleeper(store.paths.folder);
    record(pid, { folder: { ...identity, ino: identity.ino + 1 } });
    expect([store.roster.read(name('ada')), store.roster.all()]).toEqual([undefined, []]);
    await endOrphans(store);
    expect(isRunning(pid)).toBe(true);
    expect([store.roster.all(), store.roster.elsewhere()]).toEqual([[], []]);
  });

  it('that names no folder, of an earlier version, is ended only while it holds this one open', async () => {
    const { store, record } = team();
    const [stranger, ours] = [sleeper(), sleeper(store.paths.folder)];
    record(stranger);
    await endOrphans(store);
    expect(isRunning(stranger)).toBe(true);
    record(ours);
    await endOrphans(store);
    expect(isRunning(ours)).toBe(false);
  });

  it('that names no folder is not proven by a carrier of a mark of another boot', async () => {
    const { store, record } = team();
    const mark: Mark = { kind: 'environment', id: 'r-1', run: 'r', since: 0, bootId: 'boot-0' };
    const stranger = sleeper();
    sleeper(store.paths.folder, { ...process.env, ...markEnvironment(mark) });
    record(stranger, { mark });
    await endOrphans(store);
    expect(isRunning(stranger)).toBe(true);
    record(stranger, { mark: { ...mark, bootId: processes.bootId() } });
    await endOrphans(store);
    expect(isRunning(stranger)).toBe(false);
  });

  it('whose pid was used again is left alone, and so is one that a person started', async () => {
    const { store, identity, record } = team();
    const pid = sleeper();
    record(pid, { folder: identity, startTime: '1' });
    await endOrphans(store);
    expect(isRunning(pid)).toBe(true);
    record(pid, { folder: identity, by_hand: true });
    await endOrphans(store);
    expect(isRunning(pid)).toBe(true);
    expect(store.roster.all()).toHaveLength(1);
  });
});

describe('a member that worked when its lead died', () => {
  const heard = 1_000_000_000;

  function working(): ToldTeam {
    const team = new ToldTeam({ ada: 'executor/exec', bob: 'executor/exec' }).led().started('ada', 'bob').add('Build');
    team.claim('1', 'ada').process('ada', 'dead').process('bob', 'dead');
    for (const member of ['ada', 'bob']) {
      mkdirSync(team.store.paths.lease(name(member)));
      utimesSync(team.store.paths.lease(name(member)), heard, heard);
    }
    return team;
  }

  const lost = ({ store }: ToldTeam): unknown[] =>
    [...store.events.read()].flatMap(({ event }) => (event.type === 'member.lost' ? [event] : []));

  it('is told, with when it was heard last', async () => {
    const team = working();
    await endOrphans(team.store);
    expect(lost(team)).toMatchObject([{ member: 'ada', last: new Date(heard * 1_000).toISOString() }]);
  });

  it('is not told if the end of its process was seen', async () => {
    const team = working().wait(1_000).note('member.exited', { member: 'ada', text: 'signal SIGKILL' });
    await endOrphans(team.store);
    expect(lost(team)).toEqual([]);
  });
});
