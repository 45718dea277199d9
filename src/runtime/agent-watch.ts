/**
 * What members' agents do that is no board event, read from the event log as it comes: any of it is progress (SPEC §6),
 * and a fault counts. Who could stand in for an agent that cannot work is looked for when the first is needed, since what
 * was there at the start of a run may be gone, and the other way about.
 */
import { failureClassSchema, type AgentSpec } from '../model/agent.ts';
import type { Name } from '../model/names.ts';
import type { TeamEvent } from '../model/team.ts';
import { needsAnother } from '../policy/fallback.ts';
import type { MemberSighting } from '../policy/sighting.ts';
import type { TeamStore } from '../store/team-store.ts';
import type { Memory } from './memory.ts';

/** Characters of a fault's text that a reason repeats. */
const SHOWN = 200;

/** A message that its agent wrote is progress as well; the runtime's own mail makes no such event. */
const isAgentsAct = ({ type }: TeamEvent): boolean => type.startsWith('agent.') || type === 'message.sent';

export type FindAgents = () => Promise<readonly AgentSpec[]>;

export class AgentWatch {
  readonly #store: Pick<TeamStore, 'events' | 'board'>;
  readonly #memory: Memory;
  readonly #find: FindAgents | undefined;
  #others: readonly AgentSpec[] | undefined;
  #next: number;

  /** Watches from now on. @param find the agents that could stand in here, the first choice first */
  constructor(store: Pick<TeamStore, 'events' | 'board'>, memory: Memory, find: FindAgents | undefined) {
    this.#store = store;
    this.#memory = memory;
    this.#find = find;
    this.#next = store.events.end();
  }

  look(): void {
    const { events, board } = this.#store;
    const reader = events.read(this.#next);
    for (let next = reader.next(); ; next = reader.next()) {
      if (next.done) {
        this.#next = next.value;
        return;
      }
      const { event } = next.value;
      const member = isAgentsAct(event) ? memberIn(board.board.members.keys(), event) : undefined;
      if (member !== undefined) this.#note(member, event);
    }
  }

  /** Looks for stand-ins when somebody needs one. @returns whether it did now: what was seen before is to be seen anew */
  async findFor(members: readonly MemberSighting[]): Promise<boolean> {
    if (this.#others !== undefined || this.#find === undefined || !members.some(needsAnother)) return false;
    this.#others = await this.#find();
    return true;
  }

  /** Who would think for a member instead of its agent: the first of a kind that it has not had. */
  standIn(name: Name, kind: string): AgentSpec | undefined {
    const { triedAgents } = this.#memory.of(name);
    return this.#others?.find((other) => other.kind !== kind && !triedAgents.has(other.kind));
  }

  #note(name: Name, event: TeamEvent): void {
    this.#memory.progressed(name);
    const fault = event.type === 'agent.failed' ? failureClassSchema.safeParse(event['fault']) : undefined;
    if (fault?.success === true)
      this.#memory.faulted(name, { fault: fault.data, task: event.task, text: (event.text ?? '').slice(0, SHOWN) });
  }
}

const memberIn = (members: Iterable<Name>, { member }: TeamEvent): Name | undefined =>
  [...members].find((name) => name === member);
