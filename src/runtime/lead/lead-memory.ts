/**
 * What a lead remembers between two looks: when each member was last alive, ready and making progress. Facts that must
 * survive the lead are derived from the log (failures in a row, work done) or kept in the run's state (restarts).
 */
import type { Clock } from '../../model/text/clock.ts';
import type { Board } from '../../model/board/board.ts';
import type { Name } from '../../model/text/names.ts';
import type { WorkerState } from '../../model/team/team-config.ts';
import type { MemberSighting } from '../../policy/sighting.ts';
import { isMembersFailure } from '../../policy/supervise/member-failure.ts';
import { STALE_BEAT_MS } from '../../policy/member-availability.ts';
import type { Folded } from '../../store/board/fold-line.ts';
import type { MemberProcess } from './supervisor.ts';
import { MemberPasts } from '../views/member-past.ts';
import { WorkLog } from '../views/work-history.ts';

interface Remembered {
  bornAt: number;
  deadSince: number | undefined;
  readySince: number | undefined;
  beat: number | undefined;
  beatSince: number;
  printed: number | undefined;
  progressAt: number;
  checkedAt: number | undefined;
  answered: boolean;
  restarts: number;
  consecutiveFailures: number;
  quarantined: boolean;
  givenUp: boolean;
  completed: number;
}

/** What the lead sees of a member from outside, now. */
interface MemberReading {
  readonly life: MemberProcess | undefined;
  readonly byHand: boolean;
  /** mtime of its lease. */
  readonly beat: number | undefined;
  /** When it last printed anything: mtime of its log. */
  readonly printed: number | undefined;
  /** It waits for a person or for its vendor's rate limit; this time does not count as silence. */
  readonly isExcused: boolean;
  readonly boundedByTimeout: boolean;
  readonly needsCommand: boolean;
  /** The kind of its agent. */
  readonly agent?: string | undefined;
  readonly unfit: boolean;
}

export class LeadMemory {
  /** Tasks whose checkpoint this lead has already announced to a person. */
  readonly announced = new Set<string>();
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #members = new Map<Name, Remembered>();
  readonly #work = new WorkLog();
  readonly past = new MemberPasts();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  of(name: Name): Remembered {
    const known = this.#members.get(name);
    if (known) return known;
    const now = this.#clock.monotonic();
    const fresh: Remembered = {
      bornAt: now,
      deadSince: undefined,
      readySince: undefined,
      beat: undefined,
      beatSince: now,
      printed: undefined,
      progressAt: now,
      checkedAt: undefined,
      answered: false,
      restarts: 0,
      consecutiveFailures: 0,
      quarantined: false,
      givenUp: false,
      completed: 0,
    };
    this.#members.set(name, fresh);
    return fresh;
  }

  /** Takes a board event into account: whose progress it is, and whether it failed at a task. */
  folded(folded: Folded, board: Board): void {
    const { event, outcome } = folded;
    this.past.folded(folded);
    this.#work.folded(folded);
    if (!outcome.ok || !('by' in event.author)) return;
    const member = this.of(event.author.by);
    this.progressed(event.author.by);
    if (event.type === 'task.completed') {
      member.consecutiveFailures = 0;
      member.completed += 1;
    } else if (event.type === 'task.failed' && isMembersFailure(board, event)) member.consecutiveFailures += 1;
  }

  /** What the run's state says of a member: it outlives the lead. */
  recall({ id, restartCount, status }: Pick<WorkerState, 'id' | 'restartCount' | 'status'>): void {
    Object.assign(this.of(id), { restarts: restartCount, quarantined: status === 'quarantined' });
  }

  /** Any sign that a member makes progress. */
  progressed(name: Name): void {
    const member = this.of(name);
    member.progressAt = this.#clock.monotonic();
    member.checkedAt = undefined;
    member.answered = false;
  }

  /** Restarts every deadline, because the host or the lead slept. */
  resetDeadlines(): void {
    const now = this.#clock.monotonic();
    for (const member of this.#members.values()) {
      member.progressAt = now;
      member.beatSince = now;
      member.bornAt = now;
      member.checkedAt = undefined;
      if (member.deadSince !== undefined) member.deadSince = now;
      if (member.readySince !== undefined) member.readySince = now;
    }
  }

  /** A new process starts: what was seen of the last one no longer counts. */
  restarted(name: Name): void {
    const member = this.of(name);
    member.deadSince = undefined;
    member.readySince = undefined;
    member.bornAt = this.#clock.monotonic();
    member.beatSince = member.bornAt;
    this.progressed(name);
  }

  sighting(name: Name, { life, byHand, beat, printed, isExcused, ...facts }: MemberReading): MemberSighting {
    const now = this.#clock.monotonic();
    const member = this.of(name);
    if (beat !== member.beat) Object.assign(member, { beat, beatSince: now });
    if (printed !== member.printed) this.progressed(name);
    // The time without progress counts from the end of an excused wait. A member whose heartbeat is stale is not
    // excused.
    if (isExcused && now - member.beatSince < STALE_BEAT_MS) this.progressed(name);
    member.printed = printed;
    if (life?.death !== undefined) member.deadSince ??= now;
    if (life?.isReady === true && life.death === undefined) member.readySince ??= now;
    return {
      name,
      byHand,
      ...facts,
      process: processOf(life),
      death: life?.death,
      deadFor: member.deadSince === undefined ? 0 : now - member.deadSince,
      startingFor: processOf(life) === 'starting' ? now - member.bornAt : 0,
      aliveFor: member.readySince === undefined ? 0 : now - member.readySince,
      beatAge: now - member.beatSince,
      progressAge: now - member.progressAt,
      checkedFor: member.checkedAt === undefined ? undefined : now - member.checkedAt,
      answered: member.answered,
      restarts: member.restarts,
      consecutiveFailures: member.consecutiveFailures,
      quarantined: member.quarantined,
      givenUp: member.givenUp,
      completed: member.completed,
      workedMs: this.#work.workedMs.get(name) ?? 0,
    };
  }
}

function processOf(life: MemberProcess | undefined): MemberSighting['process'] {
  if (life === undefined) return 'none';
  if (life.death !== undefined) return 'dead';
  return life.isReady ? 'alive' : 'starting';
}
