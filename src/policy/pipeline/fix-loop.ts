/**
 * The fix loop: testers send faulty work back (docs/specification.md R10.9). NEEDS_FIX of QA-FE-001 makes DEV-FE-002
 * and QA-FE-002, and tasks that wait for QA-FE-001 wait for QA-FE-002. Where several tasks test one work, one round
 * carries all their findings, and all of them test again. After two rounds the pipeline continues, a person is told,
 * and the verdict stays unresolved: the run fails.
 */
import { dependants, waitsFor, type Board } from '../../model/board/board.ts';
import type { Change } from '../../model/board/event.ts';
import { byId, isFinal, newTaskSchema, subjectCode, type NewTask, type Task } from '../../model/board/task.ts';
import { defined } from '../../model/text/defined.ts';

const FIX_ROUNDS = 2;

export const NEEDS_FIX = 'NEEDS_FIX';

/**
 * Whether a tester's answer asks for a fix: its first line is exactly `NEEDS_FIX` (a verifier's is `PASS` or `FAIL`).
 */
export const needsFix = (answer: string): boolean => answer.trimStart().split(/\r?\n/, 1)[0]?.trim() === NEEDS_FIX;

/** The fix round of a task; 0 for the first test. */
const roundOf = ({ metadata }: Task): number =>
  typeof metadata['_fix_round'] === 'number' ? metadata['_fix_round'] : 0;

/** One more round of work and tests: what is done again, and what is tested again after it. */
interface FixRound {
  /** The tester with the lowest id that rejected. */
  readonly task: Task;
  readonly kind: 'due';
  readonly works: readonly Task[];
  readonly tests: readonly Task[];
}

export type FixNeed =
  | FixRound
  /** Another tester of the same work has not finished: one round carries the findings of both. */
  | { readonly task: Task; readonly kind: 'awaited' }
  /** All its rounds are used, or nothing is done again for it. */
  | { readonly task: Task; readonly kind: 'exhausted' };

/** Tasks with NEEDS_FIX that have no next round; a round that is due is named once. */
export function fixNeeds(board: Board): FixNeed[] {
  const rejected = [...board.tasks.values()].filter((task) => rejects(task) && !isFollowed(board, task));
  const taken = new Set<string>();
  return rejected.flatMap((task): FixNeed[] => {
    if (taken.has(task.id)) return [];
    if (roundOf(task) >= FIX_ROUNDS || rejectedWorks(board, task).length === 0) return [{ task, kind: 'exhausted' }];
    const round = roundFrom(board, task);
    for (const { id } of round.tests) taken.add(id);
    return round.tests.every(isFinal) ? [round] : [{ task, kind: 'awaited' }];
  });
}

/** Subjects of finished work whose last verdict is NEEDS_FIX and that no later round answers. */
export const unresolvedVerdicts = (board: Board): string[] =>
  [...board.tasks.values()].flatMap((task) => (rejects(task) && !isFollowed(board, task) ? [task.subject] : []));

/** The check of an improvement rejects nothing: what it checks is not required. */
const rejects = ({ status, metadata }: Task): boolean =>
  status === 'completed' && metadata['verdict'] === NEEDS_FIX && !('_improves' in metadata);

export const isFollowed = (board: Board, { id }: Task): boolean =>
  [...board.tasks.values()].some(({ metadata }) => metadata['_fix_after'] === id);

/** The codes of the work that a test may send back. */
const fixCodes = ({ metadata: { _fix: codes } }: Task): string[] =>
  [codes].flat().filter((code): code is string => typeof code === 'string');

const byCode = (board: Board, code: string): Task[] => {
  const task = board.tasks.get(board.unique.get(`code ${code}`) ?? '');
  return task === undefined ? [] : [task];
};

/** The work that a test may send back. */
export const worksOf = (board: Board, task: Task): Task[] => fixCodes(task).flatMap((code) => byCode(board, code));

/** The tests of these works. */
export function testsOf(board: Board, works: readonly Task[]): Task[] {
  const codes = new Set(works.map(codeOf));
  return [...board.tasks.values()].filter((task) => fixCodes(task).some((code) => codes.has(code)));
}

/** The work that a rejecting test names below its verdict; all that it tests if it names none. */
function rejectedWorks(board: Board, task: Task): Task[] {
  if (!rejects(task) || task.status !== 'completed') return [];
  const { summary } = task.result;
  const codes = fixCodes(task);
  const named = codes.filter((code) => new RegExp(`(?<![A-Z0-9-])${code}(?![0-9-])`).test(summary));
  return (named.length > 0 ? named : codes).flatMap((code) => byCode(board, code));
}

/** The work that this test rejects, all tests of that work, what they reject, and so on. */
function roundFrom(board: Board, first: Task): FixRound {
  const works = new Map<string, Task>();
  const tests = new Map<string, Task>([[first.id, first]]);
  for (let size = 0; size < tests.size;) {
    size = tests.size;
    for (const test of tests.values()) for (const work of rejectedWorks(board, test)) works.set(work.id, work);
    const codes = new Set([...works.values()].map(({ subject }) => subjectCode(subject)));
    for (const task of board.tasks.values())
      if (fixCodes(task).some((code) => codes.has(code)) && !isBehind(board, task, tests)) tests.set(task.id, task);
  }
  return { task: first, kind: 'due', works: [...works.values()].sort(byId), tests: [...tests.values()].sort(byId) };
}

/** It waits for one of these tests, so it has not begun and need not be done again. */
const isBehind = (board: Board, task: Task, tests: ReadonlyMap<string, Task>): boolean =>
  task.status === 'pending' && [...tests.keys()].some((id) => waitsFor(board, task.id, id));

/** The next round as one batch: all or nothing. It happens only once, because its codes are taken afterwards. */
export function fixChanges(board: Board, { works, tests }: FixRound): Change[] {
  const all = [...works, ...tests];
  const ids = new Map(all.map(({ id }, at) => [id, String(board.lastTaskId + 1 + at)]));
  const codes = new Map(all.map((task) => [codeOf(task), nextCode(board, task)]));
  const idOf = (task: Task): string[] => [ids.get(task.id) ?? []].flat();
  const found = tests.filter(rejects).map((test) => `${codeOf(test)}:\n${summaryOf(test)}`);
  const better = tests.flatMap((test) =>
    rejects(test) || findingsOf(test).length === 0
      ? []
      : `${codeOf(test)}, which does not block:\n${listOf(findingsOf(test))}`,
  );
  const again = works.map((work): NewTask => {
    const names = tests.filter(rejects).map(codeOf).join(' and ');
    const why = `${names} found faults; repair them:\n\n${[...found, ...better].join('\n\n')}`;
    return copyOf(
      work,
      codes.get(codeOf(work)) ?? '',
      tests.map(({ id }) => id),
      why,
    );
  });
  const tested = tests.map((test): NewTask => {
    const next = fixCodes(test).map((code) => codes.get(code) ?? code);
    const repaired = works.map(codeOf).filter((code) => fixCodes(test).includes(code));
    const why = `${repaired.map((code) => codes.get(code) ?? code).join(' and ')} repaired these earlier findings; test it again:\n\n${found.join('\n\n')}`;
    const before = test.blockedBy.flatMap((id) => ids.get(id) ?? []);
    const after = works.filter((work) => repaired.includes(codeOf(work))).flatMap(idOf);
    const copy = copyOf(test, codes.get(codeOf(test)) ?? '', [...new Set([...after, ...before])], why);
    const round = { _fix_round: roundOf(test) + 1, _fix_after: test.id, _fix: next.length === 1 ? next[0] : next };
    return newTaskSchema.parse({ ...copy, metadata: { ...copy.metadata, ...round } });
  });
  const created = [...again, ...tested].map((fields, at): Change => ({
    type: 'task.created',
    task: String(board.lastTaskId + 1 + at),
    fields,
  }));
  const waits = tests.flatMap((test) =>
    dependants(board, test.id)
      .filter(({ status }) => status === 'pending')
      .flatMap((waiter) => idOf(test).map((by): Change => ({ type: 'task.blocked', task: waiter.id, by }))),
  );
  return [...created, ...waits];
}

/** The findings of a finished test that do not block (see improvement.ts). */
export const findingsOf = ({ status, metadata: { improvements } }: Task): string[] =>
  status === 'completed' && Array.isArray(improvements)
    ? improvements.filter((text): text is string => typeof text === 'string')
    : [];

export const listOf = (texts: readonly string[]): string => texts.map((text) => `- ${text}`).join('\n');

export const codeOf = ({ subject }: Pick<Task, 'subject'>): string => subjectCode(subject) ?? '';

const summaryOf = (task: Task): string => (task.status === 'completed' ? task.result.summary : '');

/** The code after the highest one of this prefix. */
export function nextCode(board: Board, { subject }: Pick<Task, 'subject'>): string {
  const prefix = (subjectCode(subject) ?? '').replace(/-[0-9]+(?:-R[0-9]+)?$/, '');
  for (let number = 1; ; number += 1) {
    const code = `${prefix}-${String(number).padStart(3, '0')}`;
    if (!board.unique.has(`code ${code}`)) return code;
  }
}

/** The task once more, under this code and behind these blockers. */
export function copyOf(task: Task, code: string, blockedBy: string[], why: string): NewTask {
  const { subject, description, owner, role, work, retries, required, metadata } = task;
  const { verdict: _, improvements: __, ...kept } = metadata;
  const old = subjectCode(subject) ?? '';
  const artifact = work.artifact?.replace(/(?:-[0-9]{3})?(\.[a-z]+)$/, `${code.slice(code.lastIndexOf('-'))}$1`);
  return newTaskSchema.parse({
    subject: subject.replace(old, code),
    description: `${description}\n\n${why}`,
    blockedBy,
    retries,
    required,
    owner,
    role,
    work: { ...work, ...defined({ artifact }) },
    metadata: kept,
  });
}
