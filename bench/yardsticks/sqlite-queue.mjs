/**
 * A SQLite table as a queue: a batch is one transaction; the consumer looks every millisecond, takes 1,000 and deletes
 * them.
 */
import { setTimeout } from 'node:timers/promises';
import { openDatabase } from './sqlite.mjs';

export function prepare(dir) {
  const database = openDatabase(dir);
  database.exec('CREATE TABLE mail (id INTEGER PRIMARY KEY, content TEXT)');
  database.close();
}

export function producer({ dir }) {
  const database = openDatabase(dir);
  const insert = database.prepare('INSERT INTO mail (content) VALUES (?)');
  const insertAll = database.transaction((bodies) => {
    for (const body of bodies) insert.run(body);
  });
  return { add: (bodies) => insertAll.immediate(bodies) };
}

export function consumer({ dir }, onBody) {
  const database = openDatabase(dir);
  const select = database.prepare('SELECT id, content FROM mail ORDER BY id LIMIT 1000');
  const remove = database.prepare('DELETE FROM mail WHERE id <= ?');
  const take = database.transaction(() => {
    const rows = select.all();
    if (rows.length > 0) remove.run(rows.at(-1).id);
    return rows;
  });
  const read = async () => {
    for (;;) {
      const rows = take.immediate();
      for (const { content } of rows) onBody(content);
      await setTimeout(rows.length > 0 ? 0 : 1);
    }
  };
  return { start: () => void read() };
}
