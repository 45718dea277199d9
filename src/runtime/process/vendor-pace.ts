/**
 * How the members of all teams of a user call one vendor, through one small file a credential: no member calls before the
 * pause ends that the vendor asked for or before its allowance is whole again, several refusals in the same pause count
 * once, few calls are unanswered at once until the vendor has answered (policy/backoff.ts), and teams take turns
 * (policy/governor.ts).
 */
import { answeredAt, isUnlimited, LONGEST_ASKED_MS, NO_PAUSE, refusedAt } from '../../policy/backoff.ts';
import {
  allowanceTold,
  believable,
  givenBack,
  isGoverned,
  tryBegin,
  untilAllowed,
  untilAskedAgain,
  waiting,
  withoutDead,
  type Allowance,
  type VendorRecord,
} from '../../policy/governor.ts';
import type { Clock } from '../../model/text/clock.ts';
import type { ProcessIdentity } from '../../model/agent/process-identity.ts';
import { livenessOf, ownIdentity } from '../../os/process-table.ts';
import { hashText } from '../../store/board/results.ts';
import { realDisk } from '../../store/files/disk.ts';
import type { PaceTold } from '../../store/replica/relay-request.ts';
import { VendorFile } from '../../store/team/vendor-file.ts';

/** Milliseconds after which a member asks again for a slot. */
const ASK_AGAIN_MS = 100;
/** Whoever waits looks again at the file after this time. */
const LOOK_AGAIN_MS = 1_000;

/** How often a caller says to other machines that it calls. */
const TELL_MS = 20_000;

/** Whose calls take turns with those of others: a team, by its folder. */
interface PaceOwner {
  readonly clock: Clock;
  readonly folder: string;
  /** Tells the other machines of a store; without one, nobody. */
  readonly tell?: ((told: PaceTold) => Promise<void>) | undefined;
}

type PaceRecord = VendorRecord<ProcessIdentity>;

export class VendorPace {
  readonly #clock: Clock;
  readonly #file: VendorFile;
  readonly #team: string;
  readonly #caller: string;
  readonly #credential: string;
  readonly #tellOthers: PaceOwner['tell'];
  #toldAt = Number.NEGATIVE_INFINITY;
  /** When the last call began. */
  #calledAt = 0;
  /** Whether the file knows this caller. */
  #isKnown = false;

  /**
   * @param credential the vendor, and what identifies the user there; only its hash is written
   * @param caller the member, unique in its team
   */
  constructor({ clock, folder, tell }: PaceOwner, credential: string, caller: string) {
    this.#clock = clock;
    this.#tellOthers = tell;
    this.#credential = hashText(credential).slice(0, 32);
    this.#file = new VendorFile({ disk: realDisk, clock }, this.#credential);
    this.#team = folder;
    this.#caller = `${caller} of ${folder}`;
  }

  /**
   * Begins a call as soon as the vendor may be called, unless `signal` aborts before.
   *
   * @param onWait called with the reason and the milliseconds that it will probably wait, when either is news
   * @returns whether it had to wait
   */
  async wait(signal: AbortSignal, onWait: (reason: string, ms: number) => void): Promise<boolean> {
    let [told, toldEnds]: [string | undefined, number] = [undefined, 0];
    // Another member's refusal may make the pause longer meanwhile.
    for (let ms = await this.begin(); ms > 0 && !signal.aborted; ms = await this.begin()) {
      const isPaused = this.left() > 0;
      const reason = isPaused ? 'its vendor asked for a pause' : 'another member tries its vendor first';
      const ends = this.#clock.monotonic() + ms;
      if (reason !== told || (isPaused && Math.abs(ends - toldEnds) > LOOK_AGAIN_MS)) onWait(reason, ms);
      [told, toldEnds] = [reason, ends];
      // Another call's answer may tell of more room.
      await this.#clock.sleep(Math.min(ms, LOOK_AGAIN_MS), signal);
    }
    return told !== undefined;
  }

  /**
   * Begins a call now, if the vendor may be called.
   *
   * @returns 0 if the call began; else milliseconds after which to ask again
   */
  async begin(): Promise<number> {
    if (this.#clock.monotonic() - this.#toldAt >= TELL_MS) this.#tell();
    const left = this.left();
    const record = this.#record();
    // Also in a pause it says that it waits: a team that comes first does not take all of what follows.
    if (!isUnlimited(record) || isGoverned(record)) {
      const isBegun = await this.#file.update((known) => {
        const now = this.#clock.monotonic();
        const asking = { caller: this.#caller, team: this.#team, process: ownIdentity(), now };
        const before = withoutDead(this.#believed(known), (process) => livenessOf(process) === 'dead');
        const began = left > 0 ? waiting(before, asking) : tryBegin(before, asking);
        if (began.isBegun) this.#calledAt = now;
        return { next: began.next, result: began.isBegun };
      });
      this.#isKnown = true;
      if (isBegun) return 0;
      return Math.max(ASK_AGAIN_MS, this.#pauseOf(record), untilAskedAgain(record, this.#clock.monotonic()));
    }
    if (left > 0) return left;
    this.#calledAt = this.#clock.monotonic();
    return 0;
  }

  /** Milliseconds until the vendor may be called. */
  left(): number {
    const record = this.#record();
    const now = this.#clock.monotonic();
    return Math.max(this.#pauseOf(record), untilAllowed(record, now));
  }

  /** Milliseconds that the vendor asked for. */
  #pauseOf({ until, length = LONGEST_ASKED_MS }: PaceRecord): number {
    return Math.max(0, Math.min(until - this.#clock.monotonic(), length));
  }

  /**
   * Records that the vendor refused the call.
   *
   * @param retryAfterMs what the vendor asked for
   * @returns milliseconds until the next call
   */
  async refused(retryAfterMs: number | undefined): Promise<number> {
    const now = this.#clock.monotonic();
    const refusal = { ...this.#call, now, random: Math.random(), retryAfterMs };
    await this.#change((record) => ({ ...record, ...refusedAt(record, refusal), learnedAt: now }));
    this.#tell();
    return this.left();
  }

  /** Records that the call was answered. */
  async answered(): Promise<void> {
    if (!this.#isKnown && this.#record().refusals === 0) return;
    const learnedAt = this.#clock.monotonic();
    await this.#change((record) => ({ ...record, ...answeredAt(record, this.#call), learnedAt }));
  }

  /** Records what the vendor told of its limit with an answer. */
  async allowed(told: Allowance): Promise<void> {
    const now = this.#clock.monotonic();
    await this.#file.update((known) => {
      const next = allowanceTold(this.#believed(known), { told, ...this.#call, now });
      return { next, result: undefined };
    });
  }

  /** Records that the call is over, or that nobody waits any more, if it was neither answered nor refused. */
  async end(): Promise<void> {
    if (this.#isKnown) await this.#change((record) => record);
  }

  /** A store that is away keeps nobody from calling: other machines learn then what their own calls tell them. */
  #tell(): void {
    if (this.#tellOthers === undefined) return;
    this.#toldAt = this.#clock.monotonic();
    const record = this.#record();
    const told = { credential: this.#credential, pauseMs: this.#pauseOf(record), refusals: record.refusals };
    void this.#tellOthers(told).catch(() => {});
  }

  get #call(): { readonly caller: string; readonly calledAt: number } {
    return { caller: this.#caller, calledAt: this.#calledAt };
  }

  #record(): PaceRecord {
    return this.#believed(this.#file.read());
  }

  #believed(known: PaceRecord | undefined): PaceRecord {
    return believable(known ?? NO_PAUSE, this.#clock.monotonic());
  }

  /** The caller gives its place back with it. */
  async #change(change: (record: PaceRecord) => PaceRecord): Promise<void> {
    this.#isKnown = false;
    await this.#file.update((known) => {
      return { next: givenBack(change(this.#believed(known)), this.#caller), result: undefined };
    });
  }
}
