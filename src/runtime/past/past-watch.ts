/**
 * Moves through a team's past for a view that otherwise follows a living team: by events, by times, or played at a
 * speed. Wishes are carried out one after the other; of those that came meanwhile only the last one counts.
 */
import { printedLine } from '../../model/text/safe-text.ts';
import { timeOfDay } from '../../model/team/colors-and-times.ts';
import type { Message } from '../../model/team/message.ts';
import type { ShownEvent } from '../../model/team/shown-event.ts';
import type { Prices } from '../../model/team/spending-sum.ts';
import type { Moment } from '../../model/text/moment.ts';
import type { TeamPaths } from '../../store/files/paths.ts';
import { outputThen } from '../../store/board/output-parts.ts';
import { realClock } from '../../os/system-clock.ts';
import { isSpeech, type TeamProjection } from '../../policy/view/team-projection.ts';
import { knownMember } from '../views/follow.ts';
import type { TeamSnapshot } from '../views/team-watch.ts';
import { mailSentBy } from './past-mail.ts';
import { TeamPlayback, type PastPlace } from './team-playback.ts';

/** How much of the team's time passes in a second. */
const SPEEDS = [1, 10, 60, 600, 3_600] as const;
/** While it plays, it moves this often. */
const STEP_MS = 250;
/** A larger step is this part of all events, and at least {@link LEAST_STEP}. */
const STEPS = 20;
const LEAST_STEP = 10;

/** What a person can wish. */
export type PastMove =
  | { readonly to: 'event' | 'step'; readonly by: 1 | -1 }
  | { readonly to: 'first' | 'last' | 'play' | 'faster' | 'slower' }
  /** A part of the time from the first event to the last one, 0 to 1. */
  | { readonly to: 'share'; readonly share: number };

/** Where the view stands. */
export interface PastShown extends PastPlace {
  /** The time that is shown, which lies between two events while it plays; milliseconds since 1970. */
  readonly now: number;
  readonly isPlaying: boolean;
  readonly speed: number;
}

type PastSubject = { readonly member: string } | { readonly task: string };

export class PastWatch {
  readonly #playback: TeamPlayback;
  #snapshot: TeamSnapshot;
  #now: number;
  #speed = 1;
  #playing: NodeJS.Timeout | undefined;
  #lastTick = 0;
  /** The event that was wished last, and the time that is shown then. */
  #wanted: { readonly number: number; readonly now: number | undefined } | undefined;
  #target: number;
  #wake = (): void => {};

  private constructor(playback: TeamPlayback) {
    this.#playback = playback;
    const { at, number } = playback.place;
    [this.#now, this.#target] = [at, number];
    this.#snapshot = playback.look();
  }

  /** @throws UsageError `UNKNOWN_TEAM`, and `USAGE` for a moment that there is not; StoreError `NEWER_VERSION` */
  static async open(paths: TeamPaths, moment: Moment, prices?: Prices): Promise<PastWatch> {
    const playback = await TeamPlayback.open(paths, prices);
    try {
      await playback.moveTo(playback.numberAt(moment));
      return new PastWatch(playback);
    } catch (error) {
      playback.close();
      throw error;
    }
  }

  get store(): TeamPlayback['store'] {
    return this.#playback.store;
  }

  get projection(): TeamProjection {
    return this.#playback.projection;
  }

  get shown(): PastShown {
    const speed = SPEEDS[this.#speed] ?? 1;
    return { ...this.#playback.place, now: this.#now, isPlaying: this.#playing !== undefined, speed };
  }

  look(): TeamSnapshot {
    return { ...this.#snapshot, at: this.#now };
  }

  /** Yields, without events, after each move, until `signal` aborts. */
  async *follow(signal: AbortSignal): AsyncGenerator<readonly ShownEvent[]> {
    signal.addEventListener('abort', () => this.#wake(), { once: true });
    while (!signal.aborted) {
      const wanted = this.#wanted;
      this.#wanted = undefined;
      if (wanted === undefined) {
        await new Promise<void>((resolve) => (this.#wake = resolve));
        continue;
      }
      await this.#playback.moveTo(wanted.number);
      this.#snapshot = this.#playback.look();
      this.#now = wanted.now ?? this.#snapshot.at;
      yield [];
    }
  }

  move(move: PastMove): void {
    const { events, firstAt, lastAt } = this.#playback.place;
    switch (move.to) {
      case 'play':
        return this.#playing === undefined ? this.#play() : this.#stop();
      case 'faster':
      case 'slower':
        this.#speed = Math.max(0, Math.min(SPEEDS.length - 1, this.#speed + (move.to === 'faster' ? 1 : -1)));
        return;
      case 'share':
        this.#stop();
        return this.#toTime(firstAt + move.share * (lastAt - firstAt));
      case 'first':
        return this.#toEvent(1);
      case 'last':
        return this.#toEvent(events);
      case 'event':
      case 'step': {
        const by = move.to === 'event' ? 1 : Math.max(LEAST_STEP, Math.round(events / STEPS));
        return this.#toEvent(Math.max(1, Math.min(events, this.#target + move.by * by)));
      }
      default:
        move satisfies never;
    }
  }

  /** What a member or a task had printed, as whole lines, and what was told of the parts that were not over. */
  linesOf(subject: PastSubject): string[] {
    const { store } = this;
    const { members } = this.#snapshot.board;
    const of = 'task' in subject ? [...members.keys()] : [knownMember(store, subject.member)];
    const { printed, open } = outputThen(store, of, this.#now, 'task' in subject ? subject.task : undefined);
    const lines: string[] = [];
    for (const [nth, { member, claim, bytes }] of printed.entries()) {
      if ('task' in subject && nth > 0) lines.push(`--- attempt ${claim}, ${member} ---`);
      if (bytes.length > 0) for (const line of bytes.toString().replace(/\n$/, '').split('\n')) lines.push(line);
    }
    for (const { member, task, at } of open) {
      lines.push(`--- #${task} went on; when its lines were printed is not recorded. What ${member} told: ---`);
      for (const event of this.#playback.lately(this.shown.number))
        if (event.member === member && isSpeech(event) && event.at >= at)
          lines.push(`${timeOfDay(event.at)} ${printedLine(event.text ?? '')}`);
    }
    return lines;
  }

  /** What was sent to a member by then. */
  mailOf(member: string): Message[] {
    return mailSentBy(this.store, knownMember(this.store, member), this.#now);
  }

  close(): void {
    this.#stop();
    this.#playback.close();
  }

  #toEvent(number: number): void {
    this.#stop();
    this.#wish(number, undefined);
  }

  #toTime(ms: number): void {
    this.#wish(this.#playback.numberAt({ kind: 'time', ms }), ms);
  }

  #wish(number: number, now: number | undefined): void {
    this.#target = number;
    this.#wanted = { number, now };
    this.#wake();
  }

  /** From here on; at the end, from the beginning. */
  #play(): void {
    const { firstAt, lastAt } = this.#playback.place;
    let at = this.#now >= lastAt ? firstAt : this.#now;
    this.#lastTick = realClock.monotonic();
    this.#playing = setInterval(() => {
      const now = realClock.monotonic();
      at = Math.min(lastAt, at + (now - this.#lastTick) * this.shown.speed);
      this.#lastTick = now;
      if (at >= lastAt) this.#stop();
      this.#toTime(at);
    }, STEP_MS);
  }

  #stop(): void {
    clearInterval(this.#playing);
    this.#playing = undefined;
  }
}
