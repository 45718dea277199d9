/** Messages as rows of a SQLite table; a batch is one transaction. */
import { openDatabase } from './sqlite.mjs';

export function prepare(dir) {
  const database = openDatabase(dir);
  database.exec('CREATE TABLE mail (id INTEGER PRIMARY KEY, sender TEXT, content TEXT, timestamp REAL)');
  database.close();
}

export function writer({ dir, who }) {
  const database = openDatabase(dir);
  const insert = database.prepare('INSERT INTO mail (sender, content, timestamp) VALUES (?, ?, ?)');
  const insertAll = database.transaction((bodies) => {
    for (const body of bodies) insert.run(who, body, Date.now() / 1000);
  });
  return { write: (bodies) => insertAll.immediate(bodies), close: () => database.close() };
}

export function collect(dir) {
  const database = openDatabase(dir);
  const found = database.prepare('SELECT content FROM mail').pluck().all();
  database.close();
  return found;
}
