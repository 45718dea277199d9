/**
 * How a team calls a vendor (docs/specification.md R7.9). All teammates that use the vendor share one pause after a rate
 * limit, so that they do not all retry a 429. Full jitter applies below the exponential ceiling. A
 * `retry-after` of the vendor is kept, plus a short random delay so that not all teammates retry at once.
 *
 * Calls that are neither answered nor refused yet take a slot. There are two at the start; each answer doubles them, a
 * refusal halves them. After a refusal one call at a time tries the vendor, until one is answered.
 */
const FIRST_PAUSE_MS = 1_000;
export const LONGEST_PAUSE_MS = 60_000;
/** A vendor may ask for a longer pause than LONGEST_PAUSE_MS, up to this limit. */
export const LONGEST_ASKED_MS = 15 * 60_000;
/** After an agent fault, the same member does not retry the task before this time. */
export const RETRY_AFTER_FAULT_MS = 5_000;
const FIRST_SLOTS = 2;
/** With so many slots no call is counted any more. */
const MOST_SLOTS = 32;
/** A call that was not refused for so long takes no slot: vendors refuse at once. */
export const UNANSWERED_MS = 10_000;

/**
 * @param attempt refusals in a row so far, the first is 1
 * @param random in [0, 1)
 * @param retryAfterMs what the vendor asked for, in milliseconds
 * @returns milliseconds until the next call: at least half the ceiling of this attempt, never less than the vendor
 * asked for
 */
export function nextPause(attempt: number, random: number, retryAfterMs?: number): number {
  const ceiling = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(Math.max(attempt, 1) - 1, 30));
  const own = ceiling * (0.5 + random / 2);
  const asked = Math.min(Math.max(retryAfterMs ?? 0, 0), LONGEST_ASKED_MS);
  return Math.round(Math.max(own, asked + random * Math.min(FIRST_PAUSE_MS, asked / 10)));
}

/** What a team records about one vendor. */
export interface VendorPause {
  readonly refusals: number;
  /** Time on the caller's clock; no teammate calls the vendor before it. */
  readonly until: number;
  /** Milliseconds from its beginning to its end; absent in records of earlier versions. */
  readonly length?: number | undefined;
  readonly slots?: number | undefined;
  /** When each caller's latest call began that is neither answered nor refused. */
  readonly open?: Readonly<Record<string, number>> | undefined;
}

export const NO_PAUSE: VendorPause = { refusals: 0, until: 0 };

/** More refusals in a row make no pause longer. */
const MOST_REFUSALS = 1_000;

/** The pause without what this file never writes: an end that is too far away, no slot, or a number without measure. */
export function believablePause({ refusals, until, length, slots, open }: VendorPause, now: number): VendorPause {
  const isOver = until - now > LONGEST_ASKED_MS + FIRST_PAUSE_MS;
  return {
    ...(isOver ? NO_PAUSE : { refusals: Math.min(refusals, MOST_REFUSALS), until, length }),
    slots: slots === undefined ? undefined : Math.max(1, Math.min(slots, MOST_SLOTS)),
    open,
  };
}

interface VendorCall {
  readonly caller: string;
  /** When it began. */
  readonly calledAt: number;
}

/** Whether calls need not be counted: the vendor answered often enough. */
export const isUnlimited = ({ refusals, slots = FIRST_SLOTS }: VendorPause): boolean =>
  refusals === 0 && slots >= MOST_SLOTS;

/**
 * Takes a slot for a call that begins now. Ask after the pause has ended.
 *
 * @returns undefined while no slot is free
 */
export function admitted(
  pause: VendorPause,
  { caller, now }: { caller: string; now: number },
): VendorPause | undefined {
  const open = stillOpen(pause, caller, now);
  const slots = pause.refusals > 0 ? 1 : (pause.slots ?? FIRST_SLOTS);
  return Object.keys(open).length >= slots ? undefined : { ...pause, open: { ...open, [caller]: now } };
}

/** The calls of others that still take a slot. A time after now was written before the clock was set back. */
function stillOpen({ open = {} }: VendorPause, caller: string, now: number): Record<string, number> {
  const isOpen = ([other, since]: [string, number]): boolean =>
    other !== caller && since <= now && now - since < UNANSWERED_MS;
  return Object.fromEntries(Object.entries(open).filter(isOpen));
}

/**
 * Records that the vendor refused a teammate. Refusals of calls that began before the current pause count once: those
 * teammates could not know of it.
 */
export function refusedAt(
  pause: VendorPause,
  {
    caller,
    calledAt,
    now,
    random,
    retryAfterMs,
  }: VendorCall & { now: number; random: number; retryAfterMs?: number | undefined },
): VendorPause {
  const freed = ended(pause, caller);
  const isNews = calledAt >= pause.until;
  const refusals = isNews ? pause.refusals + 1 : Math.max(1, pause.refusals);
  const until = now + nextPause(refusals, random, retryAfterMs);
  if (!isNews && retryAfterMs === undefined) return { ...freed, refusals };
  const end = Math.max(pause.until, until);
  const slots = Math.max(1, Math.floor((pause.slots ?? FIRST_SLOTS) / (isNews ? 2 : 1)));
  return { ...freed, refusals, until: end, length: Math.max(0, end - now), slots };
}

/** A call that began after the pause succeeded: the vendor's limit is over. */
export function answeredAt(pause: VendorPause, { caller, calledAt }: VendorCall): VendorPause {
  const freed = ended(pause, caller);
  const slots = Math.min(MOST_SLOTS, 2 * (pause.slots ?? FIRST_SLOTS));
  return calledAt >= pause.until ? { ...freed, refusals: 0, until: 0, length: undefined, slots } : freed;
}

/** The call takes no slot any more, whether it was answered or not. */
export function ended(pause: VendorPause, caller: string): VendorPause {
  const { [caller]: _, ...open } = pause.open ?? {};
  return { ...pause, open };
}
