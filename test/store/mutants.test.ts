/** The simulation finds real errors: each mutant is wrong in one step, and breaks its invariant within 4,000 seeds. */
import { expect, it, vi } from 'vitest';
import { explore, type Scenario } from '../support/sim/explore.ts';
import * as boards from '../support/sim/mutants/board.ts';
import * as locks from '../support/sim/mutants/locks.ts';
import * as mail from '../support/sim/mutants/mail.ts';
import { boardScenario, type BoardVariant } from '../support/sim/scenarios/board.ts';
import { inboxScenario, ROBBED, type Mailbox } from '../support/sim/scenarios/inbox.ts';
import { lockScenario, type LockerOf } from '../support/sim/scenarios/lock.ts';

vi.mock('node:crypto', async (original) => ({ ...(await original()), ...(await import('../support/sim/chance.ts')) }));
vi.mock('ulid', () => import('../support/sim/chance.ts'));
vi.mock('../../src/model/board/board-line.ts', async (original) =>
  (await import('../support/sim/law.ts')).withParsing(await original()),
);
vi.mock('../../src/model/board/advance.ts', async (original) =>
  (await import('../support/sim/law.ts')).withJudging(await original()),
);

const SEEDS = 4_000;

const lock =
  (locker: LockerOf): Scenario =>
  (seed) =>
    lockScenario(seed, locker);
const inbox =
  (mailbox: Mailbox): Scenario =>
  (seed) =>
    inboxScenario(seed, { mailbox });
const robbed =
  (mailbox: Mailbox): Scenario =>
  (seed) =>
    inboxScenario(seed, { ...ROBBED, mailbox });
const board =
  (variant: BoardVariant): Scenario =>
  (seed) =>
    boardScenario(seed, variant);

const MUTANTS: readonly [id: string, is: string, mutant: Scenario][] = [
  ['L1', "a lock by proper-lockfile's steps", lock(locks.properLockfile)],
  ['L1', 'a lock that is judged dead, then unlinked', lock(locks.judgedThenUnlinked)],
  ['L1', 'a guard that is swept naively', lock(locks.guardSweptNaively)],
  ['crash', 'a token that is consumed by the takeover', lock(locks.tokenConsumed)],
  ['M1', 'read and clear under a perfect lock', inbox(mail.readAndClear)],
  ['M1', 'mail that is appended without a seal', inbox(mail.withoutSeal)],
  ['M1', 'an acknowledged offset without its segment', inbox(mail.ackWithoutSegment)],
  ['M1', 'one name for all that is taken', inbox(mail.oneTakenName)],
  ['M2', 'a take without a look at the incarnation', inbox(mail.withoutIncarnation)],
  ['M1', 'a segment that is removed without being closed', robbed(mail.removedUnclosed)],
  ['M1', 'a foreign id from bytes and position', inbox(mail.foreignIdFromBytes)],
  ['M1', "the seed's writer, verbatim", inbox(mail.seedsWriter)],
  ['T1', 'a claim by rename', board(boards.claimByRename)],
  ['T2', 'a record that is appended without a leading newline', board(boards.withoutNewline)],
  ['T2', 'a short write that is truncated back', board(boards.truncateBack)],
  ['T2', 'an id by order of creation', board(boards.idByOrder)],
  ['T9', 'a fold that reads a clock', board(boards.foldReadsClock)],
  ['T9', 'a fold that reads the config', board(boards.foldReadsConfig)],
  ['T9', 'a fold that skips an unknown event', board(boards.foldSkipsUnknown)],
  ['P6', "a lead's event without its epoch", board(boards.leadWithoutEpoch)],
];

it.each(MUTANTS)('a mutant breaks %s: %s', { timeout: 120_000 }, async (id, is, mutant) => {
  const { found } = await explore(mutant, { to: SEEDS }, (violation) => violation.id === id);
  if (process.env['SIM_FIGURES'] !== undefined) console.log(`${id} ${is}: seed ${found?.seed}`);
  expect(found?.violations[0]?.id).toBe(id);
});
