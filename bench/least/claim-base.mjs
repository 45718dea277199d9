/**
 * Claims with the calls and the law of the store's rules, and nothing else: before a claim a look for news, which also
 * shows that what was read is still there; a record is one write at the end of the log that is still at its path, and is
 * read back with what others wrote before it; each record is judged by each claimant, once, and the first claim counts.
 */
import { closeSync, constants, fdatasyncSync, lstatSync, openSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const { O_APPEND, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants;
/** What is read again before the news, and news that are read at once. */
const RECOGNISED = 256;
const NEWS = 4 * 1024;

const logIn = (dir) => join(dir, 'least-log.jsonl');
const memberOf = (index) => `w${index}`;
const lifeOf = (index) => String(index).padStart(26, '0');
const recordOf = (id, author, change) =>
  `\n${JSON.stringify({ id, v: 1, at: new Date().toISOString(), author, ...change })}\n`;

function prepare(dir, tasks, claimants) {
  const members = Array.from({ length: claimants }, (_, index) => ({ name: memberOf(index), inc: lifeOf(index) }));
  const ids = Array.from({ length: tasks }, (_, at) => String(at + 1));
  writeFileSync(logIn(dir), recordOf('0'.repeat(26), { person: 'lead' }, { type: 'batch', members, ids }));
}

const isText = (value, most) => typeof value === 'string' && value.length <= most;

/** The envelope of a record, and the fields of the two changes that are made here. */
function isRecord({ id, v, at, author, type, task, member, epoch, result }) {
  if (!isText(id, 26) || id.length !== 26 || v !== 1 || !isText(at, 24) || typeof author !== 'object') return false;
  if (type === 'batch') return true;
  if (!isText(author.by, 64) || !isText(author.inc, 26) || !isText(task, 16)) return false;
  if (type === 'task.claimed') return isText(member, 64);
  return type === 'task.completed' && Number.isSafeInteger(epoch) && isText(result?.summary, 4_096);
}

class Board {
  #seen = new Set();
  #lives = new Map();
  #busy = new Map();
  #tasks = new Map();
  #pending = new Set();

  judge(line) {
    const record = JSON.parse(line);
    if (!isRecord(record) || this.#seen.has(record.id)) return;
    this.#seen.add(record.id);
    const { type, author } = record;
    if (type === 'batch') this.#open(record);
    else if (this.#lives.get(author.by) !== author.inc) return;
    else if (type === 'task.claimed') this.#claim(record);
    else this.#complete(record);
  }

  #open({ members, ids }) {
    for (const { name, inc } of members) this.#lives.set(name, inc);
    for (const id of ids) {
      this.#tasks.set(id, { id, status: 'pending', epoch: 0 });
      this.#pending.add(id);
    }
  }

  #claim({ task: id, member, author }) {
    const task = this.#tasks.get(id);
    if (task?.status !== 'pending' || member !== author.by || this.#busy.has(member)) return;
    this.#tasks.set(id, { id, status: 'in_progress', epoch: task.epoch + 1, member });
    this.#busy.set(member, id);
    this.#pending.delete(id);
  }

  #complete({ task: id, epoch, author, result }) {
    const task = this.#tasks.get(id);
    if (task?.status !== 'in_progress' || task.member !== author.by || task.epoch !== epoch) return;
    this.#tasks.set(id, { id, status: 'completed', epoch, member: author.by, result });
    this.#busy.delete(author.by);
  }

  next() {
    for (const id of this.#pending) return id;
    return undefined;
  }

  /** @returns the epoch of the claim, if this member has it */
  claimOf(member, id) {
    return this.#busy.get(member) === id ? this.#tasks.get(id).epoch : undefined;
  }
}

class Log {
  #path;
  #board;
  #reader;
  #writer;
  #news = Buffer.allocUnsafe(NEWS);
  #known = Buffer.alloc(0);
  #end = 0;

  constructor(path, board) {
    this.#path = path;
    this.#board = board;
    this.#reader = openSync(path, O_RDONLY | O_NOFOLLOW);
    this.#writer = openSync(path, O_WRONLY | O_APPEND | O_NOFOLLOW);
  }

  /** Judges what came since. */
  follow() {
    for (;;) {
      const begin = this.#end - this.#known.length;
      const asked = this.#news.length;
      const read = readSync(this.#reader, this.#news, 0, asked, begin);
      if (!this.#known.equals(this.#news.subarray(0, this.#known.length))) throw new Error('The log is another one.');
      const end = this.#news.lastIndexOf(10, read - 1) + 1;
      if (end > this.#known.length) {
        for (const line of this.#news.latin1Slice(this.#known.length, end).split('\n'))
          if (line !== '') this.#board.judge(line);
        this.#end = begin + end;
        this.#known = Buffer.from(this.#news.subarray(Math.max(0, end - RECOGNISED), end));
      } else if (read === asked) this.#news = Buffer.allocUnsafe(2 * asked);
      if (read < asked) return;
    }
  }

  append(record, isFlushed) {
    lstatSync(this.#path);
    writeSync(this.#writer, record);
    if (isFlushed) fdatasyncSync(this.#writer);
    this.follow();
  }

  close() {
    closeSync(this.#reader);
    closeSync(this.#writer);
  }
}

/** @param isFlushed whether a completed task is on the disk before the call returns */
export const claiming = (isFlushed) => ({
  prepare,
  claimant({ dir, index }) {
    const board = new Board();
    const log = new Log(logIn(dir), board);
    const member = memberOf(index);
    const author = { by: member, inc: lifeOf(index) };
    let count = 0;
    const newId = () => `${String(index).padStart(2, '0')}${String((count += 1)).padStart(24, '0')}`;
    log.follow();
    return {
      /** @returns the id of a task that was claimed and completed; undefined when none is pending */
      next() {
        log.follow();
        for (let id = board.next(); id !== undefined; id = board.next()) {
          log.append(recordOf(newId(), author, { type: 'task.claimed', task: id, member }), false);
          const epoch = board.claimOf(member, id);
          if (epoch === undefined) continue;
          const result = { summary: 'done', files: [] };
          log.append(recordOf(newId(), author, { type: 'task.completed', task: id, epoch, result }), isFlushed);
          return id;
        }
        return undefined;
      },
      close: () => log.close(),
    };
  },
});
