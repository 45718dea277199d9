/**
 * A replica that has what its store does not have any more takes what the store has, because a person says so. Each such
 * team goes to the archive as it was here, with a file of the records that only this machine had, and is made anew.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { shownAddress, type EngineAddress } from '../../model/config/engine-address.ts';
import type { Clock } from '../../model/text/clock.ts';
import { ConflictError, UsageError } from '../../model/text/errors.ts';
import { LEAD, type Name } from '../../model/text/names.ts';
import type { EngineTeam } from '../../store/engine/engine-rows.ts';
import { EngineSession } from '../../store/engine/engine-session.ts';
import { livenessOf } from '../../os/process-table.ts';
import { forgetDivergence, hasDiverged, holdReplica } from '../../store/engine/replica-place.ts';
import { forgetViews } from '../../store/engine/carried-team.ts';
import { replicasIn, retireReplica, teamIdIn } from '../../store/engine/retired-replicas.ts';
import { lookAt, realDisk } from '../../store/files/disk.ts';
import { replaceFile } from '../../store/files/file.ts';
import { folderAt } from '../../store/files/folder-of.ts';
import { rootPaths, teamPaths, type TeamPaths } from '../../store/files/paths.ts';
import { linesOf } from '../../store/files/journal.ts';
import { holderIn, isHere } from '../../store/replica/elsewhere.ts';
import { documentsOf } from '../../store/replica/team-documents.ts';
import { daysIn } from '../../store/team/shared-day.ts';
import { makeReplica } from '../../store/team/create-store.ts';
import { listArchived } from '../../store/team/team-list.ts';
import { leaseOwner, mayLive, placeOf } from '../../store/team/lease.ts';
import { openStore } from '../../store/team/team-store.ts';

/** A team of which this machine had records that the store does not have. */
interface TakenTeam {
  readonly team: Name;
  /** Whether the store has the team at all. */
  readonly isThere: boolean;
  /** Records of its log, and of its ledger, that only this machine had. */
  readonly lost: number;
  /** Where the team is as it was here. */
  readonly folder: string;
  /** The file with those records, a line each. */
  readonly file: string;
}

interface TeamLines {
  readonly log: readonly string[];
  readonly ledger: readonly string[];
}

/**
 * @returns the teams that were made anew; call a relay then
 * @throws UsageError `USAGE` for a replica that has not diverged; ConflictError `STILL_RUNNING`, `REFUSED`; StoreError
 *   `ENGINE_UNREACHABLE`, `ENGINE_UNFIT`
 */
export async function takeFromEngine(root: string, address: EngineAddress, clock: Clock): Promise<TakenTeam[]> {
  if (!hasDiverged(root))
    throw new UsageError('USAGE', `The replica in ${root} has what its store has: there is nothing to take.`);
  const session = await EngineSession.open(address, clock);
  try {
    const release = holdReplica(root, shownAddress(address), clock, { isDiverged: true });
    try {
      const there = await session.teams();
      const gone = await session.goneTeams();
      const taken: TakenTeam[] = [];
      for (const [name, id] of replicasIn(root)) {
        // A relay puts it away by itself.
        if (id === undefined || gone.has(id)) continue;
        const isThere = there.some((team) => team.id === id && team.name === name);
        const lines = isThere ? await linesThere(session, id) : { log: [], ledger: [] };
        const here = linesHere(teamPaths(root, name));
        if (isThere && isBehind(here.log, lines.log) && isBehind(here.ledger, lines.ledger)) continue;
        taken.push(await remade(session, root, { id, name, isThere, lines }, clock));
      }
      const here = replicasIn(root);
      for (const team of there) {
        const put = here.has(team.name) ? undefined : putAwayBefore(root, team);
        if (put !== undefined) taken.push(await madeAnew(session, root, team, put, clock));
      }
      await putAwayDays(session, root);
      forgetDivergence(root);
      return taken;
    } finally {
      release();
    }
  } finally {
    await session.close();
  }
}

const linesThere = async (session: EngineSession, team: string): Promise<TeamLines> => ({
  log: await session.all(team, 'log'),
  ledger: await session.all(team, 'ledger'),
});

const linesHere = ({ log, ledger }: TeamPaths): TeamLines => ({
  log: linesOf(realDisk, log),
  ledger: lookAt(realDisk, ledger) ? linesOf(realDisk, ledger) : [],
});

/** Whether all that is here is there at the same place. */
const isBehind = (here: readonly string[], there: readonly string[]): boolean =>
  here.every((line, at) => line === there[at]);

async function remade(
  session: EngineSession,
  root: string,
  { id, name, isThere, lines }: EngineTeam & { readonly isThere: boolean; readonly lines: TeamLines },
  clock: Clock,
): Promise<TakenTeam> {
  const paths = teamPaths(root, name);
  makeReady(paths, clock);
  const own = linesHere(paths);
  const lost = [...onlyHere(own.log, lines.log), ...onlyHere(own.ledger, lines.ledger)];
  const text = lost.map((line) => `${line}\n`).join('');
  replaceFile(realDisk, paths.onlyHere, text, randomBytes(4).toString('hex'));
  if (isThere) await leaveLeases(session, id, paths);
  const put = retireReplica(root, name, clock);
  if (isThere) return madeAnew(session, root, { id, name }, put, clock);
  return { team: name, isThere, lost: lost.length, folder: put.folder, file: put.onlyHere };
}

/** @param put where the team is as it was here, with its plan and the state of its run */
async function madeAnew(
  session: EngineSession,
  root: string,
  { id, name }: EngineTeam,
  put: TeamPaths,
  clock: Clock,
): Promise<TakenTeam> {
  const documents = new Map([...documentsOf(realDisk, put), ...(await session.documents(id))]);
  makeReplica(root, { name, documents }, { clock });
  const { folder, onlyHere: file } = put;
  return { team: name, isThere: true, lost: linesOf(realDisk, file).length, folder, file };
}

/** The ledger of a day with reservations that the store has lost keeps its records under another name. */
async function putAwayDays(session: EngineSession, root: string): Promise<void> {
  const { spending } = rootPaths(root);
  for (const day of daysIn(realDisk, spending)) {
    const path = join(spending, `${day}.jsonl`);
    const here = linesOf(realDisk, path);
    const { length } = here;
    if (length === 0 || (await session.line(day, length, 'spending')) === here.at(-1)) continue;
    realDisk.renameSync(path, `${path}.only-here-${randomBytes(4).toString('hex')}`);
  }
}

/** A process that took from the store before was killed between putting the team away and making it anew. */
const putAwayBefore = (root: string, { id, name }: EngineTeam): TeamPaths | undefined =>
  listArchived(root).findLast(
    (one) => one.name === name && lookAt(realDisk, one.paths.onlyHere) !== undefined && teamIdIn(one.paths) === id,
  )?.paths;

/** Of processes that have ended here: in the folder that is made anew nobody knows that they were of this machine. */
async function leaveLeases(session: EngineSession, team: string, paths: TeamPaths): Promise<void> {
  const here = folderAt(realDisk, paths.folder);
  for (const { name, owner } of await session.leases(team)) {
    const holder = holderIn(owner);
    if (holder && here && isHere(holder, here) && livenessOf(holder) === 'dead')
      await session.leaveLease(team, name, owner);
  }
}

/** A record that was sent again may have another number there. */
function onlyHere(here: readonly string[], there: readonly string[]): string[] {
  const known = new Set(there);
  return here.filter((line) => !known.has(line));
}

/**
 * Views are made anew, too: their state is of the log as it was here.
 *
 * @throws ConflictError `STILL_RUNNING`
 */
function makeReady(paths: TeamPaths, clock: Clock): void {
  const store = openStore(paths, { clock });
  try {
    const names = [LEAD, ...store.board.fold().members.keys()];
    const running = names.flatMap((name) => {
      const owner = leaseOwner(realDisk, paths, name);
      return owner?.where === 'here' && mayLive(owner) ? [`${name} (${placeOf(owner)})`] : [];
    });
    if (running.length > 0)
      throw new ConflictError(
        'STILL_RUNNING',
        `Team ${paths.name} can take what its store has only while nobody works in it here: end ${running.join(', ')} first.`,
      );
    forgetViews(store);
  } finally {
    void store.close();
  }
}
