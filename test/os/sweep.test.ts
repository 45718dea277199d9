import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Mark } from '../../src/model/agent/process-mark.ts';
import { exitWithParent, onParentExit } from '../../src/os/parent-pipe.ts';
import { descendantsOf } from '../../src/os/process-tree.ts';
import { MarkSource } from '../../src/os/draw-marks.ts';
import { markedCommand, markEnvironment, prlimitPath } from '../../src/os/mark-environment.ts';
import { sweep } from '../../src/os/sweep.ts';
import { identityOf, livenessOf, processes } from '../../src/os/process-table.ts';
import { BOOT, fakeTable, LIMIT_MARK as MARK, NAMESPACE, type FakeTable } from '../fixtures/table.ts';
import { openZoo, until } from '../fixtures/zoo.ts';
import { tempDir } from '../support/temp.ts';

const RUN = '01JZZZZZZZZZZZZZZZZZZZZZZZ';
const BARE: Mark = { kind: 'environment', id: 'r-1', run: 'r', since: 100, bootId: BOOT };
const [LEAD, ME, TEAMMATE] = [2, 10, 20];
const sleep = (): Promise<void> => Promise.resolve();
const seams = (table: FakeTable) => ({ table, kill: table.kill, sleep });
const who = (pid: number, startTime = '100') => ({ pid, startTime, bootId: BOOT, pidNamespace: NAMESPACE });

describe('a sweep', () => {
  it('a sweep ends processes with the mark and all their descendants, and nothing else', async () => {
    const table = fakeTable(ME, [
      { pid: ME, parent: LEAD },
      { pid: LEAD, parent: 1 },
      { pid: TEAMMATE, parent: LEAD, limit: 767 },
      { pid: 21, parent: TEAMMATE },
      { pid: 22, parent: 21 },
      { pid: 30, environ: ['TEAMS_MARK=r-1'] },
      { pid: 31, environ: ['TEAMS_RUN=r', 'TEAMS_MARK=r-2'] },
      { pid: 32, limit: 1023 },
      { pid: 33, parent: LEAD },
      { pid: 34, limit: 767, state: 'Z' },
    ]);
    const swept = await sweep([MARK], [], seams(table));
    expect(swept.clean).toBe(true);
    expect(table.killed.toSorted()).toEqual([TEAMMATE, 21, 22, 30]);
    expect(swept.killed.map(({ pid }) => pid).toSorted()).toEqual([TEAMMATE, 21, 22, 30]);
  });

  it('a sweep ends a known process and all its descendants without other evidence', async () => {
    const table = fakeTable(ME, [{ pid: ME }, { pid: TEAMMATE }, { pid: 21, parent: TEAMMATE }, { pid: 22 }]);
    await sweep([BARE], [who(TEAMMATE)], seams(table));
    expect(table.killed.toSorted()).toEqual([TEAMMATE, 21]);
  });

  it('a sweep ends processes with a limit of locks, and spares the first value of the block and other resources', async () => {
    const block = 9 * 2 ** 40;
    const mark: Mark = { ...MARK, resource: 'locks', low: block + 1, high: block + 65_535, value: block + 65_535 };
    const table = fakeTable(ME, [
      { pid: ME },
      { pid: TEAMMATE, locks: block + 65_535 },
      { pid: 21, locks: block + 1 },
      { pid: 22, locks: block },
      { pid: 23, locks: block + 65_536 },
      { pid: 24, limit: block + 65_535 },
    ]);
    await sweep([mark], [], seams(table));
    expect(table.killed.toSorted()).toEqual([TEAMMATE, 21]);
  });

  it('a sweep ends a process before what it started, so that a shell does not go on to its next command', async () => {
    const table = fakeTable(ME, [
      { pid: ME },
      { pid: 40, parent: ME, limit: 767 },
      { pid: 41, parent: 40, limit: 767 },
      { pid: 42, parent: 41, limit: 767 },
      { pid: 39, parent: 42 },
    ]);
    await sweep([MARK], [], seams(table));
    expect(table.killed).toEqual([40, 41, 42, 39]);
  });

  it('a sweep catches a process that hops from pid to pid, also after the numbers began anew', async () => {
    const OLD = Array.from({ length: 500 }, (_, index) => ({ pid: 2_000 + index }));
    const table = fakeTable(ME, [{ pid: ME }, ...OLD, { pid: 300, limit: 767 }]);
    let [hopper, reads] = [300, 0];
    const stat: typeof table.stat = (pid) => {
      // It forks and ends whenever a few other processes were read.
      if ((reads += 1) % 20 === 0 && table.rows.delete(hopper))
        table.rows.set((hopper += 1), { pid: hopper, limit: 767 });
      return table.stat(pid);
    };
    const swept = await sweep([MARK], [], { ...seams(table), table: { ...table, stat, lastPid: () => hopper } });
    expect(swept).toMatchObject({ clean: true });
    expect(table.rows.has(hopper)).toBe(false);
  });

  it('a sweep that cannot read for want of descriptors is never clean, and kills nothing that it cannot judge', async () => {
    const table = fakeTable(ME, [{ pid: ME }, { pid: TEAMMATE, limit: 767 }]);
    table.isShort = true;
    expect(await sweep([MARK], [who(TEAMMATE)], seams(table))).toMatchObject({ clean: false, killed: [] });
    expect(table.killed).toEqual([]);
  });

  it('a sweep goes on when reads succeed again, and then spares its own ancestors', async () => {
    const table = fakeTable(ME, [
      { pid: ME, parent: LEAD },
      { pid: LEAD, limit: 767 },
      { pid: TEAMMATE, limit: 767 },
    ]);
    table.isShort = true;
    let sleeps = 0;
    const wait = (): Promise<void> => {
      table.isShort = (sleeps += 1) < 3;
      return Promise.resolve();
    };
    expect((await sweep([MARK], [], { ...seams(table), sleep: wait })).clean).toBe(true);
    expect(table.killed).toEqual([TEAMMATE]);
  });

  it.each(['stat', 'user', 'limits', 'environ'] as const)(
    'a process is not killed on the word of a table that just refused to read its %s',
    async (read) => {
      // The drawer of the other mark lives; without a descriptor that cannot be seen.
      const rows = [{ pid: ME }, { pid: 40 }, { pid: 41, limit: 767, environ: ['TEAMS_MARK=r-40-100-abc'] }];
      const table = fakeTable(ME, rows);
      const short = {
        ...table,
        [read]: (pid: number) => {
          table.isShort = pid === 40;
          const answer = table[read](pid);
          table.isShort = false;
          return answer;
        },
      };
      await sweep([MARK], [], { ...seams(table), table: short });
      expect(table.killed).toEqual([]);
    },
  );

  describe('a match by a limit that another team may have', () => {
    const OTHER = 'TEAMS_MARK=r-40-100-abc';
    const swept = async (rows: Parameters<typeof fakeTable>[1], marks: readonly Mark[] = [MARK]) => {
      const table = fakeTable(ME, [{ pid: ME }, ...rows]);
      await sweep(marks, [], seams(table));
      return table.killed.toSorted();
    };

    it('is spared if its environment names a mark whose drawer lives', async () => {
      expect(await swept([{ pid: 40 }, { pid: 41, limit: 767, environ: [OTHER] }])).toEqual([]);
    });

    it.each([
      ['no mark', [{ pid: 40 }, { pid: 41, limit: 767 }], [41]],
      ['a mark without a drawer', [{ pid: 40 }, { pid: 41, limit: 767, environ: ['TEAMS_MARK=x'] }], [41]],
      ['a dead drawer', [{ pid: 41, limit: 767, environ: [OTHER] }], [41]],
      [
        'a drawer whose pid was reused',
        [
          { pid: 40, startTime: '300' },
          { pid: 41, limit: 767, environ: [OTHER] },
        ],
        [41],
      ],
      [
        'a drawer that is swept itself',
        [
          { pid: 40, limit: 600 },
          { pid: 41, limit: 767, environ: [OTHER] },
        ],
        [40, 41],
      ],
    ])('is ended if its environment names %s', async (_, rows, killed) => {
      expect(await swept(rows)).toEqual(killed);
    });

    it('is ended if its environment names the mark that the sweeping process carries itself', async () => {
      const table = fakeTable(ME, [
        { pid: ME, environ: [OTHER] },
        { pid: 40 },
        { pid: 41, limit: 600, environ: [OTHER] },
      ]);
      await sweep([{ ...MARK, low: 600, high: 600, value: 600 }], [], seams(table));
      expect(table.killed).toEqual([41]);
    });
  });

  it.each([
    ['carries a swept mark', { limit: 767 }, []],
    ['is swept by its identity', {}, [who(40)]],
  ])('what a spared process drew is ended if that process %s', async (_, facts, known) => {
    const drawn = { pid: 41, limit: 600, environ: ['TEAMS_MARK=r-40-100-abc'] };
    const table = fakeTable(ME, [{ pid: ME }, { pid: 40, ...facts }, drawn]);
    await sweep([MARK], known, { ...seams(table), except: [40] });
    expect(table.killed).toEqual([41]);
  });

  it('a sweep reads the mark again at the moment of the signal', async () => {
    const table = fakeTable(ME, [{ pid: ME }, { pid: TEAMMATE, limit: 767 }]);
    let looks = 0;
    const limits = (pid: number) => {
      if (pid === TEAMMATE && (looks += 1) > 1) return { locks: Infinity, msgqueue: 819_200 };
      return table.limits(pid);
    };
    await sweep([MARK], [], { ...seams(table), table: { ...table, limits } });
    expect(table.killed).toEqual([]);
  });

  it('a sweep never ends itself or its ancestors, whatever marks they carry', async () => {
    const table = fakeTable(ME, [
      { pid: ME, parent: LEAD, limit: 767 },
      { pid: LEAD, parent: 3, limit: 767, environ: ['TEAMS_MARK=r-1'] },
      { pid: 3, parent: 1, limit: 767 },
      { pid: 11, parent: ME },
      { pid: 12, parent: LEAD },
    ]);
    expect(await sweep([MARK], [who(ME), who(LEAD)], seams(table))).toMatchObject({ clean: true });
    expect(table.killed).toEqual([11]);
  });

  it('a sweep never ends excluded processes', async () => {
    const table = fakeTable(ME, [{ pid: ME }, { pid: TEAMMATE, limit: 767 }, { pid: 21, limit: 767 }]);
    await sweep([MARK], [], { ...seams(table), except: [TEAMMATE] });
    expect(table.killed).toEqual([21]);
  });

  it('a sweep never ends processes from before the run or of another user', async () => {
    const table = fakeTable(ME, [
      { pid: ME },
      { pid: 20, limit: 767, startTime: '99' },
      { pid: 21, limit: 767, user: 0 },
      { pid: 22, limit: 767, hidden: 'unreadable' },
    ]);
    await sweep([MARK], [], seams(table));
    expect(table.killed).toEqual([]);
  });

  it('a sweep never signals a reused pid', async () => {
    const table = fakeTable(ME, [{ pid: ME }, { pid: TEAMMATE, startTime: '500' }]);
    await sweep([], [who(TEAMMATE, '400')], seams(table));
    expect(table.killed).toEqual([]);
  });

  it('a sweep never signals a pid that was reused between the check and the signal', async () => {
    const table = fakeTable(ME, [{ pid: ME }, { pid: TEAMMATE, limit: 767 }]);
    const reuse = (pid: number) => {
      const environ = table.environ(pid);
      if (pid === TEAMMATE) table.rows.set(TEAMMATE, { pid: TEAMMATE, startTime: '101' });
      return environ;
    };
    await sweep([MARK], [], { ...seams(table), table: { ...table, environ: reuse } });
    expect(table.killed).toEqual([]);
  });

  it('a sweep never signals a known pid that was reused between the check and the signal', async () => {
    const table = fakeTable(ME, [{ pid: ME }, { pid: TEAMMATE }]);
    let looks = 0;
    const reuse = (pid: number) => {
      const user = table.user(pid);
      if (pid === TEAMMATE && (looks += 1) > 1) table.rows.set(TEAMMATE, { pid: TEAMMATE, startTime: '101' });
      return user;
    };
    await sweep([], [who(TEAMMATE)], { ...seams(table), table: { ...table, user: reuse } });
    expect(looks).toBeGreaterThan(1);
    expect(table.killed).toEqual([]);
  });

  it('a sweep never signals a known process or a descendant that has become another user’s', async () => {
    const table = fakeTable(ME, [
      { pid: ME },
      { pid: TEAMMATE, user: 0 },
      { pid: 30, limit: 767 },
      { pid: 31, parent: 30, user: 0 },
    ]);
    await sweep([MARK], [who(TEAMMATE)], seams(table));
    expect(table.killed).toEqual([30]);
  });

  it('a sweep does not take an older process for a child because its parent’s pid was reused', async () => {
    const table = fakeTable(ME, [
      { pid: ME },
      { pid: 20, limit: 767, startTime: '300' },
      { pid: 21, parent: 20, startTime: '200' },
    ]);
    await sweep([MARK], [], seams(table));
    expect(table.killed).toEqual([20]);
  });

  it('a sweep ignores marks and identities of another boot', async () => {
    const table = fakeTable(ME, [{ pid: ME }, { pid: TEAMMATE, limit: 767 }]);
    const swept = await sweep([{ ...MARK, bootId: 'boot-0' }], [{ ...who(TEAMMATE), bootId: 'boot-0' }], seams(table));
    expect(swept).toEqual({ killed: [], clean: true });
    expect(table.killed).toEqual([]);
  });

  it('a sweep ignores identities of another pid namespace', async () => {
    const table = fakeTable(ME, [{ pid: ME }, { pid: TEAMMATE }]);
    await sweep([], [{ ...who(TEAMMATE), pidNamespace: 'pid:[2]' }], seams(table));
    expect(table.killed).toEqual([]);
  });

  it('a sweep goes on while killed processes leave children behind', async () => {
    const table = fakeTable(ME, [{ pid: ME }, { pid: 100, limit: 767 }]);
    const kill = (pid: number): void => {
      table.kill(pid);
      if (pid < 120) table.rows.set(pid + 1, { pid: pid + 1, limit: 767 });
    };
    expect(await sweep([MARK], [], { ...seams(table), kill })).toMatchObject({ clean: true });
    expect(table.killed).toHaveLength(21);
  });

  it('a pass in which a process escaped does not count as empty', async () => {
    const table = fakeTable(ME, [{ pid: ME }, { pid: 50, hidden: 'gone' }]);
    let looks = 0;
    const list = (): number[] => {
      looks += 1;
      if (looks === 6) table.rows.set(50, { pid: 50, limit: 767 });
      return [...table.rows.keys()];
    };
    await sweep([MARK], [], { ...seams(table), table: { ...table, list } });
    expect(table.killed).toEqual([50]);
  });

  it('a sweep ends within its bound, and reports processes that do not die or may not be signalled', async () => {
    const table = fakeTable(ME, [{ pid: ME }, { pid: TEAMMATE, limit: 767 }]);
    expect(await sweep([MARK], [], { ...seams(table), kill: () => {} })).toMatchObject({
      clean: false,
      killed: [{ pid: TEAMMATE }],
    });
    const refuse = (): never => {
      throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
    };
    expect(await sweep([MARK], [], { ...seams(table), kill: refuse })).toEqual({ clean: false, killed: [] });
  });
});

describe('a sweep of real processes', () => {
  const marked = (mark: Mark, ...argv: [string, ...string[]]): ChildProcess => {
    const { file, args } = markedCommand(mark, argv);
    return spawn(file, args, { env: { PATH: process.env['PATH'], ...markEnvironment(mark) }, stdio: 'ignore' });
  };

  it('a sweep leaves no process of the zoo of escapes', async (ctx) => {
    const zoo = openZoo();
    if (prlimitPath() === undefined) ctx.skip('there is no prlimit here');
    if (zoo.missing) ctx.skip(`there is no ${zoo.missing} here`);
    const [mark, neighbour] = new MarkSource().draw(2, RUN);
    if (mark?.kind !== 'limit' || neighbour === undefined) return ctx.skip('limits cannot be used here');
    const bystander = marked(neighbour, 'sleep', '60');
    for (const [program, marker] of Object.entries(zoo.animals))
      marked({ ...mark }, program.endsWith('.py') ? 'python3' : '/bin/sh', program, marker);
    await until('the zoo is out', zoo.isOut);
    expect(await sweep([mark], [])).toMatchObject({ clean: true });
    expect(zoo.seen()).toEqual([]);
    expect(bystander.exitCode ?? bystander.signalCode).toBeNull();
    await sweep([neighbour], []);
    await until('the neighbour has ended', () => bystander.signalCode === 'SIGKILL');
  });

  it('a sweep of a shell runs none of its further commands', async () => {
    const marker = join(tempDir(), 'further');
    for (let round = 0; round < 20; round += 1) {
      const [mark] = new MarkSource().draw(1, RUN);
      if (mark === undefined) throw new Error('no mark');
      const child = marked(mark, '/bin/sh', '-c', `sleep 60; echo > ${marker}; sleep 60; echo > ${marker}`);
      await until('the command runs', () => descendantsOf(child.pid ?? 0).length === 1);
      expect(await sweep([mark], [])).toMatchObject({ clean: true });
    }
    expect(existsSync(marker)).toBe(false);
  });

  it('a sweep ends a process that shows as a zombie and still runs', async (ctx) => {
    const [mark] = new MarkSource().draw(1, RUN);
    if (mark?.kind !== 'limit' || openZoo().missing) return ctx.skip('there is no prlimit, or no python3, here');
    const child = marked(mark, 'python3', join(import.meta.dirname, '../fixtures/zombie-leader.py'));
    const exit = once(child, 'exit');
    await until('its first thread has ended', () => {
      const seen = processes.stat(child.pid ?? 0);
      return typeof seen !== 'string' && seen.state === 'Z' && seen.threads > 1;
    });
    expect((await sweep([mark], [])).killed).toMatchObject([{ pid: child.pid }]);
    expect(await exit).toEqual([null, 'SIGKILL']);
  });

  it('a sweep uses the environment and a snapshot of descendants where there is no limit', async () => {
    const [drawn] = new MarkSource({ ...processes, limits: () => 'unreadable' }).draw(1, RUN);
    if (drawn === undefined) throw new Error('no mark');
    const child = marked(drawn, '/bin/sh', '-c', 'env -i sleep 60 & wait');
    const exit = once(child, 'exit');
    const teammate = identityOf(child.pid ?? 0);
    if (teammate === undefined) throw new Error('no child');
    await until('the child has a child', () => descendantsOf(teammate.pid).length === 1);
    const below = descendantsOf(teammate.pid).flatMap(({ pid }) => identityOf(pid) ?? []);
    child.kill('SIGKILL');
    await exit;
    expect(below.map((one) => livenessOf(one))).toEqual(['alive']);
    expect(await sweep([drawn], below)).toMatchObject({ clean: true });
    expect(below.map((one) => livenessOf(one))).toEqual(['dead']);
  });
});

describe('a parent pipe', () => {
  it('a parent pipe ends once, by an end, an error or a close', async () => {
    for (const cut of [
      (s: PassThrough) => s.end(),
      (s: PassThrough) => s.destroy(),
      (s: PassThrough) => s.destroy(new Error('EIO')),
    ]) {
      const stdin = new PassThrough();
      let cuts = 0;
      onParentExit(stdin, () => (cuts += 1));
      expect(cuts).toBe(0);
      cut(stdin);
      await new Promise(setImmediate);
      expect(cuts).toBe(1);
    }
  });

  it('a parent pipe that ended before it was watched ends at once', async () => {
    const stdin = new PassThrough();
    stdin.destroy();
    await new Promise<void>((resolve) => onParentExit(stdin, resolve));
  });

  it('the end of a parent pipe ends everything of the teammate but itself, then lets it exit', async () => {
    const table = fakeTable(ME, [
      { pid: ME, limit: 767 },
      { pid: 11, parent: ME },
      { pid: 12, limit: 767 },
    ]);
    const stdin = new PassThrough();
    const gone = new Promise<void>((resolve) => exitWithParent(stdin, MARK, resolve, seams(table)));
    stdin.end();
    await gone;
    expect(table.killed.toSorted()).toEqual([11, 12]);
  });
});
