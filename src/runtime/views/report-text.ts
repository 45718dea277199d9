/** The final report as text: the `TEAM COMPLETE` layout (docs/specification.md R8.19), with the sections that apply. */
import type { Sandbox } from '../../model/agent/agent.ts';
import type { Name } from '../../model/text/names.ts';
import type { TaskStatus } from '../../model/board/task.ts';
import { printedLine } from '../../model/text/safe-text.ts';
import type { RunOutcome } from '../../policy/run-outcome.ts';
import { roleResultLines, type RoleResult } from '../../policy/pipeline/pipeline-report.ts';
import { NOT_ASKED_FOR } from '../../policy/sandbox/sandbox-enforcement.ts';
import { duration } from '../../policy/mail-wording.ts';
import { estimateLines, type ReportEstimate } from '../../policy/budget/estimate-error.ts';
import type { PastTask } from '../../policy/budget/forecast.ts';

export type GateResult = 'pass' | 'fail' | 'skipped';

export interface ReportMember {
  readonly name: Name;
  readonly role: string;
  /** The kind of its agent. */
  readonly agent: string;
  /** Number of tasks that it completed. */
  readonly tasks: number;
  readonly durationMs: number;
  readonly status: 'completed' | 'failed' | 'quarantined' | 'idle' | 'unfinished' | 'not started';
  readonly sandbox: Sandbox;
  /** The part of the sandbox that is not enforced, as the end of a sentence; null if all of it is. */
  readonly notEnforced: string | null;
  /** Null if its agent reported no usage. */
  readonly spent: ReportSpending | null;
}

export interface ReportSpending {
  readonly tokens: number;
  /** US dollars, for models with a known price. */
  readonly usd: number;
  /** Models that were used and have no known price. */
  readonly unpriced: readonly string[];
}

export interface ReportTask {
  readonly id: string;
  readonly subject: string;
  readonly status: TaskStatus;
  /** The member that did it or has it; null for none. */
  readonly member: Name | null;
  readonly durationMs: number | null;
  /** Why it failed, was skipped or cancelled. */
  readonly reason?: string;
  /** What it took, and what its like can be estimated by; null if no agent did it. */
  readonly work: Omit<PastTask, 'durationMs'> | null;
  /** Where the task came from: `cascade: test for #2`, `reassigned from worker-1`. */
  readonly notes: readonly string[];
}

/** A task or a gate that failed. */
export interface ReportFailure {
  /** `#3: Build` or `gate test`. */
  readonly what: string;
  readonly member: Name | null;
  readonly reason: string;
  /** The last lines of its output, stdout and stderr in the order in which they came. */
  readonly output: readonly string[];
  /** The file with all of its output, relative to the team's folder; null if it has none. */
  readonly log: string | null;
  /** The command that prints all of its output; null if it has none. */
  readonly show: string | null;
  /** The command that tries it again. */
  readonly next: string;
}

/** A change to a shared file that a worker asked for. */
export interface ReportWish {
  readonly file: string;
  readonly text: string;
  readonly member: Name;
  /** Null if it came by mail. */
  readonly task: string | null;
  /** Why it is open; null if it is applied. */
  readonly open: string | null;
}

export interface Report {
  readonly team: Name;
  readonly template: string;
  readonly outcome: RunOutcome;
  /** The first line of the text. */
  readonly headline: string;
  /** Milliseconds in which at least one member worked. */
  readonly durationMs: number;
  /** What failed, each with its reason and the end of its output. */
  readonly failures: readonly ReportFailure[];
  readonly members: readonly ReportMember[];
  readonly tasks: readonly ReportTask[];
  /** What the roles of a pipeline made; null for other teams. */
  readonly roles: readonly RoleResult[] | null;
  /** A gate that did not run is `skipped`; the optional ones are present only if they ran or found something. */
  readonly gates: {
    readonly build: GateResult;
    readonly test: GateResult;
    readonly lint?: GateResult | undefined;
    readonly crossVerify: GateResult;
    /** Fails while a tester's or reviewer's NEEDS_FIX is not resolved. */
    readonly verdicts?: GateResult | undefined;
    readonly ownership?: GateResult | undefined;
    readonly shared?: GateResult | undefined;
  };
  readonly shared: readonly ReportWish[];
  /** Null if there were no follow-ups. */
  readonly cascade: { readonly created: number; readonly completed: number; readonly failed: number } | null;
  readonly spending: ReportSpending;
  /** Null for a team without a plan, and where no agent works that uses a model. */
  readonly estimate: ReportEstimate | null;
  /** Null without a verification. */
  readonly verification: { readonly verifier: string; readonly result: 'pass' | 'fail'; readonly notes: string } | null;
  /** Sandboxes that nothing enforced, beside those of members: of subagents, gates and the like, as sentences. */
  readonly notEnforced: readonly string[];
  readonly notes: readonly string[];
  /** Only where members have trees of their own: what brings the work into the project's files. */
  readonly apply?: { readonly command: string };
  /** How to restore the files in `directory` as they were before agents wrote; null without a safety point. */
  readonly undo: { readonly directory: string; readonly command: string } | null;
  readonly folder: string;
  readonly exitCode: number;
}

/** The whole text, without a final newline; its last line is the folder's path. */
export function reportText(report: Report): string {
  const sections = [
    heading(report),
    section('Failures:', report.failures.flatMap(failureLines)),
    section('Worker Performance:', memberLines(report)),
    section('Task Results:', taskLines(report)),
    section('Role Results:', roleResultLines(report.roles ?? []).map(oneLineKept)),
    section('Cascade Summary:', cascadeLines(report)),
    section('Cross-CLI Verification:', verificationLines(report)),
    section('Shared Files:', report.shared.map(wishLine)),
    section('Spending:', spendingLines(report)),
    section('Estimate:', report.estimate === null ? [] : estimateLines(report.estimate)),
    section('Sandbox:', sandboxLines(report)),
    section(
      'Notes:',
      report.notes.map((note) => `- ${oneLine(note)}`),
    ),
    section('Changes:', changeLines(report)),
    [report.folder],
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

function heading({ headline, team, template, durationMs, members, tasks, gates }: Report): string[] {
  const done = tasks.filter(({ status }) => status === 'completed').length;
  const roles = [...new Set(members.map(({ role }) => role))];
  return [
    headline,
    `Team: ${team} | Template: ${template} | Duration: ${duration(durationMs)}`,
    `Workers: ${members.length}${roles.length > 0 ? ` (${roles.join(', ')})` : ''} | Tasks: ${done}/${tasks.length}`,
    ...gateLine(gates),
  ];
}

/** Only gates that ran: a gate that nobody asked for, or that the project does not have, is no news. */
function gateLine({ build, test, lint, crossVerify }: Report['gates']): string[] {
  const named = { Build: build, Tests: test, Lint: lint, 'Cross-CLI': crossVerify };
  const ran = Object.entries(named).filter(([, result]) => result === 'pass' || result === 'fail');
  return ran.length === 0 ? [] : [ran.map(([name, result]) => `${name}: ${result}`).join(' | ')];
}

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];

/** Members beyond this number are only counted, if they did their tasks. */
const MOST_MEMBERS = 12;

function memberLines({ members }: Report): string[] {
  if (members.length <= MOST_MEMBERS) return members.map(memberLine);
  const well = members.filter(({ status }) => status === 'completed' || status === 'idle');
  const tasks = well.reduce((sum, one) => sum + one.tasks, 0);
  return [
    ...members.filter((one) => !well.includes(one)).map(memberLine),
    `${well.length} members completed ${tasks} ${tasks === 1 ? 'task' : 'tasks'}`,
  ];
}

const memberLine = ({ name, role, agent, tasks, durationMs, status }: ReportMember): string =>
  `${name} (${role}/${agent}): ${tasks} ${tasks === 1 ? 'task' : 'tasks'}, ${duration(durationMs)}, ${status}`;

function failureLines({ what, member, reason, output, show, next }: ReportFailure): string[] {
  const all = show === null ? [] : [`  all of it: ${show}`];
  return [
    `${oneLine(what)}${member === null ? '' : ` (${member})`}: ${oneLine(reason)}`,
    ...output.map((line) => `  | ${printedLine(line)}`.trimEnd()),
    ...all,
    `  next: ${next}`,
  ];
}

/** Completed tasks beyond this number are only counted. */
const MOST_DONE = 10;

function taskLines({ tasks }: Report): string[] {
  const done = tasks.filter(({ status }) => status === 'completed');
  if (done.length <= MOST_DONE) return tasks.map(taskLine);
  return [...tasks.filter(({ status }) => status !== 'completed').map(taskLine), `[DONE] ${done.length} tasks`];
}

const LABELS: Readonly<Record<TaskStatus, string>> = {
  completed: 'DONE',
  failed: 'FAIL',
  skipped: 'SKIP',
  cancelled: 'CANC',
  in_progress: 'WORK',
  landing: 'LAND',
  pending: 'WAIT',
};

function taskLine(task: ReportTask): string {
  const { id, subject, status, member, durationMs, reason } = task;
  const why = reason === undefined ? '' : status === 'failed' ? `error: ${oneLine(reason)}` : oneLine(reason);
  const facts = [member ?? '', status === 'failed' || durationMs === null ? '' : duration(durationMs), why].filter(
    Boolean,
  );
  const notes = task.notes.map((note) => ` [${note}]`).join('');
  return `[${LABELS[status]}] #${id}: ${oneLine(subject)}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}${notes}`;
}

const cascadeLines = ({ cascade }: Report): string[] => {
  if (cascade === null) return [];
  const { created, completed, failed } = cascade;
  return [
    `Created: ${created} follow-up ${created === 1 ? 'task' : 'tasks'} | Completed: ${completed} | Failed: ${failed}`,
  ];
};

const verificationLines = ({ verification }: Report): string[] => {
  if (verification === null) return [];
  const { verifier, result, notes } = verification;
  const said = notes === '' ? [] : [`Notes: "${oneLine(notes)}"`];
  return [`Verifier: ${verifier} | Result: ${result.toUpperCase()}`, ...said];
};

function wishLine({ file, text, member, task, open }: ReportWish): string {
  const who = task === null ? member : `${member}, task #${task}`;
  const what = `${file}: ${oneLine(text)} (${who})`;
  return open === null ? `[DONE] ${what}` : `[OPEN] ${what}: ${oneLine(open)}`;
}

const changeLines = ({ team, undo, apply }: Report): string[] => [
  ...(undo === null && apply === undefined ? [] : [`See: teams diff ${team}`]),
  ...(apply === undefined ? [] : [`Apply: ${apply.command}`]),
  ...(undo === null ? [] : [`Undo: ${undo.command}`]),
];

/** Empty if no tokens were used. */
function spendingLines({ members, spending }: Report): string[] {
  if (spending.tokens === 0 && spending.unpriced.length === 0) return [];
  const each = members.flatMap(({ name, spent }) => (spent === null ? [] : [`${name}: ${spentText(spent)}`]));
  return [...each, `Total: ${spentText(spending)}`];
}

function spentText({ tokens, usd, unpriced }: ReportSpending): string {
  const dollars = `$${usd.toFixed(4)}`;
  const unknown = unpriced.length === 0 ? '' : `unknown (no price of ${unpriced.join(', ')})`;
  const cost = unknown === '' ? dollars : usd === 0 ? unknown : `${dollars} and ${unknown}`;
  return `${tokens} ${tokens === 1 ? 'token' : 'tokens'}, cost ${cost}`;
}

const sandboxLines = ({ members, notEnforced: others }: Report): string[] => [
  ...members.flatMap(({ name, sandbox, notEnforced }) =>
    notEnforced === null || notEnforced === NOT_ASKED_FOR
      ? []
      : [`${name}: ${sandbox} is not enforced: ${notEnforced}`],
  ),
  ...others.map(oneLine),
];

/** One line, with its indent. */
const oneLineKept = (text: string): string => `${/^ */.exec(text)?.[0] ?? ''}${oneLine(text)}`;

const LONGEST_LINE = 300;

function oneLine(text: string): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim();
  return flat.length <= LONGEST_LINE ? flat : `${flat.slice(0, LONGEST_LINE)}…`;
}
