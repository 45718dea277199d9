/** One trial: a team, an operation with a fault, a recovery by a new process, and the checks afterwards. */
import { cpSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isTeamError } from '../../../src/model/text/errors.ts';
import { parseName } from '../../../src/model/text/names.ts';
import { createStore, type NewTeam } from '../../../src/store/team/create-store.ts';
import type { Disk } from '../../../src/store/files/disk.ts';
import { teamPaths, type TeamPaths } from '../../../src/store/files/paths.ts';
import { ownIdentity } from '../../../src/os/process-table.ts';
import { Reader } from '../../../src/store/mail/reader.ts';
import { sweptDirectories } from '../../../src/store/files/own-directories.ts';
import { sweepNames } from '../../../src/store/team/name-lock.ts';
import { archiveStamp, recoverArchive } from '../../../src/store/team/team-list.ts';
import { openStore, type StoreOptions, type TeamStore } from '../../../src/store/team/team-store.ts';
import { FakeClock } from '../clock.ts';
import { name, task } from '../team.ts';
import { inMemory, tempDir } from '../temp.ts';
import { Crashed, FaultyDisk, type Fault } from './disk.ts';

const TEAM = parseName('team', 'login');
export const ADA = name('ada');

export interface World {
  readonly root: string;
  readonly paths: TeamPaths;
  readonly clock: FakeClock;
  readonly fault: Fault;
  /** The acknowledged results, in the operation's own words. */
  readonly told: Set<string>;
  readonly options: (disk?: Disk) => StoreOptions;
}

/** An operation of a team's processes. */
export interface Work {
  readonly name: string;
  /** Before the fault, on a healthy disk. */
  readonly prepare?: (store: TeamStore, world: World) => Promise<void> | void;
  readonly run: (world: World, disk: Disk) => Promise<void>;
  /** How a new process opens the team; creates it if the operation may have left none. */
  readonly open?: (world: World, time: number) => TeamStore;
  /** With the store of a new process; called twice, since recovery may be repeated. */
  readonly check: (store: TeamStore, world: World, time: number) => Promise<void> | void;
}

export const newTeam = (): NewTeam => ({
  name: TEAM,
  profile: 'v8',
  claimMode: 'auto',
  config: { members: [{ name: ADA, agent_id: 'ada@login', status: 'active', role: name('executor'), color: 36 }] },
  changes: [
    { type: 'member.joined', name: ADA, role: name('executor'), prefixes: [] },
    { type: 'task.created', task: '1', fields: task('One') },
  ],
});

function world(fault: Fault): World {
  const root = tempDir(inMemory());
  const clock = new FakeClock(Date.now());
  const paths = teamPaths(root, TEAM);
  const options = (disk?: Disk): StoreOptions => ({ clock, disk });
  return { root, paths, clock, fault, told: new Set(), options };
}

/** A team before the operation: made once, copied for each trial. */
export async function template(work: Work): Promise<string> {
  const at = world('EIO');
  const store = createStore(at.root, newTeam(), at.options());
  await work.prepare?.(store, at);
  await store.close();
  return at.root;
}

/** @returns whether the fault occurred: after the last call there is nothing more to try */
export async function trial(work: Work, from: string, fault: Fault, n: number, then?: Again): Promise<boolean> {
  const at = world(fault);
  cpSync(from, at.root, { recursive: true, preserveTimestamps: true });
  const faulty = new FaultyDisk(n, fault);
  try {
    await work.run(at, faulty.disk);
  } catch (error) {
    if (!(error instanceof Crashed) && !isTeamError(error)) throw error;
  } finally {
    faulty.end();
  }
  bury(at.root);
  if (faulty.fired === undefined) return false;
  try {
    if (then) await dieRecovering(at, then);
    for (const time of [1, 2]) await recover(work, at, time);
  } catch (cause) {
    const again = then ? `, then ${then.fault} at call ${then.n} of the recovery` : '';
    throw new Error(`${work.name}: ${fault} at call ${n} (${faulty.fired})${again}`, { cause });
  }
  return true;
}

/** A second fault, during the recovery from the first. */
export interface Again {
  readonly fault: Fault;
  readonly n: number;
}

/**
 * All that a new process does before it continues the operation: it cleans up, and takes waiting mail without using it.
 */
async function dieRecovering(at: World, { fault, n }: Again): Promise<void> {
  const faulty = new FaultyDisk(n, fault);
  try {
    recoverArchive(at.root, archiveStamp(at.clock.now()), faulty.disk);
    const store = openStore(at.paths, at.options(faulty.disk));
    sweepAll(store);
    store.board.fold();
    const { disk, clock, locks } = store;
    const reader = new Reader(at.paths, ADA, { disk, clock, locks, isCurrent: () => true });
    await reader.take();
    reader.tidy();
    reader.close();
    await store.close();
  } catch (error) {
    if (!(error instanceof Crashed) && !isTeamError(error)) throw error;
  } finally {
    faulty.end();
  }
  bury(at.root);
}

/** What a power loss left of a token is removed by the second sweep. */
function sweepAll({ locks, paths, disk, clock }: TeamStore): void {
  for (let again = 0; again < 2; again += 1) {
    locks.sweep(sweptDirectories(paths));
    sweepNames(paths.root, { disk, clock });
  }
}

async function recover(work: Work, at: World, time: number): Promise<void> {
  const store = work.open?.(at, time) ?? openStore(at.paths, at.options());
  sweepAll(store);
  await work.check(store, at, time);
  await store.close();
  const left = readdirSync(at.root, { recursive: true, encoding: 'utf8' }).filter((file) => LEFT.test(file));
  if (left.length > 0) throw new Error(`left behind: ${left.join(', ')}`);
}

const LEFT = /\.lock(?!s)|\.tmp(?:$|\/)|\.tokens\/./;

/** The process of the operation is dead: its tokens and temporary files have a start time that no process has. */
function bury(root: string): void {
  const { pid, startTime } = ownIdentity();
  const all = readdirSync(root, { recursive: true, encoding: 'utf8' });
  // The content of a directory comes before the directory, which may be renamed.
  for (const file of all.sort().reverse()) {
    const path = join(root, file);
    if (/\.tokens\/|\.lock(?!s$)/.test(file) && statSync(path).isFile()) {
      const text = readFileSync(path, 'utf8');
      writeFileSync(path, text.replace(`"startTime":"${startTime}"`, '"startTime":"1"'));
    }
    const mine = `.${pid}-${startTime}-`;
    if (basename(file).includes(mine))
      renameSync(path, join(dirname(path), basename(file).replace(mine, `.${pid}-1-`)));
  }
}
