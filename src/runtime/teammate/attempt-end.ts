/** Stores the end of an attempt: the result file, and the record on the board with all changes that belong to it. */
import { shownPath } from '../../model/text/safe-text.ts';
import { claimOf } from '../../model/board/board.ts';
import type { Body, Change } from '../../model/board/event.ts';
import { MOST_NAMED_FILES, type ClaimedTask, type TaskResult } from '../../model/board/task.ts';
import type { TurnVerdict } from '../../policy/outcome.ts';
import { touchedSince } from '../../store/workspace/artifact.ts';
import type { Folded } from '../../store/board/fold-line.ts';
import { hashText, keptText } from '../../store/board/results.ts';
import { newId } from '../../store/files/new-ids.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { authorOf } from '../team/authentication.ts';
import { askedOf } from '../team/requests.ts';
import type { KeptChange } from '../trees/member-tree.ts';
import type { RunnerEnvironment, CompletionExtras } from './runner-environment.ts';

interface AttemptEnd {
  readonly verdict: TurnVerdict;
  readonly along: CompletionExtras;
  readonly change?: KeptChange | undefined;
}

/**
 * Writes the result first, then the event with its hash: a file without an event is garbage; an event without its file
 * does not happen.
 */
export async function writeEnd(
  task: ClaimedTask,
  { verdict, along, change }: AttemptEnd,
  { store, speaker, cwd, tree }: Pick<RunnerEnvironment, 'store' | 'speaker' | 'cwd' | 'tree'>,
): Promise<Folded | undefined> {
  const { epoch } = task.claim;
  const now = store.board.fold().tasks.get(task.id);
  if (now === undefined || claimOf(now)?.epoch !== epoch) return undefined;
  if (verdict.do !== 'release') await store.keepResult(task.id, epoch, keptText(verdict.text));
  const body = await endOf(task, { verdict, along, change }, { store, cwd, tree });
  const folded = await store.board.append(authorOf(speaker), () => body);
  return 'event' in folded ? folded : undefined;
}

async function endOf(
  task: ClaimedTask,
  { verdict, along, change }: AttemptEnd,
  { store, cwd, tree }: Pick<RunnerEnvironment, 'store' | 'cwd' | 'tree'>,
): Promise<Body> {
  const { epoch } = task.claim;
  if (verdict.do === 'release')
    return { type: 'task.released', task: task.id, epoch, reason: verdict.reason, why: verdict.why.slice(0, 4_096) };
  const text = keptText(verdict.text);
  const result = {
    summary: summaryOf(text),
    hash: hashText(text),
    files: tree === undefined ? changedFiles(task, store, cwd) : [...(change?.files ?? [])].slice(0, MOST_NAMED_FILES),
    exitCode: verdict.exitCode,
  };
  if (verdict.do === 'complete') {
    const isReviewed = change !== undefined && store.config.readOwn()?.trees?.review !== undefined;
    const review = isReviewed ? [await reviewed(task, result, store)] : [];
    return completed(task, result, along, { change, review });
  }
  return { type: 'task.failed', task: task.id, epoch, why: verdict.why.slice(0, 4_096), result };
}

/** A change in a tree of its own is submitted, and lands later. */
const completed = (
  task: ClaimedTask,
  result: TaskResult,
  { metadata = {}, changes = [] }: CompletionExtras,
  { change, review }: { readonly change: KeptChange | undefined; readonly review: readonly Change[] },
): Body => {
  const { id, claim } = task;
  const end: Change =
    change === undefined
      ? { type: 'task.completed', task: id, epoch: claim.epoch, result }
      : { type: 'task.submitted', task: id, epoch: claim.epoch, result, attempt: change.attempt };
  const updates: Change[] =
    Object.keys(metadata).length === 0 ? [] : [{ type: 'task.updated', task: id, metadata: { ...metadata } }];
  return updates.length + changes.length + review.length === 0
    ? end
    : { type: 'batch', changes: [...updates, ...changes, end, ...review] };
};

/** Asks for a review of the change, in one record with it. */
async function reviewed({ id }: ClaimedTask, { files }: TaskResult, store: TeamStore): Promise<Change> {
  const { clock, paths } = store;
  const text = `${files.length} ${files.length === 1 ? 'file' : 'files'} (teams diff ${paths.name} ${id}): ${files.map(shownPath).join(', ')}`;
  const request = newId(clock.now());
  return { type: 'request.made', request, kind: 'review', about: id, text: await askedOf(store, text) };
}

const changedFiles = ({ work, claimed_at }: ClaimedTask, store: TeamStore, cwd: string): string[] =>
  touchedSince(
    store.disk,
    cwd,
    [...work.files, ...(work.artifact === undefined ? [] : [work.artifact])],
    Date.parse(claimed_at),
  );

/** Keeps the end of a long text, because the end usually says how the attempt ended. */
const summaryOf = (text: string): string => (text.length <= 4_000 ? text : `…${text.slice(-4_000)}`);
