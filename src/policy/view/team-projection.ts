/**
 * A team's events, folded for views: timeline, mail, spending, each member's last output, and throughput. A view that
 * follows a team reads each event once.
 */
import type { ShownEvent } from '../../model/team/shown-event.ts';
import type { Prices } from '../../model/team/spending-sum.ts';
import { MessageFlow } from './message-flow.ts';
import { Spans } from './claim-spans.ts';
import { SpendingBy } from './spending-by.ts';

export class TeamProjection {
  readonly spans = new Spans();
  readonly flow = new MessageFlow();
  readonly spending: SpendingBy;
  readonly #words = new Map<string, string>();
  readonly #completions: number[] = [];
  #firstAt: string | undefined;
  #last: ShownEvent | undefined;

  constructor(prices?: Prices) {
    this.spending = new SpendingBy(prices);
  }

  /** Member → the last line that its agent said or printed. */
  get words(): ReadonlyMap<string, string> {
    return this.#words;
  }

  /** When tasks were completed, in milliseconds since 1970, in the order of the log. */
  get completions(): readonly number[] {
    return this.#completions;
  }

  get firstAt(): string | undefined {
    return this.#firstAt;
  }

  /** The last event so far; its number is the count of events. */
  get last(): ShownEvent | undefined {
    return this.#last;
  }

  add(event: ShownEvent): void {
    this.spans.add(event);
    this.flow.add(event);
    this.spending.add(event);
    const { member, text = '' } = event;
    // What was said about an earlier task says nothing of the present one.
    if (member !== undefined && event.type === 'task.claimed') this.#words.delete(member);
    if (member !== undefined && isSpeech(event) && text.trim() !== '') this.#words.set(member, text);
    if (event.type === 'task.completed' || event.type === 'task.landed') this.#completions.push(Date.parse(event.at));
    this.#firstAt ??= event.at;
    this.#last = event;
  }
}

/** Whether an event is output of an agent: then its text is the agent's own line. */
export const isSpeech = ({ type }: ShownEvent): boolean => type === 'agent.printed' || type === 'agent.said';

/** The number of completed tasks in each of `count` equal parts of the time from `from` to `to`. */
export function throughput(completions: readonly number[], from: number, to: number, count: number): number[] {
  const parts = Array.from({ length: count }, () => 0);
  const width = Math.max(1, to - from) / count;
  for (const at of completions) {
    const part = Math.min(count - 1, Math.floor((at - from) / width));
    if (part >= 0) parts[part] = (parts[part] ?? 0) + 1;
  }
  return parts;
}
