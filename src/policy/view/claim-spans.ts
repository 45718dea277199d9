/** A timeline, folded event by event: which member worked on which task and when, and when each process started. */
import { LEAD } from '../../model/text/names.ts';
import type { ShownEvent } from '../../model/team/shown-event.ts';
import { LostTime } from './lost-time.ts';
import { endIn } from './process-ends.ts';
import type { Task } from '../../model/board/task.ts';

/** How a claim ended; `lost`: its member's process ended or was replaced, or the member left. */
export type SpanEnd = 'completed' | 'submitted' | 'failed' | 'released' | 'skipped' | 'cancelled' | 'lost';

/** One claim of a task. Times are milliseconds since 1970. */
export interface ClaimSpan {
  readonly task: string;
  readonly member: string;
  /** The claim's epoch: 1 for the first. */
  readonly claim: number;
  readonly from: number;
  /** Absent while the claim is held. */
  readonly to?: number;
  readonly end?: SpanEnd;
}

/** The start of a member's process; from the second one on it is a restart. */
export interface Start {
  readonly member: string;
  readonly at: number;
  readonly life: number;
}

const ENDS: ReadonlyMap<string, SpanEnd> = new Map([
  ['task.completed', 'completed'],
  ['task.submitted', 'submitted'],
  ['task.failed', 'failed'],
  ['task.released', 'released'],
  ['task.skipped', 'skipped'],
  ['task.cancelled', 'cancelled'],
]);

export class Spans {
  readonly #ended: ClaimSpan[] = [];
  readonly #open = new Map<string, ClaimSpan>();
  readonly #starts: Start[] = [];
  readonly #lives = new Map<string, number>();
  /** What counts for no duration. */
  readonly lost = new LostTime();

  get starts(): readonly Start[] {
    return this.#starts;
  }

  add(event: ShownEvent): void {
    const { member } = event;
    this.lost.add(event);
    const at = Date.parse(event.at);
    const task = 'task' in event ? event.task : undefined;
    if (typeof task === 'object') return this.#changed(event.type, task, member, at);
    if (event.type === 'lead.took') return this.#lose(LEAD, at);
    const end = endIn(event);
    if (end !== undefined) return this.#lose(member, end);
    if (event.type !== 'member.started' && event.type !== 'member.left') return;
    this.#lose(member, at);
    if (event.type === 'member.started' && member !== undefined) this.#began(member, at);
  }

  /**
   * All spans by start time. A claim without an end event (ended with its blocker, for example) ended at its task's
   * last change.
   *
   * @param gone member → when its process was heard last that is gone, in milliseconds since 1970
   */
  all(tasks: ReadonlyMap<string, Task>, gone: ReadonlyMap<string, number> = new Map()): ClaimSpan[] {
    const open = [...this.#open.values()].map((span) => {
      const task = tasks.get(span.task);
      const isHeld = task === undefined || (task.status === 'in_progress' && task.claim.epoch === span.claim);
      const to = isHeld ? gone.get(span.member) : Date.parse(task.updated_at);
      return to === undefined ? span : closed(span, to, 'lost');
    });
    return [...this.#ended, ...open].sort((a, b) => a.from - b.from);
  }

  #changed(type: string, task: Task, member: string | undefined, at: number): void {
    const end = ENDS.get(type);
    if (end !== undefined) this.#end(task.id, at, end);
    if (type !== 'task.claimed') return;
    this.#end(task.id, at, 'lost');
    const holder = task.status === 'in_progress' ? task.claim.member : (member ?? 'unknown');
    this.#open.set(task.id, { task: task.id, member: holder, claim: task.claims, from: at });
  }

  #lose(member: string | undefined, at: number): void {
    for (const span of Array.from(this.#open.values())) if (span.member === member) this.#end(span.task, at, 'lost');
  }

  #end(task: string, at: number, end: SpanEnd): void {
    const span = this.#open.get(task);
    if (span === undefined) return;
    this.#open.delete(task);
    this.#ended.push(closed(span, at, end));
  }

  #began(member: string, at: number): void {
    const life = (this.#lives.get(member) ?? 0) + 1;
    this.#lives.set(member, life);
    this.#starts.push({ member, at, life });
  }
}

/** Clocks of processes may differ slightly: a span never ends before it began. */
const closed = (span: ClaimSpan, to: number, end: SpanEnd): ClaimSpan => ({
  ...span,
  to: Math.max(span.from, to),
  end,
});

/**
 * Milliseconds of work on each task, over all its claims.
 *
 * @param now end of spans that are still open
 * @param lost counts for no duration
 */
export function workedMs(spans: readonly ClaimSpan[], now: number, lost = new LostTime()): Map<string, number> {
  const worked = new Map<string, number>();
  for (const { task, from, to = Math.max(from, now) } of spans)
    worked.set(task, (worked.get(task) ?? 0) + lost.between(from, to));
  return worked;
}
