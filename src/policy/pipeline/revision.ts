/**
 * Revisions (S4, SPEC §11): a task whose artifact was not agreed to is done again as `-R1`, then `-R2`; after that a
 * person decides. What was made from it is done again with it: RESEARCH → all drafts and QUALITY, a draft → later drafts
 * and QUALITY. What nobody began waits for the revision instead.
 */
import { allDependants, refused, type Board, type Refused } from '../../model/board/board.ts';
import type { Change } from '../../model/board/event.ts';
import { newTaskSchema, subjectCode, type NewTask, type Task } from '../../model/board/task.ts';

/** Revisions that a task may have. */
export const REVISIONS = 2;

const REVISED = /-R([0-9]+)$/;

/** How often the work of this subject was revised: 0 for `DRAFT-001 …`, 1 for `DRAFT-001-R1 …`. */
export const revisionOf = (subject: string): number => Number(REVISED.exec(subjectCode(subject) ?? '')?.[1] ?? 0);

/** What is made again when work of this prefix is, besides itself; of other prefixes nothing is. */
const CASCADES: Readonly<Record<string, readonly string[]>> = {
  RESEARCH: ['DRAFT', 'QUALITY'],
  DRAFT: ['DRAFT', 'QUALITY'],
};

/**
 * The changes that have a task done again, as one batch: they happen together or not at all.
 *
 * @param feedback what is to be different, for whoever does it
 */
export function revise(board: Board, task: Task, feedback: string): readonly Change[] | Refused {
  const root = coded(task);
  if (root === undefined)
    return refused(
      'BAD_REFERENCE',
      `task #${task.id} has no code such as DRAFT-001; only work that has one is revised`,
    );
  if (task.status !== 'completed')
    return refused('NOT_READY', `task #${task.id} is ${task.status}; only finished work is revised`);
  const newest = latest(board, root.base);
  if (newest > root.revision) return refused('FINAL', `${root.code} was revised already, as ${root.base}-R${newest}`);
  const again = [root, ...cascade(board, root)];
  const worn = again.find(({ base }) => latest(board, base) >= REVISIONS);
  return worn === undefined
    ? changesFor(board, again, feedback)
    : refused(
        'FINAL',
        `${worn.base} was revised ${REVISIONS} times: now you decide. Approve it, or cancel what waits for it`,
      );
}

interface Coded {
  readonly task: Task;
  readonly code: string;
  /** Without its revision: `DRAFT-001`. */
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

/** The highest revision that a piece of work has on the board. */
const latest = (board: Board, base: string): number => {
  for (let revision = 1; ; revision += 1) if (!board.unique.has(`code ${base}-R${revision}`)) return revision - 1;
};

/** What was begun from a task and is made again with it: each piece of work once, in its newest revision. */
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

/** The same work once more: after the new versions of what it is made from, and never beside the old one. */
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
