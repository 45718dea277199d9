/** Goal 7: eight claimants on one board; each task is claimed and completed. */
import { contest } from '../lib/contest.mjs';
import { median, ratio } from '../lib/figures.mjs';

const OURS = 'product/claim.mjs';
const DURABLE = 'product/claim-durable.mjs';

export const ids = ['7'];

const entriesOf = ({ tasks, manyTasks }) => ({
  few: { kind: OURS, tasks: 100 },
  ours: { kind: OURS, tasks },
  many: { kind: OURS, tasks: manyTasks },
  durable: { kind: DURABLE, tasks },
  files: { kind: 'yardsticks/file-per-task.mjs', tasks: tasks / 2 },
  board: { kind: 'yardsticks/board-json.mjs', tasks: tasks / 4 },
  rows: { kind: 'yardsticks/sqlite-claim.mjs', tasks },
  durableRows: { kind: 'yardsticks/sqlite-claim-durable.mjs', tasks },
});

export async function measure(bench) {
  const { size, dir } = bench;
  const entries = entriesOf(size);
  const results = await contest(Object.values(entries), { rounds: size.rounds, dir, claimants: 8 });
  const of = Object.fromEntries(Object.keys(entries).map((key, index) => [key, results[index]]));
  const rates = (key) => of[key].map(({ rate }) => rate);
  const rows = Object.entries(entries).map(([key, { kind, tasks }]) => ({
    name: `${kind}, ${tasks} tasks`,
    figures: { 'tasks/s': median(rates(key)), '× SQLite WAL': ratio(rates(key), rates('rows')) },
    audits: of[key].map(({ double, missed }) => ({ lost: missed, damaged: 0, repeated: double })),
  }));
  bench.table('8 claimants: claim and complete', rows);
  judge(bench, of, rates);
}

function judge(bench, of, rates) {
  const double = ['few', 'ours', 'many', 'durable']
    .flatMap((key) => of[key])
    .reduce((sum, one) => sum + one.double + one.missed, 0);
  const check = (id, goal, these, those, atLeast) =>
    bench.check({ id, goal, ratio: ratio(rates(these), rates(those)), atLeast, holds: double === 0 });
  check('7.file-per-task', 'claims, 8 claimants: ≥ 10 × file per task', 'ours', 'files', 10);
  check('7.sqlite', 'claims: ≥ 0.6 × SQLite WAL, neither flushed', 'ours', 'rows', 0.6);
  check('7.sqlite-durable', 'claims as shipped: ≥ 0.6 × SQLite WAL, both flushed', 'durable', 'durableRows', 0.6);
  check('7.growth', '10,000-task rate ≥ 50 % of the 100-task rate', 'many', 'few', 0.5);
  bench.check({ id: '7.double', goal: '0 double claims', ratio: double, atMost: 0 });
}
