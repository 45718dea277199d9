/** When a team and its members entered their present states, folded event by event. */
import type { ShownEvent } from '../../model/team/shown-event.ts';
import type { MemberState } from '../../model/team/team-config.ts';
import { RETRY_AFTER_FAULT_MS } from '../backoff.ts';

/** The latest times of one member; a time is absent if the event never happened. */
interface MemberTimes {
  joined?: string;
  /** Its present process started. */
  started?: string;
  /** Its last task in progress ended. */
  freed?: string;
  /** Its process ended, or it left. */
  gone?: string;
  /** It got a STATUS CHECK and has shown no progress since. */
  checked?: string;
}

/** A task that its member does not retry for a while, because its agent was at fault. */
interface Pause {
  readonly member: string;
  /** Wall time in milliseconds. */
  readonly until: number;
}

const ENDS: ReadonlySet<string> = new Set(['task.completed', 'task.failed', 'task.skipped', 'task.cancelled']);
const BEGINS_A_TURN: ReadonlySet<string> = new Set(['phase.ended', 'hook.refused']);

export class StateTimes {
  /** When the team was last opened, began to close, and was closed. */
  readonly team: { opened?: string; closing?: string; closed?: string } = {};
  readonly #members = new Map<string, MemberTimes>();
  /** Task → the member that has its claim. */
  readonly #holders = new Map<string, string>();
  readonly #turns = new Map<string, string>();
  readonly #pauses = new Map<string, Pause>();

  member(name: string): Readonly<MemberTimes> {
    return this.#members.get(name) ?? {};
  }

  /** When the present turn on a task began, according to the events. */
  turn(task: string): string | undefined {
    return this.#turns.get(task);
  }

  pause(task: string): Pause | undefined {
    return this.#pauses.get(task);
  }

  add(event: ShownEvent): void {
    const { type, at } = event;
    this.#addToMember(event);
    if (type === 'team.opened') {
      this.team.opened = at;
      delete this.team.closing;
    }
    if (type === 'team.closing') this.team.closing = at;
    if (type === 'team.closed') this.team.closed = at;
    if (type === 'agent.failed') this.#failed(event);
    const task = 'task' in event ? event.task : undefined;
    if (typeof task === 'object') this.#addToTask(event, task.id);
    else if (task !== undefined && BEGINS_A_TURN.has(type)) this.#turns.set(task, at);
  }

  #addToTask({ type, at, member = '' }: ShownEvent, task: string): void {
    if (type === 'task.claimed') {
      this.#holders.set(task, member);
      this.#turns.set(task, at);
    }
    if (type === 'task.claimed' || ENDS.has(type)) this.#pauses.delete(task);
    if (type === 'task.released' || ENDS.has(type)) this.#freed(task, at);
  }

  #addToMember(event: ShownEvent): void {
    const { type, at, member } = event;
    if (member === undefined) return;
    const times = this.#of(member);
    if (type === 'member.joined') times.joined = at;
    if (type === 'member.started') times.started = at;
    if (type === 'member.exited' || type === 'member.stopped' || type === 'member.left') times.gone = at;
    if (type !== 'lead.decided') delete times.checked;
    else if (event['act'] === 'check') times.checked = at;
  }

  #freed(task: string, at: string): void {
    const holder = this.#holders.get(task);
    if (holder !== undefined) this.#of(holder).freed = at;
    this.#holders.delete(task);
  }

  #failed(event: Extract<ShownEvent, { task?: string | undefined }>): void {
    const { task, member, at } = event;
    if (typeof task !== 'string' || member === undefined) return;
    const asked = 'retry_after_ms' in event ? event.retry_after_ms : undefined;
    const ms = typeof asked === 'number' ? asked : RETRY_AFTER_FAULT_MS;
    this.#pauses.set(task, { member, until: Date.parse(at) + ms });
  }

  #of(member: string): MemberTimes {
    const known = this.#members.get(member) ?? {};
    this.#members.set(member, known);
    return known;
  }
}

/** Times of a member that are not in its events. */
export interface KnownTimes extends MemberTimes {
  readonly claimed: string | undefined;
  readonly died: string | undefined;
  readonly quarantined: string | undefined;
  /** Its process was started, according to the lead. */
  readonly forked: string | undefined;
  /** Its process reported what it waits for. */
  readonly noted: string | undefined;
  /** Its last progress, and its last heartbeat. */
  readonly sign: string;
  readonly beat: string;
}

/** When a member entered its state; null if unknown. */
export function stateTimeOf(state: MemberState, times: KnownTimes): string | null {
  const latest = (...all: readonly (string | undefined)[]): string | null =>
    all
      .flatMap((at) => at ?? [])
      .sort()
      .at(-1) ?? null;
  switch (state) {
    case 'joined':
      return latest(times.joined, times.claimed);
    case 'starting':
      return latest(times.forked, times.started);
    case 'working':
      return times.claimed ?? null;
    case 'idle':
    case 'waiting':
      return latest(times.started, times.freed, state === 'waiting' ? times.noted : undefined);
    case 'rate-limited':
      return latest(times.noted, times.claimed);
    case 'stalled':
      return times.sign;
    case 'quarantined':
      return times.quarantined ?? null;
    case 'dead':
      return times.died ?? times.beat;
    case 'stopped':
    case 'left':
      return latest(times.gone, times.died);
    default:
      return state satisfies never;
  }
}
