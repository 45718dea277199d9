/**
 * Many real processes at one lock, one task, one inbox; sizes and figures are in docs/reliability.md "The four layers".
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { realDisk } from '../../src/store/files/disk.ts';
import { Locks } from '../../src/store/lock/lock.ts';
import { ownIdentity } from '../../src/os/process-table.ts';
import { realClock } from '../support/clock.ts';
import { Crowd } from '../support/crowd.ts';
import { figure } from '../support/figures.ts';
import { allowGuards } from '../support/leftovers.ts';
import { SIZES, TIMEOUT_MS } from '../support/sizes.ts';
import { boardOf, hang, name, openBoard, readerOf, teamAt } from '../support/team.ts';
import { tempDir } from '../support/temp.ts';
import { startStore, together } from '../support/workers.ts';

beforeEach(allowGuards);

const timeout = TIMEOUT_MS;
const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

it('many processes enter the lock of a dead process one at a time', { timeout }, async () => {
  const root = tempDir();
  const [tokens, directory] = [join(root, '.tokens'), join(root, 'locks')];
  mkdirSync(directory);
  const crowd = await Crowd.gather(
    root,
    'enter',
    numbers(SIZES.stampede).map(() => ({ tokens, directory })),
  );
  let doubles = 0;
  for (let round = 0; round < SIZES.stampedeRounds; round += 1) {
    plantDead(join(directory, `${round}.lock`), round);
    const alone = await crowd.round<boolean>(String(round));
    doubles += alone.filter((was) => !was).length;
  }
  figure({ area: `stampede of ${SIZES.stampede} on a dead lock`, count: SIZES.stampedeRounds, violations: doubles });
  expect(doubles).toBe(0);
});

/** A lock of a process that had this process's pid and another start time. */
function plantDead(path: string, round: number): void {
  const nonce = round.toString(16).padStart(16, '0');
  writeFileSync(path, JSON.stringify({ ...ownIdentity(), startTime: '1', nonce }));
}

it('a lock is available soon after its owner was killed', { timeout }, async () => {
  const root = tempDir();
  const tokens = join(root, '.tokens');
  const locks = new Locks(tokens, { disk: realDisk, clock: realClock });
  const times: number[] = [];
  for (let trial = 0; trial < SIZES.takeovers; trial += 1) {
    const lock = join(root, `${trial}.lock`);
    const owner = await startStore(root, 'hold', { tokens, lock });
    owner.go();
    await owner.next();
    const had = locks.withLock(lock, () => performance.now());
    await realClock.sleep(10);
    const killed = performance.now();
    owner.child.kill('SIGKILL');
    times.push((await had) - killed);
  }
  locks.close();
  figure({ area: "lock takeover after its owner's death", count: times.length, violations: 0, times });
  expect(times).toHaveLength(SIZES.takeovers);
});

it('exactly one of all simultaneous claimants gets a task', { timeout }, async () => {
  const root = tempDir();
  const paths = teamAt(root);
  const racers = numbers(SIZES.racers).map((n) => `racer-${n}`);
  const lives = Object.entries(openBoard(paths, racers, SIZES.raceRounds));
  const share = Math.ceil(lives.length / PROCESSES);
  const options = numbers(PROCESSES).map((n) => ({
    root,
    team: paths.name,
    members: Object.fromEntries(lives.slice(n * share, (n + 1) * share)),
  }));
  const crowd = await Crowd.gather(root, 'race', options);
  let wrong = 0;
  for (let task = 1; task <= SIZES.raceRounds; task += 1) {
    const winners = (await crowd.round<string[]>(String(task))).flat();
    wrong += winners.length === 1 ? 0 : 1;
  }
  const board = boardOf(paths);
  const completed = [...board.fold().tasks.values()].filter(
    ({ status, claims }) => status === 'completed' && claims === 1,
  );
  board.close();
  figure({ area: `claim race of ${SIZES.racers}`, count: SIZES.raceRounds, violations: wrong });
  expect([wrong, completed.length]).toEqual([0, SIZES.raceRounds]);
});

/** Claimants of one process run one after the other; the race is between these processes. */
const PROCESSES = 8;

it(
  'all mail of many processes to one inbox is there, whole, and in the order of each sender',
  { timeout },
  async () => {
    const root = tempDir();
    const paths = teamAt(root);
    const ada = name('ada');
    hang(paths, ada);
    const senders = numbers(SIZES.writers).map((n) => `writer-${n}`);
    const job = { root, team: paths.name, to: 'ada', times: SIZES.writes, batch: 10 };
    const workers = await together(
      root,
      'send',
      senders.map((from) => ({ ...job, from })),
    );
    for (const worker of workers) await worker.result();
    const { reader, close } = readerOf(paths, ada);
    const seen = new Map<string, number>();
    let wrong = 0;
    for (const { sender, content } of await reader.take()) {
      const next = seen.get(sender) ?? 0;
      wrong += content === `${sender} ${next}` ? 0 : 1;
      seen.set(sender, next + 1);
    }
    close();
    const lost = senders.map((sender) => SIZES.writes - (seen.get(sender) ?? 0)).reduce((sum, one) => sum + one, 0);
    const torn = existsSync(paths.inbox(ada).bad) ? 1 : 0;
    const count = SIZES.writers * SIZES.writes;
    figure({ area: `${SIZES.writers} writers on one inbox: messages`, count, violations: wrong + lost + torn });
    expect({ wrong, lost, torn }).toEqual({ wrong: 0, lost: 0, torn: 0 });
  },
);
