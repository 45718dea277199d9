/** Goal 7: eight claimants on one board; each task is claimed and completed. */
import { contest } from '../lib/contest.mjs';
import { median, ratio } from '../lib/figures.mjs';
import { hasYardstick } from '../lib/installed.mjs';

const OURS = 'product/claim.mjs';
const DURABLE = 'product/claim-durable.mjs';
const LEAST = 'least/claim.mjs';
const LEAST_DURABLE = 'least/claim-durable.mjs';

export const rows = [7];

const entriesOf = ({ tasks, manyTasks }) => ({
  few: { kind: OURS, tasks: 100 },
  ours: { kind: OURS, tasks },
  many: { kind: OURS, tasks: manyTasks },
  durable: { kind: DURABLE, tasks },
  least: { kind: LEAST, tasks },
  leastDurable: { kind: LEAST_DURABLE, tasks },
  files: { kind: 'yardsticks/file-per-task.mjs', tasks: tasks / 2 },
  board: { kind: 'yardsticks/board-json.mjs', tasks: tasks / 4 },
  rows: { kind: 'yardsticks/sqlite-claim.mjs', tasks },
  durableRows: { kind: 'yardsticks/sqlite-claim-durable.mjs', tasks },
});

export async function measure(bench) {
  const { size, dir } = bench;
  const entries = Object.fromEntries(Object.entries(entriesOf(size)).filter(([, { kind }]) => hasYardstick(kind)));
  const results = await contest(Object.values(entries), { rounds: size.rounds, dir, claimants: 8 });
  const of = Object.fromEntries(Object.keys(entries).map((key, index) => [key, results[index]]));
  const rates = (key) => of[key].map(({ rate }) => rate);
  const lines = Object.entries(entries).map(([key, { kind, tasks }]) => ({
    name: `${kind}, ${tasks} tasks`,
    figures: { 'tasks/s': median(rates(key)), '× SQLite WAL': of.rows && ratio(rates(key), rates('rows')) },
    audits: of[key].map(({ double, missed }) => ({ lost: missed, damaged: 0, repeated: double })),
  }));
  bench.table('8 claimants: claim and complete', lines);
  judge(bench, of, rates);
}

function judge(bench, of, rates) {
  const double = ['few', 'ours', 'many', 'durable']
    .flatMap((key) => of[key])
    .reduce((sum, one) => sum + one.double + one.missed, 0);
  const check = (id, these, those, least) =>
    bench.check(
      id,
      of[those] === undefined
        ? { skipped: 'better-sqlite3 is not installed' }
        : { ours: rates(these), theirs: rates(those), least: least && rates(least), holds: double === 0 },
    );
  check('7.sqlite', 'ours', 'rows', 'least');
  check('7.sqlite-durable', 'durable', 'durableRows', 'leastDurable');
  check('7.file-per-task', 'ours', 'files');
  check('7.growth', 'many', 'few');
  bench.check('7.double', { ours: double });
}
