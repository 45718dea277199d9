/** Resolves the references between a plan's tasks and finds cycles. */
import { didYouMean } from '../text/did-you-mean.ts';
import type { OutlineTask } from './plan-outline.ts';
import { MAX_PROBLEMS, quoted, type Path, type DocumentProblem } from '../text/document-problem.ts';
import { subjectCode } from '../board/task.ts';

/** How many names of a cycle are shown. */
const MAX_NAMES = 10;

interface Blockers {
  readonly problems: readonly DocumentProblem[];
  readonly blockedBy: readonly (readonly number[])[];
}

/** A reference is a key, else an exact subject or the code at its start, else a number in plan order, from 1. */
export function resolveBlockers(tasks: readonly OutlineTask[]): Blockers {
  const index = indexOf(tasks);
  const problems: DocumentProblem[] = [];
  const blockedBy = tasks.map((task, at) => {
    const found = new Set<number>();
    for (const [place, reference] of task.blockedBy.entries()) {
      if (reference === undefined || problems.length >= MAX_PROBLEMS) continue;
      const answer = resolve(index, tasks, reference, at);
      if (typeof answer === 'number') found.add(answer);
      else problems.push({ path: ['tasks', at, 'blockedBy', place], text: answer });
    }
    return [...found];
  });
  return { blockedBy, problems: [...problems, ...circles(tasks, blockedBy)] };
}

type Index = Record<'keys' | 'subjects', Map<string, number[]>>;

function indexOf(tasks: readonly OutlineTask[]): Index {
  const index: Index = { keys: new Map(), subjects: new Map() };
  const add = (map: Map<string, number[]>, text: string | undefined, at: number): void => {
    if (text === undefined) return;
    const known = map.get(text);
    if (known) known.push(at);
    else map.set(text, [at]);
  };
  for (const [at, { key, subject }] of tasks.entries()) {
    const code = subjectCode(subject ?? '');
    add(index.keys, key, at);
    add(index.subjects, subject, at);
    if (code !== subject) add(index.subjects, code, at);
  }
  return index;
}

/** The position of the referenced task, or a sentence that says why there is none. */
function resolve(index: Index, tasks: readonly OutlineTask[], reference: string, self: number): number | string {
  const digits = reference.startsWith('#') ? reference.slice(1) : reference;
  const id = /^[1-9][0-9]{0,8}$/.test(digits) && Number(digits) <= tasks.length ? [Number(digits) - 1] : [];
  const [found, another] = index.keys.get(reference) ?? index.subjects.get(reference) ?? id;
  if (found === undefined) {
    const known = [...index.keys.keys(), ...index.subjects.keys()];
    return `There is no task ${quoted(reference)}${didYouMean(reference, known)}`;
  }
  if (another !== undefined) return `${quoted(reference)} names tasks ${found + 1} and ${another + 1}; use a key.`;
  return found === self ? 'A task cannot wait for itself.' : found;
}

/** One problem for each cycle that a depth-first walk finds; every task is entered once. */
function circles(tasks: readonly OutlineTask[], blockedBy: readonly (readonly number[])[]): DocumentProblem[] {
  const problems: DocumentProblem[] = [];
  const state = new Map<number, 'open' | 'done'>();
  const nameOf = (at: number): string => tasks[at]?.key ?? tasks[at]?.subject ?? String(at + 1);
  for (const start of tasks.keys()) {
    const trail: { at: number; next: number }[] = state.has(start) ? [] : [{ at: start, next: 0 }];
    for (let top = trail.at(-1); top; top = trail.at(-1)) {
      state.set(top.at, 'open');
      const blocker = blockedBy[top.at]?.[top.next];
      top.next += 1;
      if (blocker === undefined) {
        state.set(top.at, 'done');
        trail.pop();
      } else if (!state.has(blocker)) trail.push({ at: blocker, next: 0 });
      else if (state.get(blocker) === 'open' && problems.length < MAX_PROBLEMS) {
        const circle = trail.slice(trail.findIndex(({ at }) => at === blocker)).map(({ at }) => nameOf(at));
        problems.push({ path: circlePath(blocker), text: `These tasks wait for each other: ${closedCircle(circle)}.` });
      }
    }
  }
  return problems;
}

const circlePath = (at: number): Path => ['tasks', at, 'blockedBy'];

/** The names of a cycle; the middle of a long one is left out. */
function closedCircle(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map(quoted);
  const more = names.length > MAX_NAMES ? [`${names.length - MAX_NAMES} more`] : [];
  return [...shown, ...more, ...shown.slice(0, 1)].join(' → ');
}
