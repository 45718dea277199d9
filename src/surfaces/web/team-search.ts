/** Search over everything that a team keeps: tasks, what was printed, mail, and the latest events. */
import { cardOf, TeamOutput, type MailIndex, type Task, type TeamReader } from '../../app.ts';
import { runCooperatively, type CooperativeWork } from './cooperative.ts';
import type { EventRow, FoundInTeam, FoundLine } from './wire-types.ts';

interface Searched {
  readonly store: TeamReader;
  readonly mail: MailIndex;
  /** The events that the page keeps, oldest first. */
  readonly events: readonly EventRow[];
}

/** Matches of one kind that are listed; all are counted. */
const LISTED = 20;
/** Lines and tasks that are looked at at once. */
const PORTION = 50;
/** Characters of a line that are shown. */
const SHOWN = 400;

/** @param words a text, in upper or lower case; not empty */
export async function searchTeam({ store, mail, events }: Searched, words: string): Promise<FoundInTeam> {
  const wanted = words.toLowerCase();
  const has = (...texts: readonly (string | null | undefined)[]): boolean =>
    texts.some((text) => text?.toLowerCase().includes(wanted));
  const found = events.filter(({ text, member }) => has(text, member)).toReversed();
  return {
    tasks: await runCooperatively(tasksWith(store, wanted, has)),
    lines: await runCooperatively(linesWith(store, has)),
    mail: await mail.page({ text: words, skip: 0, count: LISTED }),
    events: { total: found.length, rows: found.slice(0, LISTED) },
  };
}

type Has = (...texts: readonly (string | null | undefined)[]) => boolean;

/** The last tasks that match, newest first. */
function* tasksWith(store: TeamReader, wanted: string, has: Has): CooperativeWork<FoundInTeam['tasks']> {
  const board = store.board.fold();
  const last: Task[] = [];
  let [total, looked] = [0, 0];
  for (const task of board.tasks.values()) {
    looked += 1;
    if (looked % PORTION === 0) yield;
    const reason = 'reason' in task ? task.reason : '';
    if (wanted !== `#${task.id}` && !has(task.subject, task.description, task.owner, reason)) continue;
    total += 1;
    last.push(task);
    if (last.length > LISTED) last.shift();
  }
  const rows = last.map((task) => ({ id: task.id, subject: task.subject, status: cardOf(board, task).column }));
  return { total, rows: rows.toReversed() };
}

/** The last lines that match, newest last read first. */
function* linesWith(store: TeamReader, has: Has): CooperativeWork<FoundInTeam['lines']> {
  const output = new TeamOutput(store, { since: 'start' });
  const rows: FoundLine[] = [];
  let [total, looked] = [0, 0];
  for (const { member, line } of output.end()) {
    looked += 1;
    if (looked % PORTION === 0) yield;
    if (!has(line)) continue;
    total += 1;
    rows.push({ member, line: line.slice(0, SHOWN) });
    if (rows.length > LISTED) rows.shift();
  }
  return { total, rows: rows.toReversed() };
}
