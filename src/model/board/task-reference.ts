/** Finds the task that a person or a program names: by key, subject, code or id. */
import type { Board } from './board.ts';
import { nearest } from '../text/did-you-mean.ts';
import { UsageError } from '../text/errors.ts';
import { byId, type Task } from './task.ts';

/** A larger board is not searched for a similar name. */
const SEARCHED = 5_000;
/** Letters of a part of a subject, at least. */
const LEAST_PART = 3;

/**
 * Resolves a reference to a task: its key, then its exact subject or the subject's leading code, then its id. `#3`
 * always means the id, so that no key or subject can replace it.
 *
 * @throws UsageError `UNKNOWN_TASK` for none, `BAD_REFERENCE` for several, `USAGE` for what is no text
 */
export function resolveTask(board: Board, reference: string): Task {
  if (!isText(reference))
    throw new UsageError(
      'USAGE',
      `Expected the id, key or subject of a task as a text, got ${JSON.stringify(reference)}.`,
    );
  const { unique } = board;
  const ways: (() => Iterable<string | undefined>)[] = /^#[0-9]+$/.test(reference)
    ? [() => [reference.slice(1)]]
    : [
        () => [unique.get(`key ${reference}`)],
        () => [unique.get(`code ${reference}`), ...idsOfSubject(board, reference)],
        () => [reference],
      ];
  for (const way of ways) {
    const found = [...new Set(way())].flatMap((id) => board.tasks.get(id ?? '') ?? []).sort(byId);
    if (found.length > 1) {
      const ids = found.map((task) => `#${task.id}`).join(', ');
      throw new UsageError('BAD_REFERENCE', `${JSON.stringify(reference)} names several tasks (${ids}); use the id.`);
    }
    if (found[0]) return found[0];
  }
  throw new UsageError('UNKNOWN_TASK', `There is no task ${JSON.stringify(reference)}${cureFor(board, reference)}`);
}

/** A program in JavaScript may give something else. */
const isText = (value: unknown): value is string => typeof value === 'string';

/** The task whose key or subject is nearest, also one whose subject contains the text. */
function cureFor({ tasks, team }: Board, reference: string): string {
  const listed = `; \`teams task list${team === undefined ? '' : ` ${team.name}`}\` shows them.`;
  if (tasks.size > SEARCHED) return listed;
  const named = [...tasks.values()].flatMap((task) => [
    ...(task.key === undefined ? [] : [{ task, name: task.key }]),
    { task, name: task.subject },
  ]);
  const meant = nearest(
    reference,
    named.map(({ name }) => name),
  );
  const wanted = reference.toLowerCase();
  const isPart = wanted.length >= LEAST_PART;
  const found =
    named.find(({ name }) => name === meant) ??
    (isPart ? named.find(({ name }) => name.toLowerCase().includes(wanted)) : undefined);
  return found === undefined ? listed : `; did you mean #${found.task.id} ${JSON.stringify(found.task.subject)}?`;
}

function* idsOfSubject({ tasks }: Board, subject: string): Generator<string> {
  const ids = tasks.withSubject?.(subject) ?? tasks.keys();
  for (const id of ids) if (tasks.get(id)?.subject === subject) yield id;
}
