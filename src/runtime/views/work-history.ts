/** Who worked on what, when and for how long, from the board's log. */
import type { Change } from '../../model/board/event.ts';
import { LEAD, type Name } from '../../model/text/names.ts';
import type { Folded } from '../../store/board/board.ts';

export interface WorkedTask {
  /** The members that had it, by assignment or claim, in order; the same one in a row counts once. */
  readonly holders: Name[];
  /** From the last claim to its end. */
  durationMs?: number;
  endedAt?: string;
}

/** A time span in which a member held a claim. */
export interface WorkSpan {
  readonly task: string;
  readonly member: Name;
  readonly from: string;
  readonly to: string;
}

export interface WorkHistory {
  readonly openedAt: string | undefined;
  /** When the team was last closed; undefined if it was led again after that. */
  readonly closedAt: string | undefined;
  readonly lastAt: string | undefined;
  readonly tasks: ReadonlyMap<string, WorkedTask>;
  readonly spans: readonly WorkSpan[];
  /** Milliseconds that each member held a claim. */
  readonly workedMs: ReadonlyMap<Name, number>;
}

/** @param log the folded events of a board, from the first */
export function workHistory(log: Iterable<Folded>): WorkHistory {
  const work = new WorkLog();
  for (const folded of log) work.folded(folded);
  return work;
}

/** The same for callers that pass each event as it is folded. */
export class WorkLog implements WorkHistory {
  openedAt: string | undefined;
  closedAt: string | undefined;
  lastAt: string | undefined;
  readonly tasks = new Map<string, WorkedTask>();
  readonly workedMs = new Map<Name, number>();
  readonly spans: WorkSpan[] = [];
  readonly #open = new Map<string, { member: Name; at: string }>();

  folded({ event, outcome }: Folded): void {
    if (!outcome.ok) return;
    const changes = event.type === 'batch' ? event.changes : [event];
    this.lastAt = event.at;
    for (const change of changes) this.#add(change, event.at, outcome.changed);
  }

  /** @param changed the tasks that the change's whole record changed */
  #add(change: Change, at: string, changed: readonly string[]): void {
    switch (change.type) {
      case 'log.opened':
        this.openedAt = at;
        return;
      case 'team.closing':
      case 'team.closed':
        this.closedAt ??= at;
        return;
      case 'team.opened':
      case 'lead.took':
        this.closedAt = undefined;
        return this.#freed(LEAD, at, changed);
      case 'member.started':
      case 'member.left':
        return this.#freed(change.name, at, changed);
      case 'task.created':
        return this.#held(change.task, change.fields.owner);
      case 'task.assigned':
        return this.#held(change.task, change.owner ?? undefined);
      case 'task.claimed':
        if (!changed.includes(change.task)) return;
        this.#open.set(change.task, { member: change.member, at });
        return this.#held(change.task, change.member);
      case 'task.released':
      case 'task.completed':
      case 'task.failed':
      case 'task.cancelled':
        return this.#ended(change.task, at);
      case 'task.skipped':
        for (const id of change.cascade ? changed : [change.task]) this.#ended(id, at);
        return;
      case 'member.joined':
      case 'task.blocked':
      case 'task.unblocked':
      case 'task.retried':
      case 'task.updated':
      case 'request.made':
      case 'request.answered':
        return;
      default:
        change satisfies never;
    }
  }

  #of(id: string): WorkedTask {
    const task = this.tasks.get(id) ?? { holders: [] };
    this.tasks.set(id, task);
    return task;
  }

  #held(id: string, member: Name | undefined): void {
    const { holders } = this.#of(id);
    if (member !== undefined && holders.at(-1) !== member) holders.push(member);
  }

  #freed(member: Name, at: string, changed: readonly string[]): void {
    for (const [id, span] of this.#open) if (span.member === member && changed.includes(id)) this.#ended(id, at);
  }

  #ended(id: string, at: string): void {
    const task = this.#of(id);
    task.endedAt = at;
    const span = this.#open.get(id);
    if (span === undefined) return;
    this.#open.delete(id);
    this.spans.push({ task: id, member: span.member, from: span.at, to: at });
    task.durationMs = between(span.at, at);
    this.workedMs.set(span.member, (this.workedMs.get(span.member) ?? 0) + task.durationMs);
  }
}

/** Milliseconds, never negative: the clocks of two processes may differ a little. */
export const between = (from: string, to: string): number => Math.max(0, Date.parse(to) - Date.parse(from));
