/** One board.json under a lock: read all, change one task, replace all. */
import { closeSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

const boardIn = (dir) => join(dir, 'board.json');

function replace(dir, board) {
  const temp = `${boardIn(dir)}.${process.pid}.tmp`;
  writeFileSync(temp, JSON.stringify(board));
  renameSync(temp, boardIn(dir));
}

async function locked(dir, change) {
  const lock = join(dir, 'board.lock');
  for (;;) {
    try {
      closeSync(openSync(lock, 'wx'));
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      await setTimeout(1);
    }
  }
  try {
    const board = JSON.parse(readFileSync(boardIn(dir), 'utf8'));
    const answer = change(board);
    if (answer !== undefined) replace(dir, board);
    return answer;
  } finally {
    rmSync(lock, { force: true });
  }
}

export const prepare = (dir, tasks) =>
  replace(
    dir,
    Array.from({ length: tasks }, (_, n) => ({ id: String(n + 1), subject: `Task ${n + 1}`, status: 'pending' })),
  );

export const claimant = ({ dir, index }) => ({
  async next() {
    const id = await locked(dir, (board) => {
      const task = board.find(({ status }) => status === 'pending');
      return task && Object.assign(task, { status: 'in_progress', owner: `w${index}` }).id;
    });
    if (id !== undefined)
      await locked(dir, (board) => Object.assign(board[id - 1], { status: 'completed', result: 'done' }).id);
    return id;
  },
});
