/**
 * When the processes of members ended. An event says it; of one that ended while nobody led the team, the next lead
 * records when it was heard last.
 */
import type { TeamEvent } from '../../model/team/team-event.ts';

/** @returns when the process ended that an event is about, in milliseconds since 1970 */
export function endIn({
  type,
  ...facts
}: Pick<TeamEvent, 'type' | 'at'> & { readonly last?: unknown }): number | undefined {
  if (type === 'member.exited') return Date.parse(facts.at);
  if (type !== 'member.lost' || typeof facts.last !== 'string') return undefined;
  const last = Date.parse(facts.last);
  return Number.isFinite(last) ? last : undefined;
}

export class ProcessEnds {
  readonly #ends = new Map<string, number[]>();

  /** Adds an event of the team; those about no end are ignored. */
  add(event: TeamEvent): void {
    const end = endIn(event);
    if (end === undefined || event.member === undefined) return;
    const ends = this.#ends.get(event.member);
    if (ends === undefined) this.#ends.set(event.member, [end]);
    else ends.push(end);
  }

  /** When the member's process ended that worked at a time; undefined if it did not end, or nobody recorded it. */
  after(member: string, time: number): number | undefined {
    const later = (this.#ends.get(member) ?? []).filter((end) => end >= time);
    return later.length === 0 ? undefined : Math.min(...later);
  }
}
