/**
 * Moves a team between the files of a root and a store on PostgreSQL. Killed at any moment it leaves the team living on
 * one side, which the row of the move in the store decides; the next one, or the next verb, does the rest.
 */
import { shownAddress, type EngineAddress } from '../../model/config/engine-address.ts';
import { configDocumentSchema } from '../../model/team/team-config.ts';
import type { Clock } from '../../model/text/clock.ts';
import { codeOf, ConflictError, StoreError, UsageError } from '../../model/text/errors.ts';
import { jsonAnswer } from '../../model/text/json-answer.ts';
import { LEAD, type Name } from '../../model/text/names.ts';
import { readCarried, writeCarried, type CarriedTeam } from '../../store/engine/carried-team.ts';
import { bringTeam, sendTeamOff, stillRunning } from '../../store/engine/engine-moves.ts';
import { SessionLost } from '../../store/engine/engine-queries.ts';
import { EngineSession } from '../../store/engine/engine-session.ts';
import { teamIdIn } from '../../store/engine/retired-replicas.ts';
import { isOwnPlan } from '../../store/board/plan-record.ts';
import { realDisk } from '../../store/files/disk.ts';
import { makeDirectory } from '../../store/files/file.ts';
import { linesOf } from '../../store/files/journal.ts';
import { newId } from '../../store/files/new-ids.ts';
import { rootPaths, teamPaths } from '../../store/files/paths.ts';
import { holderText } from '../../store/replica/elsewhere.ts';
import { replicaOf } from '../../store/replica/replica-root.ts';
import { departureOf } from '../../store/replica/unfinished-moves.ts';
import { probeFileSystem, requireOwnProject } from '../../store/team/create-store.ts';
import { leaseOwner, mayLive, placeOf, takeLease, type Lease } from '../../store/team/lease.ts';
import { beginMove, holdMove, movingPaths, setAside, unfinishedMove, type Move } from '../../store/engine/moves.ts';
import { findTeam } from '../../store/team/team-list.ts';
import { isTeam, openStore, unknownTeam, type TeamStore } from '../../store/team/team-store.ts';
import { endKnown, endUnfinished } from './end-moves.ts';

/** A team and the two places between which it moves. */
interface MigrateTarget {
  /** The folder with its files; no replica. */
  readonly root: string;
  readonly name: Name;
  readonly address: EngineAddress;
  readonly clock: Clock;
}

interface Migrated {
  /** Nothing was left to do: it had been moved before. */
  readonly wasThere: boolean;
  readonly records: number;
  /** Messages that nobody has used. */
  readonly messages: number;
  /** Lines of its log that are no records, or repeat one: they stay where it was. */
  readonly left: number;
}

const THERE: Migrated = { wasThere: true, records: 0, messages: 0, left: 0 };

/**
 * Moves a team of a root into a store. Its files go to the archive of the root.
 *
 * @throws UsageError `UNKNOWN_TEAM`, `USAGE`; ConflictError `STILL_RUNNING`, `TEAM_EXISTS`, `REFUSED`; StoreError
 *   `UNTRUSTED`, `ENGINE_UNFIT`, `ENGINE_UNREACHABLE`
 */
export function moveToStore(target: MigrateTarget): Promise<Migrated> {
  return withMove(target, async (session) => {
    const { root, name, clock, address } = target;
    const paths = teamPaths(root, name);
    if (!isTeam(realDisk, paths)) {
      if (await isThereAlready(session, target)) return THERE;
      throw unknownTeam(name);
    }
    const store = openStore(paths, { clock, signs: true });
    const leases: Lease[] = [];
    try {
      requireMovable(store);
      await takeLeases(store, leases);
      await signDocuments(store);
      const team = store.board.board.team?.id ?? '';
      const move: Move = { version: 1, id: newId(clock.now()), team, name, to: 'store', store: shownAddress(address) };
      let carried: CarriedTeam | undefined;
      await carryOut(target, session, move, async () => {
        setAside(root, move, clock);
        const members = [LEAD, ...store.board.fold().members.keys()];
        carried = readCarried(movingPaths(root, move), { id: team, members });
        await bringTeam(session, move, carried, holderText(store.pinned.identity, clock.now()));
      });
      return countOf(carried, linesOf(realDisk, findTeam(root, name)?.paths.log ?? paths.log).length);
    } finally {
      for (const lease of leases) await lease.release();
      await store.close();
    }
  });
}

/**
 * Moves a team of a store into a root. Its replicas go to the archives of their roots.
 *
 * @throws those of {@link moveToStore}
 */
export function moveToFiles(target: MigrateTarget): Promise<Migrated> {
  return withMove(target, async (session) => {
    const { root, name, clock, address } = target;
    const there = (await session.teams()).find((one) => one.name === name);
    if (isTeam(realDisk, teamPaths(root, name))) {
      if (there === undefined) return THERE;
      throw new ConflictError(
        'TEAM_EXISTS',
        `There is another team ${name} in ${root}; archive it, or use another --root.`,
      );
    }
    if (there === undefined)
      throw new UsageError('UNKNOWN_TEAM', `There is no team ${name} in ${shownAddress(address)}.`);
    requireMovableConfig(name, (await session.configuration(there.id))?.body);
    const { teams, tasks } = rootPaths(root);
    for (const directory of [teams, tasks]) makeDirectory(realDisk, directory, { durable: true });
    probeFileSystem(realDisk, teams);
    const move: Move = {
      version: 1,
      id: newId(clock.now()),
      team: there.id,
      name,
      to: 'files',
      store: shownAddress(address),
    };
    let carried: CarriedTeam | undefined;
    await carryOut(target, session, move, () =>
      sendTeamOff(session, move, (team) => {
        carried = team;
        writeCarried(movingPaths(root, move), team, clock);
      }),
    );
    return countOf(carried, carried?.lines.length ?? 0);
  });
}

/** Holds the move of a team, ends one that a killed process had begun, and then does `work`. */
async function withMove(
  { root, name, address, clock }: MigrateTarget,
  work: (session: EngineSession) => Promise<Migrated>,
): Promise<Migrated> {
  requireOwnProject(root);
  if (replicaOf(realDisk, root) !== undefined)
    throw new UsageError(
      'USAGE',
      `${root} is a replica of a store, not a folder with teams of its own: name one with --root.`,
    );
  const release = holdMove(root, name, clock);
  try {
    const begun = unfinishedMove(root, name, (store) => store === shownAddress(address));
    if (begun !== undefined && begun.store !== shownAddress(address))
      throw new UsageError(
        'USAGE',
        `A move of team ${name} ${begun.to === 'store' ? 'to' : 'from'} ${begun.store} is not over: finish it with that address.`,
      );
    const session = await EngineSession.open(address, clock);
    try {
      if (begun !== undefined) await endUnfinished(session, root, begun, clock);
      return await work(session);
    } catch (error) {
      if (error instanceof SessionLost) throw lost(name, error);
      throw error;
    } finally {
      await session.close();
    }
  } finally {
    release();
  }
}

/** Does `work`, whose transaction makes the move, and then what follows from how it ended. */
async function carryOut(
  { root, address, clock }: MigrateTarget,
  session: EngineSession,
  move: Move,
  work: () => Promise<void>,
): Promise<void> {
  beginMove(root, move);
  try {
    await work();
  } catch (error) {
    if (!(error instanceof SessionLost)) {
      await endUnfinished(session, root, move, clock);
      throw error;
    }
    // It is unknown whether the store has made it: it says so, once it answers.
    const again = await EngineSession.open(address, clock).catch((why: unknown) => {
      throw lost(move.name, why);
    });
    try {
      if ((await endUnfinished(again, root, move, clock)) === 'moved') return;
      throw lost(move.name, error);
    } finally {
      await again.close();
    }
  }
  endKnown(root, move, 'moved', clock);
}

const lost = (name: Name, cause: unknown): StoreError =>
  new StoreError(
    'ENGINE_UNREACHABLE',
    `The connection to the store was lost while team ${name} was being moved (${codeOf(cause) ?? 'closed'}): say the same again.`,
    { cause },
  );

/** What other machines read is signed, for those that do not have the key of this one. */
async function signDocuments(store: TeamStore): Promise<void> {
  await store.config.update((current) => ({ next: current, result: undefined }));
  if (isOwnPlan(store)) await store.plan.update((current) => ({ next: current, result: undefined }));
}

/** Nobody begins to work in the team meanwhile. @throws ConflictError `STILL_RUNNING` */
async function takeLeases(store: TeamStore, leases: Lease[]): Promise<void> {
  const { disk, paths, board } = store;
  const names = [LEAD, ...board.board.members.keys()];
  const running = names.flatMap((name) => {
    const owner = leaseOwner(disk, paths, name);
    return owner !== undefined && mayLive(owner) ? [`${name} (${placeOf(owner)})`] : [];
  });
  if (running.length > 0) throw stillRunning(paths.name, running);
  for (const name of names) {
    const answer = await takeLease(paths, name, store.forLease());
    if (!answer.held) throw stillRunning(paths.name, [name]);
    leases.push(answer.lease);
  }
}

/** Whether a team whose files are archived here lives in the store, where it was moved. */
async function isThereAlready(session: EngineSession, { root, name, address }: MigrateTarget): Promise<boolean> {
  const archived = findTeam(root, name);
  const left = archived && departureOf(archived.paths.folder);
  if (archived === undefined || left?.way !== 'to' || left.store !== shownAddress(address)) return false;
  const id = teamIdIn(archived.paths);
  return (await session.teams()).some((one) => one.name === name && one.id === id);
}

function countOf(team: CarriedTeam | undefined, lines: number): Migrated {
  const records = team?.lines.length ?? 0;
  const messages = (team?.mail ?? []).reduce((sum, one) => sum + one.lines.length, 0);
  return { wasThere: false, records, messages, left: lines - records };
}

const HAS_TREES = 'has trees, and the repository with what its members made does not move yet';

/** @throws StoreError `UNTRUSTED`; `ENGINE_UNFIT` for a team that cannot move yet */
function requireMovable(store: TeamStore): void {
  store.requireTrusted();
  const { profile } = store.board.fold();
  const { name } = store.paths;
  if (profile === 'pipeline') throw cannotMove(name, 'is a pipeline, which a store cannot have yet');
  if (profile === 'relay') throw cannotMove(name, 'is a refine loop, which a store cannot have yet');
  if (store.config.readOwn()?.isolation === 'trees') throw cannotMove(name, HAS_TREES);
}

/**
 * @param config the text of a team's configuration in its store
 * @throws StoreError `ENGINE_UNFIT`
 */
function requireMovableConfig(name: Name, config = ''): void {
  const read = jsonAnswer(configDocumentSchema, config);
  if (read.ok && read.value.isolation === 'trees') throw cannotMove(name, HAS_TREES);
}

const cannotMove = (name: Name, why: string): StoreError =>
  new StoreError(
    'ENGINE_UNFIT',
    `Team ${name} ${why}: finish it where it is, and make a new team for what comes next.`,
  );
