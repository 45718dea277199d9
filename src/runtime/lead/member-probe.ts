/** Looks at members: process, heartbeat and output. */
import type { Board } from '../../model/board/board.ts';
import type { Name } from '../../model/text/names.ts';
import type { MemberConfig } from '../../model/team/team-config.ts';
import { waitOf } from '../../model/board/request.ts';
import type { MemberSighting } from '../../policy/sighting.ts';
import { lookAt } from '../../store/files/disk.ts';
import { lastBeat } from '../../store/team/lease.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import type { LeadMemory } from './lead-memory.ts';
import type { MemberProcess, RemoteProcess } from '../placement/member-process.ts';
import type { Supervisor } from './supervisor.ts';
import { UNAVAILABLE_EXIT } from '../team/member-session.ts';
import { readableConfig } from '../../store/team/team-reader.ts';

/** Whether the member waits for a person; such time does not count as its silence. */
const isAsking = (board: Board, name: Name): boolean => {
  const task = board.busy.get(name);
  return task !== undefined && waitOf(board, name, task)?.task === task;
};

/**
 * One of another machine that is on no host is left to itself. If a lead has started it there, and was lost with that
 * machine, it may be started anew when it has ended.
 */
const isLeft = ({ host, death, seen }: RemoteProcess): boolean =>
  host === undefined && (death === undefined || seen?.startedBy !== 'lead');

/** A member, and its present process. */
interface Waiting {
  readonly name: Name;
  readonly incarnation: string | null;
}

export class MemberProbe {
  readonly #store: TeamStore;
  readonly #memory: LeadMemory;
  readonly #supervisor: Supervisor;
  readonly #waitsForBudget: (one: Waiting) => boolean;
  /** The agent of each member, from the config. */
  #agents: ReadonlyMap<Name, MemberConfig['agent']> = new Map();

  constructor(
    store: TeamStore,
    memory: LeadMemory,
    supervisor: Supervisor,
    waitsForBudget: (one: Waiting) => boolean = () => false,
  ) {
    this.#store = store;
    this.#memory = memory;
    this.#supervisor = supervisor;
    this.#waitsForBudget = waitsForBudget;
  }

  /** What is seen of a member in a look that began at `now`; undefined for a member that never had a process of ours and may get one. */
  at(board: Board, name: Name, now: number): MemberSighting | undefined {
    const { disk, paths, roster } = this.#store;
    const life = this.lifeOf(name);
    const record = roster.read(name);
    const { givenUp, quarantined } = this.#memory.of(name);
    if (life === undefined && !givenUp && !quarantined && record === undefined) return undefined;
    const agent = this.#agentOf(name);
    const waits = { name, incarnation: board.members.get(name)?.incarnation ?? null };
    const reading = {
      life,
      byHand: life?.where === 'elsewhere' ? isLeft(life) : record?.by_hand === true,
      // One elsewhere is alive as long as it renews its lease.
      beat: life?.where === 'elsewhere' ? now : lastBeat(disk, paths, name),
      printed: lookAt(disk, paths.output(name))?.mtimeMs,
      isExcused: isAsking(board, name) || record?.note?.state === 'rate-limited' || this.#waitsForBudget(waits),
      // One elsewhere ends its turns by itself; what its agent does is not seen here.
      boundedByTimeout: board.busy.has(name) && (agent?.kind === 'exec' || life?.where === 'elsewhere'),
      agent: agent?.kind,
      needsCommand: agent?.kind === 'exec' && agent['command'] === undefined,
      unfit: life?.where === 'here' && life.child?.exitCode === UNAVAILABLE_EXIT,
    };
    return this.#memory.sighting(name, reading, now);
  }

  /** The configuration has changed: it is read again. */
  forgetAgents(): void {
    this.#agents = new Map();
  }

  /** The present process. If the known one has ended, a person may have started another since. */
  lifeOf(name: Name): MemberProcess | undefined {
    const known = this.#supervisor.look(name);
    if (known && known.death === undefined) return known;
    const found = this.#supervisor.adopt(name);
    if (found && known) this.#memory.restarted(name);
    return found ?? known;
  }

  #agentOf(name: Name): MemberConfig['agent'] {
    const config = this.#agents.has(name) ? undefined : readableConfig(this.#store);
    if (config) this.#agents = new Map(config.members.map((member) => [member.name, member.agent]));
    return this.#agents.get(name);
  }
}
