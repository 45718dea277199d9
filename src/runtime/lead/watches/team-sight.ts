/** What the lead sees of its team in one look: the board, each member, and whether time ran on without it. */
import type { Board } from '../../../model/board/board.ts';
import type { Sighting } from '../../../policy/sighting.ts';
import type { TeamStore } from '../../../store/team/team-store.ts';
import { RELOOK_MS } from '../../process/waker.ts';
import type { LeadMemory } from '../lead-memory.ts';
import type { LeadOptions } from '../lead-options.ts';
import type { MemberProbe } from '../member-probe.ts';
import type { RoleReports } from '../role-reports.ts';
import { AgentActivityWatch } from './agent-activity-watch.ts';

interface SightEnvironment {
  readonly store: TeamStore;
  readonly options: Pick<LeadOptions, 'monitorIntervalMs' | 'passesCheckpoints' | 'unattended'>;
  readonly memory: LeadMemory;
  readonly probe: MemberProbe;
  /** Of a pipeline. */
  readonly roles: RoleReports | undefined;
}

export class TeamSight {
  readonly #environment: SightEnvironment;
  readonly #agents: AgentActivityWatch;
  #lastLook: number;
  #wasPaused = false;

  constructor(environment: SightEnvironment) {
    const { store, memory } = environment;
    this.#environment = environment;
    this.#agents = new AgentActivityWatch(store, (name) => memory.progressed(name));
    this.#lastLook = store.clock.monotonic();
  }

  /** When the last look began, in milliseconds of the monotonic clock. */
  get lastLook(): number {
    return this.#lastLook;
  }

  /** @param board folded just now */
  look(board: Board): Sighting {
    const { store, options, memory, probe, roles } = this.#environment;
    const now = store.clock.monotonic();
    this.#agents.look();
    const slept = now - this.#lastLook > 2 * Math.max(options.monitorIntervalMs, RELOOK_MS);
    const isPaused = board.phase === 'paused';
    // No deadline runs on in a pause.
    const overslept = slept || (this.#wasPaused && !isPaused);
    this.#wasPaused = isPaused;
    this.#lastLook = now;
    const members = [...board.members.values()]
      .filter((member) => member.state === 'joined')
      .flatMap(({ name }) => probe.at(board, name, now) ?? []);
    const pipeline = roles && {
      owing: roles.owing(board),
      told: memory.announced,
      passesCheckpoints: options.passesCheckpoints === true,
    };
    const untrusted = new Set(store.commands.untrusted('open').map(({ task }) => task));
    return { board, members, overslept, untrusted, unattended: options.unattended, pipeline };
  }
}
