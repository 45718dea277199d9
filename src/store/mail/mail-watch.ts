/**
 * When a reader looks into its inbox: when its bell rings, and once a second, because a watch may miss changes and other
 * programs write mail without ringing. A reader that has nothing to do rests: it looks at each heartbeat of its
 * process, about every fifth second, and watches its inbox, too. It rests only after its watch has proved to work: it rings its own bell, and that must wake it.
 *
 *   looking ─10 looks without news→ rings its bell ─woken by that→ resting ─news, or work→ looking
 *
 * Where the system refuses to watch, a reader that has nothing to do mostly glances once a second instead of looking.
 */
import { watchFile, type FileWatch } from '../files/watch-file.ts';
import type { Disk } from '../files/disk.ts';
import type { InboxPaths } from '../files/paths.ts';
import { ringBell } from './bell.ts';
import type { Reader } from './reader.ts';

interface Times {
  /** Milliseconds between two looks. */
  readonly lookMs: number;
  /**
   * A reader that rests looks after this many milliseconds without a {@link MailWatch.beat}. Much longer than the time
   * between two beats: a timer that was set anew still wakes the process once at its first time.
   */
  readonly restMs: number;
  /** Looks without news, after which it rests. */
  readonly restAfter: number;
  /** Heartbeats in a row at which a reader that rests only glances, when it finds nothing new; and seconds, of one without a watch. */
  readonly glances: number;
}

const TIMES: Times = { lookMs: 1_000, restMs: 90_000, restAfter: 10, glances: 14 };
/** Mail of our own senders rings the bell within this time after its write; what does not was written by another program. */
const BELL_MS = 20;

export interface MailWatchEnvironment {
  readonly disk: Disk;
  readonly inbox: InboxPaths;
  readonly reader: Pick<Reader, 'tidy' | 'makeInbox' | 'hasMore'>;
  /** Called when there may be mail, and at each periodic look. */
  readonly onLook: () => void;
  /** Called once when the system refuses to watch (no inotify instances left, say); the periodic look goes on. */
  readonly onLost: (why: string) => void;
  /** Called when a periodic look fails; the next one tries again. */
  readonly onTrouble: (error: unknown) => void;
  /** Whether the reader has nothing to do but to wait; without it, it never rests. */
  readonly mayRest?: (() => boolean) | undefined;
  /** Whether a reader that rests may have something to do beside its mail; without it, each heartbeat is a look. */
  readonly hasNews?: (() => boolean) | undefined;
  readonly times?: Times | undefined;
  readonly watching?: typeof watchFile;
}

export class MailWatch {
  readonly #environment: MailWatchEnvironment;
  readonly #times: Times;
  readonly #bell: FileWatch;
  /** While it rests. */
  #inbox: FileWatch | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isLost = false;
  #looks = 0;
  #glances = 0;
  #proof: 'none' | 'asked' | 'given' = 'none';

  /** Watches from now on, so that what comes before the first look is not missed. */
  constructor(environment: MailWatchEnvironment) {
    const { disk, inbox, times = TIMES, watching = watchFile } = environment;
    this.#environment = environment;
    this.#times = times;
    this.#bell = watching(disk, inbox.bell, () => this.#onBell(), this.#onLost);
    this.#lookIn(times.lookMs);
  }

  get isResting(): boolean {
    return this.#inbox !== undefined;
  }

  /**
   * The process is awake, for its heartbeat: a reader that rests looks now, and need not wake it once more. Mostly a
   * glance is enough for it: that nothing has changed.
   */
  beat(): void {
    if (!this.isResting) return;
    this.#glances += 1;
    if (this.#glances > this.#times.glances || this.#hasNews()) this.#look();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#bell.close();
    this.#inbox?.close();
  }

  /** What fails here fails in the look that follows, and is reported there. */
  #hasNews(): boolean {
    const { reader, hasNews = () => true } = this.#environment;
    try {
      const replaced = this.#isLost ? [] : [this.#bell.check(), this.#inbox?.check()];
      return replaced.includes(true) || reader.hasMore() || hasNews();
    } catch {
      return true;
    }
  }

  #lookIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#lookOrGlance(), ms);
  }

  #lookOrGlance(): void {
    const { glances, restAfter, lookMs } = this.#times;
    this.#glances += 1;
    const isGlance = this.#isLost && this.#looks > restAfter && this.#glances <= glances && !this.#hasNews();
    if (isGlance) this.#lookIn(lookMs);
    else this.#look();
  }

  #look(): void {
    this.#glances = 0;
    const { reader, onLook, onTrouble } = this.#environment;
    try {
      this.#bell.check();
      this.#inbox?.check();
      reader.tidy();
      this.#restOrRise();
    } catch (error) {
      onTrouble(error);
    }
    this.#lookIn(this.isResting ? this.#times.restMs : this.#times.lookMs);
    onLook();
  }

  #restOrRise(): void {
    const { restAfter } = this.#times;
    if (this.#environment.mayRest?.() !== true) this.#rise();
    else if (this.#isLost) this.#looks += 1;
    else if (this.#inbox === undefined) {
      this.#looks += 1;
      if (this.#looks === restAfter) this.#askForProof();
      else if (this.#looks > restAfter && this.#proof === 'given') this.#rest();
      else if (this.#looks > restAfter) this.#rise();
    }
  }

  #onBell(): void {
    if (this.#proof === 'asked') this.#proof = 'given';
    else {
      if (this.isResting) this.#lookIn(this.#times.lookMs);
      this.#rise();
    }
    this.#environment.onLook();
  }

  #askForProof(): void {
    this.#proof = 'asked';
    ringBell(this.#environment.disk, this.#environment.inbox.bell);
  }

  /** What came before the inbox was watched is found by the look that follows. */
  #rest(): void {
    const { disk, inbox, reader, watching = watchFile } = this.#environment;
    reader.makeInbox();
    const onChange = (): void => {
      if (!this.isResting) return;
      this.#rise();
      this.#lookIn(BELL_MS);
    };
    this.#inbox = watching(disk, inbox.inbox, onChange, this.#onLost);
    if (this.#isLost) this.#rise();
  }

  readonly #onLost = (why: string): void => {
    this.#isLost = true;
    this.#environment.onLost(why);
  };

  #rise(): void {
    this.#looks = 0;
    this.#proof = 'none';
    this.#inbox?.close();
    this.#inbox = undefined;
  }
}
