/** Who worked on what, when and for how long, from the board's log. */
import type { Change } from '../../model/board/event.ts';
import { timestamp } from '../../model/text/clock.ts';
import { LEAD, type Name } from '../../model/text/names.ts';
import { LostTime } from '../../policy/view/lost-time.ts';
import { ProcessEnds } from '../../policy/view/process-ends.ts';
import type { Folded } from '../../store/board/fold-line.ts';

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
  readonly tasks: ReadonlyMap<string, WorkedTask>;
  readonly spans: readonly WorkSpan[];
  /** When the claims that are held now began, by task. */
  readonly held: ReadonlyMap<string, { readonly at: string }>;
  /** Milliseconds that each member held a claim. */
  readonly workedMs: ReadonlyMap<Name, number>;
  /** What counts for no duration. */
  readonly lost: LostTime;
}

/** What the event log says about how long somebody worked. */
export interface WorkLimits {
  /** What counts for no duration. */
  readonly lost?: LostTime;
  /** Nobody works on after the end of his process. */
  readonly ends?: ProcessEnds;
}

/**
 * @param log the folded events of a board, from the first
 * @param goneNow tells, if claims are still held, when members were heard last whose processes are gone; by default none is
 */
export function workHistory(
  log: Iterable<Folded>,
  limits: WorkLimits = {},
  goneNow: () => ReadonlyMap<Name, number> = () => new Map(),
): WorkHistory {
  const work = new WorkLog(limits);
  for (const folded of log) work.folded(folded);
  if (work.held.size > 0) work.leave(goneNow());
  return work;
}

/** The same for callers that pass each event as it is folded. */
class WorkLog implements WorkHistory {
  readonly lost: LostTime;
  readonly #ends: ProcessEnds;
  readonly tasks = new Map<string, WorkedTask>();
  readonly workedMs = new Map<Name, number>();
  readonly spans: WorkSpan[] = [];
  readonly held = new Map<string, { member: Name; at: string }>();

  constructor({ lost = new LostTime(), ends = new ProcessEnds() }: WorkLimits) {
    this.lost = lost;
    this.#ends = ends;
  }

  /** Ends the claims of members whose processes are gone. */
  leave(gone: ReadonlyMap<Name, number>): void {
    for (const [id, { member, at }] of this.held) {
      const end = this.#ends.after(member, Date.parse(at)) ?? gone.get(member);
      if (end !== undefined) this.#ended(id, timestamp(Math.max(end, Date.parse(at))));
    }
  }

  folded({ event, outcome }: Folded): void {
    if (!outcome.ok) return;
    const changes = event.type === 'batch' ? event.changes : [event];
    for (const change of changes) this.#add(change, event.at, outcome.changed);
  }

  /** @param changed the tasks that the change's whole record changed */
  #add(change: Change, at: string, changed: readonly string[]): void {
    switch (change.type) {
      case 'lead.took':
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
        this.held.set(change.task, { member: change.member, at });
        return this.#held(change.task, change.member);
      case 'task.released':
      case 'task.completed':
      case 'task.submitted':
      case 'task.failed':
      case 'task.cancelled':
        return this.#ended(change.task, at);
      case 'task.skipped':
        for (const id of change.cascade ? changed : [change.task]) this.#ended(id, at);
        return;
      case 'log.opened':
      case 'team.opened':
      case 'team.closing':
      case 'team.closed':
      case 'team.paused':
      case 'team.unpaused':
      case 'common.shared':
      case 'member.joined':
      case 'task.blocked':
      case 'task.unblocked':
      case 'task.retried':
      case 'task.landed':
      case 'task.bounced':
      case 'task.updated':
      case 'task.changed':
      case 'request.made':
      case 'request.answered':
      case 'request.withdrawn':
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
    for (const [id, span] of this.held) if (span.member === member && changed.includes(id)) this.#ended(id, at);
  }

  #ended(id: string, at: string): void {
    const task = this.#of(id);
    task.endedAt = at;
    const span = this.held.get(id);
    if (span === undefined) return;
    this.held.delete(id);
    const end = this.#ends.after(span.member, Date.parse(span.at));
    const to = end === undefined || end >= Date.parse(at) ? at : timestamp(end);
    this.spans.push({ task: id, member: span.member, from: span.at, to });
    task.durationMs = this.lost.between(Date.parse(span.at), Date.parse(to));
    this.workedMs.set(span.member, (this.workedMs.get(span.member) ?? 0) + task.durationMs);
  }
}

/**
 * Milliseconds in which at least one member worked.
 *
 * @param now ISO 8601: the end of claims that are still held; undefined if nobody works any more
 */
export function timeWorked(
  { spans, held, lost }: Pick<WorkHistory, 'spans' | 'held' | 'lost'>,
  now: string | undefined,
): number {
  const open = now === undefined ? [] : [...held.values()].map(({ at }) => ({ from: at, to: now }));
  const all = [...spans, ...open].map(({ from, to }) => {
    const [began, ended] = [Date.parse(from), Date.parse(to)];
    return [lost.running(began), lost.running(began) + lost.between(began, ended)] as const;
  });
  let [worked, reached] = [0, -Infinity];
  for (const [from, to] of all.toSorted(([a], [b]) => a - b)) {
    worked += Math.max(0, to - Math.max(from, reached));
    reached = Math.max(reached, to);
  }
  return worked;
}
