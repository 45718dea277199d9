/** Documents, seals, leases, and the files and directories they are made of. */
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import type { Draft } from '../../../src/model/team/message.ts';
import { realDisk, type Disk } from '../../../src/store/files/disk.ts';
import { Document } from '../../../src/store/lock/document.ts';
import { createOnce, makeDirectory, openOurs, readText, replaceFile } from '../../../src/store/files/file.ts';
import { badPlace, lineAndColumn } from '../../../src/store/files/json-place.ts';
import {
  endDeadLeases,
  lastBeat,
  leaseOwner,
  takeLease,
  type LeaseEnvironment,
} from '../../../src/store/team/lease.ts';
import type { Locks } from '../../../src/store/lock/lock.ts';
import type { TeamPaths } from '../../../src/store/files/paths.ts';
import { pinDirectory } from '../../../src/store/files/pinned.ts';
import { ownIdentity } from '../../../src/os/process-table.ts';
import { folderAt } from '../../../src/store/files/folder-of.ts';
import { keyPath, openSeal } from '../../../src/store/user/seal.ts';
import { errno, failing, writing } from '../../support/faults.ts';
import { allowLeft } from '../../support/leftovers.ts';
import { hang, locksOf, name, openBoard, readerOf, senderOf, teamAt } from '../../support/team.ts';
import { tempDir } from '../../support/temp.ts';
import { startStore, together } from '../../support/workers.ts';

let root = '';
let paths: TeamPaths;
let locks: Locks;
beforeEach(() => {
  root = tempDir();
  paths = teamAt(root);
  const own = locksOf(paths);
  locks = own;
  onTestFinished(() => {
    if (existsSync(paths.folder)) own.close();
  });
});

const schema = z.looseObject({
  version: z.number().optional(),
  count: z.number(),
  inner: z.looseObject({}).optional(),
});
type Shape = z.infer<typeof schema>;
const documentOf = (more: object = {}): Document<Shape> =>
  new Document({ disk: realDisk, path: paths.state, schema: () => schema, lock: paths.stateLock, locks, ...more });
const stored = (): Record<string, unknown> => JSON.parse(readFileSync(paths.state, 'utf8')) as Record<string, unknown>;

describe('a document', () => {
  it('a document keeps fields that it does not know', async () => {
    writeFileSync(paths.state, '{"version":1,"count":1,"theirs":{"deep":[1]},"inner":{"also":true}}');
    await documentOf().update((current) => ({ next: { ...current, count: 2 }, result: 0 }));
    expect(stored()).toEqual({ version: 1, count: 2, theirs: { deep: [1] }, inner: { also: true } });
  });

  it('a document of a newer version is refused and unchanged', async () => {
    const text = '{"version":2,"count":1}';
    writeFileSync(paths.state, text);
    const document = documentOf();
    const newer = expect.objectContaining({ code: 'NEWER_VERSION', path: paths.state, exitCode: 4 }) as unknown;
    expect(() => document.read()).toThrow(newer);
    expect(() => document.isSealed()).toThrow(newer);
    expect(() => document.write({ count: 2 })).toThrow(newer);
    await expect(document.update(() => ({ next: { count: 2 }, result: 0 }))).rejects.toEqual(newer);
    expect(readFileSync(paths.state, 'utf8')).toBe(text);
  });

  it.each([
    ['{\n  "count": 1,\n  "x": tru\n}', 'line 3, column 8', 3],
    ['{"count": 1', 'line 1, column 12', 1],
    ['', 'line 1, column 1', 1],
    ['{"count": "one"}', 'damaged at count', undefined],
    ['[]', 'damaged at its top', undefined],
  ])('a damaged document (%j) is named with its place', (text, says, line) => {
    writeFileSync(paths.state, text);
    const read = (): unknown => documentOf().read();
    expect(read).toThrow(expect.objectContaining({ code: 'CORRUPT', path: paths.state, line }));
    expect(read).toThrow(says);
  });

  it('a damaged document may be replaced, not updated', async () => {
    writeFileSync(paths.state, '{"count": ');
    await expect(documentOf().update(() => ({ next: { count: 1 }, result: 0 }))).rejects.toMatchObject({
      code: 'CORRUPT',
    });
    documentOf().write({ count: 7 });
    expect(documentOf().read()).toMatchObject({ count: 7, version: 1 });
  });

  it('a document is unchanged if the change throws or returns nothing', async () => {
    documentOf().write({ count: 1 });
    const before = statSync(paths.state).ino;
    expect(await documentOf().update((current) => ({ result: current?.count }))).toBe(1);
    const change = () => {
      throw new Error('no');
    };
    await expect(documentOf().update(change)).rejects.toThrow('no');
    expect(statSync(paths.state).ino).toBe(before);
  });

  it('a document loses no change of eight processes', async () => {
    const options = { tokens: paths.tokens, lock: paths.stateLock, path: paths.state, times: 15 };
    const workers = await together(
      root,
      'update',
      Array.from({ length: 8 }, () => options),
    );
    await Promise.all(workers.map((worker) => worker.result()));
    expect(stored()['count']).toBe(120);
    expect(readdirSync(paths.folder).filter((file) => file.endsWith('.tmp'))).toEqual([]);
  });

  it.each(['openSync', 'writeSync', 'fsyncSync', 'renameSync'] as const)(
    'a document is old or new, and no temporary file stays, when %s fails',
    (call) => {
      documentOf().write({ count: 1 });
      const mayFail = documentOf({ disk: failing('ENOSPC', call), locks });
      expect(() => mayFail.write({ count: 2 })).toThrow(expect.objectContaining({ code: 'NO_SPACE' }));
      expect(stored()['count']).toBe(1);
      expect(readdirSync(paths.folder).filter((file) => file.endsWith('.tmp'))).toEqual([]);
    },
  );

  it('a document is not torn by a short write', () => {
    documentOf().write({ count: 1 });
    expect(() => documentOf({ disk: writing(() => 5) }).write({ count: 2 })).toThrow(
      expect.objectContaining({ code: 'NO_SPACE' }),
    );
    expect(stored()['count']).toBe(1);
  });

  it('a document is not written into a team that was replaced', () => {
    const pinned = pinDirectory(realDisk, paths.folder);
    rmSync(paths.folder, { recursive: true });
    mkdirSync(paths.folder);
    expect(() => documentOf({ pinned }).write({ count: 1 })).toThrow(expect.objectContaining({ code: 'TEAM_GONE' }));
    expect(readdirSync(paths.folder)).toEqual([]);
    pinned.close();
  });
});

describe('the place of an error in JSON', () => {
  it.each([
    ['{"a": x}', 6],
    ['{"a":1,}', 7],
    ['[1,]', 3],
    ['{', 1],
    ['{"a":"b', 5],
    ['{"a":"\\q"}', 5],
    ['[1 2]', 3],
    ['{"a" 1}', 5],
    ['{a:1}', 1],
    ['01', 0],
    ['1.', 0],
    ['1}', 1],
    ['[}', 1],
    ['nul', 0],
  ])('the position of an error in %s is %i', (text, at) => expect(badPlace(text)).toBe(at));

  it.each(['{}', '[]', ' [1, -2.5e+3, "x\\u00e9\\n", true, false, null, {"a": {"b": []}}] ', '"x"', '0'])(
    'there is no position of an error in %s',
    (text) => {
      expect(() => JSON.parse(text) as unknown).not.toThrow();
      expect(badPlace(text)).toBeUndefined();
    },
  );

  it('a position is given as line and column from 1', () =>
    expect(lineAndColumn('a\nbc\nd', 4)).toEqual({ line: 2, column: 3 }));
});

describe('a seal', () => {
  const key = (): string => join(root, 'state', 'teams', 'key');

  it('a seal holds for the document that was sealed with this key, and for no other', () => {
    const seal = openSeal(realDisk, key());
    const mine = documentOf({ seal });
    mine.write({ count: 1, later: [undefined, 1], none: undefined });
    expect(mine.isSealed()).toBe(true);
    expect(documentOf({ seal: openSeal(realDisk, key()) }).isSealed()).toBe(true);
    expect(documentOf({ seal: openSeal(realDisk, join(root, 'other', 'key')) }).isSealed()).toBe(false);
    const sealed = stored();
    for (const forged of [
      { ...sealed, count: 2 },
      { ...sealed, seal: undefined },
      { ...sealed, seal: 'x' },
      { ...sealed, more: 1 },
      7,
    ]) {
      writeFileSync(paths.state, JSON.stringify(forged));
      expect(mine.isSealed()).toBe(false);
    }
  });

  it('a seal does not depend on the order of keys or on the parsed form of the document', () => {
    const seal = openSeal(realDisk, key());
    documentOf({ seal }).write({ count: 1, inner: { a: 1, b: [{ y: 1, x: 2 }] } });
    const { seal: signature, inner, ...rest } = stored();
    writeFileSync(paths.state, JSON.stringify({ inner, seal: signature, ...rest }));
    const strict = new Document({
      disk: realDisk,
      path: paths.state,
      schema: () => z.object({ count: z.number() }),
      lock: '',
      locks,
      seal,
    });
    expect(strict.isSealed()).toBe(true);
  });

  it('the key of a seal is made once, and only its user may read it', () => {
    const [first, second] = [openSeal(realDisk, key()), openSeal(realDisk, key())];
    expect(first.sign({ a: 1 })).toBe(second.sign({ a: 1 }));
    expect(statSync(key()).mode & 0o777).toBe(0o600);
    expect(statSync(join(root, 'state', 'teams')).mode & 0o777).toBe(0o700);
    writeFileSync(key(), 'not a key');
    expect(() => openSeal(realDisk, key()).sign({})).toThrow(expect.objectContaining({ code: 'CORRUPT' }));
  });

  it('a key that other users can read is no key: by its own mode, and by that of its folder', () => {
    openSeal(realDisk, key()).sign({});
    const use = () => openSeal(realDisk, key()).sign({});
    for (const [file, folder, isRefused] of [
      [0o644, 0o700, false],
      [0o600, 0o755, false],
      [0o640, 0o755, true],
      [0o602, 0o701, true],
    ] as const) {
      chmodSync(key(), file);
      chmodSync(join(root, 'state', 'teams'), folder);
      if (isRefused) expect(use).toThrow(expect.objectContaining({ code: 'UNTRUSTED' }));
      else expect(use).not.toThrow();
    }
  });

  it('a link in the place of a key is refused', () => {
    openSeal(realDisk, join(root, 'other', 'key')).sign({});
    mkdirSync(join(root, 'state', 'teams'), { recursive: true });
    symlinkSync(join(root, 'other', 'key'), key());
    expect(() => openSeal(realDisk, key()).sign({})).toThrow();
    expect(() => openSeal(realDisk, key()).secretFor('any')).toThrow();
  });

  it("the key of a seal is in the user's state directory", () => {
    expect(keyPath({ XDG_STATE_HOME: '/s' })).toBe('/s/teams/key');
    expect(keyPath({ XDG_STATE_HOME: 'relative' })).toMatch(/\/\.local\/state\/teams\/key$/);
  });
});

describe('a file that is created once', () => {
  const file = (): string => join(root, 'once');

  it('a file that is created once is there whole or not at all, and stays', () => {
    expect(createOnce(realDisk, file(), 'first', 'a')).toBe(true);
    expect(createOnce(realDisk, file(), 'second', 'b')).toBe(false);
    expect(() => createOnce(failing('ENOSPC', 'linkSync'), join(root, 'other'), 'x', 'c')).toThrow(
      expect.objectContaining({ code: 'NO_SPACE' }),
    );
    expect([readText(realDisk, file()), readdirSync(root).filter((name) => name.endsWith('.tmp'))]).toEqual([
      'first',
      [],
    ]);
  });

  it('such a file can be read while its creator is between its two names, and after the creator died there', () => {
    expect(() => createOnce(failing('EIO', 'unlinkSync'), file(), 'text', 'a')).toThrow();
    expect(statSync(file()).nlink).toBe(2);
    expect(readText(realDisk, file())).toBe('text');
    linkSync(file(), join(root, 'foreign'));
    expect(() => readText(realDisk, file())).toThrow(expect.objectContaining({ code: 'CORRUPT' }));
    allowLeft(/once/);
  });

  it('such a file does not count as damaged if its second name goes during the check', () => {
    writeFileSync(file(), 'text');
    linkSync(file(), join(root, 'second'));
    const readdirSync_ = (path: string): string[] => {
      rmSync(join(root, 'second'));
      return readdirSync(path);
    };
    expect(readText({ ...realDisk, readdirSync: readdirSync_ as Disk['readdirSync'] }, file())).toBe('text');
  });
});

describe('what the store makes', () => {
  it('files of the store are for this user only, under any umask', async () => {
    const umask = process.umask(0);
    onTestFinished(() => void process.umask(umask));
    rmSync(paths.folder, { recursive: true });
    for (const path of [paths.folder, paths.processes]) makeDirectory(realDisk, path);
    openBoard(paths, ['ada'], 1);
    hang(paths, name('ada'));
    const { sender, close } = senderOf(paths);
    const draft: Draft = { type: 'message', content: 'x'.repeat(300_000) };
    await sender.send({ sender: 'bob', recipient: name('ada'), draft });
    writeFileSync(paths.inbox(name('ada')).inbox, 'garbage\n', { flag: 'a' });
    const reading = readerOf(paths, name('ada'));
    const mail = await reading.reader.take();
    reading.reader.acknowledge(mail);
    documentOf({ seal: openSeal(realDisk, join(root, 'state', 'key')) }).write({ count: 1 });
    replaceFile(realDisk, join(paths.folder, 'view'), 'text', 'a', { durable: false });
    const lease = await takeLease(paths, name('ada'), leaseEnvironment());
    const modes = [paths.folder, paths.board, join(root, 'state')].flatMap((from) =>
      readdirSync(from, { recursive: true, encoding: 'utf8' }).map((file) => {
        const stat = statSync(join(from, file));
        return [file, stat.isDirectory(), (stat.mode & 0o777).toString(8)] as const;
      }),
    );
    expect(modes.filter(([, isDirectory, mode]) => mode !== (isDirectory ? '700' : '600'))).toEqual([]);
    expect(modes.length).toBeGreaterThan(12);
    if (lease.held) await lease.lease.release();
    reading.close();
    close();
  });

  it('a directory that others may write is refused', () => {
    chmodSync(paths.folder, 0o777);
    expect(() => pinDirectory(realDisk, paths.folder)).toThrow(expect.objectContaining({ code: 'UNTRUSTED' }));
    chmodSync(paths.folder, 0o700);
    pinDirectory(realDisk, paths.folder).close();
    symlinkSync(paths.folder, join(root, 'link'));
    expect(() => pinDirectory(realDisk, join(root, 'link'))).toThrow();
    symlinkSync(join(root, 'nowhere'), join(root, 'dangling'));
    expect(() => openOurs(realDisk, join(root, 'dangling'), 0)).toThrow(expect.objectContaining({ code: 'CORRUPT' }));
    expect(() => makeDirectory(realDisk, join(root, 'dangling'))).toThrow(expect.objectContaining({ code: 'CORRUPT' }));
  });
});

const ada = name('ada');
function leaseEnvironment(more: Partial<LeaseEnvironment> = {}): LeaseEnvironment {
  return { disk: realDisk, locks, now: () => 1_000, onLost: () => undefined, isOurs: () => true, ...more };
}

describe('a lease', () => {
  const record = (more: object): void =>
    writeFileSync(paths.leaseOwner(ada), JSON.stringify({ ...ownIdentity(), since: 5, ...more }));
  const take = (more: Partial<LeaseEnvironment> = {}) => takeLease(paths, ada, leaseEnvironment(more));
  /** Takes it with timers that the test moves: the heartbeat of proper-lockfile is one, every five seconds. */
  const takeWithTimers = (more: Partial<LeaseEnvironment> = {}) => {
    vi.useFakeTimers({ now: Date.now(), toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    onTestFinished(() => void vi.useRealTimers());
    return take(more);
  };
  const heartbeat = () => vi.advanceTimersByTimeAsync(5_000);

  it('a lease is refused to a second process, which learns the holder', async () => {
    const worker = await startStore(root, 'lease', { root, team: 'login', member: 'ada' });
    worker.go();
    expect(await worker.next()).toBe('held');
    expect(await take()).toMatchObject({ held: false, owner: { pid: worker.pid } });
    expect(lastBeat(realDisk, paths, ada)).toBeGreaterThan(0);
    process.kill(worker.pid, 'SIGSTOP');
    expect(await take()).toMatchObject({ held: false, owner: { pid: worker.pid } });
    await worker.kill();
    const taken = await take();
    expect(taken).toMatchObject({ held: true });
    expect(leaseOwner(realDisk, paths, ada)).toEqual({
      where: 'here',
      ...ownIdentity(),
      since: 1_000,
      folder: folderAt(realDisk, paths.folder),
    });
    if (taken.held) await taken.lease.release();
    expect([existsSync(paths.lease(ada)), existsSync(paths.leaseOwner(ada))]).toEqual([false, false]);
    expect(leaseOwner(realDisk, paths, ada)).toBeUndefined();
    locks.sweep([paths.folder, paths.processes]);
  });

  it('a lease tells each heartbeat of its holder, after it', async () => {
    const taken = await takeWithTimers();
    if (!taken.held) throw new Error('not held');
    const begun = Date.now();
    const beats: number[] = [];
    taken.lease.onBeat(() => beats.push(Math.round(lastBeat(realDisk, paths, ada) ?? 0)));
    await heartbeat();
    await heartbeat();
    expect(beats).toEqual([begun + 5_000, begun + 10_000]);
    await taken.lease.release();
  });

  it('a lease of a dead process is cleared, a live one never', async () => {
    const worker = await startStore(root, 'lease', { root, team: 'login', member: 'ada' });
    worker.go();
    expect(await worker.next()).toBe('held');
    await endDeadLeases(paths, [ada], { disk: realDisk, locks });
    expect([existsSync(paths.lease(ada)), existsSync(paths.leaseOwner(ada))]).toEqual([true, true]);
    await worker.kill();
    await endDeadLeases(paths, [ada, name('bob')], { disk: realDisk, locks });
    expect([existsSync(paths.lease(ada)), existsSync(paths.leaseOwner(ada))]).toEqual([false, false]);
    locks.sweep([paths.folder, paths.processes]);
  });

  it.each([
    ['unknown', { bootId: '' }],
    ['named by a record that cannot be read', { pid: 'x' }],
  ])('a lease of an owner %s is decided by its heartbeat', async (_, more) => {
    record(more);
    mkdirSync(paths.lease(ada));
    expect(await take()).toMatchObject({ held: false });
    utimesSync(paths.lease(ada), 1, 1);
    const taken = await take();
    expect(taken.held).toBe(true);
    if (taken.held) await taken.lease.release();
  });

  it('a lease of a dead owner is available at once, however fresh its heartbeat', async () => {
    record({ startTime: '1' });
    mkdirSync(paths.lease(ada));
    writeFileSync(join(paths.lease(ada), 'left'), '');
    const taken = await take();
    expect(taken.held).toBe(true);
    if (taken.held) await taken.lease.release();
  });

  it('a lease of another folder, which came with a copy, has no holder, though its process lives', async () => {
    const { ino, ...folder } = folderAt(realDisk, paths.folder) ?? { path: '', dev: 0, ino: 0 };
    record({ folder: { ...folder, ino: ino + 1 } });
    mkdirSync(paths.lease(ada));
    expect(leaseOwner(realDisk, paths, ada)).toBeUndefined();
    const taken = await take();
    expect(taken.held).toBe(true);
    if (taken.held) await taken.lease.release();
  });

  it('a lease is released by its holder only', async () => {
    const taken = await take();
    record({ since: 999_999 });
    if (taken.held) await taken.lease.release();
    expect(existsSync(paths.lease(ada))).toBe(true);
    rmSync(paths.lease(ada), { recursive: true });
  });

  it('a lease is released if its owner could not be recorded', async () => {
    const disk: Disk = {
      ...realDisk,
      renameSync: () => {
        throw errno('ENOSPC');
      },
    };
    await expect(take({ disk })).rejects.toMatchObject({ code: 'NO_SPACE' });
    expect(existsSync(paths.lease(ada))).toBe(false);
    const taken = await take();
    expect(taken.held).toBe(true);
    if (taken.held) await taken.lease.release();
  });

  it('a disturbed lease that is still ours is taken again, and released later', async () => {
    const lost: (Error | undefined)[] = [];
    const taken = await takeWithTimers({ onLost: (why) => lost.push(why) });
    rmSync(paths.lease(ada), { recursive: true });
    await heartbeat();
    expect(existsSync(paths.lease(ada))).toBe(true);
    expect(lost).toEqual([]);
    if (taken.held) await taken.lease.release();
    expect(existsSync(paths.lease(ada))).toBe(false);
  });

  it.each([
    ['is not ours any more', { isOurs: () => false }, undefined],
    [
      'cannot be judged',
      {
        isOurs: () => {
          throw new Error('log gone');
        },
      },
      'log gone',
    ],
  ])('a disturbed lease is lost and reported if it %s', async (_, more, why) => {
    const lost: (string | undefined)[] = [];
    const taken = await takeWithTimers({ onLost: (error) => lost.push(error?.message), ...more });
    rmSync(paths.lease(ada), { recursive: true });
    await heartbeat();
    expect(lost).toEqual([why]);
    if (taken.held) await taken.lease.release();
  });

  it('a lease is lost with its team, and nothing is created again or thrown', async () => {
    const lost: unknown[] = [];
    const taken = await takeWithTimers({ onLost: (error) => lost.push(error) });
    rmSync(paths.folder, { recursive: true });
    await heartbeat();
    expect(lost).toHaveLength(1);
    if (taken.held) await taken.lease.release();
    expect(existsSync(paths.folder)).toBe(false);
  });
});
