/**
 * Problems that need a person, the most urgent first: open requests, a pause, dead, quarantined and stalled members, a
 * missing lead, failed or stuck tasks, rate limits.
 */
import { dependants, isDone, type Board } from '../../model/board/board.ts';
import { tasksOf } from '../../model/board/listed-tasks.ts';
import type { OpenRequest } from '../../model/board/request.ts';
import { isFinal, isInternal, type Task } from '../../model/board/task.ts';
import { listOf, MISSED } from '../../model/board/task-lists.ts';
import type { MemberState, MemberStatus } from '../../model/member/member-status.ts';

export type ProblemKind =
  'request' | 'paused' | 'dead' | 'quarantined' | 'stalled' | 'leaderless' | 'failed' | 'stuck' | 'rate-limited';

export interface TeamProblem {
  readonly kind: ProblemKind;
  /** `member ada`, `task #3`, `team`. */
  readonly subject: string;
  readonly text: string;
  readonly since?: string;
  readonly member?: string;
  readonly task?: string | undefined;
  /** The request to answer. */
  readonly request?: Pick<OpenRequest, 'id' | 'kind' | 'from' | 'text'>;
}

interface ProblemFacts {
  readonly board: Board;
  readonly members: readonly MemberStatus[];
  readonly hasLead: boolean;
}

export function problemsOf({ board, members, hasLead }: ProblemFacts): TeamProblem[] {
  const inState = (state: MemberState): TeamProblem[] => members.filter((one) => one.state === state).flatMap(ofMember);
  return [
    ...[...board.open.values()].map(ofRequest),
    ...paused(board),
    ...inState('dead'),
    ...inState('quarantined'),
    ...inState('stalled'),
    ...leaderless(board, hasLead),
    ...ended(board).flatMap((task) => ofTask(board, task)),
    ...inState('rate-limited'),
  ];
}

/** The visible tasks that failed or were cancelled, lowest id first. */
const ended = (board: Board): Task[] =>
  [...tasksOf(board, listOf(board.lists, MISSED))].filter(
    (task) => (task.status === 'failed' || task.status === 'cancelled') && !isInternal(task),
  );

const ASKS: Readonly<Record<OpenRequest['kind'], string>> = {
  question: 'asks',
  plan: 'waits for the approval of its plan',
  consensus: 'has a result without consensus',
  permission: 'asks for permission',
  review: 'waits for a review of its change',
};

const ofRequest = ({ id, kind, from, text, at, task }: OpenRequest): TeamProblem => ({
  kind: 'request',
  subject: `member ${from}`,
  text: `${ASKS[kind]}: ${text}`,
  since: at,
  member: from,
  task,
  request: { id, kind, from, text },
});

function ofMember({ name, state, reason, task }: MemberStatus): TeamProblem[] {
  if (state !== 'dead' && state !== 'quarantined' && state !== 'stalled' && state !== 'rate-limited') return [];
  const about = task === null ? {} : { task };
  return [{ kind: state, subject: `member ${name}`, text: `${state}: ${reason}`, member: name, ...about }];
}

function paused({ phase, team }: Board): TeamProblem[] {
  if (phase !== 'paused') return [];
  return [{ kind: 'paused', subject: 'team', text: `nothing begins: teams unpause ${team?.name ?? ''} lets it go on` }];
}

function leaderless(board: Board, hasLead: boolean): TeamProblem[] {
  if (hasLead || board.phase === 'closed' || board.lead.epoch === 0 || board.tasks.size === 0 || isDone(board))
    return [];
  const name = board.team?.name ?? '';
  return [{ kind: 'leaderless', subject: 'team', text: `it has no lead: teams resume ${name} continues it` }];
}

/** A failed or cancelled task, and the tasks that wait for it. */
function ofTask(board: Board, task: Task): TeamProblem[] {
  if (task.status !== 'failed' && task.status !== 'cancelled') return [];
  const waiting = dependants(board, task.id).filter((one) => !isFinal(one));
  const held = waiting.map(({ id }) => `#${id}`).join(', ');
  const about = { subject: `task #${task.id}`, since: task.updated_at, task: task.id };
  const what = `${task.subject}: ${task.status}: ${task.reason}`;
  if (waiting.length > 0)
    return [{ ...about, kind: 'stuck', text: `${what}; ${held} ${waiting.length === 1 ? 'waits' : 'wait'} for it` }];
  return task.status === 'failed' ? [{ ...about, kind: 'failed', text: what }] : [];
}
