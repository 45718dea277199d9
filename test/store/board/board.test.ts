/** The journal and the board that is folded from it: torn writes, races, noise. */
import {
  appendFileSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Body } from '../../../src/model/board/event.ts';
import type { BoardStore } from '../../../src/store/board/board.ts';
import type { Folded } from '../../../src/store/board/fold-line.ts';
import { BoardStore as Store } from '../../../src/store/board/board.ts';
import { realDisk } from '../../../src/store/files/disk.ts';
import { Journal } from '../../../src/store/files/journal.ts';
import { LINE_LIMIT, lines } from '../../../src/store/files/lines.ts';
import type { TeamPaths } from '../../../src/store/files/paths.ts';
import { pinDirectory } from '../../../src/store/files/pinned.ts';
import { realClock } from '../../support/clock.ts';
import { errno, writing } from '../../support/faults.ts';
import { boardOf, eventOf, openBoard, PERSON, task, teamAt } from '../../support/team.ts';
import { tempDir } from '../../support/temp.ts';
import { together, until } from '../../support/workers.ts';

let root = '';
let file = '';
let paths: TeamPaths;
beforeEach(() => {
  root = tempDir();
  file = join(root, 'journal.jsonl');
  paths = teamAt(root);
});

const texts = (path = file): unknown[] => {
  const journal = new Journal(realDisk, path);
  const all = [...journal.read()].map((line) =>
    line.kind === 'text' ? (JSON.parse(line.text) as unknown) : line.kind,
  );
  journal.close();
  return all;
};

describe('a journal', () => {
  it('a journal keeps a torn fragment from swallowing the next record', () => {
    writeFileSync(file, '\n{"n":1}\n\n{"n":2,"text":"kil');
    const journal = new Journal(realDisk, file);
    journal.append({ n: 3 });
    const read = [...journal.read()];
    expect(read.map((line) => line.kind === 'text' && line.text)).toEqual(['{"n":1}', '{"n":2,"text":"kil', '{"n":3}']);
    journal.close();
  });

  it('a journal reads nothing of an unterminated tail, and all of it once it is terminated', () => {
    const journal = new Journal(realDisk, file, { create: true });
    journal.append({ n: 1 });
    const end = statSync(file).size;
    appendFileSync(file, '\n{"n":2}');
    const reader = journal.read(end);
    expect(reader.next()).toEqual({ done: true, value: end + 1 });
    appendFileSync(file, '\n');
    expect([...journal.read(end + 1)]).toEqual([{ kind: 'text', text: '{"n":2}', at: end + 1, end: end + 9 }]);
    journal.close();
  });

  it.each([
    ['without create', false],
    ['with create for the first append only', 'once'],
  ] as const)('a journal %s is not created again after it was removed or replaced', (_, create) => {
    if (create === false) writeFileSync(file, '');
    const journal = new Journal(realDisk, file, { create });
    journal.append({ n: 1 });
    rmSync(file);
    for (let again = 0; again < 2; again += 1)
      expect(() => journal.append({ n: 2 })).toThrow(expect.objectContaining({ code: 'TEAM_GONE' }));
    expect(() => statSync(file)).toThrow('ENOENT');
    journal.close();
  });

  it('a journal that was moved gets no more writes', () => {
    const journal = new Journal(realDisk, file, { create: 'once' });
    journal.append({ n: 1 });
    renameSync(file, join(root, 'moved'));
    writeFileSync(file, 'another');
    expect(() => journal.append({ n: 2 })).toThrow(expect.objectContaining({ code: 'TEAM_GONE' }));
    expect(readFileSync(file, 'utf8')).toBe('another');
    journal.close();
  });

  it('a journal with create is created again', () => {
    const journal = new Journal(realDisk, file, { create: true });
    journal.append({ n: 1 });
    rmSync(file);
    journal.append({ n: 2 }, { durable: true });
    expect(texts()).toEqual([{ n: 2 }]);
    journal.close();
  });

  it('a journal can be read while an append fails', () => {
    const journal = new Journal(
      writing((bytes) => (bytes.includes('"bad"') ? 'ENOSPC' : undefined)),
      file,
      { create: true },
    );
    for (let n = 0; n < 3; n += 1) journal.append({ n });
    const reader = journal.read();
    reader.next();
    expect(() => journal.append({ bad: 1 }, { durable: true })).toThrow(expect.objectContaining({ code: 'NO_SPACE' }));
    expect([...reader]).toHaveLength(2);
    journal.append({ n: 3 });
    expect(texts()).toHaveLength(4);
    journal.close();
  });

  it.each([
    ['a symbolic link', () => symlinkSync(join(root, 'target'), file)],
    [
      'a hard link',
      () => {
        writeFileSync(join(root, 'secret'), 'x');
        linkSync(join(root, 'secret'), file);
      },
    ],
    ['a directory', () => mkdirSync(file)],
  ])('a journal refuses %s in its place', (_, plant) => {
    plant();
    const journal = new Journal(realDisk, file, { create: true });
    expect(() => journal.append({ n: 1 })).toThrow(expect.objectContaining({ code: 'CORRUPT' }));
    expect(() => statSync(join(root, 'target'))).toThrow('ENOENT');
  });

  it('a journal keeps all records of eight processes whole and in order, though one is killed', async () => {
    const workers = await together(
      root,
      'append',
      Array.from({ length: 9 }, (_, writer) => ({ file, writer, times: 500 })),
    );
    const victim = workers.pop();
    await until(() => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 100_000);
    await victim?.kill();
    for (const worker of workers) expect(await worker.result()).toEqual({ done: 500 });
    const records = texts() as { writer: number; n: number }[];
    for (let writer = 0; writer < 8; writer += 1)
      expect(records.filter((record) => record.writer === writer).map(({ n }) => n)).toEqual(
        Array.from({ length: 500 }, (_, n) => n),
      );
  });
});

describe('lines', () => {
  const read = (content: string | Buffer, limit?: number) => {
    writeFileSync(file, content);
    const fd = realDisk.openSync(file, 'r');
    const all = [...lines(realDisk, fd, 0, limit)];
    realDisk.closeSync(fd);
    return all;
  };

  it('lines are whole across chunks, with their offsets', () => {
    const long = 'ä'.repeat(50_000);
    const read3 = read(`${long}\n\nb\nrest`);
    expect(read3).toEqual([
      { kind: 'text', text: long, at: 0, end: 100_001 },
      { kind: 'text', text: 'b', at: 100_002, end: 100_004 },
    ]);
  });

  it('a line that is too long is reported, and reading goes on behind it', () => {
    expect(read(`${'x'.repeat(200_000)}\nb\n${'y'.repeat(11)}\n${'z'.repeat(10)}\n`, 10)).toMatchObject([
      { kind: 'oversized', at: 0, end: 200_001 },
      { kind: 'text', text: 'b' },
      { kind: 'oversized', at: 200_003 },
      { kind: 'text', text: 'zzzzzzzzzz' },
    ]);
  });

  it('invalid UTF-8 is reported with its bytes; NULs and a BOM are text', () => {
    expect(
      read(Buffer.from([0xff, 0xfe, 10, 0, 0, 10, 0xef, 0xbb, 0xbf, 0x61, 10, 0xed, 0xa0, 0x80, 10])),
    ).toMatchObject([
      { kind: 'invalid', bytes: Buffer.from([0xff, 0xfe]) },
      { kind: 'text', text: '\0\0' },
      { kind: 'text', text: '\uFEFFa' },
      { kind: 'invalid', bytes: Buffer.from([0xed, 0xa0, 0x80]) },
    ]);
  });

  it('a line at the size limit of mail is kept in memory', () => {
    expect(read(`${'x'.repeat(LINE_LIMIT)}\n${'x'.repeat(LINE_LIMIT + 1)}\n`).map((line) => line.kind)).toEqual([
      'text',
      'oversized',
    ]);
  });
});

describe('the board', () => {
  const opened = (more: object = {}): BoardStore => new Store(paths.log, { disk: realDisk, clock: realClock, ...more });
  const add = (store: BoardStore, subject: string) =>
    store.appendNow(PERSON, (board) => ({
      type: 'task.created',
      task: String(board.lastTaskId + 1),
      fields: task(subject),
    }));

  it('each task that sixteen claimants want goes to exactly one', async () => {
    const members = Array.from({ length: 16 }, (_, index) => `m${index}`);
    const incs = openBoard(paths, members, 40);
    const options = members.map((member) => ({ root, team: 'login', member, inc: incs[member], tasks: 40 }));
    const workers = await together(root, 'claim', options);
    const results = await Promise.all(workers.map((worker) => worker.result<{ won: string[] }>()));
    const won = results.flatMap((result) => result?.won ?? []);
    expect(won.length).toBe(40);
    expect(new Set(won).size).toBe(40);
    const store = boardOf(paths);
    for (const [id, one] of store.fold().tasks) {
      const winner = members[results.findIndex((result) => result?.won.includes(id))];
      expect(one).toMatchObject({ status: 'completed', by: { member: winner, epoch: 1 } });
    }
    store.close();
  });

  it('every task that eight processes create gets its own id, and none is lost', async () => {
    const members = Array.from({ length: 8 }, (_, index) => `m${index}`);
    const incs = openBoard(paths, members);
    const options = members.map((member) => ({ root, team: 'login', member, inc: incs[member], times: 25 }));
    const workers = await together(root, 'create', options);
    const results = await Promise.all(workers.map((worker) => worker.result<{ ids: string[] }>()));
    const ids = results.flatMap((result) => result?.ids ?? []);
    expect(ids.map(Number).sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
    const store = boardOf(paths);
    expect(new Set([...store.fold().tasks.values()].map(({ subject }) => subject)).size).toBe(200);
    store.close();
  });

  it('an append is not repeated after a refusal for another reason', () => {
    openBoard(paths, ['ada']);
    const store = opened();
    let built = 0;
    const twice = () =>
      store.appendNow(PERSON, (board) => {
        built += 1;
        return { type: 'task.created', task: String(board.lastTaskId + 1), fields: { ...task('a'), key: 'k' } };
      });
    expect(twice().outcome.ok).toBe(true);
    expect(twice().outcome).toMatchObject({ ok: false, code: 'DUPLICATE' });
    expect(built).toBe(2);
    store.close();
  });

  it('a create is repeated if another process took the id in between', () => {
    openBoard(paths, ['ada']);
    const other = opened();
    const store = opened();
    let built = 0;
    const made = store.appendNow(PERSON, (board) => {
      built += 1;
      if (built === 1) add(other, 'first');
      return { type: 'task.created', task: String(board.lastTaskId + 1), fields: task('second') };
    });
    expect([built, made.outcome]).toEqual([2, { ok: true, changed: ['2'] }]);
    expect([...store.board.tasks.values()].map(({ subject }) => subject)).toEqual(['first', 'second']);
    for (const one of [store, other]) one.close();
  });

  it('nothing is appended if the change is refused before', () => {
    openBoard(paths, ['ada']);
    const store = opened();
    const size = statSync(paths.log).size;
    expect(store.appendNow(PERSON, () => ({ ok: false, code: 'FINAL', why: 'no' })).outcome).toMatchObject({
      code: 'FINAL',
    });
    expect(statSync(paths.log).size).toBe(size);
    store.close();
  });

  it.each([
    [{ type: 'task.updated', task: '1', subject: '' }, 'Expected "subject" not to be empty.'],
    [
      { type: 'task.skipped', task: '1', cascade: false, why: 'x'.repeat(5_000) },
      'Expected "why" to have at most 4096 characters.',
    ],
    [
      { type: 'batch', changes: [{ type: 'task.retried', task: '1', note: 'x'.repeat(5_000) }] },
      'Expected "note" to have at most 4096 characters.',
    ],
  ] satisfies [Body, string][])('nothing is appended that no reader would accept: %#', (change, message) => {
    openBoard(paths, ['ada'], 1);
    const store = opened();
    const before = readFileSync(paths.log, 'utf8');
    expect(() => store.appendNow(PERSON, () => change)).toThrow(expect.objectContaining({ code: 'USAGE', message }));
    expect(readFileSync(paths.log, 'utf8')).toBe(before);
    store.close();
  });

  it('the board stops at an event of a newer version: it neither folds past it nor appends', () => {
    openBoard(paths, ['ada']);
    const newer = { ...eventOf({ type: 'team.closing' }), v: 3, type: 'team.teleported' };
    const store = opened();
    store.fold();
    appendFileSync(paths.log, `\n${JSON.stringify(newer)}\n\n${JSON.stringify(eventOf({ type: 'team.closing' }))}\n`);
    const size = statSync(paths.log).size;
    for (let again = 0; again < 2; again += 1)
      expect(() => store.fold()).toThrow(
        expect.objectContaining({ code: 'NEWER_VERSION', path: paths.log, exitCode: 4 }),
      );
    expect(() => add(store, 'a')).toThrow(expect.objectContaining({ code: 'NEWER_VERSION' }));
    expect([store.board.phase, statSync(paths.log).size]).toEqual(['open', size]);
    store.close();
  });

  it('the board skips noise and reports where and why', () => {
    openBoard(paths, ['ada']);
    const at = statSync(paths.log).size;
    appendFileSync(
      paths.log,
      Buffer.concat(
        ['not json\n', '{"type":"x"}\n', '\0\0\n'].map((text) => Buffer.from(text)).concat(Buffer.from([0xff, 10])),
      ),
    );
    const store = opened();
    expect(add(store, 'a').outcome.ok).toBe(true);
    appendFileSync(paths.log, 'again\n');
    expect(add(store, 'b').outcome.ok).toBe(true);
    const noise = store.takeNoise();
    expect(noise.map((one) => [one.at - at, one.lines])).toEqual([
      [0, 4],
      [expect.any(Number), 1],
    ]);
    expect(noise[0]).toMatchObject({ end: at + 27, why: expect.stringContaining('JSON') as string });
    expect(store.takeNoise()).toEqual([]);
    store.close();
  });

  it('an event that is twice in the log counts once and is reported once', () => {
    openBoard(paths, ['ada']);
    const record = `\n${JSON.stringify(eventOf({ type: 'task.created', task: '1', fields: task('once') }))}\n`;
    appendFileSync(paths.log, record + record);
    const folded: Folded[] = [];
    const store = opened({ onFolded: (one: Folded) => folded.push(one) });
    expect(store.fold().tasks.size).toBe(1);
    const isCreate = ({ event }: Folded): boolean => event.type === 'task.created';
    expect(folded.filter(isCreate)).toHaveLength(1);
    expect([...store.log.history()].filter(isCreate)).toHaveLength(1);
    store.close();
  });

  it.each([
    ['a short write', (bytes: Buffer) => bytes.length - 5],
    ['a write of nothing', () => 0],
    ['a write that fails', () => 'EIO'],
  ])('the same event is appended again after %s, and counts once', (_, fault) => {
    openBoard(paths, ['ada']);
    let left = 1;
    const store = opened({ disk: writing((bytes) => (left-- > 0 ? fault(bytes) : undefined)) });
    expect(add(store, 'a').outcome).toEqual({ ok: true, changed: ['1'] });
    const other = opened();
    expect(other.fold().tasks.size).toBe(1);
    for (const one of [store, other]) one.close();
  });

  it('the same event is appended again on a new descriptor after a failed sync', () => {
    openBoard(paths, ['ada']);
    const synced: number[] = [];
    const fdatasyncSync = (fd: number): void => {
      synced.push(fd);
      if (synced.length === 1) throw errno('EIO');
    };
    const store = opened({ disk: { ...realDisk, fdatasyncSync } });
    expect(add(store, 'a').outcome.ok).toBe(true);
    expect(synced).toHaveLength(2);
    const ids = [...store.log.history()].map(({ event }) => event.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(store.board.tasks.size).toBe(1);
    store.close();
  });

  it('a disk that stays full is reported, and appends go on when it has space', () => {
    openBoard(paths, ['ada']);
    let full = true;
    const store = opened({ disk: writing((bytes) => (full ? Math.min(7, bytes.length) : undefined)) });
    expect(() => add(store, 'a')).toThrow(expect.objectContaining({ code: 'NO_SPACE', exitCode: 4 }));
    full = false;
    expect(add(store, 'b').outcome.ok).toBe(true);
    const other = opened();
    expect([...other.fold().tasks.values()].map(({ subject }) => subject)).toEqual(['b']);
    for (const one of [store, other]) one.close();
  });

  it('a board is gone with its file or its team, and is not created again', () => {
    openBoard(paths, ['ada']);
    const pinned = pinDirectory(realDisk, paths.folder);
    const store = opened({ pinned, create: true });
    add(store, 'a');
    rmSync(paths.log);
    expect(() => add(store, 'b')).toThrow(expect.objectContaining({ code: 'TEAM_GONE' }));
    expect(() => statSync(paths.log)).toThrow('ENOENT');
    rmSync(paths.folder, { recursive: true });
    mkdirSync(paths.folder);
    expect(() => add(store, 'b')).toThrow(expect.objectContaining({ code: 'TEAM_GONE' }));
    store.close();
    pinned.close();
  });

  it('a log that an earlier copy of it replaced is read no further, also after it has grown', () => {
    openBoard(paths, ['ada'], 2);
    const gone = expect.objectContaining({ code: 'TEAM_GONE' }) as unknown;
    const store = opened();
    store.fold();
    const earlier = readFileSync(paths.log);
    for (const subject of ['One', 'Two', 'Three']) add(store, subject);
    // As `cp` does: into the same file.
    writeFileSync(paths.log, earlier);
    expect(() => store.fold()).toThrow(gone);
    const other = opened();
    for (const subject of ['Uno', 'Dos', 'Tres', 'Cuatro']) add(other, subject);
    expect(() => store.fold()).toThrow(gone);
    expect(() => add(store, 'Four')).toThrow(gone);
    expect(() => store.foldSome(1)).toThrow(gone);
    expect(other.fold().tasks.size).toBe(6);
    for (const one of [store, other]) one.close();
  });

  it('events are reported in order with their outcomes, refusals included', () => {
    openBoard(paths, ['ada'], 1);
    const store = opened();
    store.appendNow(PERSON, () => ({ type: 'task.cancelled', task: '1', why: 'no need' }));
    store.appendNow(PERSON, () => ({ type: 'task.cancelled', task: '1', why: 'no need' }));
    const told = [...store.log.history()].map(({ event, outcome }) => `${event.type} ${outcome.ok}`);
    expect(told).toEqual([
      'log.opened true',
      'team.opened true',
      'member.joined true',
      'member.started true',
      'task.created true',
      'task.cancelled true',
      'task.cancelled false',
    ]);
    store.close();
  });

  it('says whether a fold would find something new', () => {
    openBoard(paths, ['ada'], 1);
    const store = opened();
    expect(store.isAtEnd()).toBe(false);
    store.fold();
    expect(store.isAtEnd()).toBe(true);
    const other = opened();
    add(other, 'Write the parser');
    other.close();
    expect(store.isAtEnd()).toBe(false);
    store.fold();
    expect(store.isAtEnd()).toBe(true);
    const log = readFileSync(paths.log, 'utf8');
    writeFileSync(paths.log, log.replace('Write the parser', 'Write the PARSER'));
    expect(store.isAtEnd()).toBe(false);
    expect(() => store.fold()).toThrow(/replaced|another/);
    store.close();
  });

  it('a fold within a fold is refused', () => {
    openBoard(paths, ['ada']);
    const store: BoardStore = opened({ onFolded: () => void store.fold() });
    expect(() => store.fold()).toThrow('after the fold');
    store.close();
  });
});
