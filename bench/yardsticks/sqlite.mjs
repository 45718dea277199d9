/** Opens a SQLite database with the best settings for a queue: WAL, and a long busy timeout. */
import Database from 'better-sqlite3';
import { join } from 'node:path';

/** @param flush `NORMAL`: a power loss may take the last commits; `FULL`: each commit is on the disk */
export function openDatabase(dir, flush = 'NORMAL') {
  const database = new Database(join(dir, 'queue.db'), { timeout: 30_000 });
  database.pragma('journal_mode = WAL');
  database.pragma(`synchronous = ${flush}`);
  return database;
}
