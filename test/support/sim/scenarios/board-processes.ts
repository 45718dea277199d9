/**
 * The processes at a board, with a note of each step for the checker: members, leads, people, and a program of a newer
 * version.
 */
import { claimOf, type Board } from '../../../../src/model/board/board.ts';
import { nextClaim } from '../../../../src/model/board/listed-tasks.ts';
import { isTeamError } from '../../../../src/model/text/errors.ts';
import { LOG_VERSION, type Author, type Body as Change } from '../../../../src/model/board/event.ts';
import { LEAD, type Name } from '../../../../src/model/text/names.ts';
import type { Task } from '../../../../src/model/board/task.ts';
import type { BoardStore } from '../../../../src/store/board/board.ts';
import { O_APPEND, onDisk, O_WRONLY } from '../../../../src/store/files/disk.ts';
import { eventOf, task } from '../../team.ts';
import { ulid } from '../chance.ts';
import type { Body, Run } from '../life.ts';
import type { Machine } from '../machine.ts';
import { PATHS } from './inbox.ts';

/** @returns the epoch of a claim that was won */
export type Claim = (
  run: Run,
  store: BoardStore,
  author: Author,
  id: string,
  member: Name,
) => number | undefined | Promise<number | undefined>;

export interface Team {
  readonly machine: Machine;
  readonly open: (run: Run) => BoardStore;
  readonly claim: Claim;
}

const texts = new WeakMap<Task, string>();

/** A task as text, cached: a task object is never changed. */
function textOf(task: Task): string {
  const text = texts.get(task) ?? JSON.stringify(task);
  texts.set(task, text);
  return text;
}

/** The board as text; all processes build its parts in one order. */
export const hash = ({ team, lead, phase, members, tasks, busy, lastTaskId }: Board): string =>
  `${JSON.stringify([team, lead, phase, [...members], [...busy].sort(), lastTaskId])}\n${[...tasks.values()].map(textOf).join('\n')}`;

const ROUNDS = 5;

/** A member's process: it starts its incarnation, then claims and completes what it may. */
export const works =
  ({ open, claim }: Team, member: Name): Body =>
  (run) =>
    untilItFails(run, async () => {
      const store = open(run);
      const inc = ulid();
      const author: Author = { by: member, inc };
      const life = (board: Board) => board.members.get(member)?.incarnation ?? null;
      if (
        !(await say(run, store, author, (board) => ({ type: 'member.started', name: member, inc, after: life(board) })))
      )
        return;
      for (let round = 0; round < ROUNDS; round += 1) {
        const next = nextClaim(folded(run, store), member);
        const epoch = next && (await claim(run, store, author, next.id, member));
        run.sleep(1);
        if (next === undefined || epoch === undefined) continue;
        run.note({ kind: 'claimed', task: next.id, member, epoch });
        await end(run, store, author, next.id, epoch);
      }
    });

/** A claim appends, folds to the end, and reads which member has it. */
export const byAppending: Claim = async (run, store, author, id, member) => {
  if (!(await say(run, store, author, () => ({ type: 'task.claimed', task: id, member })))) return undefined;
  const now = store.board.tasks.get(id);
  const claim = now && claimOf(now);
  return claim && 'by' in author && claim.incarnation === author.inc ? claim.epoch : undefined;
};

async function end(run: Run, store: BoardStore, author: Author, id: string, epoch: number): Promise<void> {
  run.sleep(1);
  const isFailure = run.life.number % 3 === 0;
  const completed: Change = { type: 'task.completed', task: id, epoch, result: { summary: 'done', files: [] } };
  const failed: Change = { type: 'task.failed', task: id, epoch, why: 'it broke' };
  if ((await say(run, store, author, () => (isFailure ? failed : completed))) && !isFailure)
    run.note({ kind: 'completed', task: id, epoch });
}

/** A lead: it takes the lead, and acts until another one does. */
export const rules =
  ({ machine, open }: Team): Body =>
  (run) =>
    untilItFails(run, async () => {
      const store = open(run);
      const inc = ulid();
      const epoch = folded(run, store).lead.epoch + 1;
      const author: Author = { lead: inc, epoch };
      if (!(await say(run, store, author, () => ({ type: 'lead.took', epoch })))) return;
      run.note({ kind: 'leads', epoch });
      for (let round = 0; round < ROUNDS && folded(run, store).lead.incarnation === inc; round += 1) {
        const change = ruling(run, store.board, machine);
        // Its decision may be out of date when it acts.
        run.sleep(1);
        if (change) await say(run, store, author, () => change);
      }
    });

/** The acts of a lead: it frees the claims of the dead, and retries what failed. */
function ruling(run: Run, board: Board, { lives }: Machine): Change | undefined {
  for (const { id, ...one } of board.tasks.values()) {
    if (one.status === 'failed') return { type: 'task.retried', task: id };
    if (one.status !== 'in_progress') continue;
    const { member, epoch } = one.claim;
    const isAlive = run.look('lives', () => lives.some(({ name, state }) => name === member && state === 'running'));
    if (!isAlive) return { type: 'task.released', task: id, epoch, reason: 'lost', why: 'it died' };
    if (run.life.number % 2 === 0) return { type: 'task.released', task: id, epoch, reason: 'fenced', why: 'too slow' };
  }
  return undefined;
}

/** A person: creates tasks, alone and two together, at the same time as others do. */
export const creates =
  ({ open }: Team, times: number): Body =>
  (run) =>
    untilItFails(run, async () => {
      const store = open(run);
      for (let time = 1; time <= times; time += 1) {
        const subject = `of ${run.life.number}, ${time}`;
        await create(run, store, time % 2 === 0 ? [subject, `${subject} too`] : [subject]);
      }
    });

async function create(run: Run, store: BoardStore, subjects: readonly string[]): Promise<void> {
  let next = 0;
  const created = (subject: string, at: number) => ({
    type: 'task.created' as const,
    task: String(next + at),
    fields: task(subject),
  });
  const propose = (board: Board): Change => {
    next = board.lastTaskId + 1;
    const [first = created('', 0), ...rest] = subjects.map(created);
    return rest.length === 0 ? first : { type: 'batch', changes: [first, ...rest] };
  };
  if (!(await say(run, store, (board) => ({ person: LEAD, epoch: board.lead.epoch }), propose))) return;
  for (const [at, subject] of subjects.entries()) run.note({ kind: 'created', task: String(next + at), subject });
}

/** A program of a newer version appends an event that this one does not know. */
export const newer: Body = (run) => untilItFails(run, () => speakNewer(run));

function speakNewer(run: Run): void {
  const event = { ...eventOf({ type: 'team.closing' }), v: LOG_VERSION + 1 };
  const fd = run.disk.openSync(PATHS.log, O_WRONLY | O_APPEND);
  const line = Buffer.from(`\n${JSON.stringify(event)}\n`);
  onDisk('write to', PATHS.log, () => run.disk.writeSync(fd, line, 0, line.length, null));
}

/**
 * Appends.
 * @returns whether it was legal at its place
 */
async function say(
  run: Run,
  store: BoardStore,
  author: Author | ((board: Board) => Author),
  change: (board: Board) => Change,
): Promise<boolean> {
  const { outcome } = await store.append(author, change);
  run.note(() => ({ kind: 'folded', offset: store.offset, hash: hash(store.board) }));
  return outcome.ok;
}

export function folded(run: Run, store: BoardStore): Board {
  store.fold();
  run.note(() => ({ kind: 'folded', offset: store.offset, hash: hash(store.board) }));
  return store.board;
}

/** A failure that the store reports ends a process. */
export async function untilItFails(run: Run, work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isTeamError(error)) throw error;
    if (error.code === 'CORRUPT') run.note({ kind: 'damaged', why: error.message });
  }
}
