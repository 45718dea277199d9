/** Goals 1 to 3: sending, compared with every other way to hand over a line. */
import { isWhole } from '../lib/body.mjs';
import { median, ratio } from '../lib/figures.mjs';
import { hasYardstick } from '../lib/installed.mjs';
import { race } from '../lib/race.mjs';

const OURS = 'product/send.mjs';
const DURABLE = 'product/send-durable.mjs';
const REFERENCE = 'yardsticks/v8-reference.mjs';
const LOCKFILE = 'yardsticks/proper-lockfile.mjs';
const RAW = 'yardsticks/raw-append.mjs';
const LEAST = 'least/send.mjs';
const FLUSH = 'yardsticks/fdatasync.mjs';
const SINGLE = [OURS, DURABLE, REFERENCE, 'yardsticks/v8-reference-python.mjs', LOCKFILE];
const OTHERS = ['yardsticks/maildir.mjs', 'yardsticks/sqlite-send.mjs', RAW, LEAST];

export const rows = [1, 2, 3];

export async function measure(bench) {
  const { size, dir } = bench;
  const shape = { writers: 8, ms: size.sendMs, rounds: size.rounds, dir };
  if (bench.wants(1)) await single(bench, await race(each([...SINGLE, ...OTHERS.filter(hasYardstick)]), shape));
  if (bench.wants(2)) await grouped(bench, shape);
  if (bench.wants(3)) await durable(bench, shape);
}

const rates = (results, kind) => results.get(kind).map(({ rate }) => rate);

function show(bench, title, results, against) {
  const rows = [...results].map(([kind, rounds]) => ({
    name: kind,
    figures: {
      'messages/s': median(rates(results, kind)),
      [`× ${against}`]: ratio(rates(results, kind), rates(results, against)),
    },
    audits: rounds.map(({ audit }) => audit),
  }));
  bench.table(title, rows);
}

const whole = (results, kinds) => kinds.every((kind) => results.get(kind).every(({ audit }) => isWhole(audit)));

function single(bench, results) {
  const [ours, flushed] = [rates(results, OURS), rates(results, DURABLE)];
  show(bench, 'Sending one message after the other, 8 processes, one inbox', results, REFERENCE);
  const safe = whole(results, [OURS, DURABLE]);
  const least = rates(results, LEAST);
  const check = (id, kind) => bench.check(id, { ours, theirs: rates(results, kind), least, holds: safe });
  check('1.reference', REFERENCE);
  check('1.proper-lockfile', LOCKFILE);
  check('1.raw', RAW);
  bench.say(
    `as shipped, with a flush for each message: ${ratio(flushed, rates(results, REFERENCE)).toFixed(2)} × the reference, which does not flush`,
  );
}

const each = (kinds, batch = 1) => kinds.map((kind) => ({ kind, batch }));

async function grouped(bench, shape) {
  const bulk = await race(
    [...each([OURS, DURABLE, LEAST, 'yardsticks/sqlite-send.mjs'].filter(hasYardstick), 64), ...each([REFERENCE, RAW])],
    shape,
  );
  show(
    bench,
    'Sending 64 messages at once, 8 processes, one inbox (the reference and raw appends: one at a time)',
    bulk,
    REFERENCE,
  );
  const ours = rates(bulk, OURS);
  const holds = whole(bulk, [OURS, DURABLE]);
  const least = rates(bulk, LEAST);
  bench.check('2.reference', { ours, theirs: rates(bulk, REFERENCE), least, holds });
  bench.check('2.raw', { ours, theirs: rates(bulk, RAW), least, holds });
}

async function durable(bench, shape) {
  const results = await race([...each([DURABLE], 64), { kind: FLUSH, writers: 1 }], shape);
  const title = 'Durable group commit of 64, 8 processes, beside one process that writes and flushes';
  show(bench, title, results, FLUSH);
  const [ours, theirs] = [rates(results, DURABLE), rates(results, FLUSH)];
  bench.check('3', { ours, theirs, holds: whole(results, [DURABLE]) });
}
