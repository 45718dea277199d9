/**
 * Who of a user's teams may call a vendor now (docs/specification.md R7.9). One record a credential and machine: the pause,
 * the slots (`backoff.ts`), how many requests the vendor still allows, as it tells in its headers, and who waits. Pure.
 *
 * All times are of the machine's monotonic clock, within one boot: a clock that is set changes nothing.
 */
import { LONGEST_TOLD_MS } from '../model/agent/usage.ts';
import { admitted, believablePause, ended, NO_PAUSE, UNANSWERED_MS, type VendorPause } from './backoff.ts';

/** What a vendor tells of its limit. */
export interface Allowance {
  /** Requests that it allows until `resetMs` have passed. */
  readonly left: number;
  readonly resetMs: number;
  /** Requests that it allows after that. */
  readonly limit: number;
}

interface Caller<Process> {
  readonly team: string;
  readonly process: Process;
  /** When it last asked in vain; absent while it calls. */
  readonly askedAt?: number | undefined;
  /** Its call is the nth one that began; absent while it waits. */
  readonly nth?: number | undefined;
}

interface KnownAllowance {
  readonly left: number;
  readonly until: number;
  readonly limit: number;
  /** When its whole limit was there again: calls that began before belong to the time before. */
  readonly refilledAt?: number | undefined;
  /** What was told lately of the time since then. */
  readonly lately?: readonly { readonly at: number; readonly left: number }[] | undefined;
}

export interface VendorRecord<Process> extends VendorPause {
  readonly callers?: Readonly<Record<string, Caller<Process>>> | undefined;
  readonly allowance?: KnownAllowance | undefined;
  /** How many calls began in all. */
  readonly begun?: number | undefined;
  /** Calls that each team began since `countedSince`. */
  readonly served?: Readonly<Record<string, number>> | undefined;
  readonly countedSince?: number | undefined;
  /** How many machines call the vendor with this credential, until a time when that is not known any more. */
  readonly machines?: { readonly count: number; readonly until: number } | undefined;
  /** When the vendor last answered or refused: what was learned long before is forgotten. */
  readonly learnedAt?: number | undefined;
}

/** Shares are counted for so long, and a told window is taken to last so long until the vendor says otherwise. */
const WINDOW_MS = 60_000;
/** Slots that were learned longer ago count no more. */
const FORGOTTEN_MS = 10 * 60_000;
/** An answer that is on its way is expected within this time. */
const TELL_MS = 500;
/** Whoever waits says so again after this time … */
const SAY_AGAIN_MS = 2_000;
/** … and is passed over if it has not for this time. Its turn may be over. */
const SILENT_MS = 6_000;

/** How many machines call is known for so long after it was said. */
const MACHINES_MS = 60_000;
/** A shorter pause of another machine is over when it is heard of. */
const SHORT_MS = 1_000;

/** More answers than this are not remembered. */
const MOST_HEARD = 64;

interface Asking<Process> {
  readonly caller: string;
  readonly team: string;
  readonly process: Process;
  readonly now: number;
}

/**
 * The record without what no team of ours writes, such as a time that has not come yet: it would keep everybody from
 * calling for ever.
 */
export function believable<Process>(record: VendorRecord<Process>, now: number): VendorRecord<Process> {
  const { allowance, callers = {}, begun, served, countedSince, learnedAt, machines } = record;
  const isPast = (at: number | undefined): boolean => at === undefined || at <= now;
  const isTold =
    allowance !== undefined &&
    allowance.limit > 0 &&
    allowance.until - now <= LONGEST_TOLD_MS &&
    isPast(allowance.refilledAt);
  return {
    ...believablePause(record, now),
    callers: Object.fromEntries(Object.entries(callers).filter(([, { askedAt }]) => isPast(askedAt))),
    allowance: isTold ? { ...allowance, lately: allowance.lately?.filter(({ at }) => isPast(at)) } : undefined,
    begun,
    machines: machines && machines.count > 0 && machines.until - now <= MACHINES_MS ? machines : undefined,
    ...(isPast(countedSince) ? { served, countedSince } : {}),
    learnedAt: isPast(learnedAt) ? learnedAt : undefined,
  };
}

/** Whether calls of this record need to be counted. */
export const isGoverned = <Process>({ allowance, callers = {} }: VendorRecord<Process>): boolean =>
  allowance !== undefined || Object.keys(callers).length > 0;

/** Milliseconds until the vendor allows a request again, by what it told. */
export function untilAllowed<Process>({ allowance }: VendorRecord<Process>, now: number): number {
  if (allowance === undefined || allowance.left > 0) return 0;
  return Math.max(0, Math.min(allowance.until - now, 2 * WINDOW_MS));
}

/**
 * Milliseconds after which to ask again while nothing is allowed. A call that is not answered yet may have been counted
 * twice: by us, and in what was told since.
 */
export function untilAskedAgain<Process>(record: VendorRecord<Process>, now: number): number {
  const isAnyOpen = Object.keys(record.open ?? {}).length > 0;
  return Math.min(untilAllowed(record, now), isAnyOpen ? TELL_MS : Infinity);
}

/** The record without callers whose process is gone: their slots and places are free. */
export function withoutDead<Process>(
  record: VendorRecord<Process>,
  isDead: (process: Process) => boolean,
): VendorRecord<Process> {
  const gone = Object.entries(record.callers ?? {}).filter(([, { process }]) => isDead(process));
  return gone.reduce((rest, [caller]) => givenBack(rest, caller), record);
}

/** The caller neither calls nor waits any more. */
export function givenBack<Process>(record: VendorRecord<Process>, caller: string): VendorRecord<Process> {
  const { [caller]: _, ...callers } = record.callers ?? {};
  return { ...record, ...ended(record, caller), callers };
}

type Began<Process> =
  | { readonly isBegun: true; readonly next: VendorRecord<Process> }
  /** `next` is absent if there is nothing new to write. */
  | { readonly isBegun: false; readonly next?: VendorRecord<Process> | undefined };

/**
 * Begins a call, or has it wait. The team that began the fewest calls in this minute is next; within a team, the call
 * that waits longest.
 */
export function tryBegin<Process>(given: VendorRecord<Process>, asking: Asking<Process>): Began<Process> {
  const { caller, team, process, now } = asking;
  const record = counted(refilled(forgotten(given, now), now), now);
  const open =
    untilAllowed(record, now) === 0 && isNext(record, asking) ? admitted(record, { caller, now }) : undefined;
  if (open === undefined) return waiting(record, asking);
  const { allowance, served = {}, begun = 0 } = record;
  const next = {
    ...record,
    ...open,
    begun: begun + 1,
    callers: { ...record.callers, [caller]: { team, process, nth: begun + 1 } },
    served: { ...served, [team]: (served[team] ?? 0) + 1 },
    allowance: allowance && { ...allowance, left: Math.max(0, allowance.left - 1) },
  };
  return { isBegun: true, next };
}

/** Has a call wait. */
export function waiting<Process>(
  record: VendorRecord<Process>,
  { caller, team, process, now }: Asking<Process>,
): Began<Process> & { readonly isBegun: false } {
  const before = record.callers?.[caller]?.askedAt;
  if (before !== undefined && now - before < SAY_AGAIN_MS) return { isBegun: false };
  return {
    isBegun: false,
    next: { ...record, callers: { ...record.callers, [caller]: { team, process, askedAt: now } } },
  };
}

interface HeardElsewhere {
  /** How long no machine is to call, in milliseconds. */
  readonly pauseMs: number;
  /** In a row, on the machine that had most. */
  readonly refusals: number;
  /** How many call, this one among them. */
  readonly machines: number;
  readonly now: number;
}

/** Takes what the machines of a store know together of this credential. @returns undefined if it is nothing new */
export function heardElsewhere<Process>(
  record: VendorRecord<Process>,
  { pauseMs, refusals, machines, now }: HeardElsewhere,
): VendorRecord<Process> | undefined {
  const { until } = record;
  const isLonger = pauseMs > SHORT_MS && now + pauseMs > until + SHORT_MS;
  const known = record.machines;
  const isSame = (known?.count ?? 1) === machines && (machines === 1 || (known?.until ?? 0) - now > MACHINES_MS / 2);
  if (isSame && !isLonger) return undefined;
  return {
    ...record,
    ...(isLonger ? { until: now + pauseMs, length: pauseMs, refusals: Math.max(1, refusals, record.refusals) } : {}),
    machines: { count: machines, until: now + MACHINES_MS },
  };
}

/** What this machine may use of what all may: others call with the same credential. */
const shareOf = <Process>({ machines }: VendorRecord<Process>, all: number, now: number): number =>
  Math.floor(all / (machines !== undefined && machines.until > now ? machines.count : 1));

interface Told {
  readonly told: Allowance;
  readonly caller: string;
  /** When its call began. */
  readonly calledAt: number;
  readonly now: number;
}

/**
 * Takes what the vendor told at the beginning of its answer. Nobody knows which of our other calls it had counted, so
 * what is left is taken to be the least that it can be: calls that began later, and earlier ones that are not answered,
 * are subtracted; what was told since this call began counts, too. The answer to the newest call decides; one to an
 * earlier call can only show that more is left.
 */
export function allowanceTold<Process>(given: VendorRecord<Process>, { told, caller, calledAt, now }: Told) {
  const { allowance: known, callers = {}, begun = 0 } = given;
  const record: VendorRecord<Process> = { ...given, ...ended(given, caller), learnedAt: now };
  const { refilledAt } = known ?? {};
  // It tells no limit, or what was left before the limit was whole again.
  if (told.limit < 1 || (refilledAt !== undefined && calledAt < refilledAt)) return record;
  const lately = (known?.lately ?? []).filter(({ at }) => now - at < UNANSWERED_MS);
  const counted = Math.min(told.left, ...lately.filter(({ at }) => at > calledAt).map(({ left }) => left));
  const later = begun - (callers[caller]?.nth ?? begun);
  const least = Math.max(0, shareOf(record, counted, now) - later - uncounted(record, calledAt));
  const left = later === 0 || known === undefined ? least : Math.max(known.left, least);
  const until = now + told.resetMs;
  const heard = [...lately, { at: now, left: told.left }].slice(-MOST_HEARD);
  return { ...record, allowance: { left, until, limit: told.limit, refilledAt, lately: heard } };
}

/** Calls that began shortly before a time and are not answered: they may not have reached the vendor yet. */
const uncounted = <Process>({ open = {} }: VendorRecord<Process>, at: number): number =>
  Object.values(open).filter((since) => since <= at && at - since < UNANSWERED_MS).length;

/** Teams that wait have the turn before a team that had more. */
function isNext<Process>({ callers = {}, served = {} }: VendorRecord<Process>, { caller, team, now }: Asking<Process>) {
  const had = (one: string): number => served[one] ?? 0;
  return Object.entries(callers).every(([other, { team: theirs, askedAt }]) => {
    const waits = askedAt !== undefined && other !== caller && now - askedAt < SILENT_MS;
    return !waits || theirs === team || had(team) <= had(theirs);
  });
}

function forgotten<Process>(record: VendorRecord<Process>, now: number): VendorRecord<Process> {
  const { learnedAt, callers } = record;
  return learnedAt !== undefined && now - learnedAt > FORGOTTEN_MS ? { ...NO_PAUSE, callers } : record;
}

/** The told time has passed: the vendor allows its whole limit again; calls on their way may be the first of it. */
function refilled<Process>(record: VendorRecord<Process>, now: number): VendorRecord<Process> {
  const { allowance } = record;
  if (allowance === undefined || now < allowance.until) return record;
  // Of a limit that is smaller than the number of machines each one tries one call.
  const left = Math.max(0, Math.max(1, shareOf(record, allowance.limit, now)) - uncounted(record, now));
  return { ...record, allowance: { ...allowance, left, until: now + WINDOW_MS, refilledAt: now, lately: [] } };
}

function counted<Process>(record: VendorRecord<Process>, now: number): VendorRecord<Process> {
  const { countedSince } = record;
  const isOver = countedSince === undefined || now - countedSince >= WINDOW_MS;
  return isOver ? { ...record, served: {}, countedSince: now } : record;
}
