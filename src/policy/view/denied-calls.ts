/** The tool calls of agents that were refused, for the report: each member and reason once, with how often. */
import type { TeamEvent } from '../../model/team/team-event.ts';

/** Reasons that the report names; `teams log` has all. */
const NAMED = 5;

export class DeniedCalls {
  readonly #times = new Map<string, number>();

  add({ type, member = 'unknown member', text = '' }: TeamEvent): void {
    if (type !== 'agent.denied') return;
    const what = `${member}: ${text}`;
    this.#times.set(what, (this.#times.get(what) ?? 0) + 1);
  }

  /** One sentence for each member and reason. */
  get notes(): string[] {
    const all = [...this.#times].map(([what, times]) => (times === 1 ? what : `${what} (${times} times)`));
    const left = all.length - NAMED;
    const rest = left > 0 ? [`${left} more reasons for which tool calls were refused are in \`teams log\`.`] : [];
    return [...all.slice(0, NAMED), ...rest];
  }
}
