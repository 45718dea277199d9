/**
 * Revisions (docs/specification.md R10.14): a task whose artifact found no consensus is done again as `-R1`, then
 * `-R2`; after that a person decides. Work that was made from it is also done again: RESEARCH → all drafts and QUALITY,
 * a draft → later drafts and QUALITY. Tasks that have not begun wait for the revision instead.
 */
import { allDependants, refused, type Board, type Refused } from '../../model/board/board.ts';
import type { Change } from '../../model/board/event.ts';
import { newTaskSchema, subjectCode, type NewTask, type Task } from '../../model/board/task.ts';

/** Revisions allowed for one task. */
export const REVISIONS = 2;

const REVISED = /-R([0-9]+)$/;

/** The revision number in a subject: 0 for `DRAFT-001 …`, 1 for `DRAFT-001-R1 …`. */
export const revisionOf = (subject: string): number => Number(REVISED.exec(subjectCode(subject) ?? '')?.[1] ?? 0);

/** Prefixes that are done again together with a prefix. Other prefixes have none. */
const CASCADES: Readonly<Record<string, readonly string[]>> = {
  RESEARCH: ['DRAFT', 'QUALITY'],
  DRAFT: ['DRAFT', 'QUALITY'],
};

/**
 * The changes that do a task again, as one batch: all or nothing.
 *
 * @param feedback what must be different, for the member that does it
 */
export function revise(board: Board, task: Task, feedback: string): readonly Change[] | Refused {
  const root = coded(task);
  if (root === undefined)
    return refused(
      'BAD_REFERENCE',
      `task #${task.id} has no code such as DRAFT-001; only a task with a code can be revised`,
    );
  if (task.status !== 'completed')
    return refused('NOT_READY', `task #${task.id} is ${task.status}; only a completed task can be revised`);
  const newest = latest(board, root.base);
  if (newest > root.revision) return refused('FINAL', `${root.code} was revised already, as ${root.base}-R${newest}`);
  const again = [root, ...cascade(board, root)];
  const worn = again.find(({ base }) => latest(board, base) >= REVISIONS);
  return worn === undefined
    ? changesFor(board, again, feedback)
    : refused(
        'FINAL',
        `${worn.base} was revised ${REVISIONS} times, the most allowed: approve it, or cancel the tasks that wait for it`,
      );
}

interface Coded {
  readonly task: Task;
  readonly code: string;
  /** The code without its revision: `DRAFT-001`. */
  readonly base: string;
  readonly prefix: string;
  readonly revision: number;
}

function coded(task: Task): Coded | undefined {
  const code = subjectCode(task.subject);
  if (code === undefined) return undefined;
  const base = code.replace(REVISED, '');
  return { task, code, base, prefix: base.replace(/-[0-9]+$/, ''), revision: revisionOf(task.subject) };
}

/** The highest revision of a code on the board. */
const latest = (board: Board, base: string): number => {
  for (let revision = 1; ; revision += 1) if (!board.unique.has(`code ${base}-R${revision}`)) return revision - 1;
};

/** Begun work that was made from a task and is done again with it: each code once, in its newest revision. */
function cascade(board: Board, root: Coded): Coded[] {
  const prefixes = CASCADES[root.prefix] ?? [];
  const begun = allDependants(board, root.task.id).flatMap((task) => {
    const one = coded(task);
    const isBegun = task.status === 'completed' || task.status === 'in_progress';
    return one && isBegun && prefixes.includes(one.prefix) && one.base !== root.base ? [one] : [];
  });
  const newest = new Map<string, Coded>();
  for (const one of begun) if (one.revision >= (newest.get(one.base)?.revision ?? 0)) newest.set(one.base, one);
  return [...newest.values()];
}

function changesFor(board: Board, again: readonly Coded[], feedback: string): Change[] {
  const ids = new Map(again.map(({ task }, at) => [task.id, String(board.lastTaskId + 1 + at)]));
  const created = again.map((one, at): Change => {
    const why = at === 0 ? feedback : `${again[0]?.code ?? ''} is revised. ${feedback}`;
    return { type: 'task.created', task: String(board.lastTaskId + 1 + at), fields: copyOf(board, one, ids, why) };
  });
  const waiting = [...ids].flatMap(([id, by]) =>
    (board.waiting.get(id) ?? [])
      .filter((waiter) => board.tasks.get(waiter)?.status === 'pending')
      .map((waiter): Change => ({ type: 'task.blocked', task: waiter, by })),
  );
  return [...created, ...waiting];
}

/** A copy of the task. It waits for the new versions of its sources and never runs at the same time as the old task. */
function copyOf(board: Board, { task, code, base }: Coded, ids: ReadonlyMap<string, string>, why: string): NewTask {
  const { subject, description, activeForm, owner, role, work, retries, required, metadata } = task;
  const sources = task.blockedBy.flatMap((id) => [id, ...(ids.has(id) ? [ids.get(id) ?? id] : [])]);
  const own = task.status === 'in_progress' ? [task.id] : [];
  const isHere = owner !== undefined && board.members.get(owner)?.state === 'joined';
  return newTaskSchema.parse({
    subject: subject.replace(code, `${base}-R${latest(board, base) + 1}`),
    description: [description, why === '' ? '' : `Revise it: ${why}`].filter((part) => part !== '').join('\n\n'),
    activeForm,
    role,
    work,
    retries,
    required,
    metadata: { ...metadata, _revises: task.id },
    ...(isHere ? { owner } : {}),
    blockedBy: [...new Set([...sources, ...own])],
  });
}
