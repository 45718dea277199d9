/** What a new lead removes of dead processes. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { LEAD } from '../../../src/model/text/names.ts';
import { identityOf } from '../../../src/os/process-table.ts';
import { takeLead } from '../../../src/runtime/lead/leadership.ts';
import { sweptDirectories } from '../../../src/store/files/own-directories.ts';
import { realDisk } from '../../../src/store/files/disk.ts';
import { archiveStamp, putAway } from '../../../src/store/team/team-list.ts';
import { openStore } from '../../../src/store/team/team-store.ts';
import { ToldTeam } from '../../support/told-team.ts';

test('a new lead removes temporary files of killed processes from every directory of the team', async () => {
  const { store } = new ToldTeam({ ada: 'executor/exec' });
  const directories = sweptDirectories(store.paths);
  const { session, blobs, homes } = store.paths;
  expect(directories).toEqual(expect.arrayContaining([...Object.values(session), blobs, homes]));
  const left = directories.map((directory) => join(directory, 'some.1-1-abc.tmp'));
  for (const directory of directories) mkdirSync(directory, { recursive: true });
  for (const file of left) writeFileSync(file, 'half');
  const { lease } = await takeLead(store, { onLost: () => undefined });
  await lease.release();
  expect(left.filter((file) => existsSync(file))).toEqual([]);
});

test('nobody leads a team in the archive, also one that did not end before', async () => {
  const { store } = new ToldTeam({ ada: 'executor/exec' });
  const paths = putAway(realDisk, store.paths, archiveStamp(store.clock.now()), store.pinned);
  const archived = openStore(paths, { clock: store.clock });
  onTestFinished(() => archived.close());
  const refused = await takeLead(archived, { onLost: () => undefined }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'TEAM_GONE' });
});

function sleeper(): ChildProcess {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return child;
}

/** Ends a process, and says which signal did. */
async function endedBy(child: ChildProcess): Promise<NodeJS.Signals | null> {
  child.kill('SIGTERM');
  await once(child, 'exit');
  return child.signalCode;
}

const owned = ({ paths }: ToldTeam['store'], facts: object): void =>
  writeFileSync(paths.leaseOwner(LEAD), JSON.stringify({ ...facts, since: 0 }));

const takeOver = (store: ToldTeam['store']) =>
  takeLead(store, { takeover: true, onLost: () => undefined }).catch((error: unknown) => error);

test('a takeover ends no process of which it is not proven that it leads this folder', async () => {
  const { store } = new ToldTeam({ ada: 'executor/exec' });
  const stranger = sleeper();
  owned(store, { ...identityOf(stranger.pid ?? 0) });
  expect(await takeOver(store)).toMatchObject({ code: 'LEAD_ALIVE' });
  expect(await endedBy(stranger)).toBe('SIGTERM');
});

test('a takeover ends no process that got the pid of the lead, and is recorded with its folder', async () => {
  const { store } = new ToldTeam({ ada: 'executor/exec' });
  const stranger = sleeper();
  const { identity: folder } = store.pinned;
  owned(store, { ...identityOf(stranger.pid ?? 0), startTime: '1', folder });
  const { lease } = await takeLead(store, { takeover: true, onLost: () => undefined });
  expect(store.roster.read(LEAD)).toMatchObject({ pid: process.pid, folder });
  await lease.release();
  expect(await endedBy(stranger)).toBe('SIGTERM');
});

test('a takeover by the process that leads is refused', async () => {
  const { store } = new ToldTeam({ ada: 'executor/exec' });
  const { lease } = await takeLead(store, { onLost: () => undefined });
  expect(await takeOver(store)).toMatchObject({ code: 'LEAD_ALIVE' });
  await lease.release();
});

test('a takeover from a lead of another PID namespace is refused, and named with its cure', async () => {
  const { store } = new ToldTeam({ ada: 'executor/exec' });
  const { lease } = await takeLead(store, { onLost: () => undefined });
  const path = store.paths.leaseOwner(LEAD);
  const owner = JSON.parse(readFileSync(path, 'utf8')) as object;
  writeFileSync(path, JSON.stringify({ ...owner, pidNamespace: 'pid:[1]' }));
  const refusal = await takeLead(store, { takeover: true, onLost: () => undefined }).catch((error: unknown) => error);
  expect(refusal).toMatchObject({
    code: 'LEAD_ALIVE',
    message: expect.stringMatching(/: end it there\.$/) as string,
  });
  writeFileSync(path, JSON.stringify(owner));
  await lease.release();
});
