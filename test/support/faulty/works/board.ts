/** Claiming and completing, each with the checks after a fault in it. */
import { expect } from 'vitest';
import type { Author } from '../../../../src/model/board/event.ts';
import { LEAD } from '../../../../src/model/text/names.ts';
import type { BoardStore } from '../../../../src/store/board/board.ts';
import { hashText, keepResult, readResult } from '../../../../src/store/board/results.ts';
import { openStore, type TeamStore } from '../../../../src/store/team/team-store.ts';
import { boardFromCheckpoint, keepCheckpoint } from '../../checkpoint.ts';
import { task } from '../../team.ts';
import { ADA, type Work } from '../trial.ts';

const LIFE = '01AAAAAAAAAAAAAAAAAAAAAAAA';
const MEMBER: Author = { by: ADA, inc: LIFE };

const startLife = (store: TeamStore): void => {
  const started = store.board.appendNow(MEMBER, () => ({ type: 'member.started', name: ADA, inc: LIFE, after: null }));
  expect(started.outcome.ok).toBe(true);
};

export const claim: Work = {
  name: 'claim',
  prepare: startLife,
  async run(world, disk) {
    const store = openStore(world.paths, world.options(disk));
    const { outcome } = store.board.appendNow(MEMBER, () => ({ type: 'task.claimed', task: '1', member: ADA }));
    if (outcome.ok) world.told.add('claimed');
    await store.close();
  },
  check(store, { told, fault }) {
    const one = store.board.fold().tasks.get('1');
    expect(['pending', 'in_progress']).toContain(one?.status);
    if (told.has('claimed') && fault !== 'power loss after') expect(one?.status).toBe('in_progress');
    expect(one?.claims ?? 0).toBeLessThanOrEqual(1);
    const again = store.board.appendNow(MEMBER, () => ({ type: 'task.claimed', task: '1', member: ADA }));
    expect(again.outcome.ok).toBe(true);
  },
};

const subjects = (board: BoardStore): string[] => [...board.fold().tasks.values()].map(({ subject }) => subject);

/** A checkpoint is there, and the next one is made from it. */
export const checkpoint: Work = {
  name: 'checkpoint',
  prepare(store) {
    const add = (subject: string): void => {
      const { epoch } = store.board.fold().lead;
      store.board.appendNow({ person: LEAD, epoch }, (board) => ({
        type: 'task.created',
        task: String(board.lastTaskId + 1),
        fields: task(subject),
      }));
    };
    for (let n = 0; n < 20; n += 1) add(`Old ${n}`);
    keepCheckpoint(store.paths);
    for (let n = 0; n < 20; n += 1) add(`New ${n}`);
  },
  async run({ paths }, disk) {
    keepCheckpoint(paths, disk);
    return Promise.resolve();
  },
  check({ paths, board }, _, time) {
    const expected = subjects(board);
    expect(expected).toHaveLength(41);
    const begun = boardFromCheckpoint(paths);
    expect(subjects(begun)).toEqual(expected);
    expect(begun.board.seen.size).toBe(board.board.seen.size);
    begun.close();
    if (time === 1) keepCheckpoint(paths);
  },
};

const RESULT = 'It is done.';

export const complete: Work = {
  name: 'complete',
  prepare(store) {
    startLife(store);
    store.board.appendNow(MEMBER, () => ({ type: 'task.claimed', task: '1', member: ADA }));
  },
  async run(world, disk) {
    const store = openStore(world.paths, world.options(disk));
    if (completed(store)) world.told.add('completed');
    await store.close();
  },
  check(store, { told }, time) {
    const one = store.board.fold().tasks.get('1');
    expect(['completed', 'in_progress']).toContain(one?.status);
    if (told.has('completed') || time === 2) expect(one?.status).toBe('completed');
    if (one?.status !== 'completed') {
      expect(completed(store)).toBe(true);
      return;
    }
    const text = readResult(store.disk, store.paths, '1', 1) ?? '';
    expect(hashText(text)).toBe(one.result.hash);
  },
};

function completed(store: TeamStore): boolean {
  keepResult(store.disk, store.paths, '1', 1, RESULT);
  const result = { summary: RESULT, files: [], hash: hashText(RESULT) };
  return store.board.appendNow(MEMBER, () => ({ type: 'task.completed', task: '1', epoch: 1, result })).outcome.ok;
}
