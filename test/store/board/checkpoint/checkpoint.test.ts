/** The checkpoint of the fold: it gives the same board as the log, and is never believed when it does not fit. */
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { advance } from '../../../../src/model/board/advance.ts';
import { emptyBoard, type Board } from '../../../../src/model/board/board.ts';
import { pendingTasks } from '../../../../src/model/board/listed-tasks.ts';
import { resolveTask } from '../../../../src/model/board/task-reference.ts';
import { BoardStore } from '../../../../src/store/board/board.ts';
import type { Proof } from '../../../../src/store/board/record.ts';
import { openCheckpoint } from '../../../../src/store/board/checkpoint/checkpoint.ts';
import { CHECKPOINT_FORMAT } from '../../../../src/store/board/checkpoint/checkpoint-format.ts';
import { Doubt, PageReader, PageWriter } from '../../../../src/store/files/checked-pages.ts';
import { Journal } from '../../../../src/store/files/journal.ts';
import { realDisk, type Disk } from '../../../../src/store/files/disk.ts';
import { boardFromCheckpoint, keepCheckpoint } from '../../../support/checkpoint.ts';
import { realClock } from '../../../support/clock.ts';
import { countingDisk } from '../../../support/counting-disk.ts';
import { boardOf, eventOf as eventAt, name, openBoard, PERSON, task, teamAt } from '../../../support/team.ts';
import type { TeamPaths } from '../../../../src/store/files/paths.ts';
import { tempDir } from '../../../support/temp.ts';
import { eventOf, OPENING, steps } from '../../../model/play.ts';
import { canonical, indicesOf, keptIndices } from '../../../model/world.ts';

const GOLDEN = new URL('../../../model/board/golden/', import.meta.url);

let paths: TeamPaths;
beforeEach(() => {
  paths = teamAt(tempDir());
});

/** Every reading call that is made on the checkpoint's own file. */
const counting = (): { disk: Disk; reads: () => number } => {
  let reads = 0;
  const disk: Disk = {
    ...realDisk,
    openSync: (path, ...rest) => {
      if (path === paths.checkpoint) reads += 1;
      return realDisk.openSync(path, ...rest);
    },
  };
  return { disk, reads: () => reads };
};

/** A board with its past, as the lead begins it. */
const lead = (disk: Disk = realDisk): BoardStore =>
  new BoardStore(paths.log, {
    disk,
    clock: realClock,
    checkpoint: { path: paths.checkpoint, worth: 1 },
    keepsPast: true,
  });

/** The same from the first byte of the log. */
function pastOfLog(): object {
  const store = new BoardStore(paths.log, { disk: realDisk, clock: realClock, keepsPast: true });
  store.fold();
  const past = pastIn(store);
  store.close();
  return past;
}

const pastIn = ({ board, past: { given, members, held, unblocked, depth, trace } }: BoardStore) => ({
  trace: Object.assign({}, trace, { members: [...trace.members].toSorted() }),
  given: [...board.tasks.keys()].map((id) => [id, given.get(id) ?? []]),
  members: [...members].toSorted(),
  held: [...held].toSorted(),
  unblocked: [...unblocked].toSorted(),
  depth,
});

const write = (offset?: number): void => keepCheckpoint(paths, realDisk, offset);
const open = (disk?: Disk): BoardStore => boardFromCheckpoint(paths, disk);

/** What two equal boards have in common, with every index and every judged record. */
const whole = (board: Board, ids: Iterable<string>) => ({
  text: canonical(board),
  kept: keptIndices(board),
  sizes: [board.tasks, board.waiting, board.unresolved, board.unique, board.requests, board.seen, board.vouchers].map(
    ({ size }) => size,
  ),
  version: board.version,
  vouchers: [...board.vouchers].toSorted(([a], [b]) => Number(a) - Number(b)),
  open: [...board.open],
  seen: [...ids].filter((id) => board.seen.has(id)),
});

const lineOf = (event: object): string => `\n${JSON.stringify(event)}\n`;

/** The ends of the lines of a text. */
const ends = (text: string): number[] =>
  [...text.matchAll(/\n/g)].map(({ index }) => Buffer.byteLength(text.slice(0, index + 1)));

/** Asserts that the fold from a checkpoint at each cut is the fold of the whole log. */
function expectSameAtEveryCut(log: string, ids: readonly string[], cuts: readonly number[]): void {
  writeFileSync(paths.log, log);
  const plain = boardOf(paths);
  const expected = whole(plain.fold(), ids);
  const histories = [...plain.board.tasks.keys()].map((id) => [...plain.log.historyOf(id)].map(({ event }) => event));
  plain.close();
  const past = pastOfLog();
  for (const cut of cuts) {
    write(cut);
    const led = lead();
    led.fold();
    expect(pastIn(led), `past, cut at ${cut}`).toEqual(past);
    led.close();
    const store = open();
    expect(whole(store.fold(), ids), `cut at ${cut}`).toEqual(expected);
    expect([...store.board.tasks.keys()].map((id) => [...store.log.historyOf(id)].map(({ event }) => event))).toEqual(
      histories,
    );
    store.close();
  }
}

/** All that a checkpoint says, but for which file its log is. */
function contentHash(): string {
  const file = new PageReader(realDisk, paths.checkpoint);
  const hash = createHash('sha256');
  for (let page = 0; page < file.pages; page += 1) hash.update(file.page(page)).update('\n');
  hash.update(JSON.stringify(file.header, (key, value: unknown) => (key === 'log' ? undefined : value)));
  file.close();
  return hash.digest('hex');
}

describe('a checkpoint', () => {
  it('of any prefix, and its tail, fold to the board of the whole log', () => {
    fc.assert(
      fc.property(steps(60), fc.array(fc.nat({ max: 10_000 }), { minLength: 1, maxLength: 4 }), (script, at) => {
        paths = teamAt(tempDir());
        const board = emptyBoard();
        let log = '';
        const ids: string[] = [];
        const say = (event: ReturnType<typeof eventOf>): void => {
          advance(board, event);
          ids.push(event.id);
          // Noise, and a record that was appended twice.
          log += lineOf(event) + (ids.length % 7 === 0 ? '{"torn":' : '') + (ids.length % 5 === 0 ? lineOf(event) : '');
        };
        OPENING.forEach(say);
        script.forEach((step, number) => say(eventOf(board, step, number + 1)));
        const all = ends(log);
        // Ascending: each checkpoint is made from the one before.
        const cuts = at.map((one) => all[one % all.length] ?? 0).sort((a, b) => a - b);
        expectSameAtEveryCut(log, ids, cuts);
        const tasks = [...board.tasks.values()];
        expect(keptIndices(board)).toEqual(indicesOf(tasks));
      }),
      { numRuns: 60 },
    );
  });

  it('keeps who vouched for the commands of tasks, one by one and in a batch, and the version of the log', async () => {
    openBoard(paths, ['ada']);
    const command = (subject: string) => ({ ...task(subject), work: { ...task(subject).work, run: 'echo ok' } });
    const add = async (vouch: () => Proof, ...subjects: string[]): Promise<void> => {
      const store = new BoardStore(paths.log, { disk: realDisk, clock: realClock, vouch });
      await store.append(PERSON, (board) => ({
        type: 'batch',
        changes: subjects.map((subject, at) => ({
          type: 'task.created' as const,
          task: String(board.lastTaskId + 1 + at),
          fields: command(subject),
        })),
      }));
      store.close();
    };
    await add(() => ({ mac: 'first', signature: 'by a' }), 'One', 'Two');
    write();
    await add(() => ({ mac: 'second' }), 'Three');
    for (const offset of [undefined, statSync(paths.log).size]) {
      const [store, plain] = [open(), boardOf(paths)];
      const ids = [...plain.fold().seen];
      expect(whole(store.fold(), ids)).toEqual(whole(plain.board, ids));
      const proofs = [...store.board.vouchers.values()].map(({ mac, signature }) => [mac, signature]);
      expect(proofs).toEqual([
        ['first', 'by a'],
        ['first', 'by a'],
        ['second', undefined],
      ]);
      expect(store.board.version).toBe(2);
      for (const one of [store, plain]) one.close();
      write(offset);
    }
  });

  const golden = readdirSync(GOLDEN).filter((name) => name.endsWith('.jsonl'));
  it.each(golden)('of the golden log %s changes nothing of its board', (name) => {
    const log = readFileSync(new URL(name, GOLDEN), 'utf8');
    const all = ends(log);
    expectSameAtEveryCut(
      log,
      [],
      [all[Math.floor(all.length / 3)] ?? 0, all[Math.floor(all.length / 2)] ?? 0, all.at(-1) ?? 0],
    );
  });

  it('has another format number if it has other content', async () => {
    const lines = [
      'Written by this test for a new CHECKPOINT_FORMAT. Content that changed needs a new number: older',
      'checkpoints would be believed.',
    ];
    for (const name of golden) {
      writeFileSync(paths.log, readFileSync(new URL(name, GOLDEN)));
      write();
      lines.push(`${name} ${contentHash()}`);
    }
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(`golden/checkpoint-${CHECKPOINT_FORMAT}.md`);
  });

  it('is read by pages: a verb about one task reads few of them', () => {
    openBoard(paths, ['ada'], 2_000);
    write();
    const bytes = statSync(paths.checkpoint).size;
    const counted = countingDisk();
    const store = open(counted.disk);
    expect(resolveTask(store.fold(), '1234').subject).toBe('Task 1234');
    expect(resolveTask(store.board, 'Task 77').id).toBe('77');
    expect([...store.log.historyOf('1234')].map(({ event }) => event.type)).toEqual(['task.created']);
    expect(counted.bytes).toBeLessThan(bytes / 5);
    store.close();
    // So does a lead, with the past of all members and no task of it.
    counted.bytes = 0;
    const led = lead(counted.disk);
    led.fold();
    expect([...led.past.unblocked]).toEqual([]);
    expect([...led.log.changedSince(statSync(paths.log).size)]).toEqual([]);
    expect(counted.bytes).toBeLessThan(bytes / 5);
    led.close();
  });

  it('is not read for a record that is newer than all of its own', () => {
    openBoard(paths, ['ada'], 200);
    write();
    let checkpoint = -1;
    let reads = 0;
    const disk: Disk = {
      ...realDisk,
      openSync: (path, ...rest) => {
        const fd = realDisk.openSync(path, ...rest);
        if (path === paths.checkpoint) checkpoint = fd;
        return fd;
      },
      readSync: ((...call: Parameters<Disk['readSync']>) => {
        if (call[0] === checkpoint) reads += 1;
        return realDisk.readSync(...call);
      }) as Disk['readSync'],
    };
    const store = open(disk);
    store.fold();
    reads = 0;
    const joined = (member: string): string =>
      lineOf(eventAt({ type: 'member.joined', name: name(member), role: name('executor'), prefixes: [] }));
    appendFileSync(paths.log, Array.from({ length: 20 }, (_, at) => joined(`m${at}`)).join(''));
    expect(store.fold().members.size).toBe(21);
    expect(reads).toBe(0);
    // One of its own may come again; that one is looked for.
    const [, first] = readFileSync(paths.log, 'utf8').split('\n');
    appendFileSync(paths.log, `\n${first}\n`);
    const { seen } = store.board;
    const before = seen.size;
    expect(store.fold().seen.size).toBe(before);
    expect(reads).toBe(1);
    store.close();
  });

  it('of a team that goes on is made anew from the last one, with changed and new tasks', async () => {
    openBoard(paths, ['ada'], 40);
    for (let round = 0; round < 5; round += 1) {
      write();
      const store = open();
      const say = (body: Parameters<typeof store.append>[1]) => store.append(PERSON, body);
      for (let n = 0; n < 30; n += 1)
        await say((board) => ({
          type: 'task.created',
          task: String(board.lastTaskId + 1),
          fields: task(`More ${round} ${n}`),
        }));
      await say(() => ({ type: 'task.blocked', task: '3', by: String(10 + round) }));
      await say(() => ({ type: 'task.updated', task: '5', subject: `CODE-10${round} Renamed` }));
      await say(() => ({ type: 'task.cancelled', task: String(20 + round), why: 'no' }));
      store.close();
    }
    write();
    const [store, plain] = [open(), boardOf(paths)];
    expect(whole(store.fold(), [])).toEqual(whole(plain.fold(), []));
    expect(resolveTask(store.board, 'CODE-104').id).toBe('5');
    expect(() => resolveTask(store.board, 'CODE-103')).toThrow('There is no task');
    expect(store.board.seen.size).toBe(plain.board.seen.size);
    for (const one of [store, plain]) one.close();
  });

  it('is only written where it saves more than a verb costs, and by nobody who may not write', () => {
    openBoard(paths, ['ada'], 20);
    const store = new BoardStore(paths.log, {
      disk: realDisk,
      clock: realClock,
      checkpoint: { path: paths.checkpoint },
    });
    store.fold();
    for (const _ of store.checkpointed());
    expect(existsSync(paths.checkpoint)).toBe(false);
    store.close();
  });

  it('tells the lead which tasks changed from an offset of the covered part on, and of its bad lines', async () => {
    openBoard(paths, ['ada'], 40);
    appendFileSync(paths.log, 'noise\n');
    const shown = statSync(paths.log).size;
    const store = open();
    await store.append(PERSON, () => ({ type: 'task.cancelled', task: '7', why: 'no' }));
    await store.append(PERSON, () => ({ type: 'task.created', task: '41', fields: task('Task 41') }));
    store.close();
    write();
    const led = lead();
    led.fold();
    expect([...led.log.changedSince(shown)].filter((id) => id !== undefined)).toEqual(['7', '41']);
    expect([...led.log.changedSince(statSync(paths.log).size)]).toEqual([]);
    expect(led.takeNoise()).toEqual([{ at: shown - 6, end: shown, lines: 1, why: expect.any(String) as string }]);
    led.close();
    // A checkpoint that is made from the last one keeps them.
    appendFileSync(paths.log, 'more\n');
    write();
    const next = lead();
    next.fold();
    expect(next.takeNoise().map(({ lines }) => lines)).toEqual([1, 1]);
    next.close();
  });

  it('that cannot be written is no error, and leaves no file', () => {
    openBoard(paths, ['ada'], 20);
    const full: Disk = {
      ...realDisk,
      fsyncSync: () => {
        throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      },
    };
    const store = open(full);
    store.fold();
    for (const _ of store.checkpointed());
    store.close();
    expect(readdirSync(dirname(paths.checkpoint))).toEqual(['log.jsonl']);
  });

  it('whose writer stops between two steps leaves no file', () => {
    openBoard(paths, ['ada'], 2_000);
    let at = 0;
    for (let stop = 1; at < stop - 1 || stop === 1; stop += 17) {
      const store = open();
      store.fold();
      at = 0;
      for (const _ of store.checkpointed()) {
        at += 1;
        if (at === stop) break;
      }
      store.close();
      expect(readdirSync(dirname(paths.checkpoint)).filter((file) => file.endsWith('.tmp'))).toEqual([]);
      if (existsSync(paths.checkpoint)) break;
    }
    expect(existsSync(paths.checkpoint)).toBe(true);
  });
});

/** Changes a byte of a page. */
function damage(page: number): void {
  const reader = new PageReader(realDisk, paths.checkpoint);
  const at = readFileSync(paths.checkpoint).indexOf(reader.page(page));
  reader.close();
  const bytes = readFileSync(paths.checkpoint);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(paths.checkpoint, bytes);
}

describe('a checkpoint that does not fit is not believed', () => {
  /** A board whose tasks, requests and indices are all used. */
  function expectTruth(): void {
    const [store, plain] = [lead(), boardOf(paths)];
    const ids = [...plain.fold().seen];
    expect(whole(store.fold(), ids)).toEqual(whole(plain.board, ids));
    expect(store.board.seen.has('01ARZ3NDEKTSV4RRFFQ69G5FAV')).toBe(false);
    expect(pastIn(store)).toEqual(pastOfLog());
    for (const one of [store, plain]) one.close();
  }

  it('with any byte changed', () => {
    openBoard(paths, ['ada'], 3);
    write();
    const good = readFileSync(paths.checkpoint);
    expectTruth();
    for (let at = 0; at < good.length; at += 1) {
      const bad = Buffer.from(good);
      bad[at] = (bad[at] ?? 0) ^ (1 << (at % 8));
      writeFileSync(paths.checkpoint, bad);
      expectTruth();
    }
  }, 180_000);

  it('cut off at any byte', () => {
    openBoard(paths, ['ada'], 3);
    write();
    for (let size = statSync(paths.checkpoint).size - 1; size >= 0; size -= 1) {
      truncateSync(paths.checkpoint, size);
      expectTruth();
    }
  });

  it('of another log of the same length, of an older state of the disk, or of a copied log', () => {
    openBoard(paths, ['ada'], 5);
    write();
    const other = teamAt(tempDir());
    openBoard(other, ['bob'], 5);
    expect(statSync(other.log).size).toBe(statSync(paths.log).size);
    copyFileSync(other.log, paths.log);
    expectTruth();
    // The log is shorter than the checkpoint says: a backup of the log came back.
    write();
    truncateSync(paths.log, ends(readFileSync(paths.log, 'utf8')).at(-4) ?? 0);
    expectTruth();
    // A copy has another inode.
    write();
    const { disk, reads } = counting();
    const copied = join(dirname(paths.log), 'copy');
    copyFileSync(paths.log, copied);
    realDisk.renameSync(copied, paths.log);
    const store = open(disk);
    store.fold();
    expect(store.offset).toBe(statSync(paths.log).size);
    expect(reads()).toBe(1);
    store.close();
    expectTruth();
  });

  it.each([
    ['of an earlier format', { format: CHECKPOINT_FORMAT - 1 }, 0],
    ['of a later format', { format: CHECKPOINT_FORMAT + 1 }, 0],
    ['whose header has another field', { extra: 1 }, 0],
    ['without a list that its header names', {}, 1],
  ])('%s, though every checksum fits: it is made anew', (_, change, dropped) => {
    openBoard(paths, ['ada'], 30);
    write();
    const good = new PageReader(realDisk, paths.checkpoint);
    const temp = join(dirname(paths.checkpoint), 'made');
    const made = new PageWriter(realDisk, temp);
    for (let page = 0; page < good.pages - dropped; page += 1) made.add(good.page(page));
    made.finish({ ...(good.header as object), ...change });
    good.close();
    renameSync(temp, paths.checkpoint);
    expect(() => openCheckpoint(realDisk, paths.checkpoint, new Journal(realDisk, paths.log))).toThrow(Doubt);
    expectTruth();
    write();
    const next = openCheckpoint(realDisk, paths.checkpoint, new Journal(realDisk, paths.log));
    expect(next.header.format).toBe(CHECKPOINT_FORMAT);
    next.close();
  });

  it('with a damaged page of the past: the lead folds the log anew, and the next checkpoint has the past', () => {
    openBoard(paths, ['ada'], 30);
    write();
    const { pages } = new PageReader(realDisk, paths.checkpoint);
    const past = pastOfLog();
    for (const page of [pages - 1, pages - 4]) {
      damage(page);
      const led = lead();
      led.fold();
      expect(pastIn(led)).toEqual(past);
      expect([...pendingTasks(led.board)].length).toBe(30);
      for (const _ of led.checkpointed());
      led.close();
      const next = lead();
      next.fold();
      expect([pastIn(next), [...next.log.changedSince(0)].length]).toEqual([past, 30]);
      next.close();
    }
  });

  it('an older one is believed for what it covers', async () => {
    openBoard(paths, ['ada'], 5);
    write();
    const [store] = [open()];
    for (let id = 6; id < 40; id += 1)
      await store.append(PERSON, () => ({ type: 'task.created', task: String(id), fields: task(`Task ${id}`) }));
    store.close();
    expectTruth();
  });

  it.each([
    ['a symbolic link', () => symlinkSync(join(dirname(paths.log), 'kept'), paths.checkpoint)],
    ['a file with several links', () => linkSync(join(dirname(paths.log), 'kept'), paths.checkpoint)],
    ['a directory', () => mkdirSync(paths.checkpoint)],
    ['an empty file', () => writeFileSync(paths.checkpoint, '')],
  ])('that is %s', (_, plant) => {
    openBoard(paths, ['ada'], 3);
    write();
    renameSync(paths.checkpoint, join(dirname(paths.log), 'kept'));
    plant();
    expectTruth();
  });

  it('is made anew by the next writer that saw the damage', () => {
    openBoard(paths, ['ada'], 50);
    write();
    const good = readFileSync(paths.checkpoint);
    const bad = Buffer.from(good);
    bad[10] = 0;
    writeFileSync(paths.checkpoint, bad);
    const store = open();
    expect(store.fold().tasks.get('1')?.subject).toBe('Task 1');
    for (const _ of store.checkpointed());
    store.close();
    expect(readFileSync(paths.checkpoint).length).toBe(good.length);
    const { disk, reads } = counting();
    const again = open(disk);
    expect(again.fold().tasks.get('1')?.subject).toBe('Task 1');
    expect(reads()).toBe(1);
    again.close();
  });

  it('a newer record in the tail ends the fold as it does without a checkpoint', () => {
    openBoard(paths, ['ada'], 5);
    write();
    appendFileSync(paths.log, `\n{"id":"01ARZ3NDEKTSV4RRFFQ69G5FAV","v":99,"type":"x","author":{}}\n`);
    const store = open();
    expect(() => store.fold()).toThrow(expect.objectContaining({ code: 'NEWER_VERSION' }));
    store.close();
  });
});
