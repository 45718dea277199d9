/**
 * The board for people: one readable file for each task. A view is written from the fold and can be rebuilt at any
 * time. It carries a hash of its own text, which shows an edit by hand; an edited view is kept aside, never lost.
 */
import { escapedJson } from '../../model/text/safe-text.ts';
import { hash } from 'node:crypto';
import type { Task } from '../../model/board/task.ts';
import { lookAt, onDisk, type Disk } from '../files/disk.ts';
import { readText, replaceFile } from '../files/file.ts';
import type { TeamPaths } from '../files/paths.ts';
import { tempToken } from '../files/temp-files.ts';
import type { TeamStore } from './team-store.ts';
import { leaseOwner } from './lease.ts';
import { LEAD } from '../../model/text/names.ts';
import { livenessOf } from '../../os/process-table.ts';

const NOTE = 'A read-only view; the truth is log.jsonl. Change a task with `teams task …`.';
const hashOf = (text: string): string => hash('sha256', text);

function render(task: Task): string {
  const body = { ...task, note: NOTE };
  return textOf({ ...body, sha256: hashOf(JSON.stringify(body)) });
}

/**
 * Writes the view of a task.
 *
 * @returns the path under which a hand edit was kept, if there was one
 */
function writeView(disk: Disk, paths: TeamPaths, task: Task, now: number): string | undefined {
  const path = paths.taskView(task.id);
  const kept = keepEdit(disk, path, now);
  replaceFile(disk, path, render(task), tempToken(), { durable: false });
  return kept;
}

function keepEdit(disk: Disk, path: string, now: number): string | undefined {
  // Most views are new: to open a file that is missing costs ten times as much as to look.
  const text = lookAt(disk, path) && readText(disk, path);
  if (text === undefined || isIntact(text)) return undefined;
  const aside = `${path}.edited-${now}`;
  onDisk('keep', path, () => disk.renameSync(path, aside));
  return aside;
}

function isIntact(text: string): boolean {
  try {
    const view: unknown = JSON.parse(text);
    if (typeof view !== 'object' || view === null || !('sha256' in view)) return false;
    const { sha256, ...body } = view;
    return sha256 === hashOf(JSON.stringify(body)) && text === textOf({ ...body, sha256 });
  } catch {
    // Not even JSON: it was edited by hand.
    return false;
  }
}

/** Writes views if no lead does it: under a lock, after folding to the end. */
export async function lockedViews(store: TeamStore, ids: readonly string[]): Promise<void> {
  const owner = leaseOwner(store.disk, store.paths, LEAD);
  // A lead on another machine writes no files here.
  if (owner?.where === 'here' && livenessOf(owner) !== 'dead') return;
  await store.locks.withLock(store.paths.viewsLock, () => writeViews(store, ids));
}

export function writeViews(store: TeamStore, ids: Iterable<string>): void {
  const { tasks } = store.board.fold();
  for (const id of ids) {
    const task = tasks.get(id);
    const kept = task && writeView(store.disk, store.paths, task, store.clock.now());
    if (kept !== undefined) store.events.append({ type: 'view.edit_kept', task: id, text: kept });
  }
}

/** People print these files. */
const textOf = (view: object): string => `${escapedJson(JSON.stringify(view, null, 2))}\n`;
