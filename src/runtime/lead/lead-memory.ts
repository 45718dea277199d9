/**
 * What a lead remembers between two looks: when each member was last alive, ready and making progress. Facts that must
 * survive the lead are derived from the log (failures in a row, work done) or kept in the run's state (restarts).
 */
import type { Clock } from '../../model/text/clock.ts';
import { emptyPast, pastOf, type BoardPast } from '../../model/past/board-past.ts';
import type { Name } from '../../model/text/names.ts';
import type { WorkerState } from '../../model/run/run-state.ts';
import type { MemberSighting } from '../../policy/sighting.ts';
import { STALE_BEAT_MS } from '../../policy/member-availability.ts';
import type { Folded } from '../../store/board/fold-line.ts';
import type { MemberProcess } from '../placement/member-process.ts';

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
  /** Its failures in a row that no longer count, because it may try again. */
  forgiven: number;
  quarantined: boolean;
  givenUp: boolean;
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
  /** What the log says about the time before this lead, and since. */
  readonly past: BoardPast;

  constructor(clock: Pick<Clock, 'monotonic'>, past: BoardPast = emptyPast()) {
    this.#clock = clock;
    this.past = past;
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
      forgiven: 0,
      quarantined: false,
      givenUp: false,
    };
    this.#members.set(name, fresh);
    return fresh;
  }

  /** Takes a board event into account: whose progress it is. */
  folded({ event, outcome }: Folded): void {
    if (!outcome.ok || !('by' in event.author)) return;
    this.progressed(event.author.by);
    if (event.type === 'task.completed' || event.type === 'task.submitted') this.of(event.author.by).forgiven = 0;
  }

  /** Its failed tasks in a row since it may try again. */
  failuresOf(name: Name): number {
    return Math.max(0, pastOf(this.past, name).failures - this.of(name).forgiven);
  }

  /** It may try again: its failures so far no longer count. */
  forgive(name: Name): void {
    this.of(name).forgiven = pastOf(this.past, name).failures;
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

  /** What is seen in a look that began at `now`. Ages are whole milliseconds, so that a recorded look is the same. */
  sighting(
    name: Name,
    { life, byHand, beat, printed, isExcused, ...facts }: MemberReading,
    now = this.#clock.monotonic(),
  ): MemberSighting {
    const age = (since: number | undefined): number =>
      since === undefined ? 0 : Math.max(0, Math.floor(now) - Math.floor(since));
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
      deadFor: age(member.deadSince),
      startingFor: processOf(life) === 'starting' ? age(member.bornAt) : 0,
      aliveFor: age(member.readySince),
      beatAge: age(member.beatSince),
      progressAge: age(member.progressAt),
      checkedFor: member.checkedAt === undefined ? undefined : age(member.checkedAt),
      answered: member.answered,
      restarts: member.restarts,
      consecutiveFailures: this.failuresOf(name),
      quarantined: member.quarantined,
      givenUp: member.givenUp,
      completed: pastOf(this.past, name).completed,
      workedMs: pastOf(this.past, name).workedMs,
    };
  }
}

function processOf(life: MemberProcess | undefined): MemberSighting['process'] {
  if (life === undefined) return 'none';
  if (life.death !== undefined) return 'dead';
  return life.isReady ? 'alive' : 'starting';
}
