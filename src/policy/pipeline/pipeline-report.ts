/** What the roles of a pipeline made, for the final report (docs/specification.md R10.18): one entry for each task. */
import type { Board } from '../../model/board/board.ts';
import { byId, isCheckpoint, type Task } from '../../model/board/task.ts';
import type { Name } from '../../model/text/names.ts';
import { codeOf, findingsOf, NEEDS_FIX } from './fix-loop.ts';
import { keyDecisions } from './role-wording.ts';

export interface RoleResult {
  readonly task: string;
  readonly member: Name;
  /** Relative to the working directory; null if it makes none. */
  readonly artifact: string | null;
  /** Null for a task that judges no work. */
  readonly verdict: 'PASS' | 'NEEDS_FIX' | null;
  /** The discussion of its artifact; null without one. */
  readonly discussion: { readonly verdict: string; readonly rating: number | null } | null;
  readonly decisions: readonly string[];
  /** Problems of the task, substituted perspectives among them. */
  readonly warnings: readonly string[];
  /** Remarks of its discussion. */
  readonly notes: readonly string[];
  /** Findings that do not block. */
  readonly improvements: readonly string[];
}

/** The results of all completed tasks, by id. */
export const roleResults = (board: Board): RoleResult[] =>
  [...board.tasks.values()].toSorted(byId).flatMap((task) => (isCheckpoint(task) ? [] : (resultOf(task) ?? [])));

function resultOf(task: Task): RoleResult | undefined {
  if (task.status !== 'completed') return undefined;
  const { metadata, work, result, by } = task;
  const { discuss_verdict: verdict, discuss_rating: rating, discuss_notes: notes, warnings } = metadata;
  const isFaulty = metadata['verdict'] === NEEDS_FIX;
  return {
    task: codeOf(task) === '' ? `#${task.id}` : codeOf(task),
    member: by.member,
    artifact: work.artifact ?? null,
    verdict: isFaulty ? NEEDS_FIX : '_fix' in metadata ? 'PASS' : null,
    discussion: typeof verdict === 'string' ? { verdict, rating: typeof rating === 'number' ? rating : null } : null,
    decisions: keyDecisions(result.summary),
    warnings: textsIn(warnings),
    notes: textsIn(notes),
    improvements: findingsOf(task),
  };
}

const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((text) => typeof text === 'string') : [];

/** Lines for each result, without those that say nothing besides its task. */
export const roleResultLines = (results: readonly RoleResult[]): string[] =>
  results.flatMap(({ task, member, artifact, verdict, discussion, decisions, warnings, notes, improvements }) => {
    const rating = discussion?.rating ?? undefined;
    const rated = rating === undefined ? '' : `, average ${rating.toFixed(1)}`;
    const facts = [
      ...(artifact === null ? [] : [artifact]),
      ...(verdict === null ? [] : [`verdict ${verdict}`]),
      ...(discussion === null ? [] : [`${discussion.verdict}${rated}`]),
    ];
    const below = [
      ...decisions.map((text) => `  decision: ${text}`),
      ...warnings.map((text) => `  warning: ${text}`),
      ...notes.map((text) => `  note: ${text}`),
      ...improvements.map((text) => `  improve: ${text}`),
    ];
    return facts.length + below.length === 0 ? [] : [`${task} (${member}): ${facts.join(' | ') || 'done'}`, ...below];
  });
