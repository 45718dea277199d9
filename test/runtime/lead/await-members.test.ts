/** How long a lead waits for the processes that it has started. */
import { expect, it } from 'vitest';
import { START_LIMIT_MS } from '../../../src/policy/supervise/restart.ts';
import { awaitMembers } from '../../../src/runtime/lead/await-members.ts';
import type { MemberProcess } from '../../../src/runtime/placement/member-process.ts';
import { FakeClock } from '../../support/clock.ts';
import { name } from '../../support/team.ts';

interface Start {
  readonly readyAt?: number;
  readonly diesAt?: number;
  /** It waits for a host. */
  readonly waits?: boolean;
}

const placed = { seen: undefined, isPlaced: false, host: undefined, lostAt: undefined, isEnded: false };
const local = { mark: undefined, child: undefined, identity: undefined, over: undefined };

async function awaited(starts: Readonly<Record<string, Start>>, signal?: AbortSignal) {
  const clock = new FakeClock();
  // A look each 100 ms: a limit of minutes takes thousands of them.
  const slow = { monotonic: () => clock.monotonic(), sleep: () => clock.sleep(100) };
  const look = (member: string): MemberProcess | undefined => {
    const { readyAt = Infinity, diesAt = Infinity, waits = false } = starts[member] ?? {};
    const life = {
      name: name(member),
      isReady: clock.monotonic() >= readyAt,
      death: clock.monotonic() >= diesAt ? 'exit 1' : undefined,
    };
    return waits ? { where: 'elsewhere', ...life, ...placed } : { where: 'here', ...life, ...local };
  };
  const failed = await awaitMembers(Object.keys(starts).map(name), { look, clock: slow }, signal);
  return { failed: failed?.name, death: failed?.death, after: clock.monotonic() };
}

it('waits for a process that lives', async () => {
  expect(await awaited({ ada: { readyAt: 200_000 }, bob: { readyAt: 0 } })).toMatchObject({ after: 200_000 });
});

it('names one that dies at once, however long the others take', async () => {
  const starts = { ada: { readyAt: 200_000 }, bob: { diesAt: 1_000 } };
  expect(await awaited(starts)).toEqual({ failed: 'bob', death: 'exit 1', after: 1_000 });
});

it('names one that lives when none has become ready for the limit', async () => {
  const starts = { ada: { readyAt: 1_000 }, bob: {} };
  expect(await awaited(starts)).toEqual({ failed: 'bob', death: undefined, after: 1_000 + START_LIMIT_MS });
});

it('waits for many as long as one after the other becomes ready', async () => {
  const readyAt = (n: number): number => n * (START_LIMIT_MS / 2);
  const starts = Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`m${String(n)}`, { readyAt: readyAt(n) }]));
  expect(await awaited(starts)).toEqual({ failed: undefined, death: undefined, after: readyAt(5) });
});

it('waits for none that waits for a host, and for nobody after the signal', async () => {
  expect(await awaited({ ada: { waits: true }, bob: { readyAt: 500 } })).toMatchObject({ after: 500 });
  expect(await awaited({ ada: {} }, AbortSignal.abort())).toMatchObject({ failed: undefined, after: 0 });
});
