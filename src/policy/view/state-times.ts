/** When a team and its members entered their present states, folded event by event. */
import type { LogTimes } from '../../model/team/event-summary.ts';
import { isOfBoard, type ShownEvent } from '../../model/team/shown-event.ts';
import type { MemberState } from '../../model/member/member-status.ts';
import { RETRY_AFTER_FAULT_MS } from '../backoff.ts';

/** The latest times of one member; a time is absent if the event never happened. */
export interface MemberTimes {
  joined?: string | undefined;
  /** Its present process started. */
  started?: string | undefined;
  /** Its last task in progress ended. */
  freed?: string | undefined;
  /** Its process ended, or it left. */
  gone?: string | undefined;
  /** It got a STATUS CHECK and has shown no progress since. */
  checked?: string | undefined;
}

/** A task that its member does not retry for a while, because its agent was at fault. */
interface Pause {
  readonly member: string;
  /** Wall time in milliseconds. */
  readonly until: number;
}

/** The times of a member after an event of the event log about it. */
export function timesInLog(times: LogTimes = {}, { type, at, ...facts }: ShownEvent): LogTimes {
  const gone = type === 'member.exited' || type === 'member.stopped' ? at : times.gone;
  const isCheck = type === 'lead.decided' && 'act' in facts && facts['act'] === 'check';
  const checked = isCheck ? at : type === 'lead.decided' ? times.checked : undefined;
  return { gone, checked };
}

/** When the team was last opened, began to close, and was closed, and when a task changed last. */
interface TeamTimes {
  changed?: string | undefined;
  opened?: string | undefined;
  closing?: string | undefined;
  paused?: string | undefined;
  closed?: string | undefined;
}

/** What is known of the time before the first event that is added. */
export interface TimesBefore {
  readonly team: Readonly<TeamTimes>;
  readonly members: ReadonlyMap<string, Readonly<MemberTimes>>;
  /** The latest events about a task, oldest first; among them its last claim or end, turn and failure. */
  ofTask(id: string): readonly ShownEvent[];
}

const NOTHING_BEFORE: TimesBefore = { team: {}, members: new Map(), ofTask: () => [] };

const ENDS: ReadonlySet<string> = new Set([
  'task.completed',
  'task.submitted',
  'task.failed',
  'task.skipped',
  'task.cancelled',
]);
const BEGINS_A_TURN: ReadonlySet<string> = new Set(['phase.ended', 'hook.refused']);

/** Whether a turn within an attempt begins with the event. */
export const beginsTurn = ({ type }: Pick<ShownEvent, 'type'>): boolean => BEGINS_A_TURN.has(type);

export class StateTimes {
  readonly team: TeamTimes;
  readonly #before: TimesBefore;
  readonly #members: Map<string, MemberTimes>;
  /** Task → the member that has its claim. */
  readonly #holders = new Map<string, string>();
  readonly #turns = new Map<string, string>();
  readonly #pauses = new Map<string, Pause>();
  /** Tasks of which a claim or an end was added: no earlier pause holds. */
  readonly #moved = new Set<string>();

  constructor(before: TimesBefore = NOTHING_BEFORE) {
    this.#before = before;
    this.team = { ...before.team };
    this.#members = new Map([...before.members].map(([name, times]) => [name, { ...times }]));
  }

  member(name: string): Readonly<MemberTimes> {
    return this.#members.get(name) ?? {};
  }

  /** When the last turn on a task began that did not begin with the claim. */
  turn(task: string): string | undefined {
    return this.#turns.get(task) ?? this.#earlier(task)?.turn(task);
  }

  pause(task: string): Pause | undefined {
    return this.#pauses.get(task) ?? (this.#moved.has(task) ? undefined : this.#earlier(task)?.pause(task));
  }

  add(event: ShownEvent): void {
    const { type, at } = event;
    this.#addToMember(event);
    if (type === 'team.opened') {
      this.team.opened = at;
      delete this.team.closing;
      delete this.team.paused;
    }
    if (type === 'team.closing') this.team.closing = at;
    if (type === 'team.paused') this.team.paused = at;
    if (type === 'team.unpaused') delete this.team.paused;
    if (type === 'team.closed') this.team.closed = at;
    if (type.startsWith('task.') && isOfBoard(event) && at > (this.team.changed ?? '')) this.team.changed = at;
    if (type === 'agent.failed') this.#failed(event);
    const task = 'task' in event ? event.task : undefined;
    if (typeof task === 'object') this.#addToTask(event, task.id);
    else if (task !== undefined && beginsTurn(event)) this.#turns.set(task, at);
  }

  #addToTask({ type, at, member = '' }: ShownEvent, task: string): void {
    if (type === 'task.claimed') this.#holders.set(task, member);
    if (type === 'task.claimed' || ENDS.has(type)) {
      this.#pauses.delete(task);
      this.#moved.add(task);
    }
    if (type === 'task.released' || ENDS.has(type)) this.#freed(task, at);
  }

  #addToMember(event: ShownEvent): void {
    const { type, at, member } = event;
    if (member === undefined) return;
    const times = this.#of(member);
    // The claims of its last process are over.
    if (type === 'member.started' || type === 'member.left')
      for (const [task, holder] of this.#holders) if (holder === member) this.#freed(task, at);
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

  #earlier(task: string): StateTimes | undefined {
    const events = this.#before.ofTask(task);
    if (events.length === 0) return undefined;
    const times = new StateTimes();
    for (const event of events) times.add(event);
    return times;
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
