/**
 * One lock and a counter under it: mutual exclusion, takeover from the dead, stampedes, guards of dead breakers,
 * sweeps.
 */
import { O_CREAT, O_EXCL, O_RDWR, O_WRONLY, type Disk } from '../../../../src/store/files/disk.ts';
import { Locks } from '../../../../src/store/lock/lock.ts';
import type { Body, Run } from '../life.ts';
import { Machine } from '../machine.ts';
import { Random } from '../random.ts';

export const DIRECTORY = '/team';
const LOCK = `${DIRECTORY}/ada_inbox.lock`;
export const TOKENS = `${DIRECTORY}/.tokens`;
const COUNTER = `${DIRECTORY}/counter`;

/** The lock implementation of a process. */
export interface Locker {
  tryLock(path: string, work: () => void): { readonly done: boolean };
  sweep(directories: readonly string[]): void;
  close(): void;
}
export type LockerOf = (run: Run, tokens: string) => Locker;

const ours: LockerOf = (run, tokens) => new Locks(tokens, run.lockEnvironment);

const WAIT_MS = 2;
const ENDS_AFTER = 400;

export async function lockScenario(seed: number, lockerOf: LockerOf = ours): Promise<Machine> {
  const random = new Random(seed);
  const machine = new Machine(random, { within: 150, kills: 4, pauses: 2 });
  machine.files.mkdir(DIRECTORY);
  machine.files.create(COUNTER, 0o600).write(Buffer.alloc(4), 0, 0);
  if (random.chance(0.6)) await leaveByDeath(machine, lockerOf);
  const count = random.of([2, 2, 3, 3, 5]);
  for (let n = 0; n < count; n += 1) machine.start(`p${n}`, enters(lockerOf, random.below(3), random.chance(0.5)));
  if (random.chance(0.2)) machine.start('foreign', foreign);
  await machine.run();
  machine.faults.isHealed = true;
  machine.start('last', enters(lockerOf, 1, true));
  await machine.run();
  machine.start('sweeper', enters(lockerOf, 0, true));
  await machine.run();
  return machine;
}

/** A stampede begins with the lock of a dead process, and often with a guard of one that died breaking it. */
async function leaveByDeath(machine: Machine, lockerOf: LockerOf): Promise<void> {
  machine.start('first', (run) => {
    lockerOf(run, TOKENS).tryLock(LOCK, () => machine.kill(run.life));
  });
  await machine.run();
  if (machine.random.chance(0.2)) return;
  const breaker = machine.start('breaker', (run) => void lockerOf(run, TOKENS).tryLock(LOCK, () => inside(run)));
  breaker.diesAfter = 3 + machine.random.below(3);
  await machine.run();
}

const enters =
  (lockerOf: LockerOf, times: number, sweeps: boolean): Body =>
  (run) => {
    const locker = lockerOf(run, TOKENS);
    if (sweeps) locker.sweep([DIRECTORY]);
    for (let time = 0; time < times; time += 1) enter(run, locker);
    if (sweeps) locker.sweep([DIRECTORY]);
    locker.close();
  };

function enter(run: Run, locker: Locker): void {
  for (let tries = 0; tries < ENDS_AFTER; tries += 1) {
    if (locker.tryLock(LOCK, () => inside(run)).done) return;
    run.sleep(tries < 20 ? WAIT_MS : 20 * WAIT_MS);
  }
  run.note({ kind: 'waited too long', lock: LOCK });
}

function inside(run: Run): void {
  run.note({ kind: 'entered', lock: LOCK });
  // Lets any other process in that can get in.
  run.sleep(1);
  const fd = run.disk.openSync(COUNTER, O_RDWR);
  const bytes = Buffer.alloc(4);
  run.disk.readSync(fd, bytes, 0, 4, 0);
  bytes.writeUInt32BE(bytes.readUInt32BE() + 1);
  run.disk.writeSync(fd, bytes, 0, 4, 0);
  run.disk.closeSync(fd);
  run.note({ kind: 'left', lock: LOCK });
}

/** A writer of another program that waits until it gets the lock; if it is killed inside, it leaves the lock empty. */
const foreign: Body = (run) => {
  for (let tries = 0; tries < ENDS_AFTER; tries += 1) {
    if (took(run.disk)) {
      run.note({ kind: 'entered', lock: LOCK });
      run.disk.lstatSync(COUNTER);
      run.note({ kind: 'left', lock: LOCK });
      run.disk.unlinkSync(LOCK);
      return;
    }
    run.sleep(50);
  }
};

function took(disk: Disk): boolean {
  try {
    disk.closeSync(disk.openSync(LOCK, O_CREAT | O_EXCL | O_WRONLY, 0o600));
    return true;
  } catch {
    // Another process has it.
    return false;
  }
}
