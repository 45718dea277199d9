/**
 * Prompts for a role's agent, phase by phase, and the messages of a role to its lead. Every message line begins with
 * `[role]` (docs/specification.md R10.18).
 */
import type { RoleSpec } from '../../model/pipeline/role-spec.ts';

/** The fields of a role's prompt (docs/specification.md R10.6); the names appear in the prompt. */
export interface RoleFields {
  readonly role: string;
  readonly role_spec: string;
  readonly session: string;
  readonly session_id: string;
  readonly team_name: string;
  readonly requirement: string;
  readonly inner_loop: boolean;
}

/**
 * What a finished task leaves for the tasks after it: one entry of context_accumulator (docs/specification.md R10.6).
 */
export interface Summary {
  readonly task: string;
  readonly artifact: string | null;
  readonly key_decisions: readonly string[];
  readonly discuss_verdict: string;
  readonly discuss_rating: number | null;
  readonly summary: string;
  /** Problems of the task, and remarks of its discussion. */
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
}

const assignmentBlock = (fields: RoleFields): string =>
  ['## Role Assignment', ...Object.entries(fields).map(([key, value]) => `${key}: ${oneLine(String(value))}`)].join(
    '\n',
  );

export interface PhaseBrief {
  readonly fields: RoleFields;
  readonly spec: RoleSpec;
  readonly task: { readonly subject: string; readonly description: string };
  readonly artifact: string | undefined;
  readonly phase: RoleSpec['phases'][number];
  /** Results of the earlier phases of this task; empty for an agent that remembers them. */
  readonly before: readonly { readonly phase: number; readonly text: string }[];
  readonly accumulator: readonly Summary[];
  /** The agent has already got its role and this task. */
  readonly knows: boolean;
}

const BEFORE = 12_000;

/** The prompt of one phase, which is one turn. */
export function phasePrompt(brief: PhaseBrief): string {
  const { fields, spec, task, artifact, phase, before, accumulator, knows } = brief;
  const head = `## Phase ${phase.phase}: ${phase.title}`;
  const kept =
    phase.phase === 3 && artifact !== undefined
      ? [
          `The answer to this phase is kept as ${artifact}; answer with the whole document, unless you write that file yourself.`,
        ]
      : [];
  const introduction = [
    assignmentBlock(fields),
    spec.prompt,
    `## Task: ${task.subject}\n\n${task.description}`,
    accumulator.length === 0 ? '' : `## What you did before\n\n${accumulator.map(summaryLine).join('\n')}`,
  ];
  const earlier = before.map((one) => `## What Phase ${one.phase} came to\n\n${one.text.slice(-BEFORE)}`);
  return [...(knows ? [] : introduction), ...earlier, [head, phase.text, ...kept].filter(Boolean).join('\n\n')]
    .filter(Boolean)
    .join('\n\n');
}

const summaryLine = ({ task, artifact, summary }: Summary): string =>
  `- ${task}${artifact === null ? '' : ` (${artifact})`}: ${oneLine(summary).slice(0, 1_000)}`;

export const busCompleted = (role: string, task: string, summary: string): string =>
  `[${role}] ${task} complete. ${oneLine(summary).slice(0, 300)}`;

export const busFailed = (role: string, task: string, why: string): string =>
  `[${role}] ${task} failed: ${oneLine(why).slice(0, 300)}`;

/** A question to the lead; the same words for the same documents, so that it is asked only once. */
export function asksForDocuments(
  role: string,
  task: string,
  missing: readonly { readonly path: string; readonly subject: string }[],
): string {
  const [list, it] = [missing.map(({ path, subject }) => `${path} (of ${subject})`).join(', '), missing.length === 1];
  return `[${role}] ${task} cannot begin: ${it ? 'a document' : 'documents'} of earlier work ${it ? 'is' : 'are'} missing: ${list}. Put ${it ? 'it' : 'them'} there and answer, or answer how to work without ${it ? 'it' : 'them'}.`;
}

export const noTasks = (role: string): string => `[${role}] No tasks found for [${role}]`;

export const noRoleSpec = (role: string, file: string, why: string): string =>
  `[${role}] The role spec ${file} cannot be used, so ${role} stops: ${oneLine(why)}`;

interface Final {
  readonly done: readonly Summary[];
  readonly failed: readonly { readonly task: string; readonly why: string }[];
  /** Why it stopped early. */
  readonly interrupted?: string;
}

/** The final report (docs/specification.md R10.18); every line carries the tag. */
export function finalReport(role: string, { done, failed, interrupted }: Final): string {
  const discussed = done.filter(({ discuss_verdict: verdict }) => verdict !== 'none');
  const decisions = done.flatMap(({ key_decisions }) => key_decisions);
  const lines = [
    `Final report: ${done.length} ${done.length === 1 ? 'task' : 'tasks'} completed.`,
    ...(interrupted === undefined ? [] : [`Stopped: ${interrupted}`]),
    ...done.map(({ task, summary }) => `Completed ${task}: ${oneLine(summary).slice(0, 500)}`),
    ...done.flatMap(({ artifact }) => (artifact === null ? [] : [`Artifact: ${artifact}`])),
    ...discussed.map(
      ({ task, discuss_verdict: verdict, discuss_rating: rating }) =>
        `Discussed ${task}: ${verdict}${rating === null ? '' : ` (average ${rating})`}`,
    ),
    ...done.flatMap(({ task, warnings }) => warnings.map((warning) => `Warning on ${task}: ${oneLine(warning)}`)),
    ...done.flatMap(({ task, notes }) => notes.map((note) => `Note on ${task}: ${oneLine(note)}`)),
    ...decisions.map((decision) => `Decision: ${oneLine(decision)}`),
    ...failed.map(({ task, why }) => `Failed ${task}: ${oneLine(why).slice(0, 500)}`),
  ];
  return lines.map((line) => `[${role}] ${line}`).join('\n');
}

const LIST_ITEM = /^\s*(?:[-*]|[0-9]{1,3}[.)])\s+(\S.*)$/;
const DECISIONS = /^[#*\s]*key decisions\b[*:\s]*$/i;

/** The list below a line `Key decisions:` of an answer. It is for reports only; no program decides by it. */
export function keyDecisions(text: string): string[] {
  const lines = text.split(/\r?\n/);
  const from = lines.findIndex((line) => DECISIONS.test(line));
  if (from < 0) return [];
  const below = lines.slice(from + 1).filter((line) => line.trim() !== '');
  const end = below.findIndex((line) => !LIST_ITEM.test(line));
  return below.slice(0, end < 0 ? undefined : end).map((line) => (LIST_ITEM.exec(line)?.[1] ?? '').trim());
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
