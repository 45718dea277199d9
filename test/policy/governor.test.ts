/** Ten teams of a user against a server that allows 20 requests a minute, in virtual time. */
import { describe, expect, it } from 'vitest';
import { answeredAt, NO_PAUSE, refusedAt } from '../../src/policy/backoff.ts';
import {
  allowanceTold,
  givenBack,
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
  nextAt: number;
  call: { readonly at: number; readonly endsAt: number } | undefined;
}

interface Outcome {
  readonly used: number;
  readonly refused: number;
  readonly byTeam: readonly number[];
}

const LIMIT = 20;
const MINUTE = 60_000;

/** @param tells whether the server tells its limit in headers */
function simulate({
  tells,
  members = 3,
  minutes = 11,
}: {
  tells: boolean;
  members?: number;
  minutes?: number;
}): Outcome {
  let seed = 7;
  const random = (): number => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
  const all: Member[] = Array.from({ length: 10 * members }, (_, at) => {
    const team = `team-${at % 10}`;
    return { name: `${team}/${at}`, team, nextAt: Math.floor(random() * 2_000), call: undefined };
  });
  let known: Known = NO_PAUSE;
  let window = { from: 0, count: 0 };
  let [used, refused] = [0, 0];
  const byTeam = new Map<string, number>();
  for (let now = 0; now < minutes * MINUTE; now += 50) {
    if (now - window.from >= MINUTE) window = { from: now, count: 0 };
    const isCounted = now >= MINUTE;
    for (const one of all) {
      if (one.call !== undefined && now >= one.call.endsAt) {
        const { at: calledAt } = one.call;
        one.call = undefined;
        if (tells) {
          const told = { limit: LIMIT, left: Math.max(0, LIMIT - window.count), resetMs: window.from + MINUTE - now };
          known = allowanceTold(known, { told, calledAt, now });
        }
        known = {
          ...givenBack({ ...known, ...answeredAt(known, { caller: one.name, calledAt }) }, one.name),
          learnedAt: now,
        };
        one.nextAt = now + Math.floor(random() * 500);
      }
      if (one.call !== undefined || now < one.nextAt) continue;
      one.nextAt = now + 100;
      if (known.until > now || untilAllowed(known, now) > 0) continue;
      const began = tryBegin(known, { caller: one.name, team: one.team, process: one.name, now });
      known = began.next ?? known;
      if (!began.isBegun) continue;
      if (window.count >= LIMIT) {
        if (isCounted) refused += 1;
        const refusal = {
          caller: one.name,
          calledAt: now,
          now,
          random: random(),
          retryAfterMs: tells ? window.from + MINUTE - now : undefined,
        };
        known = givenBack({ ...known, ...refusedAt(known, refusal) }, one.name);
        continue;
      }
      window.count += 1;
      if (isCounted) {
        used += 1;
        byTeam.set(one.team, (byTeam.get(one.team) ?? 0) + 1);
      }
      one.call = { at: now, endsAt: now + 300 + Math.floor(random() * 1_500) };
    }
  }
  return { used, refused, byTeam: Array.from({ length: 10 }, (_, at) => byTeam.get(`team-${at}`) ?? 0) };
}

describe('ten teams and 20 requests a minute', () => {
  it('use 95 % and have 2 % refused where the server tells its limit, and none is below half of its share', () => {
    const { used, refused, byTeam } = simulate({ tells: true });
    const allowed = 10 * LIMIT;
    expect(used / allowed).toBeGreaterThanOrEqual(0.95);
    expect(refused / (used + refused)).toBeLessThanOrEqual(0.02);
    expect(Math.min(...byTeam)).toBeGreaterThanOrEqual(allowed / 10 / 2);
  });

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
    const before = allowanceTold<string>(NO_PAUSE, { told, calledAt: 0, now: 0 });
    const refilled = ask(before, 'a', 'one', 10_000).next ?? before;
    const late = { told: { limit: 20, left: 0, resetMs: 50 }, calledAt: 9_900, now: 10_100 };
    const known = allowanceTold(refilled, late);
    expect(known.allowance).toEqual(refilled.allowance);
    const now = { told: { limit: 20, left: 18, resetMs: 59_000 }, calledAt: 10_000, now: 10_200 };
    expect(allowanceTold(known, now).allowance).toMatchObject({ left: 18, until: 69_200 });
  });

  it('while an answer is on its way, what is used up is asked for again soon', () => {
    const told = { limit: 20, left: 1, resetMs: 30_000 };
    const known = allowanceTold<string>(NO_PAUSE, { told, calledAt: 0, now: 0 });
    const last = ask(known, 'a', 'one', 1).next ?? known;
    expect(untilAskedAgain({ ...last, open: { a: 1 } }, 1)).toBe(500);
    expect(untilAskedAgain({ ...last, open: {} }, 1)).toBe(29_999);
    expect(untilAskedAgain({ ...last, open: { a: 1 } }, 29_900)).toBe(100);
  });

  it('an allowance that is used up is waited for, and is whole after its reset', () => {
    const told = { limit: 20, left: 1, resetMs: 30_000 };
    const known = allowanceTold<string>(NO_PAUSE, { told, calledAt: 0, now: 0 });
    const last = ask(known, 'a', 'one', 1).next ?? known;
    expect(untilAllowed(last, 1)).toBe(29_999);
    expect(ask(last, 'b', 'one', 2).isBegun).toBe(false);
    expect(ask(last, 'b', 'one', 30_001).next?.allowance).toMatchObject({ left: 19, limit: 20 });
  });
});
