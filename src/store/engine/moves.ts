/**
 * A team on its way between this root and a store on PostgreSQL: `.teams/.moves/<name>/`. One row of the store decides
 * how a move ended, so a process that was killed in the middle leaves one living side, which the next process sees:
 *
 *   to a store:   team ─set aside→ `team` here ─moved→ archived here
 *                                       └─withdrawn→ back in its place
 *   from a store: draft `team`, `tasks` here ─moved→ in its place
 *                                       └─withdrawn→ removed
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import type { Clock } from '../../model/text/clock.ts';
import { ConflictError, StoreError } from '../../model/text/errors.ts';
import { jsonAnswer } from '../../model/text/json-answer.ts';
import { nameSchema, type Name } from '../../model/text/names.ts';
import { lookAt, onDisk, realDisk } from '../files/disk.ts';
import { createOnce, makeDirectory, readText, syncDirectory } from '../files/file.ts';
import { folderAt } from '../files/folder-of.ts';
import { rootPaths, teamPaths, teamPathsAt, type TeamPaths } from '../files/paths.ts';
import { pinDirectory } from '../files/pinned.ts';
import { removeTree } from '../files/remove-tree.ts';
import { Locks } from '../lock/lock.ts';
import { moveFolder, noteDeparture } from '../replica/unfinished-moves.ts';
import { withName } from '../team/name-lock.ts';
import { archiveStamp, putAway, setAsideOrphan } from '../team/team-list.ts';
import { openSeal } from '../user/seal.ts';
import type { EngineSession } from './engine-session.ts';

const moveSchema = z.object({
  version: z.literal(1),
  /** Its own ULID, and that of the team. */
  id: z.string(),
  team: z.string(),
  name: nameSchema,
  to: z.enum(['store', 'files']),
  /** The address of the store, without a password. */
  store: z.string(),
});
/** The mark of one: with the user's seal, since who connects to a store tells it who the user is. */
const markSchema = moveSchema.extend({ seal: z.string().optional() });
export type Move = z.infer<typeof moveSchema>;
/** What the store says of a move. */
export type MoveOutcome = 'moved' | 'withdrawn';

const markOf = (root: string, name: Name): string => join(moveFolder(root, name), 'move.json');

/** The files of a team that is set aside, or that is not in its place yet. */
export function movingPaths(root: string, { name, to }: Pick<Move, 'name' | 'to'>): TeamPaths {
  const folder = moveFolder(root, name);
  const board = to === 'store' ? teamPaths(root, name).board : join(folder, 'tasks');
  return teamPathsAt(root, name, join(folder, 'team'), board);
}

/**
 * Makes this process the one that moves a team.
 *
 * @returns gives it back
 * @throws ConflictError `REFUSED` naming the process that moves it now
 */
export function holdMove(root: string, name: Name, clock: Clock): () => void {
  const at = rootPaths(root);
  const [{ teams, tokens }, lock] = [at, at.moveLock(name)];
  makeDirectory(realDisk, teams, { durable: true });
  const locks = new Locks(tokens, { disk: realDisk, clock, folder: folderAt(realDisk, teams), isOurs: true });
  const holder = locks.tryTake(lock);
  if (holder !== undefined) {
    locks.close();
    const who = holder.kind === 'held' ? `Process ${String(holder.by.pid)}` : 'Another process';
    throw new ConflictError('REFUSED', `${who} is moving team ${name} now.`);
  }
  return () => {
    locks.giveBack(lock);
    locks.close();
  };
}

/**
 * The move of a team that has begun and is not known to be over. One that was killed before it had done anything is
 * forgotten. Call it while the move is held.
 *
 * @param isAddress whether the user named this address now
 * @throws StoreError `CORRUPT`; `UNTRUSTED` for a mark without this user's seal, if the user did not name its address
 */
export function unfinishedMove(root: string, name: Name, isAddress = (_: string): boolean => false): Move | undefined {
  const path = markOf(root, name);
  const text = readText(realDisk, path, 64 * 1024);
  const folder = moveFolder(root, name);
  if (text === undefined && lookAt(realDisk, join(folder, 'team')) === undefined) {
    removeTree(realDisk, folder);
    return undefined;
  }
  const read = jsonAnswer(markSchema, text ?? '');
  if (read.ok) {
    const { seal: _, ...move } = read.value;
    if (isAddress(move.store) || openSeal(realDisk).holds(read.value)) return move;
    throw new StoreError(
      'UNTRUSTED',
      `${path} was not written by you on this machine, so its store is not asked: if you moved this team, say the same \`teams migrate\` again, else remove ${folder}.`,
      { path },
    );
  }
  const why = text === undefined ? 'missing' : `damaged (${read.why})`;
  throw new StoreError('CORRUPT', `${path} is ${why}, so nobody can say where team ${name} is: restore it.`, { path });
}

/** Says that a move begins: what it does can be undone or finished from now on. */
export function beginMove(root: string, move: Move): void {
  const { moves } = rootPaths(root);
  makeDirectory(realDisk, moves, { durable: true });
  makeDirectory(realDisk, moveFolder(root, move.name), { durable: true });
  const mark: z.infer<typeof markSchema> = { ...move, seal: openSeal(realDisk).sign(move) };
  createOnce(realDisk, markOf(root, move.name), `${JSON.stringify(mark)}\n`, token());
}

/**
 * Takes a team out of its place, in one step: a process that has it open can acknowledge nothing any more.
 *
 * @throws ConflictError `LOCK_TIMEOUT`; StoreError `TEAM_GONE`
 */
export function setAside(root: string, move: Move, clock: Clock): void {
  const { folder } = teamPaths(root, move.name);
  withName(root, move.name, { disk: realDisk, clock }, () => {
    if (lookAt(realDisk, folder) === undefined)
      throw new StoreError('TEAM_GONE', `Team ${move.name} was removed meanwhile.`, { path: folder });
    rename(folder, movingPaths(root, move).folder);
    for (const directory of [rootPaths(root).teams, moveFolder(root, move.name)]) syncDirectory(realDisk, directory);
  });
}

/**
 * How a move ended: as `said`, unless it was decided before. Waits for a transaction that makes it.
 *
 * @throws StoreError `ENGINE_UNFIT`; SessionLost
 */
export async function decideMove(
  session: EngineSession,
  { id, team }: Pick<Move, 'id' | 'team'>,
  said: MoveOutcome,
): Promise<MoveOutcome> {
  const text = 'select teams.decide_move($1, $2, $3) as outcome';
  const [row] = await session.ask(text, [id, team, said], z.object({ outcome: z.enum(['moved', 'withdrawn']) }));
  return row?.outcome ?? said;
}

/** Does what is left of a move, as it was decided. What is done already is not done again. */
export function endMove(root: string, move: Move, outcome: MoveOutcome, clock: Clock): void {
  // A disk that it has filled has no room for a lock.
  if (move.to === 'files' && outcome === 'withdrawn') removeParts(root, move.name);
  withName(root, move.name, { disk: realDisk, clock }, () => {
    const moving = movingPaths(root, move);
    const isThere = lookAt(realDisk, moving.folder) !== undefined;
    if (isThere && move.to === 'store') {
      if (outcome === 'moved') archiveAside(moving, move, clock);
      else putBack(root, moving);
    }
    if (isThere && move.to === 'files' && outcome === 'moved') {
      const paths = teamPaths(root, move.name);
      if (lookAt(realDisk, moving.board) !== undefined) {
        setAsideOrphan(realDisk, rootPaths(root), paths, clock.now());
        rename(moving.board, paths.board);
      }
      syncDirectory(realDisk, rootPaths(root).tasks);
      putBack(root, moving);
    }
    forgetMove(root, move.name);
  });
}

/** The mark goes last: until then what is here can be told. */
function forgetMove(root: string, name: Name): void {
  removeParts(root, name);
  removeTree(realDisk, markOf(root, name));
  removeTree(realDisk, moveFolder(root, name));
}

function removeParts(root: string, name: Name): void {
  for (const part of ['team', 'tasks']) removeTree(realDisk, join(moveFolder(root, name), part));
}

function putBack(root: string, moving: TeamPaths): void {
  const { folder } = teamPaths(root, moving.name);
  rename(moving.folder, folder);
  syncDirectory(realDisk, rootPaths(root).teams);
}

function archiveAside(moving: TeamPaths, { store }: Move, clock: Clock): void {
  noteDeparture(moving.folder, { store, way: 'to' });
  const pinned = pinDirectory(realDisk, moving.folder);
  try {
    putAway(realDisk, moving, archiveStamp(clock.now()), pinned);
  } finally {
    pinned.close();
  }
}

const token = (): string => randomBytes(4).toString('hex');
const rename = (from: string, to: string): void => onDisk('move', from, () => realDisk.renameSync(from, to));
