/** Operations on a whole team, each with the checks after a fault in it. */
import { existsSync, linkSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { LEAD } from '../../../../src/model/text/names.ts';
import { createStore } from '../../../../src/store/team/create-store.ts';
import { ownIdentity } from '../../../../src/os/process-table.ts';
import { openForReading } from '../../../../src/store/team/team-reader.ts';
import { openStore, type TeamStore } from '../../../../src/store/team/team-store.ts';
import { archive, archiveStamp, listTeams, recoverArchive } from '../../../../src/store/team/team-list.ts';
import { ADA, newTeam, type Work } from '../trial.ts';
import { drain, say } from './mail.ts';

export const config: Work = {
  name: 'config update',
  async run(world, disk) {
    const store = openStore(world.paths, world.options(disk));
    await raise(store, 7);
    world.told.add('raised');
  },
  async check(store, { told }, time) {
    const now = store.config.read();
    expect(store.config.isSealed()).toBe(true);
    expect(now?.members).toHaveLength(1);
    expect([0, 7]).toContain(now?.epoch);
    if (told.has('raised') || time === 2) expect(now?.epoch).toBe(7);
    await raise(store, 7);
  },
};

const raise = (store: TeamStore, epoch: number): Promise<void> =>
  store.config.update((current) => ({ ...(current ? { next: { ...current, epoch } } : {}), result: undefined }));

/** In a root where a team of this name is in the archive. */
export const create: Work = {
  name: 'create',
  prepare: closeAndArchive,
  async run(world, disk) {
    const store = createStore(world.root, newTeam(), world.options(disk));
    world.told.add('created');
    await store.close();
  },
  open(world) {
    const { root, told, options } = world;
    const isThere = listTeams(root).some(({ archivedAt }) => archivedAt === undefined);
    if (told.has('created')) expect(isThere).toBe(true);
    if (isThere) return openStore(world.paths, options());
    return createStore(root, newTeam(), options());
  },
  check(store) {
    expect(store.board.fold().tasks.get('1')?.subject).toBe('One');
    expect(store.config.read()?.members).toHaveLength(1);
    expect(store.config.isSealed()).toBe(true);
  },
};

function closeAndArchive(store: TeamStore): void {
  store.board.appendNow({ person: LEAD, epoch: 0 }, () => ({ type: 'team.closed' }));
  archive(store);
}

/** Afterwards the name is free, and the record of the team is in the archive, once. */
export const putAway: Work = {
  name: 'archive',
  prepare(store) {
    store.board.appendNow({ person: LEAD, epoch: 0 }, () => ({ type: 'team.closed' }));
  },
  async run(world, disk) {
    const store = openStore(world.paths, world.options(disk));
    archive(store);
    world.told.add('archived');
    await store.close();
  },
  open({ root, paths, told, clock, options }, time) {
    if (time === 2) return openStore(paths, options());
    recoverArchive(root, archiveStamp(clock.now()));
    const isThere = existsSync(paths.log);
    if (told.has('archived')) expect(isThere).toBe(false);
    if (isThere) closeAndArchive(openStore(paths, options()));
    const shelved = listTeams(root).filter(({ archivedAt }) => archivedAt !== undefined);
    expect(shelved).toHaveLength(1);
    expect(openForReading(shelved[0]?.paths ?? paths, options()).board.fold().tasks.size).toBe(1);
    return createStore(root, newTeam(), options());
  },
  check: () => {},
};

/** A new process cleans up after dead ones, and dies during that. */
export const recover: Work = {
  name: 'recover',
  prepare: leaveTheDead,
  async run(world, disk) {
    const store = openStore(world.paths, world.options(disk));
    const { folder, processes } = world.paths;
    store.locks.sweep([folder, processes]);
    await say(store, 'mail');
    world.told.add('mail');
    expect(readdirSync(folder).filter((file) => /\.lock(?!s$)|\.tmp$/.test(file))).toEqual([]);
    await store.close();
  },
  async check(store, world, time) {
    const texts = (await drain(store, world)).map(({ content }) => content);
    if (world.told.has('mail') && time === 1) expect(texts).toEqual(['mail']);
  },
};

/**
 * A lock of a dead process, the guard of one that died breaking it, and half of a document. Their process had this pid
 * at another time: of another user's pid, a /proc mounted with hidepid does not say whether it is dead.
 */
function leaveTheDead({ paths }: TeamStore): void {
  const lock = paths.inbox(ADA).lock;
  const dead = [lock, `${lock}~${'1'.padStart(16, '0')}`].map((path, at) => ({
    path,
    nonce: String(at + 1).padStart(16, '0'),
  }));
  for (const { path, nonce } of dead) {
    const token = join(paths.tokens, `${process.pid}-${nonce}`);
    writeFileSync(token, JSON.stringify({ ...ownIdentity(), startTime: '1', nonce }));
    linkSync(token, path);
  }
  writeFileSync(`${paths.config}.${process.pid}-1-abc.tmp`, '{"version"');
}
