/**
 * Findings of a review that do not block (docs/specification.md R10.9): lines `IMPROVE: …` below a verdict that is not
 * NEEDS_FIX. When nothing is sent back any more, the reviewed work is done once more for them, and its reviewer checks
 * that (IMPROVE-001). Neither task is required, nothing waits for them, and their own findings make no others.
 */
import { ownsPrefix, type Board } from '../../model/board/board.ts';
import type { Change } from '../../model/board/event.ts';
import { byId, isFinal, newTaskSchema, type NewTask, type Task } from '../../model/board/task.ts';
import { codeOf, copyOf, findingsOf, fixNeeds, isFollowed, listOf, nextCode, testsOf, worksOf } from './fix-loop.ts';

const PREFIX = 'IMPROVE';

/** The most findings of one answer, and characters of one finding. */
const MOST_FINDINGS = 20;
const LONGEST = 1_000;

/** The findings in an answer that do not block. */
export const improvementsIn = (answer: string): string[] =>
  [...answer.matchAll(/^[ \t]*(?:[-*+][ \t]+)?IMPROVE:[ \t]*(\S.*)$/gm)]
    .flatMap(([, text]) => (text === undefined ? [] : [text.trim().slice(0, LONGEST)]))
    .slice(0, MOST_FINDINGS);

/** One round of improvement: the work that is done again, and the reviews whose findings it carries. */
interface Improvement {
  /** The review with the lowest id. */
  readonly task: Task;
  readonly works: readonly Task[];
  readonly reviews: readonly Task[];
}

/** The rounds that are due: no test of the work is open or sends it back, and none was made for it before. */
export function improvements(board: Board): Improvement[] {
  // The next round of a rejected work carries the findings of all its tests.
  const named = [...board.tasks.values()].filter((task) => findingsOf(task).length > 0);
  const found = named.filter((task) => !isFollowed(board, task));
  if (found.length === 0) return [];
  const unsettled = new Set(fixNeeds(board).flatMap(({ kind, task }) => (kind === 'exhausted' ? [] : task.id)));
  const done = new Set([...board.tasks.values()].flatMap(({ metadata: { _improves: ids } }) => [ids].flat()));
  const taken = new Set<string>();
  return found.toSorted(byId).flatMap((task): Improvement[] => {
    const works = worksOf(board, task);
    const tests = testsOf(board, works);
    const isOpen = tests.some((test) => !isFinal(test) || unsettled.has(test.id));
    if (works.length === 0 || isOpen || done.has(task.id) || taken.has(task.id)) return [];
    const reviews = found.filter(({ id }) => id === task.id || tests.some((test) => test.id === id));
    for (const { id } of reviews) taken.add(id);
    return [{ task, works, reviews }];
  });
}

/** The round as one batch. */
export function improvementChanges(board: Board, { works, reviews }: Improvement): Change[] {
  const findings = reviews.map((task) => `${codeOf(task)}:\n${listOf(findingsOf(task))}`);
  const why = `${reviews.map(codeOf).join(' and ')} accepted it and found what could be better; improve it:\n\n${findings.join('\n\n')}`;
  const mark = { _improves: reviews.map(({ id }) => id) };
  const again = works.map((work): NewTask => {
    const copy = copyOf(
      work,
      nextCode(board, work),
      reviews.map(({ id }) => id),
      why,
    );
    return newTaskSchema.parse({ ...copy, required: false, metadata: { ...copy.metadata, ...mark } });
  });
  const ids = again.map((_, at) => String(board.lastTaskId + 1 + at));
  const checker = reviews.find((review) => mayCheck(board, review));
  const checks = checker === undefined ? [] : [checkOf(board, checker, again, findings, ids)];
  return [...again, ...checks].map((fields, at): Change => ({
    type: 'task.created',
    task: String(board.lastTaskId + 1 + at),
    fields,
  }));
}

/** The task of the reviewer that looks whether the improvements were made. */
function checkOf(
  board: Board,
  review: Task,
  again: readonly NewTask[],
  findings: readonly string[],
  blockedBy: string[],
): NewTask {
  const code = nextCode(board, { subject: `${PREFIX}-001` });
  const names = again.map(codeOf).join(' and ');
  const why = `${names} improved these; check whether the changes were made:\n\n${findings.join('\n\n')}`;
  const copy = copyOf(review, code, blockedBy, why);
  const metadata = Object.fromEntries(Object.entries(copy.metadata).filter(([key]) => !key.startsWith('_')));
  const subject = `${code} Check the improvements of ${names}`;
  return newTaskSchema.parse({ ...copy, subject, required: false, metadata: { ...metadata, _improves: [review.id] } });
}

function mayCheck(board: Board, review: Task): boolean {
  const member = review.status === 'completed' ? board.members.get(review.by.member) : undefined;
  return member !== undefined && ownsPrefix(board, member, `${PREFIX}-001`);
}
