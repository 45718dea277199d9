/** Mail between members, folded event by event: the last messages, and the count for each edge. */
import { LEAD } from '../../model/text/names.ts';
import type { ShownEvent } from '../../model/team/shown-event.ts';

/** The beginning of one message, from its event; the whole message is in the inbox or the history of `to`. */
export interface MessageSummary {
  /** The number of its event. */
  readonly number: number;
  readonly at: string;
  readonly from: string;
  readonly to: string;
  /** `message`, or a kind of the runtime: `question`, `task_completed` … */
  readonly kind: string;
  readonly text: string;
}

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly count: number;
  readonly lastAt: string;
}

/** Messages that are kept; edges count all of them. */
const KEPT = 500;

/**
 * Kinds that were counted when they were sent or asked; counting them again when the lead reads them would be twice.
 */
const TOLD_BEFORE = new Set(['message', 'broadcast', 'question', 'plan_approval_request']);

export class MessageFlow {
  #recent: MessageSummary[] = [];
  readonly #edges = new Map<string, Edge>();
  /** Request → the asking member. */
  readonly #askers = new Map<string, string>();

  /** The newest last. */
  get recent(): readonly MessageSummary[] {
    return this.#recent.slice(-KEPT);
  }

  get edges(): readonly Edge[] {
    return [...this.#edges.values()];
  }

  /** @returns the message of this event, if it has one */
  add(event: ShownEvent): MessageSummary | undefined {
    const passed = this.#passed(event);
    if (passed === undefined) return undefined;
    this.#recent.push(passed);
    // Cut now and then, not each time: at most twice as many are kept.
    if (this.#recent.length >= 2 * KEPT) this.#recent = this.#recent.slice(-KEPT);
    const { from, to, at } = passed;
    const key = edgeKey(from, to);
    this.#edges.set(key, { from, to, count: (this.#edges.get(key)?.count ?? 0) + 1, lastAt: at });
    return passed;
  }

  #passed(event: ShownEvent): MessageSummary | undefined {
    const { type, member = 'unknown' } = event;
    if (type === 'message.sent') return sent(event, member);
    if (type === 'message.received') return received(event, member);
    if (type !== 'request.made' && type !== 'request.answered') return undefined;
    const id = textOf('request' in event ? event.request : undefined) ?? '';
    const text = withoutPrefix(event.text, `${id}: `);
    if (type === 'request.made') {
      this.#askers.set(id, member);
      return { ...headOf(event), from: member, to: LEAD, kind: 'question', text };
    }
    return { ...headOf(event), from: member, to: this.#askers.get(id) ?? 'unknown', kind: 'answer', text };
  }
}

const headOf = ({ number, at }: ShownEvent): Pick<MessageSummary, 'number' | 'at'> => ({ number, at });

/** A space separates the names, because names have none. */
const edgeKey = (from: string, to: string): string => `${from} ${to}`;

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const withoutPrefix = (text = '', prefix: string): string =>
  text.startsWith(prefix) ? text.slice(prefix.length) : text;

function sent(event: ShownEvent, from: string): MessageSummary {
  const to = textOf('to' in event ? event.to : undefined) ?? LEAD;
  return { ...headOf(event), from, to, kind: 'message', text: withoutPrefix(event.text, `to ${to}: `) };
}

/** A message that the lead read, unless it was counted when it was sent or asked. */
function received(event: ShownEvent, from: string): MessageSummary | undefined {
  const kind = textOf('kind' in event ? event.kind : undefined) ?? 'message';
  const isTold = event.member !== undefined && TOLD_BEFORE.has(kind);
  return isTold ? undefined : { ...headOf(event), from, to: LEAD, kind, text: event.text ?? '' };
}
