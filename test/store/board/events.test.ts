/** The event log: numbers by position, and a new file when one is large. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { teamEventSchema } from '../../../src/model/team/team-event.ts';
import type { EventLog } from '../../../src/store/board/events.ts';
import { O_RDWR, realDisk, type Disk } from '../../../src/store/files/disk.ts';
import type { TeamPaths } from '../../../src/store/files/paths.ts';
import { ownIdentity } from '../../../src/os/process-table.ts';
import { FakeClock } from '../../support/clock.ts';
import { countingDisk } from '../../support/counting-disk.ts';
import { eventLogAt, followerAt } from '../../support/event-log.ts';
import { failing } from '../../support/faults.ts';
import { teamAt } from '../../support/team.ts';
import { tempDir } from '../../support/temp.ts';
import { together } from '../../support/workers.ts';

let paths: TeamPaths;
beforeEach(() => {
  paths = teamAt(tempDir());
});

const say = (log: EventLog, text: string): string[] =>
  log.append({ type: 'member.said', text }) === undefined ? [text] : [];

const files = (): string[] => readdirSync(paths.folder).filter((file) => /^events.*\.jsonl$/.test(file));

const textsIn = (text: string): string[] =>
  text
    .split('\n')
    .flatMap((line) => (line.includes('member.said') ? [String(teamEventSchema.parse(JSON.parse(line)).text)] : []));

/** All events as a new reader sees them. */
function everything(): string[] {
  const { news, close } = followerAt(paths);
  const texts = news();
  close();
  return texts;
}

const numbered = (count: number, tag = 'event'): string[] => Array.from({ length: count }, (_, n) => `${tag} ${n}`);

describe('the event log', () => {
  it('numbers events by position, and skips invalid lines', () => {
    const { log, close } = eventLogAt(paths);
    expect(say(log, 'one')).toEqual(['one']);
    appendFileSync(paths.events, 'noise\n{"type":7}\n{"type":"torn"');
    say(log, 'two');
    const all = [...log.read()];
    expect(all.map(({ event }) => event['text'])).toEqual(['one', 'two']);
    expect([...log.read(all[1]?.at)]).toHaveLength(1);
    close();
  });

  it('has a trouble that lasts once a minute, and each other one', () => {
    const clock = new FakeClock();
    const { log, close } = eventLogAt(paths, { clock });
    const meet = (text: string): void => void log.appendTrouble({ type: 'teammate.error', text });
    for (const [text, ms] of [
      ['a', 500],
      ['a', 500],
      ['b', 500],
      ['a', 58_000],
      ['a', 1_000],
      ['a', -90_000],
      ['a', 0],
    ] as const) {
      meet(text);
      clock.advance(ms);
    }
    expect([...log.read()].map(({ event }) => event.text)).toEqual(['a', 'b', 'a', 'a']);
    close();
  });

  it('finds the end of its last whole line by reading its end only', () => {
    const counted = countingDisk();
    const { log, close } = eventLogAt(paths, { disk: counted.disk });
    expect(log.end()).toBe(0);
    for (let n = 0; n < 5; n += 1) say(log, 'x'.repeat(100_000));
    const { size } = statSync(paths.events);
    expect(log.end()).toBe(size);
    expect(counted.bytes).toBeLessThan(size / 5);
    appendFileSync(paths.events, 'x'.repeat(200_000));
    expect(log.end()).toBe(size);
    say(log, 'after');
    expect([...log.read(size)].map(({ event }) => event['text'])).toEqual(['after']);
    close();
  });

  it('reports its own failure and throws nothing', () => {
    const { log, close } = eventLogAt(paths, { disk: failing('ENOSPC', 'writeSync') });
    expect(log.append({ type: 'member.said', text: 'one' })).toMatchObject({ code: 'NO_SPACE' });
    close();
  });
});

describe('an event log that goes on in a new file', () => {
  const BOUND = 2_000;

  it('loses no event of an ordinary user whose file was closed and replaced before it could be opened', () => {
    const other = eventLogAt(paths, { fileBytes: BOUND });
    const told = say(other.log, 'first');
    let isHit = false;
    const disk: Disk = {
      ...realDisk,
      openSync: (...args: Parameters<typeof realDisk.openSync>) => {
        const isWrite = typeof args[1] === 'number' && (args[1] & O_RDWR) !== 0;
        if (isHit || !isWrite || !String(args[0]).endsWith('/events.jsonl')) return realDisk.openSync(...args);
        isHit = true;
        while (files().length === 1) told.push(...say(other.log, 'x'.repeat(500)));
        // As root it would open; for anybody else the closed file was not writable.
        throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
      },
    };
    const { log, close } = eventLogAt(paths, { disk, fileBytes: BOUND });
    told.push(...say(log, 'last'));
    expect(isHit).toBe(true);
    expect(told.at(-1)).toBe('last');
    expect(everything()).toEqual(told);
    other.close();
    close();
  });

  it('keeps order and numbers across files, each a little above the bound, and `cat` shows all in order', () => {
    const { log, close } = eventLogAt(paths, { fileBytes: BOUND });
    const follower = followerAt(paths);
    const texts = numbered(200);
    const followed = texts.flatMap((text) => {
      say(log, text);
      return follower.news();
    });
    expect(followed).toEqual(texts);
    expect(files().length).toBeGreaterThan(5);
    for (const file of files()) expect(statSync(join(paths.folder, file)).size).toBeLessThan(BOUND + 400);
    expect(everything()).toEqual(texts);
    const all = [...log.read()];
    expect(all.map(({ at }) => at)).toEqual(all.map(({ at }) => at).toSorted((a, b) => a - b));
    for (const at of [0, 57, 130, 199])
      expect([...log.read(all[at]?.at)].map(({ event }) => event['text'])).toEqual(texts.slice(at));
    expect([...log.read(log.end())]).toEqual([]);
    for (const locale of ['C', 'C.UTF-8', 'en_US.UTF-8']) {
      const env = { ...process.env, LC_ALL: locale };
      const shown = execFileSync('sh', ['-c', 'cat events*.jsonl'], { cwd: paths.folder, encoding: 'utf8', env });
      expect(textsIn(shown)).toEqual(texts);
    }
    follower.close();
    close();
  });

  it('is at any moment a log of one file of an earlier version, too', () => {
    writeFileSync(
      paths.events,
      numbered(50, 'old')
        .map((text) => `\n{"at":"2026-01-01T00:00:00.000Z","type":"member.said","text":"${text}"}\n`)
        .join(''),
    );
    const { log, close } = eventLogAt(paths, { fileBytes: BOUND });
    expect([...log.read()]).toHaveLength(50);
    for (const text of numbered(50)) say(log, text);
    expect(everything()).toEqual([...numbered(50, 'old'), ...numbered(50)]);
    expect(files()[0]).toBe('events.0000000000000000.jsonl');
    close();
  });

  it('loses only what a person removes: an old file that is gone is skipped', () => {
    const { log, close } = eventLogAt(paths, { fileBytes: BOUND });
    for (const text of numbered(100)) say(log, text);
    const [first = '', second = ''] = files();
    const kept = numbered(100).slice(textsIn(readFileSync(join(paths.folder, first), 'utf8')).length);
    rmSync(join(paths.folder, first));
    expect(everything()).toEqual(kept);
    const gone = textsIn(readFileSync(join(paths.folder, second), 'utf8'));
    rmSync(join(paths.folder, second));
    expect(everything()).toEqual(kept.slice(gone.length));
    close();
  });

  it('without a newest file goes on after the last one, and so it does after a file without a first line', () => {
    const { log, close } = eventLogAt(paths, { fileBytes: BOUND });
    for (const text of numbered(30)) say(log, text);
    close();
    renameSync(paths.events, join(paths.root, 'aside'));
    const kept = everything();
    // A program of the version before makes the file, and does not know of the others.
    writeFileSync(paths.events, '\n{"at":"2026-01-01T00:00:00.000Z","type":"member.said","text":"older"}\n');
    expect(everything()).toEqual([...kept, 'older']);
    const again = eventLogAt(paths, { fileBytes: BOUND });
    const more = numbered(40, 'more').flatMap((text) => say(again.log, text));
    expect(more).toHaveLength(40);
    expect(everything()).toEqual([...kept, 'older', ...more]);
    again.close();
  });

  it('reports no failure while a file is in the way of the rename, and goes on in the same file', () => {
    const { log, close } = eventLogAt(paths, { fileBytes: BOUND });
    writeFileSync(join(paths.folder, 'events.0000000000000000.jsonl'), '');
    const texts = numbered(60).flatMap((text) => say(log, text));
    expect(texts).toHaveLength(60);
    expect(textsIn(readFileSync(paths.events, 'utf8'))).toEqual(texts);
    close();
  });
});

/** The process that dies or is stopped. */
const VICTIM = { ...ownIdentity(), pid: 4_000_000, startTime: '1' };
class Died extends Error {}

/** A disk that calls `hit` once, before the n-th call of any kind. */
function hitting(n: number, hit: () => void): { disk: Disk; wasHit: () => boolean } {
  let calls = 0;
  const wrap =
    (real: (...args: unknown[]) => unknown) =>
    (...args: unknown[]): unknown => {
      calls += 1;
      if (calls >= n) hit();
      return real(...args);
    };
  const calling = Object.entries(realDisk).flatMap(([call, real]) =>
    typeof real === 'function' && call.endsWith('Sync') ? [[call, wrap(real as (...args: unknown[]) => unknown)]] : [],
  );
  return { disk: { ...realDisk, ...(Object.fromEntries(calling) as Partial<Disk>) }, wasHit: () => calls >= n };
}

describe('a change of files of the event log', () => {
  const BOUND = 800;

  it('that is cut off by a death before any call leaves a log that is read and goes on', () => {
    let deaths = 0;
    for (let n = 1; ; n += 1) {
      paths = teamAt(tempDir());
      const before = eventLogAt(paths, { fileBytes: 1_000_000 });
      const told = numbered(9, 'before').flatMap((text) => say(before.log, text));
      before.close();
      const follower = followerAt(paths);
      const followed = follower.news();
      const { disk, wasHit } = hitting(n, () => {
        throw new Died('dead');
      });
      const victim = eventLogAt(paths, { disk, fileBytes: BOUND, identity: VICTIM });
      told.push(...numbered(4, 'victim').flatMap((text) => say(victim.log, text)));
      followed.push(...follower.news());
      const alive = ({ pid }: { pid: number }) => (pid === VICTIM.pid ? 'dead' : 'alive');
      const seen = everything();
      expect(
        seen.filter((text) => told.includes(text)),
        `before call ${n}`,
      ).toEqual(told);
      const heir = eventLogAt(paths, { fileBytes: BOUND, alive });
      told.push(...numbered(30, 'heir').flatMap((text) => say(heir.log, text)));
      expect(told.filter((text) => text.startsWith('heir'))).toHaveLength(30);
      followed.push(...follower.news());
      // What was written by the victim, and not acknowledged, may be there, once.
      const all = everything();
      expect(new Set(all).size, `before call ${n}`).toBe(all.length);
      expect(
        all.filter((text) => told.includes(text)),
        `before call ${n}`,
      ).toEqual(told);
      expect(followed, `before call ${n}`).toEqual(all);
      heir.close();
      follower.close();
      if (!wasHit()) break;
      deaths += 1;
    }
    expect(deaths).toBeGreaterThan(40);
  });

  it('in which a process is stopped before any call loses and doubles nothing of any process', () => {
    let stops = 0;
    for (let n = 1; ; n += 1) {
      paths = teamAt(tempDir());
      const before = eventLogAt(paths, { fileBytes: 1_000_000 });
      const told = numbered(9, 'before').flatMap((text) => say(before.log, text));
      before.close();
      const follower = followerAt(paths);
      const followed: string[] = [];
      let isStopped = false;
      const meanwhile = (): void => {
        if (isStopped) return;
        isStopped = true;
        followed.push(...follower.news());
        const identity = { ...VICTIM, pid: 4_000_001 };
        const alive = (): 'alive' => 'alive';
        const other = eventLogAt(paths, { fileBytes: BOUND, lockTimeoutMs: 10, identity, alive });
        for (const text of numbered(2, 'other')) told.push(...say(other.log, text));
        followed.push(...follower.news());
        for (const text of numbered(12, 'later')) {
          const [done] = say(other.log, text);
          if (done === undefined) break;
          told.push(done);
        }
        other.close();
        followed.push(...follower.news());
      };
      const { disk, wasHit } = hitting(n, meanwhile);
      const victim = eventLogAt(paths, { disk, fileBytes: BOUND, identity: VICTIM, alive: () => 'alive' });
      told.push(...numbered(4, 'victim').flatMap((text) => say(victim.log, text)));
      followed.push(...follower.news());
      const all = everything();
      expect(all.toSorted(), `before call ${n}`).toEqual(told.toSorted());
      expect(followed, `before call ${n}`).toEqual(all);
      victim.close();
      follower.close();
      if (!wasHit()) break;
      stops += 1;
    }
    expect(stops).toBeGreaterThan(40);
  });

  it('while many processes write and one reads loses and doubles nothing, in the order of each writer', async () => {
    const follower = followerAt(paths);
    const options = { file: paths.events, root: paths.root, team: paths.name, times: 300, fileBytes: 4_000 };
    const workers = await together(
      paths.root,
      'log',
      [0, 1, 2, 3].map((writer) => ({ ...options, writer })),
    );
    let working = workers.length;
    const results = workers.map(async (worker) => {
      const result = await worker.result<{ failed: number }>();
      working -= 1;
      return result;
    });
    const followed: string[] = [];
    for (; working > 0; await new Promise((resolve) => setTimeout(resolve, 1))) followed.push(...follower.news());
    expect(await Promise.all(results)).toEqual(workers.map(() => ({ failed: 0 })));
    followed.push(...follower.news());
    const all = everything();
    expect(followed).toEqual(all);
    for (const writer of [0, 1, 2, 3])
      expect(all.filter((text) => text.startsWith(`${writer}: `))).toEqual(numbered(300, `${writer}:`));
    expect(files().length).toBeGreaterThan(10);
    follower.close();
  });
});
