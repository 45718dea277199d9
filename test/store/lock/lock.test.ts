/** The lock: with objects whose life is injected, and with real processes that are stopped and killed. */
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { defined } from '../../../src/model/text/defined.ts';
import { realDisk, type Disk } from '../../../src/store/files/disk.ts';
import { FOREIGN_LOCK_MS } from '../../../src/store/lock/foreign-locks.ts';
import { Locks, type LockEnvironment } from '../../../src/store/lock/lock.ts';
import { ownIdentity } from '../../../src/os/process-table.ts';
import { FakeClock, realClock } from '../../support/clock.ts';
import { errno, failing, writing } from '../../support/faults.ts';
import { allowLeft } from '../../support/leftovers.ts';
import { tempDir } from '../../support/temp.ts';
import { startStore, together, until } from '../../support/workers.ts';

let dir = '';
let tokens = '';
let lock = '';
beforeEach(() => {
  dir = join(tempDir(), 'team');
  mkdirSync(dir);
  tokens = join(dir, '.tokens');
  lock = join(dir, 'ada_inbox.lock');
});

/** Running processes, by pid. */
const living = new Set<number>();
const someone = (pid: number, more: Partial<LockEnvironment> = {}): Locks => {
  living.add(pid);
  return new Locks(tokens, {
    disk: realDisk,
    clock: new FakeClock(),
    random: () => 0.5,
    identity: { pid, startTime: '1', bootId: 'boot', pidNamespace: 'here' },
    alive: (who) => (living.has(who.pid) ? 'alive' : 'dead'),
    ...more,
  });
};
const mine = (more: Partial<LockEnvironment> = {}): Locks =>
  new Locks(tokens, { disk: realDisk, clock: realClock, ...more });
const files = (): string[] => readdirSync(dir, { recursive: true, encoding: 'utf8' }).sort();

/** Leaves a lock as a process does that dies inside. */
function diesHolding(pid: number, path = lock): void {
  const disk: Disk = { ...realDisk, unlinkSync: () => undefined };
  someone(pid, { disk }).tryLock(path, () => undefined);
  living.delete(pid);
}

describe('a free lock', () => {
  it('a lock appears whole, with its owner in it, and is gone afterwards', async () => {
    const locks = mine();
    const text = await locks.withLock(lock, () => readFileSync(lock, 'utf8'));
    expect(JSON.parse(text)).toMatchObject(ownIdentity());
    locks.close();
    expect(files()).toEqual(['.tokens']);
  });

  it('a lock is released when the work throws', async () => {
    const locks = mine();
    await expect(
      locks.withLock(lock, () => {
        throw new Error('work failed');
      }),
    ).rejects.toThrow('work failed');
    expect(locks.tryLock(lock, () => 1)).toEqual({ done: true, value: 1 });
    locks.close();
  });

  it('a lock gets a new token when the old one was removed', () => {
    const locks = mine();
    locks.tryLock(lock, () => undefined);
    rmSync(tokens, { recursive: true });
    expect(locks.tryLock(lock, () => 1)).toEqual({ done: true, value: 1 });
    expect(locks.tryLock(lock, () => rmSync(tokens, { recursive: true })).done).toBe(true);
    locks.close();
    expect(files()).toEqual([]);
  });

  it('a lock is released though its token was created anew while it was held', () => {
    const locks = mine();
    locks.tryLock(lock, () => {
      rmSync(tokens, { recursive: true });
      locks.tryLock(join(dir, 'bob_inbox.lock'), () => undefined);
    });
    locks.close();
    expect(files()).toEqual(['.tokens']);
  });

  it('a lock creates its token again after the disk was full', () => {
    let full = true;
    const locks = mine({ disk: writing(() => (full ? 3 : undefined)) });
    expect(() => locks.tryLock(lock, () => 1)).toThrow(expect.objectContaining({ code: 'NO_SPACE' }));
    full = false;
    expect(locks.tryLock(lock, () => 1)).toEqual({ done: true, value: 1 });
    locks.close();
    expect(files()).toEqual(['.tokens']);
  });

  it('a lock whose directory is gone is TEAM_GONE, and is not created again', () => {
    const locks = mine();
    locks.tryLock(lock, () => undefined);
    rmSync(dir, { recursive: true });
    expect(() => locks.tryLock(lock, () => 1)).toThrow(expect.objectContaining({ code: 'TEAM_GONE' }));
    expect(() => statSync(dir)).toThrow('ENOENT');
    locks.close();
  });

  it('a free lock is told apart from an unwritable directory', () => {
    const locks = mine({ disk: failing('EROFS', 'linkSync') });
    expect(() => locks.tryLock(lock, () => 1)).toThrow(expect.objectContaining({ code: 'READ_ONLY' }));
    locks.close();
  });
});

describe('a held lock', () => {
  it.each([
    ['alive', 'alive'],
    ['of unknown life', 'unknown'],
  ] as const)('a lock is never taken from an owner %s', async (_, life) => {
    diesHolding(10);
    const clock = new FakeClock();
    const locks = someone(11, { clock, alive: () => life });
    await expect(locks.withLock(lock, () => 1)).rejects.toMatchObject({ code: 'LOCK_TIMEOUT', exitCode: 3 });
    expect(clock.monotonic()).toBeGreaterThanOrEqual(15_000);
    expect(JSON.parse(readFileSync(lock, 'utf8'))).toMatchObject({ pid: 10 });
    rmSync(lock);
    locks.close();
  });

  it('a lock is not taken from a stopped process, and the error names the process and its state', async () => {
    const holder = await startStore(dir, 'hold', { tokens, lock });
    holder.go();
    expect(await holder.next()).toBe('held');
    process.kill(holder.pid, 'SIGSTOP');
    const locks = mine({ clock: new FakeClock() });
    const failure = locks.withLock(lock, () => 1);
    await expect(failure).rejects.toThrow(
      new RegExp(`${lock} is held by pid ${holder.pid} \\(stopped\\) since 2.*doctor`),
    );
    await holder.kill();
    expect(locks.tryLock(lock, () => 1)).toEqual({ done: true, value: 1 });
    locks.sweep([dir]);
    locks.close();
    expect(files()).toEqual(['.tokens']);
  });

  it('a lock is released by its owner only', () => {
    const locks = mine();
    locks.tryLock(lock, () => {
      rmSync(lock);
      writeFileSync(lock, 'a foreign writer');
    });
    expect(readFileSync(lock, 'utf8')).toBe('a foreign writer');
    rmSync(lock);
    locks.close();
  });

  it('an owner gets its lock again if it could not be released', () => {
    const unlink = { works: false };
    const unlinkSync: Disk['unlinkSync'] = (path) => {
      if (!unlink.works) throw errno('EROFS');
      realDisk.unlinkSync(path);
    };
    const locks = mine({ disk: { ...realDisk, unlinkSync } });
    expect(() => locks.tryLock(lock, () => 1)).toThrow(expect.objectContaining({ code: 'READ_ONLY' }));
    unlink.works = true;
    const nested = locks.tryLock(lock, () => locks.tryLock(lock, () => 2));
    expect(nested).toMatchObject({ done: true, value: { done: false, sight: { kind: 'held' } } });
    expect(files()).toHaveLength(2);
    locks.close();
  });
});

describe('the lock of a dead owner', () => {
  it('the lock of a dead owner is taken over at once, and its guard is gone', () => {
    diesHolding(10);
    const locks = someone(11);
    expect(locks.tryLock(lock, () => JSON.parse(readFileSync(lock, 'utf8')) as object)).toMatchObject({
      done: true,
      value: { pid: 11 },
    });
    expect(files().filter((file) => file.includes('lock'))).toEqual([]);
    locks.close();
  });

  it('a lock is taken over however many that were taking it over have died, one after the other', () => {
    diesHolding(10);
    for (let pid = 11; pid < 60; pid += 1) {
      const renameSync = (): never => {
        throw errno('EIO');
      };
      const dying = someone(pid, { disk: { ...realDisk, renameSync, unlinkSync: () => undefined } });
      expect(() => dying.tryLock(lock, () => undefined)).toThrow(/EIO/);
      living.delete(pid);
    }
    const locks = someone(60);
    expect(locks.tryLock(lock, () => 1)).toEqual({ done: true, value: 1 });
    locks.sweep([dir]);
    locks.close();
    expect(files()).toEqual(['.tokens']);
  });

  it('the lock of a killed process is taken over', async () => {
    const holder = await startStore(dir, 'hold', { tokens, lock });
    holder.go();
    expect(await holder.next()).toBe('held');
    await holder.kill();
    const locks = mine();
    const before = performance.now();
    expect(await locks.withLock(lock, () => 1)).toBe(1);
    expect(performance.now() - before).toBeLessThan(500);
    locks.sweep([dir]);
    locks.close();
    expect(files()).toEqual(['.tokens']);
  });

  it('the lock is taken over from breakers that died one after the other', async () => {
    diesHolding(10);
    const alive: LockEnvironment['alive'] = (who) => (who.startTime === '1' ? 'dead' : 'unknown');
    for (const pid of [20, 21, 22]) {
      const disk: Disk = { ...failing('EIO', 'renameSync'), unlinkSync: () => undefined };
      expect(() => someone(pid, { disk, alive }).tryLock(lock, () => 1)).toThrow('EIO');
    }
    expect(files().filter((file) => file.includes('~')).length).toBeGreaterThan(2);
    const locks = mine({ alive });
    expect(await locks.withLock(lock, () => 1)).toBe(1);
    locks.sweep([dir]);
    locks.close();
    expect(files()).toEqual(['.tokens']);
  });

  it('the lock is taken over from real breakers that were killed at the rename', async () => {
    const holder = await startStore(dir, 'hold', { tokens, lock });
    holder.go();
    expect(await holder.next()).toBe('held');
    await holder.kill();
    const breaker = await startStore(dir, 'breakAndDie', { tokens, lock });
    breaker.go();
    expect(await breaker.result()).toBeUndefined();
    expect(files().filter((file) => file.includes('~'))).toHaveLength(1);
    const locks = mine();
    expect(await locks.withLock(lock, () => 1)).toBe(1);
    locks.sweep([dir]);
    locks.close();
    expect(files()).toEqual(['.tokens']);
  });

  it('a failed takeover leaves no guard', () => {
    diesHolding(10);
    const unlucky = someone(11, { disk: failing('ENOSPC', 'renameSync') });
    expect(() => unlucky.tryLock(lock, () => 1)).toThrow(expect.objectContaining({ code: 'NO_SPACE' }));
    const locks = someone(12);
    expect(locks.tryLock(lock, () => 1)).toEqual({ done: true, value: 1 });
    for (const one of [unlucky, locks]) one.close();
    expect(files().filter((file) => file.includes('lock'))).toEqual([]);
  });

  it('the lock lets exactly one of eight processes in at a time', async () => {
    for (let round = 0; round < 2; round += 1) {
      const holder = await startStore(dir, 'hold', { tokens, lock });
      holder.go();
      expect(await holder.next()).toBe('held');
      const all = together(
        dir,
        'enter',
        Array.from({ length: 8 }, () => ({ tokens, lock, inside: join(dir, 'inside') })),
      );
      await holder.kill();
      const results = await Promise.all((await all).map((worker) => worker.result()));
      expect(results).toEqual(Array.from({ length: 8 }, () => ({ alone: true })));
    }
    const locks = mine();
    locks.sweep([dir]);
    locks.close();
    expect(files()).toEqual(['.tokens']);
  });
});

describe('a file in the place of a lock', () => {
  const wait = async (clock: FakeClock, onBroken?: (path: string) => void) => {
    const locks = mine({ clock, ...defined({ onBroken }) });
    const outcome = await locks.withLock(lock, () => 'in').catch((error: unknown) => error);
    locks.close();
    return outcome;
  };

  it('an empty file is broken after 10 s without a change, and that is reported', async () => {
    writeFileSync(lock, '');
    const clock = new FakeClock();
    const broken: string[] = [];
    expect(await wait(clock, (path) => broken.push(path))).toBe('in');
    expect(clock.monotonic()).toBeGreaterThanOrEqual(FOREIGN_LOCK_MS);
    expect(clock.monotonic()).toBeLessThan(FOREIGN_LOCK_MS + 100);
    expect(broken).toEqual([lock]);
    expect(files()).toEqual(['.tokens']);
  });

  it('an empty file that is replaced by another one is waited for', async () => {
    writeFileSync(lock, '');
    const clock = new FakeClock();
    let next = 9_000;
    const sleep = clock.sleep.bind(clock);
    clock.sleep = async (ms) => {
      await sleep(ms);
      if (clock.monotonic() < next) return;
      next += 9_000;
      writeFileSync(join(dir, 'other'), '');
      renameSync(join(dir, 'other'), lock);
    };
    expect(await wait(clock)).toMatchObject({ code: 'LOCK_TIMEOUT' });
    rmSync(lock);
  });

  it('an empty file is broken by one of many processes', () => {
    writeFileSync(lock, '');
    const clock = new FakeClock();
    const broken: string[] = [];
    const all = [1, 2, 3, 4].map((pid) => someone(pid, { clock, onBroken: (path) => broken.push(path) }));
    for (const locks of all) locks.tryLock(lock, () => 1);
    clock.advance(FOREIGN_LOCK_MS);
    expect(all.map((locks) => locks.tryLock(lock, () => 1).done)).toEqual([true, true, true, true]);
    expect(broken).toEqual([lock]);
    for (const locks of all) locks.close();
  });

  it('an empty file whose breaker dies is broken by the next one at once, not after 10 s more', () => {
    writeFileSync(lock, '');
    const clock = new FakeClock();
    const disk: Disk = { ...failing('EIO', 'renameSync'), unlinkSync: () => undefined };
    const [first, next] = [someone(1, { clock, disk }), someone(2, { clock })];
    for (const locks of [first, next]) locks.tryLock(lock, () => 1);
    clock.advance(FOREIGN_LOCK_MS);
    expect(() => first.tryLock(lock, () => 1)).toThrow('EIO');
    expect(next.tryLock(lock, () => 1).done, 'while the breaker lives').toBe(false);
    living.delete(1);
    expect(next.tryLock(lock, () => 1).done, 'when it is dead').toBe(true);
    next.sweep([dir]);
    next.close();
    expect(files()).toEqual(['.tokens']);
  });

  it.each([
    ['garbage', () => writeFileSync(lock, 'pid 12'), 'not a lock of teams'],
    ['a directory', () => mkdirSync(lock), 'a directory'],
    ['a FIFO', () => execFileSync('mkfifo', [lock]), 'not a file'],
    ['a symbolic link', () => symlinkSync('/dev/zero', lock), 'not a file'],
    [
      'a token with more in it',
      () => writeFileSync(lock, JSON.stringify({ ...ownIdentity(), nonce: '../x' })),
      'not a lock of teams',
    ],
  ])('%s is waited for, then named', async (_, plant, says) => {
    plant();
    const failure = await wait(new FakeClock());
    expect(failure).toMatchObject({ code: 'LOCK_TIMEOUT' });
    expect(String(failure)).toContain(lock);
    expect(String(failure)).toContain(says);
    expect(String(failure)).toContain('teams doctor --break-lock');
    rmSync(lock, { recursive: true });
  });
});

describe('the sweep', () => {
  it('the sweep removes tokens, locks and temporary files of dead processes, and nothing of running ones', () => {
    diesHolding(10);
    const other = someone(11);
    const held = join(dir, 'held.lock');
    const left = other.tryLock(held, () => {
      writeFileSync(join(dir, `config.json.${process.pid}-1-abc.tmp`), '');
      writeFileSync(join(dir, `config.json.${process.pid}-${ownIdentity().startTime}-abc.tmp`), '');
      writeFileSync(join(dir, 'config.json.somebody.tmp'), '');
      const alive: LockEnvironment['alive'] = (who) => (who.bootId === 'boot' && who.pid === 11 ? 'alive' : 'dead');
      const sweeper = mine({ alive: (who) => (who.startTime === ownIdentity().startTime ? 'alive' : alive(who)) });
      sweeper.sweep([dir]);
      sweeper.close();
      return files();
    });
    expect(left).toMatchObject({ done: true });
    const kept = left.done ? left.value : [];
    expect(kept.map((file) => file.replace(/11-[0-9a-f]{16}/, 'token'))).toEqual([
      '.tokens',
      '.tokens/token',
      `config.json.${process.pid}-${ownIdentity().startTime}-abc.tmp`,
      'config.json.somebody.tmp',
      'held.lock',
    ]);
    allowLeft(/config\.json/);
    other.close();
  });

  it('the sweep keeps the guard of a running breaker', () => {
    diesHolding(10);
    const seen: string[][] = [];
    const renameSync: Disk['renameSync'] = (from, to) => {
      const sweeper = someone(12);
      sweeper.sweep([dir]);
      sweeper.close();
      seen.push(files().filter((file) => file.includes('~')));
      realDisk.renameSync(from, to);
    };
    const locks = someone(11, { disk: { ...realDisk, renameSync } });
    expect(locks.tryLock(lock, () => 1)).toEqual({ done: true, value: 1 });
    expect(seen).toEqual([[expect.stringMatching(/~[0-9a-f]{16}$/)]]);
    locks.close();
  });

  it('the sweep keeps the guard of a dead breaker while its lock still names the dead owner', () => {
    diesHolding(10);
    const nonce = (JSON.parse(readFileSync(lock, 'utf8')) as { nonce: string }).nonce;
    const guard = `${lock}~${nonce}`;
    diesHolding(11, guard);
    const blocked = someone(12, { disk: failing('EEXIST', 'linkSync') });
    blocked.sweep([dir]);
    expect(files().filter((file) => file.includes('lock'))).toHaveLength(2);
    blocked.close();
    const locks = someone(13);
    locks.sweep([dir]);
    locks.close();
    expect(files()).toEqual(['.tokens']);
  });

  it('the sweep removes an unfinished token', () => {
    mkdirSync(tokens);
    writeFileSync(join(tokens, '10-0123456789abcdef'), '{"pid":');
    const locks = someone(11);
    locks.sweep([dir]);
    locks.close();
    expect(files()).toEqual(['.tokens']);
  });
});

describe('a counter under the lock', () => {
  it('a counter under the lock loses no increment of eight processes, though three are killed in the middle and one is stopped', async () => {
    const file = join(dir, 'counter');
    writeFileSync(file, Buffer.alloc(8));
    const dieAt = [-1, 100, -1, 201, -1, 300, -1, -1];
    const options = dieAt.map((at, index) => ({
      tokens,
      lock,
      file,
      times: 500,
      dieAt: at,
      done: join(dir, `done-${index}`),
    }));
    for (const { done } of options) writeFileSync(done, '');
    const workers = await together(dir, 'count', options);
    const [first] = workers;
    await until(() => statSync(join(dir, 'done-0')).size > 20);
    first?.child.kill('SIGSTOP');
    setTimeout(() => first?.child.kill('SIGCONT'), 60);
    const results = await Promise.all(workers.map((worker) => worker.result()));
    expect(results.filter((result) => result === undefined)).toHaveLength(3);
    const acked = options.reduce((sum, { done }) => sum + statSync(done).size, 0);
    // Processes that died at an odd turn had already written.
    expect(Number(readFileSync(file).readBigUInt64LE())).toBe(acked + 1);
    const locks = mine();
    locks.sweep([dir]);
    locks.close();
    expect(files().filter((path) => /lock|tokens\//.test(path))).toEqual([]);
  });
});
