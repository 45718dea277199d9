/** Sightings as they are recorded, each as its difference from the one before, and back. */
import {
  seenMemberSchema,
  seenTeamSchema,
  type LookRecord,
  type SeenLimits,
  type SeenMember,
  type SeenTeam,
} from '../model/team/look-record.ts';
import { defined } from '../model/text/defined.ts';
import type { Name } from '../model/text/names.ts';
import type { Limits, MemberSighting, Sighting } from './sighting.ts';

/** A look is recorded at least so often, in milliseconds, even if nothing but time has passed. */
const RECORD_AT_LEAST_MS = 10_000;

/** What the lead saw, without the board, which has its own log. */
type Seen = Omit<Sighting, 'board'>;

type LookDifference = Pick<LookRecord, 'now' | 'limits' | 'team' | 'members' | 'skipped'>;

/** Moments that move while nothing happens. */
const MOVING: ReadonlySet<string> = new Set(['beat', 'progress'] satisfies (keyof SeenMember)[]);

export class LookWriter {
  readonly #limits: Limits;
  #last: { readonly team: SeenTeam; readonly members: Map<Name, SeenMember> } | undefined;
  #lastNow = 0;
  #lastMark = '';
  #skipped = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /**
   * @param now whole milliseconds
   * @param mark changes with everything else that counts: the board, and what was decided
   * @returns what has changed since the look that was recorded last; undefined if that is nothing
   */
  difference(seen: Seen, now: number, mark: string): LookDifference | undefined {
    const team = seenTeam(seen);
    const members = new Map(seen.members.map((one) => [one.name, seenMember(one, now)]));
    const before = this.#last;
    const changes = [...members].flatMap(([name, one]) => {
      const change = changedIn(before?.members.get(name), one);
      return Object.keys(change).length === 0 ? [] : [[name, change] as const];
    });
    const changedTeam = changedIn(before?.team, team);
    const isNews =
      before === undefined ||
      mark !== this.#lastMark ||
      Object.keys(changedTeam).length > 0 ||
      changes.some(([, change]) => Object.keys(change).some((key) => !MOVING.has(key))) ||
      now - this.#lastNow >= RECORD_AT_LEAST_MS;
    if (!isNews) {
      this.#skipped += 1;
      return undefined;
    }
    const skipped = this.#skipped;
    [this.#last, this.#lastNow, this.#lastMark, this.#skipped] = [{ team, members }, now, mark, 0];
    return {
      now,
      limits: before === undefined ? seenLimits(this.#limits) : undefined,
      ...(Object.keys(changedTeam).length === 0 ? {} : { team: changedTeam }),
      ...(changes.length === 0 ? {} : { members: Object.fromEntries(changes) }),
      ...(skipped === 0 ? {} : { skipped }),
    };
  }

  /** The record was not written: the next one tells everything. */
  lost(): void {
    this.#last = undefined;
    this.#skipped += 1;
  }
}

/** What is read back. */
interface ReadLook {
  readonly seen: Seen;
  readonly limits: Limits;
}

/** Reads the looks of one lead. */
export class LookReader {
  #team: object = {};
  readonly #members = new Map<string, object>();
  #limits: Limits | undefined;

  /** @returns undefined for a record whose beginning is missing */
  read({ now, limits, team, members = {} }: LookRecord): ReadLook | undefined {
    if (limits !== undefined) {
      this.#limits = readLimits(limits);
      this.#team = {};
      this.#members.clear();
    }
    this.#team = { ...this.#team, ...team };
    for (const [name, change] of Object.entries(members))
      this.#members.set(name, { ...this.#members.get(name), ...change });
    const known = seenTeamSchema.safeParse(this.#team).data;
    if (this.#limits === undefined || known === undefined) return undefined;
    const { names, overslept, unattended, untrusted, pipeline } = known;
    const all = names.flatMap((name) => readMember(name, this.#members.get(name), now) ?? []);
    if (all.length < names.length) return undefined;
    return {
      limits: this.#limits,
      seen: {
        members: all,
        overslept,
        unattended,
        untrusted: new Set(untrusted),
        pipeline: pipeline
          ? {
              owing: new Set(pipeline.owing),
              told: new Set(pipeline.told),
              passesCheckpoints: pipeline.passesCheckpoints,
            }
          : undefined,
      },
    };
  }
}

function changedIn<T extends object>(before: T | undefined, now: T): Partial<T> {
  const change: Partial<T> = {};
  for (const key of keysOf(now))
    if (before === undefined || JSON.stringify(before[key]) !== JSON.stringify(now[key])) change[key] = now[key];
  return change;
}

function* keysOf<T extends object>(value: T): Generator<Extract<keyof T, string>> {
  for (const key in value) yield key;
}

const seenTeam = ({ members, overslept, untrusted, unattended, pipeline }: Seen): SeenTeam => ({
  overslept,
  unattended,
  untrusted: [...untrusted],
  names: members.map(({ name }) => name),
  pipeline: pipeline
    ? { owing: [...pipeline.owing], passesCheckpoints: pipeline.passesCheckpoints, told: [...pipeline.told] }
    : null,
});

const seenMember = (one: MemberSighting, now: number): SeenMember => ({
  byHand: one.byHand,
  process: one.process,
  death: one.death ?? null,
  unfit: one.unfit,
  dead: one.deadFor === 0 ? null : now - one.deadFor,
  starting: one.startingFor === 0 ? null : now - one.startingFor,
  alive: one.aliveFor === 0 ? null : now - one.aliveFor,
  beat: now - one.beatAge,
  progress: now - one.progressAge,
  checked: one.checkedFor === undefined ? null : now - one.checkedFor,
  answered: one.answered,
  restarts: one.restarts,
  failures: one.consecutiveFailures,
  quarantined: one.quarantined,
  givenUp: one.givenUp,
  bounded: one.boundedByTimeout,
  needsCommand: one.needsCommand,
  agent: one.agent ?? null,
  completed: one.completed,
  worked: one.workedMs,
});

function readMember(name: Name, told: object | undefined, now: number): MemberSighting | undefined {
  const part = seenMemberSchema.safeParse(told).data;
  if (part === undefined) return undefined;
  const since = (moment: number | null): number => (moment === null ? 0 : now - moment);
  return {
    name,
    byHand: part.byHand,
    process: part.process,
    death: part.death ?? undefined,
    unfit: part.unfit,
    deadFor: since(part.dead),
    startingFor: since(part.starting),
    aliveFor: since(part.alive),
    beatAge: since(part.beat),
    progressAge: since(part.progress),
    checkedFor: part.checked === null ? undefined : since(part.checked),
    answered: part.answered,
    restarts: part.restarts,
    consecutiveFailures: part.failures,
    quarantined: part.quarantined,
    givenUp: part.givenUp,
    boundedByTimeout: part.bounded,
    needsCommand: part.needsCommand,
    agent: part.agent ?? undefined,
    completed: part.completed,
    workedMs: part.worked,
  };
}

const seenLimits = ({ cascade, ...limits }: Limits): SeenLimits => ({
  ...limits,
  cascade: cascade && { canSpawn: cascade.canSpawn, byRole: cascade.byRole && [...cascade.byRole] },
});

const readLimits = ({ cascade, cascadeDepth, ...limits }: SeenLimits): Limits => ({
  ...limits,
  // What is absent has a default.
  ...defined({
    cascadeDepth,
    cascade: cascade && { canSpawn: cascade.canSpawn, byRole: cascade.byRole && new Map(cascade.byRole) },
  }),
});
