/**
 * The teams of a root: found, listed, read without a trace, and archived in two renames that survive a crash between
 * them.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeOf } from '../../../src/model/text/errors.ts';
import { LEAD, parseName } from '../../../src/model/text/names.ts';
import { isBroken, refuseBroken } from '../../../src/store/team/damaged-files.ts';
import { ownIdentity } from '../../../src/os/process-table.ts';
import { rootPaths, teamPaths, type TeamPaths } from '../../../src/store/files/paths.ts';
import { realDisk, type Disk } from '../../../src/store/files/disk.ts';
import { pinDirectory } from '../../../src/store/files/pinned.ts';
import { withName } from '../../../src/store/team/name-lock.ts';
import { openStore, type TeamStore } from '../../../src/store/team/team-store.ts';
import { archivedBefore, finishRemovals, removeArchived } from '../../../src/store/team/remove-archived.ts';
import { Reader } from '../../../src/store/mail/reader.ts';
import { writeApart } from '../../../src/store/board/report-files.ts';
import { openForReading, stateIn } from '../../../src/store/team/team-reader.ts';
import {
  archive,
  archiveStamp,
  findRoot,
  findTeam,
  listTeams,
  putAway,
  recoverArchive,
} from '../../../src/store/team/team-list.ts';
import { realClock } from '../../support/clock.ts';
import { name } from '../../support/team.ts';
import { tempDir } from '../../support/temp.ts';
import { ToldTeam } from '../../support/told-team.ts';

const STAMP = '20260210T120000123Z';
const login = parseName('team', 'login');
const ada = name('ada');
const codeFrom = (work: () => unknown): unknown => {
  try {
    work();
    return 'nothing thrown';
  } catch (error) {
    return codeOf(error);
  }
};

const closedTeam = (): ToldTeam => new ToldTeam({ ada: 'executor/exec' }).led().add('One').say({ type: 'team.closed' });

const subjects = (paths: TeamPaths): string[] => {
  const reader = openForReading(paths, { clock: realClock });
  const found = [...reader.board.fold().tasks.values()].map(({ subject }) => subject);
  reader.close();
  return found;
};

/** Every file below a directory with its content and its modification time. */
const traceOf = (directory: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((path) => {
      const stat = statSync(join(directory, path));
      return [path, `${stat.mtimeMs} ${stat.isFile() ? readFileSync(join(directory, path), 'utf8') : 'directory'}`];
    }),
  );

describe('a team that is open', () => {
  it('an open team writes nothing into a folder that replaced its own', async () => {
    const told = new ToldTeam({ ada: 'executor/exec' });
    const { store } = told;
    const { disk, clock, locks, pinned, paths } = store;
    const say = (content: string) =>
      store.sender.send({ sender: 'bob', recipient: ada, draft: { type: 'message', content } });
    await say('mail');
    const reader = new Reader(paths, ada, { disk, clock, locks, pinned, isCurrent: () => true });
    const mail = await reader.take();
    rmSync(paths.folder, { recursive: true });
    for (const path of [paths.folder, paths.processes]) mkdirSync(path, { mode: 0o700 });
    const codes = [
      codeOf(store.events.append({ type: 'member.said', text: 'x' })),
      codeFrom(() => locks.tryLock(paths.leaseLock(ada), () => 1)),
      codeFrom(() => reader.acknowledge(mail)),
      codeFrom(() => reader.tidy()),
      codeOf(await store.config.update(() => ({ result: 1 })).catch((error: unknown) => error)),
    ];
    expect(codes).toEqual(codes.map(() => 'TEAM_GONE'));
    expect(codeOf(await say('x').catch((error: unknown) => error))).toBe('TEAM_GONE');
    expect(readdirSync(paths.folder, { recursive: true })).toEqual(['processes']);
    reader.close();
  });
});

describe('a folder that is moved away in the moment of a write', () => {
  it.each<[string, (store: TeamStore) => Promise<unknown>]>([
    ['a record', ({ board }) => board.append({ person: LEAD, epoch: 0 }, () => ({ type: 'team.paused' }))],
    ['mail', ({ sender }) => sender.send({ sender: 'bob', recipient: ada, draft: { type: 'message', content: 'x' } })],
  ])('%s is not acknowledged: whoever moved it may have read it before', async (_, write) => {
    const { store: told, root } = new ToldTeam({ ada: 'executor/exec' });
    const { folder } = told.paths;
    let isArmed = false;
    const disk: Disk = {
      ...realDisk,
      writeSync: ((...args: unknown[]): unknown => {
        if (isArmed) renameSync(folder, join(root, 'aside'));
        isArmed = false;
        return Reflect.apply(realDisk.writeSync, undefined, args);
      }) as Disk['writeSync'],
    };
    const store = openStore(told.paths, { clock: realClock, disk });
    // Its token is written, and the names of its files are durable.
    await write(store);
    isArmed = true;
    expect(codeOf(await write(store).catch((error: unknown) => error))).toBe('TEAM_GONE');
    expect(isArmed).toBe(false);
    renameSync(join(root, 'aside'), folder);
    await store.close();
  });
});

describe('the root', () => {
  it('the root is the nearest parent with .teams', () => {
    const root = tempDir();
    mkdirSync(join(root, 'a', 'b', 'c'), { recursive: true });
    mkdirSync(join(root, '.teams'));
    mkdirSync(join(root, 'a', 'b', '.teams'));
    expect(findRoot(join(root, 'a'))).toBe(root);
    expect(findRoot(join(root, 'a', 'b', 'c'))).toBe(join(root, 'a', 'b'));
  });

  it('the root is the directory itself if no parent has .teams', () => {
    const root = tempDir();
    writeFileSync(join(root, '.teams'), 'a file is none');
    expect(findRoot(root)).toBe(root);
  });
});

describe('the list', () => {
  it('the list has active and archived teams, and nothing else', () => {
    const team = closedTeam();
    archive(team.store, STAMP);
    new ToldTeam({}, { root: team.root, team: 'login' });
    new ToldTeam({}, { root: team.root, team: 'audit' });
    mkdirSync(join(team.root, '.teams', 'reserved'));
    mkdirSync(join(team.root, '.teams', '.archive', 'no-time'));
    const listed = listTeams(team.root).map(({ name, archivedAt }) => [name, archivedAt]);
    expect(listed).toEqual([
      ['audit', undefined],
      ['login', undefined],
      ['login', '2026-02-10T12:00:00.123Z'],
    ]);
  });

  it('the list is empty if there are no teams', () => expect(listTeams(tempDir())).toEqual([]));

  it('a name finds the active team, otherwise the one archived last', () => {
    const team = closedTeam();
    archive(team.store, archiveStamp(1_000));
    const second = new ToldTeam({}, { root: team.root });
    expect(findTeam(team.root, login)?.paths.folder).toBe(second.store.paths.folder);
    second.say({ type: 'team.closed' });
    archive(second.store, archiveStamp(2_000));
    expect(findTeam(team.root, login)?.archivedAt).toBe('1970-01-01T00:00:02.000Z');
    expect(findTeam(team.root, parseName('team', 'nobody'))).toBeUndefined();
  });

  it('a name with hyphens and digits is separated from its time', () => {
    const team = new ToldTeam({}, { team: 'forge-team-1707580800' }).say({ type: 'team.closed' });
    archive(team.store, STAMP);
    expect(listTeams(team.root).map(({ name }) => name)).toEqual(['forge-team-1707580800']);
  });
});

describe('reading', () => {
  it('reading leaves no trace, not even of errors in the log', () => {
    const team = new ToldTeam({ ada: 'executor/exec' }).led().add('One');
    writeFileSync(team.store.paths.log, 'this is noise\n', { flag: 'a' });
    const before = traceOf(team.root);
    const reader = openForReading(team.store.paths, { clock: realClock });
    expect(reader.board.fold().tasks.size).toBe(1);
    expect([...reader.events.read()].length).toBe(1);
    expect(reader.config.read()?.name).toBe('login');
    expect(reader.roster.all()).toEqual([]);
    reader.close();
    expect(traceOf(team.root)).toEqual(before);
  });

  it('a folder that others may write can be read, and nothing is started from it', () => {
    const team = new ToldTeam({ ada: 'executor/exec' }).led().add('One');
    chmodSync(team.store.paths.folder, 0o775);
    expect(subjects(team.store.paths)).toEqual(['One']);
  });

  it('a run with a damaged state is shown from the logs', () => {
    const { store } = new ToldTeam({});
    writeFileSync(store.paths.state, '{"version": 1, "teamName"');
    expect(stateIn(store)).toBeUndefined();
  });

  it('reading refuses an unknown team', () => {
    expect(codeFrom(() => openForReading(teamPaths(tempDir(), login), { clock: realClock }))).toBe('UNKNOWN_TEAM');
  });
});

describe('archiving', () => {
  it('archiving moves a closed team with its board, without leases, and frees its name', () => {
    const team = closedTeam();
    mkdirSync(team.store.paths.lease(LEAD));
    writeFileSync(team.store.paths.leaseOwner(LEAD), '{}');
    const to = archive(team.store);
    expect(to.folder).toBe(join(team.root, '.teams', '.archive', 'login-20260101T000000000Z'));
    expect(subjects(to)).toEqual(['One']);
    expect(existsSync(to.lease(LEAD)) || existsSync(to.leaseOwner(LEAD))).toBe(false);
    expect(existsSync(team.store.paths.folder) || existsSync(team.store.paths.board)).toBe(false);
    expect(subjects(new ToldTeam({}, { root: team.root }).store.paths)).toEqual([]);
  });

  it('archiving refuses a team that is not closed', () => {
    const { store } = new ToldTeam({}).led();
    expect(codeFrom(() => archive(store))).toBe('STILL_RUNNING');
    expect(existsSync(store.paths.folder)).toBe(true);
  });

  it('archiving refuses a folder other than the one it opened', () => {
    const { store } = closedTeam();
    renameSync(store.paths.folder, `${store.paths.folder}-aside`);
    mkdirSync(store.paths.folder);
    expect(codeFrom(() => archive(store))).toBe('TEAM_GONE');
  });

  it.each([
    ['before its board is moved', (path: string) => path.endsWith('.archive')],
    ['between its two renames', (path: string) => path.endsWith('.tasks')],
  ])('archiving moves nothing of a team that took the name %s', (_, isThen) => {
    const { store, root } = closedTeam();
    const { folder, board } = store.paths;
    let isSwapped = false;
    const swap = (path: string): void => {
      if (isSwapped || !isThen(path)) return;
      isSwapped = true;
      renameSync(folder, join(root, 'old'));
      if (existsSync(board)) renameSync(board, join(root, 'old', 'tasks'));
      for (const one of [folder, board]) mkdirSync(one, { mode: 0o700 });
      for (const one of [folder, board]) writeFileSync(join(one, 'new'), '');
    };
    const disk: Disk = {
      ...realDisk,
      openSync: (path, ...more) => {
        swap(String(path));
        return realDisk.openSync(path, ...more);
      },
      mkdirSync: (path, ...more) => {
        swap(String(path));
        return realDisk.mkdirSync(path, ...more);
      },
    };
    const pinned = pinDirectory(disk, folder);
    expect(codeFrom(() => putAway(disk, store.paths, STAMP, pinned))).toBe('TEAM_GONE');
    pinned.close();
    expect(isSwapped).toBe(true);
    for (const one of [folder, board]) expect(existsSync(join(one, 'new'))).toBe(true);
  });

  it('archiving waits for the process that has the name, and recovery leaves the team to it', () => {
    const { store, root } = closedTeam();
    const environment = { disk: realDisk, clock: realClock };
    withName(root, login, environment, () => {
      expect(codeFrom(() => archive(openStore(store.paths, { clock: realClock, lockTimeoutMs: 20 })))).toBe(
        'LOCK_TIMEOUT',
      );
      renameSync(store.paths.board, join(store.paths.folder, 'tasks'));
      expect(recoverArchive(root, STAMP)).toEqual([]);
    });
    expect(recoverArchive(root, STAMP)).toHaveLength(1);
  });

  it('archiving keeps both of two teams with one name and one time', () => {
    const team = closedTeam();
    archive(team.store, STAMP);
    const second = new ToldTeam({}, { root: team.root }).say({ type: 'team.closed' });
    expect(archive(second.store, STAMP).folder).toMatch(/login-20260210T120000123Z-2$/);
    expect(listTeams(team.root).length).toBe(2);
  });

  it('interrupted archiving is finished by the next call, and the team is readable until then', () => {
    const team = closedTeam();
    const { paths } = team.store;
    renameSync(paths.board, join(paths.folder, 'tasks'));
    const [half] = listTeams(team.root);
    expect(half && subjects(half.paths)).toEqual(['One']);
    const [to] = recoverArchive(team.root, STAMP);
    expect(to && subjects(to)).toEqual(['One']);
    expect(existsSync(paths.folder)).toBe(false);
    expect(recoverArchive(team.root, STAMP)).toEqual([]);
  });

  it('recovery changes nothing of a complete team', () => {
    const team = closedTeam();
    expect(recoverArchive(team.root, STAMP)).toEqual([]);
    expect(existsSync(team.store.paths.folder)).toBe(true);
  });
});

describe('a team with an unreadable config', () => {
  const broken = (text: string): ToldTeam => {
    const team = new ToldTeam({}).led().add('One');
    writeFileSync(team.store.paths.config, text);
    return team;
  };

  it('a team with an unreadable config is set aside whole, and reported', () => {
    const { store, root } = broken('{"version": 1,');
    expect(isBroken(store)).toContain(store.paths.config);
    expect(codeFrom(() => refuseBroken(store, STAMP))).toBe('CORRUPT');
    const folder = join(root, '.teams', '.archive', `login.broken-${STAMP}`);
    expect(readFileSync(join(folder, 'tasks', 'log.jsonl'), 'utf8')).toContain('"One"');
    expect(existsSync(store.paths.folder) || existsSync(store.paths.board)).toBe(false);
  });

  it('a team with an unreadable config stays in place while its lead lives', () => {
    const { store } = broken('[]');
    writeFileSync(store.paths.leaseOwner(LEAD), JSON.stringify({ ...ownIdentity(), since: 1 }));
    expect(codeFrom(() => refuseBroken(store, STAMP))).toBe('CORRUPT');
    expect(existsSync(store.paths.config)).toBe(true);
  });

  it('a config of a newer version is not unreadable', () => {
    const { store } = broken('{"version": 99}');
    expect(codeFrom(() => refuseBroken(store, STAMP))).toBe('NEWER_VERSION');
    expect(existsSync(store.paths.config)).toBe(true);
  });

  it('a team with a readable config is not set aside', () => {
    const { store } = new ToldTeam({});
    expect(isBroken(store)).toBeUndefined();
    expect(codeFrom(() => refuseBroken(store, STAMP))).toBe('nothing thrown');
  });
});

describe('the archive', () => {
  it('pruning removes old teams and reports without a team from the archive, and nothing else', () => {
    const team = closedTeam();
    const { root } = team;
    archive(team.store, STAMP);
    const report = writeApart(realDisk, root, '2026-02-10T12:00:00.000Z', 'text', {});
    const kept = writeApart(realDisk, root, '2026-02-20T12:00:00.000Z', 'text', {});
    const strange = join(report, '..', 'refine-20260101T000000000Z');
    mkdirSync(strange);
    const old = archivedBefore(root, Date.UTC(2026, 1, 15));
    expect(old.map((one) => one.name).sort()).toEqual(['login', 'refine']);
    removeArchived(old);
    expect([existsSync(report), existsSync(kept), existsSync(strange)]).toEqual([false, true, true]);
    expect(listTeams(root)).toEqual([]);
  });

  it('a removal that fails is named, keeps no other from being removed, and is finished later', () => {
    const team = closedTeam();
    const { root } = team;
    archive(team.store, STAMP);
    const report = writeApart(realDisk, root, '2026-02-10T12:00:00.000Z', 'text', {});
    const rmdirSync: Disk['rmdirSync'] = (path) => {
      if (String(path).endsWith('logs')) throw Object.assign(new Error('EBUSY'), { code: 'EBUSY' });
      realDisk.rmdirSync(path);
    };
    const told = removeArchived(archivedBefore(root, Infinity), { ...realDisk, rmdirSync });
    expect(told).toEqual([expect.stringMatching(/^Cannot remove \S+logs \(EBUSY\)/)]);
    expect([existsSync(report), listTeams(root)]).toEqual([false, []]);
    expect(finishRemovals(root)).toEqual([]);
    expect(readdirSync(rootPaths(root).archive)).toEqual([]);
  });
});
