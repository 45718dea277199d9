/** Ten teams of a user against a server that allows 20 requests a minute, in virtual time. */
import { describe, expect, it } from 'vitest';
import { answeredAt, NO_PAUSE, refusedAt } from '../../src/policy/backoff.ts';
import {
  allowanceTold,
  believable,
  givenBack,
  heardElsewhere,
  tryBegin,
  untilAllowed,
  untilAskedAgain,
  withoutDead,
  type VendorRecord,
} from '../../src/policy/governor.ts';

type Known = VendorRecord<string>;

interface Member {
  readonly name: string;
  readonly team: string;
  readonly machine: number;
  nextAt: number;
  call: { readonly at: number; readonly arrivesAt: number; endsAt: number | undefined; told: number } | undefined;
}

interface Outcome {
  readonly used: number;
  readonly refused: number;
  readonly byTeam: readonly number[];
}

const LIMIT = 20;
const MINUTE = 60_000;

interface Situation {
  /** Whether the server tells its limit in headers. */
  readonly tells: boolean;
  readonly members?: number;
  readonly minutes?: number;
  /** How long a call is on its way to the server at most, in milliseconds. */
  readonly wayMs?: number;
  /** How long a member is busy between two calls at most, in milliseconds. */
  readonly busyMs?: number;
  /** What the server tells is of when the call arrived, not of when it is answered. */
  readonly isEarly?: boolean;
  readonly seed?: number;
  /** Each has a record of its own, and hears of the others' pauses. */
  readonly machines?: number;
}

/** What the store tells a machine of all. */
function hear(record: Known, all: readonly Known[], now: number): Known {
  const longest = all.reduce((one, other) => (other.until > one.until ? other : one));
  const pauseMs = Math.max(0, longest.until - now);
  return heardElsewhere(record, { pauseMs, refusals: longest.refusals, machines: all.length, now }) ?? record;
}

function simulate({
  tells,
  members = 3,
  minutes = 11,
  wayMs = 1,
  busyMs = 500,
  isEarly = false,
  seed = 7,
  machines = 1,
}: Situation): Outcome {
  const random = (): number => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
  const all: Member[] = Array.from({ length: 10 * members }, (_, at) => {
    const team = `team-${at % 10}`;
    return {
      name: `${team}/${at}`,
      team,
      machine: Math.floor(at / 10) % machines,
      nextAt: Math.floor(random() * 2_000),
      call: undefined,
    };
  });
  const records: Known[] = Array.from({ length: machines }, () => NO_PAUSE);
  let window = { from: 0, count: 0 };
  let [used, refused] = [0, 0];
  const byTeam = new Map<string, number>();
  for (let now = 0; now < minutes * MINUTE; now += 50) {
    if (now - window.from >= MINUTE) window = { from: now, count: 0 };
    const isCounted = now >= MINUTE;
    if (now % 1_000 === 0) records.forEach((record, at) => (records[at] = hear(record, records, now)));
    for (const one of all) {
      const { call } = one;
      // Nothing comes to it now.
      if (now < (call === undefined ? one.nextAt : (call.endsAt ?? call.arrivesAt))) continue;
      let known: Known = believable(records[one.machine] ?? NO_PAUSE, now);
      const keep = (record: Known): void => void (records[one.machine] = known = record);
      if (call !== undefined && call.endsAt === undefined && now >= call.arrivesAt) {
        if (window.count >= LIMIT) {
          if (isCounted) refused += 1;
          const retryAfterMs = tells ? Math.ceil((window.from + MINUTE - now) / 1_000) * 1_000 : undefined;
          const refusal = { caller: one.name, calledAt: call.at, now, random: random(), retryAfterMs };
          keep(givenBack({ ...known, ...refusedAt(known, refusal) }, one.name));
          one.call = undefined;
          continue;
        }
        window.count += 1;
        if (isCounted) {
          used += 1;
          byTeam.set(one.team, (byTeam.get(one.team) ?? 0) + 1);
        }
        call.told = LIMIT - window.count;
        call.endsAt = now + 300 + Math.floor(random() * 1_500);
      }
      if (call?.endsAt !== undefined && now >= call.endsAt) {
        one.call = undefined;
        if (tells) {
          const told = {
            limit: LIMIT,
            left: isEarly ? call.told : LIMIT - window.count,
            resetMs: window.from + MINUTE - now,
          };
          keep(allowanceTold(known, { told, caller: one.name, calledAt: call.at, now }));
        }
        const answered = answeredAt(known, { caller: one.name, calledAt: call.at });
        keep({ ...givenBack({ ...known, ...answered }, one.name), learnedAt: now });
        one.nextAt = now + Math.floor(random() * busyMs);
      }
      if (one.call !== undefined || now < one.nextAt) continue;
      one.nextAt = now + 100;
      if (known.until > now || untilAllowed(known, now) > 0) continue;
      const began = tryBegin(known, { caller: one.name, team: one.team, process: one.name, now });
      if (began.next) keep(began.next);
      if (began.isBegun)
        one.call = { at: now, arrivesAt: now + Math.floor(random() * wayMs), endsAt: undefined, told: 0 };
    }
  }
  return { used, refused, byTeam: Array.from({ length: 10 }, (_, at) => byTeam.get(`team-${at}`) ?? 0) };
}

describe('ten teams and 20 requests a minute', () => {
  it.each([
    ['at once', { wayMs: 1 }],
    ['after a way that takes its time', { wayMs: 1_500 }],
    ['after a way, and that tell what was left when they came', { wayMs: 1_500, isEarly: true }],
    ['by two members that are busy between them', { wayMs: 1_500, members: 2, busyMs: 20_000, isEarly: true }],
  ])('use 95 %% and have 2 %% refused where the server tells its limit: calls that arrive %s', (_, situation) => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const { used, refused, byTeam } = simulate({ tells: true, seed, ...situation });
      const allowed = 10 * LIMIT;
      expect(used / allowed).toBeGreaterThanOrEqual(0.95);
      expect(refused / (used + refused)).toBeLessThanOrEqual(0.02);
      expect(Math.min(...byTeam)).toBeGreaterThanOrEqual(allowed / 10 / 2);
    }
  });

  it.each([2, 3])(
    'on %i machines have 2 of 100 refused at most, and use 85, where the server tells its limit',
    (machines) => {
      for (const seed of [1, 2]) {
        const { used, refused } = simulate({ tells: true, wayMs: 1_500, seed, machines });
        expect(used / (10 * LIMIT)).toBeGreaterThanOrEqual(0.85);
        expect(refused / (used + refused)).toBeLessThanOrEqual(0.02);
      }
    },
  );

  it('use 70 % where it does not tell', () => {
    const { used } = simulate({ tells: false });
    expect(used / (10 * LIMIT)).toBeGreaterThanOrEqual(0.7);
  });
});

describe('who is next', () => {
  const ask = (known: Known, caller: string, team: string, now: number) =>
    tryBegin(known, { caller, team, process: caller, now });

  it('is the team that began fewer calls, as long as it waits', () => {
    let known: Known = { ...NO_PAUSE, slots: 1 };
    const first = ask(known, 'a', 'one', 0);
    expect(first.isBegun).toBe(true);
    known = first.next ?? known;
    const waits = ask(known, 'b', 'two', 10);
    expect(waits.isBegun).toBe(false);
    known = givenBack(waits.next ?? known, 'a');
    expect(ask(known, 'a', 'one', 20).isBegun).toBe(false);
    expect(ask(known, 'b', 'two', 30).isBegun).toBe(true);
    // It waits no more: its turn is over.
    expect(ask(known, 'a', 'one', 10_000).isBegun).toBe(true);
  });

  it('a process that is gone holds no slot and no place', () => {
    const held: Known = ask({ ...NO_PAUSE, slots: 1 }, 'a', 'one', 0).next ?? NO_PAUSE;
    expect(ask(held, 'b', 'two', 1).isBegun).toBe(false);
    const freed = withoutDead<string>(held, (process) => process === 'a');
    expect(ask(freed, 'b', 'two', 2).isBegun).toBe(true);
  });

  it('an answer to a call of the time before does not fill the limit a second time', () => {
    const told = { limit: 20, left: 0, resetMs: 10_000 };
    const before = allowanceTold<string>(NO_PAUSE, { told, caller: 'b', calledAt: 0, now: 0 });
    const refilled = ask(before, 'a', 'one', 10_000).next ?? before;
    const late = { told: { limit: 20, left: 0, resetMs: 50 }, caller: 'b', calledAt: 9_900, now: 10_100 };
    const known = allowanceTold(refilled, late);
    expect(known.allowance).toEqual(refilled.allowance);
    const now = { told: { limit: 20, left: 18, resetMs: 59_000 }, caller: 'a', calledAt: 10_000, now: 10_200 };
    expect(allowanceTold(known, now).allowance).toMatchObject({ left: 18, until: 69_200 });
  });

  it('a call on its way while the limit becomes whole may be the first of it', () => {
    const told = { limit: 20, left: 5, resetMs: 10_000 };
    const before = allowanceTold<string>({ ...NO_PAUSE, slots: 8 }, { told, caller: 'x', calledAt: 0, now: 0 });
    const onItsWay = ask(before, 'a', 'one', 9_900).next ?? before;
    expect(ask(onItsWay, 'b', 'one', 10_000).next?.allowance?.left).toBe(18);
  });

  it('what one answer tells counts no call that came to the vendor after it', () => {
    let known: Known = { ...NO_PAUSE, slots: 8 };
    for (const [caller, at] of [
      ['a', 0],
      ['b', 10],
      ['c', 20],
    ] as const)
      known = ask(known, caller, 'one', at).next ?? known;
    const tell = (caller: string, calledAt: number, left: number, now: number): number | undefined => {
      known = allowanceTold(known, { told: { limit: 20, left, resetMs: 30_000 }, caller, calledAt, now });
      return known.allowance?.left;
    };
    // The vendor got them in the order b, c, a, and told what was left then; c is answered last.
    expect(tell('b', 10, 19, 1_000)).toBe(17);
    expect(tell('a', 0, 17, 1_100)).toBe(17);
    expect(tell('c', 20, 18, 1_200)).toBe(17);
  });

  it('while an answer is on its way, what is used up is asked for again soon', () => {
    const told = { limit: 20, left: 1, resetMs: 30_000 };
    const known = allowanceTold<string>(NO_PAUSE, { told, caller: 'b', calledAt: 0, now: 0 });
    const last = ask(known, 'a', 'one', 1).next ?? known;
    expect(untilAskedAgain({ ...last, open: { a: 1 } }, 1)).toBe(500);
    expect(untilAskedAgain({ ...last, open: {} }, 1)).toBe(29_999);
    expect(untilAskedAgain({ ...last, open: { a: 1 } }, 29_900)).toBe(100);
  });

  it('an allowance that is used up is waited for, and is whole after its reset', () => {
    const told = { limit: 20, left: 1, resetMs: 30_000 };
    const known = allowanceTold<string>(NO_PAUSE, { told, caller: 'b', calledAt: 0, now: 0 });
    const last = ask(known, 'a', 'one', 1).next ?? known;
    expect(untilAllowed(last, 1)).toBe(29_999);
    expect(ask(last, 'b', 'one', 2).isBegun).toBe(false);
    expect(ask(last, 'b', 'one', 30_001).next?.allowance).toMatchObject({ left: 19, limit: 20 });
  });
});
