/** The final report in words: S2's `TEAM COMPLETE` layout, with the sections that apply. */
import type { Sandbox } from '../../model/agent/agent.ts';
import type { Name } from '../../model/text/names.ts';
import type { TaskStatus } from '../../model/board/task.ts';
import { NOT_ASKED_FOR } from '../../policy/sandbox/sandbox-enforcement.ts';
import { duration } from '../../policy/mail-wording.ts';

export type GateResult = 'pass' | 'fail' | 'skipped';

export interface ReportMember {
  readonly name: Name;
  readonly role: string;
  /** The kind of its agent; S2's routing. */
  readonly agent: string;
  /** How many it completed. */
  readonly tasks: number;
  readonly durationMs: number;
  readonly status: 'completed' | 'failed' | 'quarantined' | 'idle' | 'unfinished';
  readonly sandbox: Sandbox;
  /** What of the sandbox nothing holds, as the end of a sentence; null where all of it is held. */
  readonly notEnforced: string | null;
  /** Null where its agent told of nothing. */
  readonly spent: ReportSpending | null;
}

export interface ReportSpending {
  readonly tokens: number;
  /** US dollars, of what has a price. */
  readonly usd: number;
  /** Models that were used and that nobody knows a price of. */
  readonly unpriced: readonly string[];
}

export interface ReportTask {
  readonly id: string;
  readonly subject: string;
  readonly status: TaskStatus;
  /** Who did it, or has it; null for nobody. */
  readonly member: Name | null;
  readonly durationMs: number | null;
  /** Why it failed, was skipped or cancelled. */
  readonly reason?: string;
  /** What came of an earlier task or member: `cascade: test for #2`, `reassigned from worker-1`. */
  readonly notes: readonly string[];
}

/** What a worker wished of a file that is the lead's to write. */
export interface ReportWish {
  readonly file: string;
  readonly text: string;
  readonly member: Name;
  /** Null for one that came by mail. */
  readonly task: string | null;
  /** Why it is open; null for one that is applied. */
  readonly open: string | null;
}

export interface Report {
  readonly team: Name;
  readonly template: string;
  readonly status: 'completed' | 'failed' | 'incomplete' | 'active';
  readonly durationMs: number;
  readonly members: readonly ReportMember[];
  readonly tasks: readonly ReportTask[];
  /** A gate that did not run is `skipped`; `lint` is told only where it ran. */
  readonly gates: {
    readonly build: GateResult;
    readonly test: GateResult;
    readonly lint?: GateResult | undefined;
    readonly crossVerify: GateResult;
  };
  readonly shared: readonly ReportWish[];
  /** Null when nothing followed from anything. */
  readonly cascade: { readonly created: number; readonly completed: number; readonly failed: number } | null;
  readonly spending: ReportSpending;
  /** Null when nobody verified. */
  readonly verification: { readonly verifier: string; readonly result: 'pass' | 'fail'; readonly notes: string } | null;
  readonly notes: readonly string[];
  /** How the files come back that lay in `directory` before agents wrote; null where they were not kept. */
  readonly undo: { readonly directory: string; readonly command: string } | null;
  readonly folder: string;
  readonly exitCode: number;
}

/** The whole text, without a last newline; its last line is the folder's path. */
export function reportText(report: Report): string {
  const sections = [
    heading(report),
    section('Worker Performance:', report.members.map(memberLine)),
    section('Task Results:', report.tasks.map(taskLine)),
    section('Cascade Summary:', cascadeLines(report)),
    section('Cross-CLI Verification:', verificationLines(report)),
    section('Shared Files:', report.shared.map(wishLine)),
    section('Spending:', spendingLines(report)),
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

function heading({ team, template, durationMs, members, tasks, gates }: Report): string[] {
  const isEnded = tasks.every(({ status }) => status !== 'pending' && status !== 'in_progress');
  const done = tasks.filter(({ status }) => status === 'completed').length;
  const roles = [...new Set(members.map(({ role }) => role))];
  const lint = gates.lint === undefined ? '' : ` | Lint: ${gates.lint}`;
  return [
    isEnded ? 'TEAM COMPLETE' : 'TEAM INCOMPLETE',
    `Team: ${team} | Template: ${template} | Duration: ${duration(durationMs)}`,
    `Workers: ${members.length}${roles.length > 0 ? ` (${roles.join(', ')})` : ''} | Tasks: ${done}/${tasks.length}`,
    `Build: ${gates.build} | Tests: ${gates.test}${lint} | Cross-CLI: ${gates.crossVerify}`,
  ];
}

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];

const memberLine = ({ name, role, agent, tasks, durationMs, status }: ReportMember): string =>
  `${name} (${role}/${agent}): ${tasks} ${tasks === 1 ? 'task' : 'tasks'}, ${duration(durationMs)}, ${status}`;

const LABELS: Readonly<Record<TaskStatus, string>> = {
  completed: 'DONE',
  failed: 'FAIL',
  skipped: 'SKIP',
  cancelled: 'CANC',
  in_progress: 'WORK',
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

const changeLines = ({ team, undo }: Report): string[] =>
  undo === null ? [] : [`See: teams diff ${team}`, `Undo, in ${undo.directory}: ${undo.command}`];

/** Where nothing was used, nothing is said. */
function spendingLines({ members, spending }: Report): string[] {
  if (spending.tokens === 0) return [];
  const each = members.flatMap(({ name, spent }) => (spent === null ? [] : [`${name}: ${spentText(spent)}`]));
  return [...each, `Total: ${spentText(spending)}`];
}

function spentText({ tokens, usd, unpriced }: ReportSpending): string {
  const dollars = `$${usd.toFixed(4)}`;
  const unknown = unpriced.length === 0 ? '' : `unknown (no price of ${unpriced.join(', ')})`;
  const cost = unknown === '' ? dollars : usd === 0 ? unknown : `${dollars} and ${unknown}`;
  return `${tokens} ${tokens === 1 ? 'token' : 'tokens'}, cost ${cost}`;
}

const sandboxLines = ({ members }: Report): string[] =>
  members.flatMap(({ name, sandbox, notEnforced }) =>
    notEnforced === null || notEnforced === NOT_ASKED_FOR
      ? []
      : [`${name}: ${sandbox} is not enforced: ${notEnforced}`],
  );

const LONGEST_LINE = 300;

function oneLine(text: string): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim();
  return flat.length <= LONGEST_LINE ? flat : `${flat.slice(0, LONGEST_LINE)}…`;
}
