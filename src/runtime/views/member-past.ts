/** What `state.json` says about each member's whole time, from the board's log: its first start and all its tasks. */
import type { Change } from '../../model/board/event.ts';
import type { Name } from '../../model/text/names.ts';
import type { Folded } from '../../store/board/fold-line.ts';

interface MemberPast {
  /** When its first process started, ISO 8601. */
  spawnedAt: string | undefined;
  /** Every task that it owned or claimed. */
  readonly tasks: Set<string>;
}

export class MemberPasts {
  readonly #members = new Map<Name, MemberPast>();

  of(name: Name): MemberPast {
    const known = this.#members.get(name) ?? { spawnedAt: undefined, tasks: new Set() };
    this.#members.set(name, known);
    return known;
  }

  folded({ event, outcome }: Folded): void {
    if (!outcome.ok) return;
    if (event.type === 'member.started') this.of(event.name).spawnedAt ??= event.at;
    for (const change of event.type === 'batch' ? event.changes : [event]) this.#given(change);
  }

  #given(change: Change): void {
    const to = receiverOf(change);
    if (to !== undefined && 'task' in change) this.of(to).tasks.add(change.task);
  }
}

function receiverOf(change: Change): Name | undefined {
  if (change.type === 'task.claimed') return change.member;
  if (change.type === 'task.created') return change.fields.owner;
  return change.type === 'task.assigned' ? (change.owner ?? undefined) : undefined;
}
