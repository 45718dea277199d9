/**
 * Carries an undo or a redo out. What is begun is in the run's state before the first file is changed and until the last
 * one is: after a kill the same command finishes it, and the opposite one goes back. An error goes back at once.
 */
import { defined } from '../../../model/text/defined.ts';
import { shownPath } from '../../../model/text/safe-text.ts';
import { join } from 'node:path';
import { codeOf, ConflictError } from '../../../model/text/errors.ts';
import type { RunLife, Undoing } from '../../../model/run/run-state.ts';
import { onDisk, realDisk } from '../../../store/files/disk.ts';
import { newId } from '../../../store/files/new-ids.ts';
import type { TeamPaths } from '../../../store/files/paths.ts';
import { placeFile, removeFresh, removeUserFile, type PresentEntry } from '../../../store/workspace/user-files.ts';
import { withChangeLock } from '../../../store/team/change-lock.ts';
import { openStore, type StoreOptions, type TeamStore } from '../../../store/team/team-store.ts';
import { bytesOf, GitFailure } from '../../process/git-tree.ts';
import type { GitWhere } from '../../process/git.ts';
import { within } from '../../process/git-place.ts';
import { leadStatusOf } from '../../views/external-status.ts';
import { inTheWay, stepAt, stepOn, stepsAt, type UndoStep } from './undo-steps.ts';
import { seenOf, type UndoPlan } from './undo.ts';

interface UndoOptions {
  readonly redo: boolean;
  /** What its event is called, if it is neither an undo nor a redo. */
  readonly told?: string;
  /** This process leads the team, so that it may run. */
  readonly leads?: boolean | undefined;
  readonly store: StoreOptions;
}

/**
 * @throws ConflictError `REFUSED` if a file or the run was changed since the plan was shown, `LOCK_TIMEOUT` while another
 *   process changes files of the project, `LEAD_ALIVE` for a run that began meanwhile; GitFailure, and the errors of the
 *   file system. After each of them the files are as they were before.
 */
export async function carryOutUndo(
  paths: TeamPaths,
  plan: UndoPlan,
  options: UndoOptions,
  signal: AbortSignal,
): Promise<void> {
  const { disk = realDisk, clock } = options.store;
  await withChangeLock(paths.root, { disk, clock }, () => carryOut(paths, plan, options, signal));
}

async function carryOut(
  paths: TeamPaths,
  plan: UndoPlan,
  { redo, told = redo ? 'run.redone' : 'run.undone', leads = false, store: options }: UndoOptions,
  signal: AbortSignal,
): Promise<void> {
  const { top, place, lives } = plan;
  const steps = inOrder(plan.steps);
  const where = within({ top, place }, { signal });
  const store = openStore(paths, options);
  try {
    requireAsSeen(store, plan, leads);
    const { begun } = plan;
    const isRepeat = begun !== undefined;
    const now = stepsAt(top, steps, begun?.token);
    const [changed] = inTheWay(now);
    if (changed !== undefined) throw changedSince(changed, redo);
    // All bytes are there before the first file is changed.
    const bytes = await contentsOf(
      now.filter(({ isDone }) => !isDone),
      where,
    );
    // What the user has put in place by hand is not this call's: a redo of an undo leaves it, and so does going back.
    const inPlace = now.flatMap(({ path, isDone }) => (isDone ? [path] : []));
    const fresh = { redo, token: newId(store.clock.now()), lives: lives.length, ...plan.kind };
    // Also if this call goes back: what was begun says which lives, until its end.
    const undoing = begun ?? defined({ ...fresh, kept: someOf([...inPlace, ...plan.kept]) });
    const { token, kept = [] } = undoing;
    await note(store, plan.ended, undoing);
    const turned: UndoStep[] = [];
    try {
      for (const step of now) {
        // What the user has brought there by hand is not turned back, if a later step fails.
        if (step.isDone && (!isRepeat || step.obstacle !== undefined)) continue;
        turned.push(step);
        if (turn(top, step, { bytes, token, isRepeat })) continue;
        turned.pop();
        throw changedSince(step.path, redo);
      }
    } catch (error) {
      // What was half done before this call stays for the command that goes on.
      if (!isRepeat && (await goBack(top, turned, where, token))) await note(store, plan.ended, undefined);
      throw error;
    }
    for (const { path } of steps) removeFresh(top, path, token);
    await note(store, redo ? lives : lives.map((life) => withKept(life, plan.ended, kept)), undefined);
    const count = now.filter(({ isDone }) => !isDone).length;
    store.events.append({ type: told, text: `${count} files` });
  } finally {
    await store.close();
  }
}

const someOf = (paths: readonly string[]): string[] | undefined => (paths.length === 0 ? undefined : [...paths]);

/** @param before the lives as they were: which were not undone is what is undone now */
function withKept(life: RunLife, before: UndoPlan['ended'], kept: readonly string[]): RunLife {
  const was = before.find(({ start }) => start === life.start);
  const isTurned = life.undone === true && was?.undone !== true;
  return isTurned ? defined({ ...life, kept: someOf(kept) }) : life;
}

/** @throws ConflictError `LEAD_ALIVE`, `REFUSED` */
function requireAsSeen(store: TeamStore, { seen }: UndoPlan, leads: boolean): void {
  const { name } = store.paths;
  if (!leads && leadStatusOf(store).alive)
    throw new ConflictError('LEAD_ALIVE', `Team ${name} is running again; \`teams wait ${name}\` waits for its end.`);
  if (seenOf(store.state.readOwn()) !== seen)
    throw new ConflictError(
      'REFUSED',
      `Nothing was done: another undo or apply of team ${name} ended while the changes were shown; the same command shows them again.`,
    );
}

/** Removals first, so that a file can stand where a directory was. */
const inOrder = (steps: readonly UndoStep[]): UndoStep[] =>
  [...steps].sort((a, b) => Number(a.to !== null) - Number(b.to !== null));

const note = (store: TeamStore, lives: UndoPlan['lives'], undoing: Undoing | undefined): Promise<undefined> =>
  store.state.update((current) => ({ next: current && { ...current, lives: [...lives], undoing }, result: undefined }));

const changedSince = (path: string, redo: boolean): ConflictError =>
  new ConflictError(
    'REFUSED',
    `Nothing was ${redo ? 'done' : 'taken back'}: ${shownPath(path)} was changed while the changes were shown; the same command shows them again.`,
  );

/**
 * @param isRepeat something may be there of a call that was killed: a file that is not in its place, empty directories
 * @returns false if the user changed the file: then it stays
 */
function turn(
  top: string,
  step: Pick<UndoStep, 'path' | 'from' | 'to'>,
  { bytes, token, isRepeat }: { bytes: ReadonlyMap<string, Buffer>; token: string; isRepeat: boolean },
): boolean {
  const { path, from, to } = step;
  return onDisk('change', join(top, path), () => {
    const { isDone, isFree } = stepAt(top, step, isRepeat);
    if (!isFree) return false;
    const how = { token, isFree: (present: PresentEntry) => stepOn(present, step, isRepeat).isFree };
    if (to === null) return (isDone && !isRepeat) || removeUserFile(top, path, { ...how, like: from?.hash ?? '' });
    const content = bytes.get(to.hash);
    return isDone || content === undefined || placeFile(top, path, to, { ...how, bytes: content });
  });
}

/** @returns whether every file is as it was */
async function goBack(top: string, turned: readonly UndoStep[], where: GitWhere, token: string): Promise<boolean> {
  try {
    const back = inOrder(turned.map(({ path, from, to }) => ({ path, from: to, to: from, isDone: false })));
    const bytes = await contentsOf(back, where);
    for (const step of back) {
      if (!turn(top, step, { bytes, token, isRepeat: true })) return false;
      removeFresh(top, step.path, token);
    }
    return true;
  } catch (error) {
    if (codeOf(error) === undefined && !(error instanceof GitFailure)) throw error;
    return false;
  }
}

/** The bytes that the steps put in place, by hash. */
async function contentsOf(steps: readonly UndoStep[], where: GitWhere): Promise<Map<string, Buffer>> {
  const bytes = new Map<string, Buffer>();
  for (const { to } of steps) if (to !== null && !bytes.has(to.hash)) bytes.set(to.hash, await bytesOf(to, where));
  return bytes;
}
