/**
 * Measures time in which the team stood still: a pause of the machine (a frozen container, a stopped virtual machine), or
 * a wall clock that was set. The lead looks at both clocks every second and records what was lost, so that durations in
 * views and reports can leave it out. Time in which the lead alone did not look is not lost: it was held up by its own
 * work, or was stopped while members went on.
 */
import process from 'node:process';
import { timestamp, type Clock } from '../../model/text/clock.ts';
import { duration } from '../../policy/mail-wording.ts';
import { lastBeat } from '../../store/team/lease.ts';
import type { TeamStore } from '../../store/team/team-store.ts';

/** The clocks are looked at this often. */
const TICK_MS = 1_000;
/** A look that is later than this was held up by a pause, not by load. */
const MOST_LATE_MS = 5_000;
/** Less is no loss: clocks are adjusted a little all the time. */
const LEAST_MS = 2_000;

/** What a watch reads besides the clocks. */
interface WatchedTeam {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly events: Pick<TeamStore['events'], 'append' | 'end' | 'read'>;
  /** The last heartbeats of its members, as wall times. */
  readonly beats: () => readonly number[];
  /** Milliseconds of processor time that this process has used. */
  readonly used: () => number;
}

export const watchedTeam = ({ clock, events, disk, paths, board }: TeamStore): WatchedTeam => ({
  clock,
  events,
  beats: () => [...board.board.members.keys()].flatMap((name) => lastBeat(disk, paths, name) ?? []),
  used() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
});

export class ClockWatch {
  readonly #team: WatchedTeam;
  readonly #timer: NodeJS.Timeout;
  #wall: number;
  #monotonic: number;
  #used: number;
  /** The end of the event log at the last look. */
  #end: number;

  constructor(team: WatchedTeam) {
    this.#team = team;
    this.#wall = team.clock.now();
    this.#monotonic = team.clock.monotonic();
    this.#used = team.used();
    this.#end = team.events.end();
    this.#timer = setInterval(() => this.look(), TICK_MS);
    this.#timer.unref();
  }

  look(): void {
    const { clock, events } = this.#team;
    const [wall, monotonic, used, end] = [clock.now(), clock.monotonic(), this.#team.used(), events.end()];
    const [from, passed, worked, since] = [this.#wall, monotonic - this.#monotonic, used - this.#used, this.#end];
    [this.#wall, this.#monotonic, this.#used, this.#end] = [wall, monotonic, used, end];
    const jumped = wall - from - passed;
    const isSet = Math.abs(jumped) >= LEAST_MS;
    const isLate = passed > TICK_MS + MOST_LATE_MS;
    const wentOn = isLate && (worked > passed / 2 || (!isSet && this.#somebodyRan(from, wall, since)));
    const paused = isLate && !wentOn ? passed - TICK_MS : 0;
    const ms = Math.round((isSet ? jumped : 0) + paused);
    if (ms === 0) return;
    const long = duration(Math.abs(ms));
    const what =
      paused > 0 ? `the team stood still for ${long}` : `the clock was set ${long} ${ms > 0 ? 'ahead' : 'back'}`;
    const text = `${what}; it counts for no duration`;
    events.append({ type: 'lead.lost_time', ms, from: timestamp(from), text });
  }

  /** Whether a member left a sign between two looks: what is close to them was before, or after, a pause of all. */
  #somebodyRan(from: number, to: number, since: number): boolean {
    const isWithin = (at: number): boolean => at > from + TICK_MS && at < to - TICK_MS;
    if (this.#team.beats().some(isWithin)) return true;
    for (const { event } of this.#team.events.read(since)) if (isWithin(Date.parse(event.at))) return true;
    return false;
  }

  close(): void {
    clearInterval(this.#timer);
    this.look();
  }
}
