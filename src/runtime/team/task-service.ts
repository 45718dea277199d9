/** The board for one speaker: each command appends an event and answers after folding past it. */
import { newlyReady, type AdvanceOutcome } from '../../model/board/advance.ts';
import { claimRefusal, refused, type Board, type RefusalCode, type Refused } from '../../model/board/board.ts';
import { nextClaim } from '../../model/board/listed-tasks.ts';
import { spreadClaim } from '../../policy/supervise/spread-claim.ts';
import { codeOf, ConflictError, UsageError, type ConflictCode, type UsageCode } from '../../model/text/errors.ts';
import { commandRefusal } from '../../model/board/authority.ts';
import type { Body, Change } from '../../model/board/event.ts';
import { check } from '../../model/text/document-problem.ts';
import { LEAD, type Name } from '../../model/text/names.ts';
import { resolveTask } from '../../model/board/task-reference.ts';
import { taskInputSchema } from '../../model/board/task-input.ts';
import type { NewTask, NewTaskInput, Task } from '../../model/board/task.ts';
import { whomToWake } from '../../policy/supervise/claiming.ts';
import { leaseOwner, mayLive, placeOf } from '../../store/team/lease.ts';
import { hashText, keptText } from '../../store/board/results.ts';
import { lockedViews } from '../../store/team/views.ts';
import type { Folded } from '../../store/board/fold-line.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { authorOf, type Speaker } from './authentication.ts';
import { releaseBody, batchOf, withClaim } from './task-records.ts';

const CONFLICTS: Partial<Record<RefusalCode, ConflictCode>> = {
  STALE_CLAIM: 'STALE_CLAIM',
  STALE_MEMBER: 'STALE_CLAIM',
  STALE_LEAD: 'LEAD_ALIVE',
  ALREADY_CLAIMED: 'ALREADY_CLAIMED',
  NOT_READY: 'NOT_READY',
  FINAL: 'FINAL',
  TEAM_CLOSED: 'TEAM_CLOSED',
  TEAM_PAUSED: 'TEAM_PAUSED',
  DUPLICATE: 'REFUSED',
  REPEATED: 'REFUSED',
};
const USAGES: Partial<Record<RefusalCode, UsageCode>> = {
  UNKNOWN_TASK: 'UNKNOWN_TASK',
  UNKNOWN_MEMBER: 'UNKNOWN_MEMBER',
  UNKNOWN_REQUEST: 'UNKNOWN_REQUEST',
  CYCLE: 'CYCLE',
  POLICY_DENIED: 'POLICY_DENIED',
  BAD_REFERENCE: 'BAD_REFERENCE',
};

const sentence = (why: string): string => `${why.charAt(0).toUpperCase()}${why.slice(1)}.`;

/** A refusal of the board, as the error for the caller. */
export function refusalError({ code, why }: Refused): ConflictError | UsageError {
  const conflict = CONFLICTS[code];
  if (code === 'TEAM_CLOSED')
    return new ConflictError(code, sentence(`${why}; \`teams resume\` goes on with its work`));
  return conflict ? new ConflictError(conflict, sentence(why)) : new UsageError(USAGES[code] ?? 'USAGE', sentence(why));
}

export interface TaskInput extends Omit<NewTaskInput, 'blockedBy'> {
  /** Keys, exact subjects, subject codes or ids. */
  readonly blockedBy?: readonly string[];
}

export interface EndInput {
  /** The text of the result; a member without a runner must give it. */
  readonly result: string;
  readonly exitCode?: number | undefined;
  readonly files?: readonly string[];
}

export class Tasks {
  readonly #store: TeamStore;
  readonly #speaker: Speaker;

  constructor(store: TeamStore, speaker: Speaker) {
    this.#store = store;
    this.#speaker = speaker;
  }

  /** Every task, lowest id first. */
  list(): Task[] {
    return [...this.#store.board.fold().tasks.values()];
  }

  /** @throws UsageError `UNKNOWN_TASK`, `BAD_REFERENCE` */
  get(reference: string): Task {
    return resolveTask(this.#store.board.fold(), reference);
  }

  /** The accepted events of one task, from the log. */
  history(reference: string): Folded[] {
    const { id } = this.get(reference);
    return [...this.#store.board.log.historyOf(id)];
  }

  /** @throws UsageError for bad references and input; ConflictError for a second task with the same key */
  async add(input: TaskInput): Promise<Task> {
    let id = '';
    await this.#write((board) => {
      id = String(board.lastTaskId + 1);
      const created = { type: 'task.created' as const, task: id, fields: this.#fields(board, input) };
      return commandRefusal(created, authorOf(this.#speaker)(board)) ?? created;
    });
    return this.get(id);
  }

  /** @throws ConflictError `MEMBER_ALIVE` for a person who claims in the name of a member with a process */
  claim(reference: string, member: Name = this.#speaker.name): Promise<Task> {
    return this.#change(reference, (task, board) => {
      if (claimRefusal(board, task, board.members.get(member), member) === undefined) this.#requireAbsent(member, task);
      return { type: 'task.claimed', task: task.id, member };
    });
  }

  /** The process would claim nothing as long as the person has the claim. */
  #requireAbsent(member: Name, { id }: Task): void {
    const store = this.#store;
    if (this.#speaker.kind !== 'person' || member === LEAD) return;
    const owner = leaseOwner(store.disk, store.paths, member);
    if (owner === undefined || !mayLive(owner)) return;
    throw new ConflictError(
      'MEMBER_ALIVE',
      `The process of ${member} (${placeOf(owner)}) claims its tasks itself; \`teams task update ${store.paths.name} ${id} --owner ${member}\` gives it this one.`,
    );
  }

  /**
   * Claims the next ready task for this member, lowest id first, in a store one that the others do not choose; undefined
   * if there is none.
   */
  async claimNext(): Promise<Task | undefined> {
    const lost = new Set<string>();
    for (;;) {
      const choose = this.#store.isShared ? spreadClaim : nextClaim;
      const next = choose(this.#store.board.fold(), this.#speaker.name, lost);
      if (next === undefined) return undefined;
      try {
        return await this.claim(next.id);
      } catch (error) {
        if (codeOf(error) !== 'ALREADY_CLAIMED') throw error;
        lost.add(next.id);
      }
    }
  }

  release(reference: string, why?: string): Promise<Task> {
    return this.#change(reference, (task) => releaseBody(task, why));
  }

  /**
   * Makes several changes together or not at all.
   *
   * @returns undefined if there is nothing to change
   */
  async change(
    reference: string,
    build: (task: Task, board: Board) => readonly (Change | Refused)[],
  ): Promise<Task | undefined> {
    const { id } = this.get(reference);
    if (build(this.get(id), this.#store.board.board).length === 0) return undefined;
    return this.#change(id, (task, board) => batchOf(build(task, board)));
  }

  async complete(reference: string, end: EndInput): Promise<Task> {
    const task = this.get(reference);
    const result = await this.#keep(task, end);
    return this.#change(task.id, (now) =>
      withClaim(now, (epoch) => ({ type: 'task.completed', task: now.id, epoch, result })),
    );
  }

  async fail(reference: string, end: EndInput): Promise<Task> {
    const task = this.get(reference);
    const result = await this.#keep(task, end);
    const why = end.result.slice(0, 4_096);
    return this.#change(task.id, (now) =>
      withClaim(now, (epoch) => ({ type: 'task.failed', task: now.id, epoch, why, result })),
    );
  }

  /**
   * Sets a failed task to pending, and with it every task that was skipped because of it.
   *
   * @param note what the next attempt is told, at most 4,096 characters
   */
  retry(reference: string, note?: string): Promise<Task> {
    return this.#change(reference, (task) => ({ type: 'task.retried', task: task.id, note }));
  }

  /**
   * Retries every failed task, together or not at all.
   *
   * @returns the ids of the tasks that had failed
   */
  async retryFailed(note?: string): Promise<string[]> {
    let failed: string[] = [];
    const all = (board: Board): string[] =>
      [...board.tasks.values()].flatMap(({ id, status }) => (status === 'failed' ? [id] : []));
    if (all(this.#store.board.fold()).length === 0) return failed;
    await this.#write((board) => {
      failed = all(board);
      return batchOf(failed.map((task): Change => ({ type: 'task.retried', task, note })));
    });
    return failed;
  }

  skip(
    reference: string,
    { cascade = false, why = 'skipped' }: { cascade?: boolean; why?: string | undefined } = {},
  ): Promise<Task> {
    return this.#change(reference, (task) => ({ type: 'task.skipped', task: task.id, cascade, why }));
  }

  cancel(reference: string, why = 'cancelled'): Promise<Task> {
    return this.#change(reference, (task) => ({ type: 'task.cancelled', task: task.id, why }));
  }

  assign(reference: string, owner: Name | null): Promise<Task> {
    return this.#change(reference, (task) => ({ type: 'task.assigned', task: task.id, owner }));
  }

  /** Removes the edge to a blocker; without a blocker all edges. */
  async unblock(reference: string, blocker?: string): Promise<Task> {
    const { id } = this.get(reference);
    return this.#change(id, (task, board) => {
      const blockers = blocker === undefined ? task.blockedBy : [resolveTask(board, blocker).id];
      if (blockers.length === 0) return refused('BAD_REFERENCE', `nothing blocks task #${id}`);
      const changes = blockers.map((one): Change => ({ type: 'task.unblocked', task: id, blocker: one }));
      return { type: 'batch', changes };
    });
  }

  block(reference: string, blocker: string): Promise<Task> {
    return this.#change(reference, (task, board) => ({
      type: 'task.blocked',
      task: task.id,
      by: resolveTask(board, blocker).id,
    }));
  }

  update(reference: string, fields: Omit<Extract<Change, { type: 'task.updated' }>, 'type' | 'task'>): Promise<Task> {
    return this.#change(reference, (task) => ({ type: 'task.updated', task: task.id, ...fields }));
  }

  #fields(board: Board, input: TaskInput): NewTask {
    const checked = check(taskInputSchema, input);
    if (checked.ok)
      return { ...checked.value, blockedBy: checked.value.blockedBy.map((one) => resolveTask(board, one).id) };
    throw new UsageError('USAGE', checked.problems[0]?.text ?? 'The task is invalid.');
  }

  async #keep(task: Task, { result: given, exitCode, files = [] }: EndInput) {
    const result = keptText(given);
    const epoch = task.status === 'in_progress' ? task.claim.epoch : task.claims;
    if (task.status === 'in_progress') await this.#store.keepResult(task.id, epoch, result);
    const summary = result.slice(0, 4_096);
    return { summary, hash: hashText(result), files: [...files], exitCode };
  }

  async #change(reference: string, build: (task: Task, board: Board) => Body | Refused): Promise<Task> {
    const { id } = this.get(reference);
    await this.#write((board) => {
      const task = board.tasks.get(id);
      return task ? build(task, board) : refused('UNKNOWN_TASK', `there is no task #${id}`);
    });
    return this.get(id);
  }

  async #write(build: (board: Board) => Body | Refused): Promise<void> {
    const { outcome } = await this.#store.board.append(authorOf(this.#speaker), build);
    if (!outcome.ok) throw refusalError(outcome);
    await publishOutcome(this.#store, outcome, this.#speaker);
  }
}

/**
 * After an accepted event: wakes members that can work on tasks that became ready; without a lead also writes the
 * views.
 */
export async function publishOutcome(store: TeamStore, outcome: AdvanceOutcome, speaker: Speaker): Promise<void> {
  if (!outcome.ok || outcome.changed.length === 0) return;
  wakeReady(store, outcome.changed, speaker);
  if (speaker.kind === 'person') await lockedViews(store, outcome.changed);
}

/** Rings the bells of members that can work on tasks which have just become ready, on whatever machine. */
export function wakeFor(store: TeamStore, ready: readonly Task[], { name: except }: Speaker): void {
  const isThere = (name: Name): boolean => mayLive(leaseOwner(store.disk, store.paths, name));
  for (const name of whomToWake(store.board.board, ready, { except, isThere })) store.ring(name);
}

/** Rings the bells of members that can work on what became ready by these changes. */
export function wakeReady(store: TeamStore, changed: readonly string[], speaker: Speaker): void {
  const { board } = store.board;
  wakeFor(store, newlyReady(board, changed), speaker);
}
