/**
 * A run as one trace, folded event by event: the run, its tasks, the turns of members, the tools that agents use, the
 * messages that they send. A turn that a message caused is that message's child. A span is returned when it is over.
 * Its key depends only on the events.
 */
import type { ShownEvent } from '../../model/team/shown-event.ts';
import { isFinal, type Task } from '../../model/board/task.ts';
import { MessageFlow } from './message-flow.ts';

export const RUN = 'run';

export interface TracedSpan {
  readonly key: string;
  readonly name: string;
  /** Absent for the run. */
  readonly parent?: string;
  /** A second span that it belongs to. */
  readonly link?: string;
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  /** The error text, if it failed. */
  readonly fault?: string | undefined;
  readonly attributes: Readonly<Record<string, string | number>>;
}

type Open = Omit<TracedSpan, 'to' | 'fault'>;

const ENDS: ReadonlySet<string> = new Set([
  'task.completed',
  'task.submitted',
  'task.failed',
  'task.released',
  'task.skipped',
  'task.cancelled',
]);

export class Traces {
  readonly #flow = new MessageFlow();
  readonly #tasks = new Map<string, Open>();
  /** Member → its open turn. */
  readonly #turns = new Map<string, Open>();
  /** Member → the last message to it that no turn has followed yet. */
  readonly #causes = new Map<string, string>();
  #startedAt: number | undefined;

  /** @returns the spans that end with this event, inner ones first */
  add(event: ShownEvent): TracedSpan[] {
    const at = Date.parse(event.at);
    this.#startedAt ??= at;
    const { member = '' } = event;
    const task = 'task' in event && typeof event.task === 'object' ? event.task : undefined;
    if (task) return this.#changed(event, task, at);
    if (event.type === 'member.started' || event.type === 'member.left') return this.#endTurn(member, at, 'lost');
    if (event.type === 'agent.acted') return [this.#tool(event, member, at)];
    const passed = this.#flow.add(event);
    if (passed === undefined) return [];
    const key = `message ${passed.number}`;
    this.#causes.set(passed.to, key);
    const attributes = { 'teams.from': passed.from, 'teams.to': passed.to, 'teams.kind': passed.kind };
    const parent = this.spanOf(passed.from);
    return [{ key, name: `message ${passed.from} > ${passed.to}`, parent, from: at, to: at, attributes }];
  }

  /** Spans that are still open, ended at `now`; the run itself comes last. */
  rest(now: number): TracedSpan[] {
    const from = this.#startedAt ?? now;
    const open = [...this.#turns.values(), ...this.#tasks.values()].map((one) => ({
      ...one,
      to: Math.max(one.from, now),
    }));
    return [...open, { key: RUN, name: RUN, from, to: Math.max(from, now), attributes: {} }];
  }

  /** The innermost open span of a member. */
  spanOf(member: string): string {
    return this.#turns.get(member)?.key ?? RUN;
  }

  #changed({ type, text, member = '' }: ShownEvent, task: Task, at: number): TracedSpan[] {
    if (type === 'task.created' || type === 'task.retried') this.#begin(task, at);
    if (type === 'task.claimed') return this.#claimed(task, member, at);
    if (!ENDS.has(type)) return [];
    const isFault = type === 'task.failed' || type === 'task.released';
    const fault = isFault ? { fault: text ?? type } : {};
    const holder = [...this.#turns].find(([, turn]) => turn.attributes['teams.task'] === task.id)?.[0];
    const turn = holder === undefined ? [] : this.#endTurn(holder, at, isFault ? (text ?? type) : undefined);
    const own = this.#tasks.get(task.id);
    if (own === undefined || !isFinal(task)) return turn;
    this.#tasks.delete(task.id);
    return [...turn, { ...own, to: at, ...fault, attributes: { ...own.attributes, 'teams.status': task.status } }];
  }

  #begin(task: Task, from: number): void {
    if (this.#tasks.has(task.id)) return;
    // A task that is retried after its end is a span of its own.
    const key = task.claims === 0 ? `task ${task.id}` : `task ${task.id} after ${task.claims}`;
    const attributes = { 'teams.task': task.id, 'teams.subject': task.subject };
    this.#tasks.set(task.id, { key, name: `task #${task.id}`, parent: RUN, from, attributes });
  }

  #claimed(task: Task, by: string, from: number): TracedSpan[] {
    const member = task.status === 'in_progress' ? task.claim.member : by;
    const before = this.#endTurn(member, from, 'lost');
    const own = this.#tasks.get(task.id)?.key ?? RUN;
    const cause = this.#causes.get(member);
    this.#causes.delete(member);
    this.#turns.set(member, {
      key: `turn ${task.id} ${task.claims}`,
      name: `turn ${member}`,
      ...(cause === undefined ? { parent: own } : { parent: cause, link: own }),
      from,
      attributes: { 'teams.member': member, 'teams.task': task.id, 'teams.claim': task.claims },
    });
    return before;
  }

  #endTurn(member: string, to: number, fault: string | undefined): TracedSpan[] {
    const turn = this.#turns.get(member);
    if (turn === undefined) return [];
    this.#turns.delete(member);
    return [{ ...turn, to: Math.max(turn.from, to), fault }];
  }

  /** The text of an agent's act begins with the tool's name. */
  #tool({ number, text = '' }: ShownEvent, member: string, at: number): TracedSpan {
    const tool = text.slice(0, Math.max(0, text.indexOf(':')));
    const attributes = { 'teams.member': member, 'teams.tool': tool };
    return { key: `tool ${number}`, name: `tool ${tool}`, parent: this.spanOf(member), from: at, to: at, attributes };
  }
}
