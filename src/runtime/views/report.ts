/**
 * The final report as data, computed from the logs alone: the same for a run that has just ended and for an archived
 * team.
 */
import { relative } from 'node:path';
import { isFinal, isInternal, type Task } from '../../model/board/task.ts';
import { isAgentKind } from '../../model/agent/agent-kinds.ts';
import { timestamp } from '../../model/text/clock.ts';
import type { Board, Member } from '../../model/board/board.ts';
import type { Prices, Spending } from '../../model/team/spending-sum.ts';
import { quoted } from '../../model/text/document-problem.ts';
import { LEAD, type Name } from '../../model/text/names.ts';
import { asksPerson } from '../../model/team/team-config.ts';
import type { Gate, RunState } from '../../model/run/run-state.ts';
import { defaultSandbox, unenforced } from '../../policy/sandbox/sandbox-enforcement.ts';
import { exitCodeOf } from '../../policy/outcome.ts';
import { headline } from '../../policy/run-outcome.ts';
import { leadStatusOf } from './external-status.ts';
import { outcomeOf } from './outcome-of.ts';
import { askedPermissions } from '../../policy/permission-answer.ts';
import { roleResults } from '../../policy/pipeline/pipeline-report.ts';
import { writeReport } from '../../store/board/report-files.ts';
import { readableConfig, stateIn, type TeamReader } from '../../store/team/team-reader.ts';
import { historiesOf } from '../process/event-indexing.ts';
import {
  reportText,
  type Report,
  type ReportFailure,
  type ReportMember,
  type ReportSpending,
  type ReportTask,
} from './report-text.ts';
import { agentAccount, type AgentAccount } from './agent-account.ts';
import { sharedWishes } from './collect-wishes.ts';
import { LostTime } from '../../policy/view/lost-time.ts';
import { ProcessEnds } from '../../policy/view/process-ends.ts';
import { goneIn, lookAtTeam } from './status.ts';
import { timeWorked, workHistory, type WorkHistory, type WorkLimits } from './work-history.ts';
import { repositoryOf, type SafetyPoint } from '../process/safety-ref.ts';
import { estimateError } from '../../policy/budget/estimate-error.ts';
import { usedBy, workOf } from '../../policy/budget/task-use.ts';

export type { Report };

interface ReportOptions {
  /** By default those in the run's state. */
  readonly gates?: readonly Gate[];
  readonly notes?: readonly string[];
  /** Prices by model; they take precedence over the built-in ones. */
  readonly prices?: Prices | undefined;
  /** By default the run's own; for a run that has not ended, what it would be now. */
  readonly exitCode?: number | undefined;
}

export function reportOf(store: TeamReader, options: ReportOptions = {}): Report {
  const board = store.board.fold();
  const run = stateIn(store);
  const config = store.config.read();
  const gates = options.gates ?? run?.gates ?? [];
  const tasks = [...board.tasks.values()].filter((task) => !isInternal(task));
  const goneNow = (): ReadonlyMap<Name, number> => goneIn(store, lookAtTeam(store));
  const work = workHistory(store.board.log.history(), limitsIn(store), goneNow);
  const account = agentAccount(store, options.prices);
  const exitCode = options.exitCode ?? run?.exitCode ?? exitCodeOf(board, gates, { strict: false });
  // The lead that reports has ended its run.
  const isLed = options.exitCode === undefined && leadStatusOf(store).alive;
  const state = run && { ...run, exitCode: options.exitCode ?? run.exitCode };
  const outcome = outcomeOf(store, { board, state, isLed });
  return {
    team: store.paths.name,
    template: config?.pipeline ?? run?.template ?? 'custom',
    outcome,
    headline: headline(board, outcome, failedGates(gates)),
    durationMs: timeWorked(work, isLed ? timestamp(store.clock.now()) : undefined),
    failures: failuresOf(store, tasks, gates, account.failures),
    members: membersOf(store, [...board.members.values()], tasks, work, account),
    tasks: tasks.map((task) => ({ ...taskOf(task, work), work: workOf(task, board, config, account.spending) })),
    roles: board.profile === 'pipeline' ? roleResults(board) : null,

    gates: gateResults(gates),
    notEnforced: [...account.notEnforced],
    cascade: cascadeOf(tasks),
    verification: verificationOf(gates, run?.crossCliVerification.verifier),
    shared: sharedWishes(store).map(({ file, text, member, task = null, settled }) => ({
      file,
      text,
      member,
      task,
      open: settled.kind === 'open' ? settled.why : null,
    })),
    spending: spentIn(account.spending.total),
    estimate: estimateError(run?.estimate, usedBy(tasks, timeWorked(work, undefined), account.spending)),
    notes: [
      ...(options.notes ?? []),
      ...gates.flatMap(gateNote),
      ...leftOutNote(run),
      ...account.notes,
      ...permissionNotes(store.board.board),
    ],
    ...changesOf(store, run),
    folder: store.paths.folder,
    exitCode,
  };
}

/** With trees nothing of it is in the project's files before it is applied. */
function changesOf(store: TeamReader, run: RunState | undefined): Pick<Report, 'undo' | 'apply'> {
  const { start, lives = [] } = run ?? {};
  const undo = start === undefined ? null : undoOf(store, start);
  if (readableConfig(store)?.isolation !== 'trees') return { undo };
  const isApplied = lives.some(({ landed, undone }) => landed !== undefined && undone !== true);
  return { undo: isApplied ? undo : null, apply: { command: `teams apply ${store.paths.name}` } };
}

const undoOf = (store: TeamReader, start: SafetyPoint): Report['undo'] => ({
  directory: repositoryOf(store, start),
  command: `teams undo ${store.paths.name}`,
});

/** Names in one note. */
const MOST_NAMES = 5;

function leftOutNote(run: Pick<RunState, 'start' | 'lives'> | undefined): string[] {
  const leftOut = [...new Set([run?.start, ...(run?.lives ?? [])].flatMap((kept) => kept?.leftOut ?? []))];
  if (leftOut.length === 0) return [];
  const more = leftOut.length > MOST_NAMES ? `, and ${leftOut.length - MOST_NAMES} more` : '';
  const names = leftOut.slice(0, MOST_NAMES).map(quoted).join(', ');
  return [
    `The safety point keeps no untracked files over safetyPoint.maxFileBytes, and no changed files over 2 GiB: ${names}${more}. The undo leaves them as they are.`,
  ];
}

/** Writes the report into the team's folder. */
export const keepReport = ({ disk, paths }: Pick<TeamReader, 'disk' | 'paths'>, report: Report): void =>
  writeReport(disk, paths, reportText(report), report);

const failedGates = (gates: readonly Gate[]): string[] =>
  gates.filter(({ result }) => result === 'fail').map(({ name }) => name);

function failuresOf(
  { paths }: Pick<TeamReader, 'paths'>,
  tasks: readonly Task[],
  gates: readonly Gate[],
  outputs: AgentAccount['failures'],
): ReportFailure[] {
  const { name: team } = paths;
  const ofTasks = tasks.flatMap((task): ReportFailure[] => {
    if (task.status !== 'failed') return [];
    const member = memberOf(task) ?? null;
    return [
      {
        what: `#${task.id}: ${task.subject}`,
        member,
        reason: task.reason,
        output: outputs.get(`#${task.id}`) ?? [],
        log: member === null ? null : relative(paths.folder, paths.output(member)),
        show: member === null ? null : `teams logs ${team} --task ${task.id}`,
        next: `teams task retry ${team} ${task.id}`,
      },
    ];
  });
  const ofGates = gates.flatMap(({ name, result, notes = '' }): ReportFailure[] => {
    if (result !== 'fail') return [];
    const output = outputs.get(name) ?? [];
    const log = output.length === 0 ? null : relative(paths.folder, paths.output(LEAD));
    // A verdict is no command that could run again: its report names the faults.
    const next = name === 'verdicts' ? `teams task list ${team}` : `teams resume ${team}`;
    const show = log === null ? null : `teams logs ${team} ${LEAD}`;
    return [{ what: `gate ${name}`, member: null, reason: notes, output, log, show, next }];
  });
  return [...ofTasks, ...ofGates];
}

function limitsIn({ events }: TeamReader): WorkLimits {
  const [lost, ends] = [new LostTime(), new ProcessEnds()];
  for (const { event } of events.read()) {
    lost.add(event);
    ends.add(event);
  }
  return { lost, ends };
}

function membersOf(
  store: TeamReader,
  members: readonly Member[],
  tasks: readonly Task[],
  { workedMs }: WorkHistory,
  { spending, isolated }: AgentAccount,
): ReportMember[] {
  const histories = historiesOf(store);
  const config = store.config.read();
  return members.map(({ name, role }) => {
    const own = tasks.filter((task) => memberOf(task) === name);
    const written = config?.members.find((one) => one.name === name);
    const agent = written?.agent?.kind ?? 'none';
    const sandbox = written?.sandbox ?? defaultSandbox(role);
    const loose = isAgentKind(agent)
      ? unenforced(agent, sandbox, {
          isIsolated: isolated.has(name),
          isAsked: written?.sandbox !== undefined,
          asksPerson: asksPerson(config, written),
        })
      : undefined;
    const spent = spending.members.get(name);
    return {
      name,
      role,
      agent,
      sandbox,
      notEnforced: loose ?? null,
      spent: spent === undefined ? null : spentIn(spent),
      tasks: own.filter(({ status }) => status === 'completed').length,
      durationMs: workedMs.get(name) ?? 0,
      status: histories.get(name)?.quarantinedAt === undefined ? standing(own) : 'quarantined',
    };
  });
}

/** Models without a known price are named; the sum covers the others. */
const spentIn = ({ tokens, usd, unpriced }: Spending): ReportSpending => ({ tokens, usd, unpriced });

function standing(own: readonly Task[]): ReportMember['status'] {
  if (own.length === 0) return 'idle';
  if (own.every((task) => isFinal(task) && task.claims === 0)) return 'not started';
  if (!own.every(isFinal)) return 'unfinished';
  return own.some(({ status }) => status === 'failed') ? 'failed' : 'completed';
}

function memberOf(task: Task) {
  if (task.status === 'in_progress') return task.claim.member;
  return ('by' in task ? task.by.member : undefined) ?? task.owner;
}

function taskOf(task: Task, { tasks }: WorkHistory): Omit<ReportTask, 'work'> {
  const { id, subject, status } = task;
  const worked = tasks.get(id);
  const member = memberOf(task) ?? null;
  const before = worked?.holders.findLast((holder) => holder !== member);
  const { parent, kind } = task.metadata;
  const isFollowUp = typeof parent === 'string' && typeof kind === 'string';
  return {
    id,
    subject,
    status,
    member,
    durationMs: worked?.durationMs ?? null,
    ...('reason' in task ? { reason: task.reason } : {}),
    notes: [
      ...(isFollowUp ? [`cascade: ${kind} for #${parent}`] : []),
      ...(before !== undefined && member !== null ? [`reassigned from ${before}`] : []),
    ],
  };
}

function cascadeOf(tasks: readonly Task[]): Report['cascade'] {
  const made = tasks.filter(({ metadata: { parent, kind } }) => typeof parent === 'string' && typeof kind === 'string');
  const of = (wanted: Task['status']): number => made.filter(({ status }) => status === wanted).length;
  return made.length === 0 ? null : { created: made.length, completed: of('completed'), failed: of('failed') };
}

function gateResults(gates: readonly Gate[]): Report['gates'] {
  const result = (name: Gate['name']) => gates.find((gate) => gate.name === name)?.result;
  const lint = result('lint');
  const always = { build: result('build') ?? 'skipped', test: result('test') ?? 'skipped' } as const;
  return {
    ...always,
    lint,
    crossVerify: result('crossVerify') ?? 'skipped',
    verdicts: result('verdicts'),
    ownership: result('ownership'),
    shared: result('shared'),
  };
}

function verificationOf(gates: readonly Gate[], verifier: string | null | undefined): Report['verification'] {
  const gate = gates.find(({ name }) => name === 'crossVerify');
  if (gate === undefined || gate.result === 'skipped') return null;
  return { verifier: verifier ?? 'unknown', result: gate.result, notes: gate.notes ?? '' };
}

/** Who asked for what, and how it was answered; calls with the same answer are one line. */
function permissionNotes(board: Board): string[] {
  const times = new Map<string, number>();
  for (const { member, outcome, answer, text } of askedPermissions(board)) {
    const said = answer === null || answer === '' ? '' : ` (${answer})`;
    const note = `${member} asked for permission: ${text.replace(/\s+/g, ' ').slice(0, 200)}: ${outcome}${said}`;
    times.set(note, (times.get(note) ?? 0) + 1);
  }
  return [...times].map(([note, count]) => (count === 1 ? note : `${note}, ${count} times`));
}

/** Why a gate was skipped, or what one that passed could not see. A failed one stands among the failures. */
function gateNote({ name, result, notes }: Gate): string[] {
  const isTold = result === 'skipped' || (result === 'pass' && name === 'ownership');
  return isTold && notes !== undefined ? [`${name} ${result}: ${notes}`] : [];
}
