/** Tasks as rows of a SQLite table: one indexed UPDATE claims, another completes. */
import { openDatabase } from './sqlite.mjs';

const CLAIM = `UPDATE task SET status = 'in_progress', owner = ?
  WHERE id = (SELECT id FROM task WHERE status = 'pending' ORDER BY id LIMIT 1) RETURNING id`;
const COMPLETE = `UPDATE task SET status = 'completed', result = 'done' WHERE id = ?`;

export const claimingRows = (flush) => ({
  prepare(dir, tasks) {
    const database = openDatabase(dir);
    database.exec('CREATE TABLE task (id INTEGER PRIMARY KEY, subject TEXT, status TEXT, owner TEXT, result TEXT)');
    database.exec('CREATE INDEX by_status ON task (status, id)');
    const insert = database.prepare(`INSERT INTO task VALUES (?, ?, 'pending', NULL, NULL)`);
    database.transaction(() => {
      for (let id = 1; id <= tasks; id += 1) insert.run(id, `Task ${id}`);
    })();
    database.close();
  },
  claimant({ dir, index }) {
    const database = openDatabase(dir, flush);
    const claim = database.prepare(CLAIM).pluck();
    const complete = database.prepare(COMPLETE);
    return {
      next() {
        const id = claim.get(`w${index}`);
        if (id !== undefined) complete.run(id);
        return id === undefined ? undefined : String(id);
      },
      close: () => database.close(),
    };
  },
});
