/**
 * The meaning of log version 1 is frozen: each log has the hash of the board that it folds to. A different hash is a
 * change of meaning and needs a new log version; nothing here rewrites a hash. `GOLDEN=new npx vitest run
 * test/model/board/golden.test.ts` freezes a new scenario once. It never touches an existing file.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { advance } from '../../../src/model/board/advance.ts';
import { emptyBoard, type Board } from '../../../src/model/board/board.ts';
import { parseBoardLine } from '../../../src/model/board/board-line.ts';
import { SCENARIOS } from './golden/scenarios.ts';
import { hash } from '../world.ts';

const FOLDER = new URL('golden/', import.meta.url);
const file = (name: string): URL => new URL(name, FOLDER);

function fold(log: string): Board {
  const board = emptyBoard();
  for (const line of log.split('\n')) {
    const parsed = parseBoardLine(line);
    if (parsed.kind === 'event') advance(board, parsed.event);
  }
  return board;
}

if (process.env['GOLDEN'] === 'new')
  for (const [name, make] of Object.entries(SCENARIOS)) {
    if (existsSync(file(`${name}.jsonl`))) continue;
    // As the store writes records: a newline before each one and one at the end.
    const log = make()
      .map((line) => `\n${line}\n`)
      .join('');
    writeFileSync(file(`${name}.jsonl`), log, { flag: 'wx' });
    writeFileSync(file(`${name}.hash`), `${hash(fold(log))}\n`, { flag: 'wx' });
  }

const logs = readdirSync(FOLDER).filter((name) => name.endsWith('.jsonl'));

it('every scenario is frozen', () =>
  expect(logs.toSorted()).toEqual(
    Object.keys(SCENARIOS)
      .map((name) => `${name}.jsonl`)
      .toSorted(),
  ));

it.each(logs)('%s folds to its frozen board', (name) => {
  const board = fold(readFileSync(file(name), 'utf8'));
  expect(board.team).toBeDefined();
  expect(hash(board)).toBe(readFileSync(file(name.replace('.jsonl', '.hash')), 'utf8').trim());
});
