/** Appends of a board whose order is not made by its file: nothing is folded before it is there, and nothing is lost. */
import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Board } from '../../../src/model/board/board.ts';
import { LEAD } from '../../../src/model/text/names.ts';
import { BoardStore } from '../../../src/store/board/board.ts';
import { realDisk } from '../../../src/store/files/disk.ts';
import { Journal } from '../../../src/store/files/journal.ts';
import type { TeamPaths } from '../../../src/store/files/paths.ts';
import { realClock } from '../../support/clock.ts';
import { openBoard, PERSON, task, teamAt } from '../../support/team.ts';
import { tempDir } from '../../support/temp.ts';

const INC = '0'.repeat(26);

let paths: TeamPaths;
let journal: Journal;
beforeEach(() => {
  paths = teamAt(tempDir());
  openBoard(paths, ['ada']);
  journal = new Journal(realDisk, paths.log);
  return () => journal.close();
});

/** An order that is made elsewhere: lines wait until `put` brings the next one into the file. */
function elsewhere() {
  const waiting: { readonly line: string; readonly done: () => void; readonly fail: (error: Error) => void }[] = [];
  const commit = (line: string): Promise<void> =>
    new Promise((done, fail) => {
      waiting.push({ line, done, fail });
    });
  const put = (): void => {
    const next = waiting.shift();
    if (next === undefined) throw new Error('Nothing waits.');
    journal.appendText(next.line);
    next.done();
  };
  return { commit, put, waiting };
}

const boardWith = (commit: (line: string) => Promise<void>): BoardStore =>
  new BoardStore(paths.log, { disk: realDisk, clock: realClock, commit });

const add = (store: BoardStore, subject: string) =>
  store.append(PERSON, (board) => ({
    type: 'task.created',
    task: String(board.lastTaskId + 1),
    fields: task(subject),
  }));

describe('an awaited append', () => {
  it('a record is written by nobody but the order, and folded only when it is in the file', async () => {
    const { commit, put, waiting } = elsewhere();
    const store = boardWith(commit);
    const before = readFileSync(paths.log);
    const made = add(store, 'a');
    expect(waiting).toHaveLength(1);
    expect(readFileSync(paths.log).equals(before)).toBe(true);
    expect(store.fold().tasks.size).toBe(0);
    put();
    expect((await made).outcome).toEqual({ ok: true, changed: ['1'] });
    expect(store.board.tasks.size).toBe(1);
    store.close();
  });

  it('other code that folds meanwhile takes no outcome away', async () => {
    const { commit, put } = elsewhere();
    const store = boardWith(commit);
    const made = add(store, 'a');
    put();
    expect(store.fold().tasks.size).toBe(1);
    expect((await made).outcome).toEqual({ ok: true, changed: ['1'] });
    store.close();
  });

  it('of two appends of one process that wait together each gets its own outcome', async () => {
    const { commit, put, waiting } = elsewhere();
    const store = boardWith(commit);
    const made = [add(store, 'a'), add(store, 'b')];
    put();
    put();
    // Both were built with the same number: the second one is built anew.
    await expect.poll(() => waiting.length).toBe(1);
    put();
    expect((await Promise.all(made)).map(({ outcome }) => outcome)).toEqual([
      { ok: true, changed: ['1'] },
      { ok: true, changed: ['2'] },
    ]);
    expect([...store.board.tasks.values()].map(({ subject }) => subject)).toEqual(['a', 'b']);
    store.close();
  });

  it.each([
    [
      'of a person is made again under the next lead',
      (board: Board) => ({ person: LEAD, epoch: board.lead.epoch }),
      true,
    ],
    ['of a lead that was replaced is refused', () => ({ lead: INC, epoch: 0 }), false],
  ])('a change %s', async (_what, author, isMade) => {
    const { commit, put, waiting } = elsewhere();
    const store = boardWith(commit);
    const made = store.append(author, () => ({ type: 'task.created', task: '1', fields: task('a') }));
    const other = new BoardStore(paths.log, { disk: realDisk, clock: realClock });
    const took = other.appendNow({ lead: INC, epoch: 1 }, () => ({ type: 'lead.took', epoch: 1 }));
    expect(took.outcome).toMatchObject({ ok: true });
    other.close();
    put();
    if (isMade) {
      await expect.poll(() => waiting.length).toBe(1);
      put();
    }
    expect((await made).outcome.ok).toBe(isMade);
    expect(waiting).toHaveLength(0);
    expect(store.board.tasks.size).toBe(isMade ? 1 : 0);
    store.close();
  });

  it('an order that fails is told to its caller, and a record that was written all the same counts once', async () => {
    const { commit, put, waiting } = elsewhere();
    const store = boardWith(commit);
    const made = add(store, 'a');
    const [lost] = waiting.splice(0);
    if (lost === undefined) throw new Error('Nothing was written.');
    lost.fail(new Error('the order is away'));
    await expect(made).rejects.toThrow('the order is away');
    journal.appendText(lost.line);
    journal.appendText(lost.line);
    expect(store.fold().tasks.size).toBe(1);
    const next = add(store, 'b');
    put();
    expect((await next).outcome).toEqual({ ok: true, changed: ['2'] });
    store.close();
  });

  it('an order that says done without the record in the file is no success', async () => {
    const store = boardWith(() => Promise.resolve());
    await expect(add(store, 'a')).rejects.toMatchObject({ code: 'CORRUPT' });
    store.close();
  });

  it('an append on files has written its record when it returns, before anything is awaited', async () => {
    const store = new BoardStore(paths.log, { disk: realDisk, clock: realClock });
    const made = add(store, 'a');
    expect(readFileSync(paths.log, 'utf8')).toContain('"task.created"');
    expect((await made).outcome.ok).toBe(true);
    store.close();
  });
});
