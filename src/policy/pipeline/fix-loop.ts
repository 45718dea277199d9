/**
 * The fix loop: a tester sends faulty work back (docs/specification.md R10.9). NEEDS_FIX of QA-FE-001 makes DEV-FE-002
 * and QA-FE-002, and tasks that wait for QA-FE-001 wait for QA-FE-002. After two rounds the pipeline continues and a
 * person is told.
 */
import { dependants, type Board } from '../../model/board/board.ts';
import type { Change } from '../../model/board/event.ts';
import { newTaskSchema, subjectCode, type NewTask, type Task } from '../../model/board/task.ts';
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

type FixNeed =
  | { readonly task: Task; readonly kind: 'due'; readonly of: Task }
  /** All its rounds are used. */
  | { readonly task: Task; readonly kind: 'exhausted' };

/** Tasks with NEEDS_FIX that have no next round yet. */
export const fixNeeds = (board: Board): FixNeed[] =>
  [...board.tasks.values()].flatMap((task): FixNeed[] => {
    if (task.status !== 'completed' || task.metadata['verdict'] !== NEEDS_FIX) return [];
    const of = workOf(board, task);
    if (of === undefined || isFollowed(board, task)) return [];
    return [roundOf(task) < FIX_ROUNDS ? { task, kind: 'due', of } : { task, kind: 'exhausted' }];
  });

const workOf = (board: Board, { metadata }: Task): Task | undefined => {
  const id = board.unique.get(`code ${String(metadata['_fix'])}`);
  return id === undefined ? undefined : board.tasks.get(id);
};

const isFollowed = (board: Board, { id }: Task): boolean =>
  [...board.tasks.values()].some(({ metadata }) => metadata['_fix_after'] === id);

/** The next round as one batch: all or nothing. It happens only once, because its codes are taken afterwards. */
export function fixChanges(board: Board, task: Task, of: Task): Change[] {
  const [work, test] = [board.lastTaskId + 1, board.lastTaskId + 2].map(String);
  if (work === undefined || test === undefined) return [];
  const [workCode, testCode] = [nextCode(board, of), nextCode(board, task)];
  const found = task.status === 'completed' ? task.result.summary : '';
  const round = { _fix_round: roundOf(task) + 1, _fix_after: task.id };
  const again = copyOf(
    of,
    workCode,
    [task.id],
    `${subjectCode(task.subject) ?? ''} found faults; repair them:\n\n${found}`,
  );
  const tested = copyOf(
    task,
    testCode,
    [work],
    `${workCode} repaired these earlier findings; test it again:\n\n${found}`,
  );
  return [
    { type: 'task.created', task: work, fields: again },
    {
      type: 'task.created',
      task: test,
      fields: { ...tested, metadata: { ...tested.metadata, ...round, _fix: workCode } },
    },
    ...dependants(board, task.id)
      .filter(({ status }) => status === 'pending')
      .map((waiter): Change => ({ type: 'task.blocked', task: waiter.id, by: test })),
  ];
}

/** The code after the highest one of this prefix. */
function nextCode(board: Board, { subject }: Task): string {
  const prefix = (subjectCode(subject) ?? '').replace(/-[0-9]+(?:-R[0-9]+)?$/, '');
  for (let number = 1; ; number += 1) {
    const code = `${prefix}-${String(number).padStart(3, '0')}`;
    if (!board.unique.has(`code ${code}`)) return code;
  }
}

function copyOf(task: Task, code: string, blockedBy: string[], why: string): NewTask {
  const { subject, description, owner, role, work, retries, required, metadata } = task;
  const { verdict: _, ...kept } = metadata;
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
