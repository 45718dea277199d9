/** Why a member, or the whole team, stands where it stands. */
import { isDone, openBlockers, pendingTasks, type Board } from '../model/board.ts';
import { LEAD, type Name } from '../model/names.ts';
import { waitOf } from '../model/request.ts';
import { byId, isFinal, isInternal, type Task } from '../model/task.ts';
import { heldUp } from './explain-member.ts';
import { explainTask, holdUpOf } from './explain-task.ts';
import { askedLead, withLead, type Explanation, type Facts } from './explanation.ts';

export function explainMember(facts: Facts, name: Name): Explanation {
  const { board, members } = facts;
  const member = members.get(name);
  const current = board.busy.get(name);
  const asked = waitOf(board, name, current);
  if (asked && (current === undefined || asked.task === current)) return askedLead(asked);
  const own = board.tasks.get(current ?? '') ?? nextOwn(board, name);
  const held = member && heldUp(facts, name, member);
  if (held) return held;
  if (own) return explainTask(facts, own);
  const unread = member?.unread ?? 0;
  const mail = unread > 0 ? `It has ${unread} unread ${unread === 1 ? 'message' : 'messages'} to read. ` : '';
  const next = `${mail}A ready task that it may have, or mail, sets it to work.`;
  return { waitingFor: 'a task or mail', since: member?.since ?? null, who: LEAD, next: withLead(facts, next) };
}

/** The pending task of its own that comes first: one that is ready before one that waits. */
function nextOwn(board: Board, name: Name): Task | undefined {
  const own = [...pendingTasks(board)].filter(({ owner }) => owner === name);
  return own.find((task) => openBlockers(board, task).length === 0) ?? own[0];
}

export function explainTeam(facts: Facts): Explanation {
  const { board, team } = facts;
  if (board.phase === 'closed')
    return { waitingFor: null, since: null, who: null, next: 'Nothing: the team is closed.' };
  if (board.phase === 'closing')
    return {
      waitingFor: 'its members to stop',
      since: null,
      who: LEAD,
      next: withLead(facts, 'What does not stop in time is ended.'),
    };
  const [asked] = board.open.values();
  if (asked) return askedLead(asked);
  const open = [...board.tasks.values()].filter((task) => !isFinal(task) && !isInternal(task)).sort(byId);
  const running = open.filter(({ status }) => status === 'in_progress');
  if (running.length > 0) return explainRunning(facts, running);
  const [first] = [...deadEnds(board, open), ...open];
  if (first) return explainTask(facts, first);
  const next = isDone(board)
    ? 'Every task is final: the run ends, or new tasks begin it again.'
    : `\`teams task create ${team} SUBJECT\` gives it something to do.`;
  return { waitingFor: isDone(board) ? null : 'its first task', since: null, who: LEAD, next: withLead(facts, next) };
}

/** One that is held up says more than those that are worked on. */
function explainRunning(facts: Facts, running: readonly Task[]): Explanation {
  const held = running.map((task) => holdUpOf(facts, task)).find((one) => one !== undefined);
  if (held) return held;
  const each = running.map((task) => ({ task, why: explainTask(facts, task) }));
  const since = each.map(({ why }) => why.since ?? '').sort()[0] ?? null;
  const waitingFor = running
    .map((task) => `#${task.id} (${task.status === 'in_progress' ? task.claim.member : ''})`)
    .join(', ');
  const who = [...new Set(each.flatMap(({ why }) => why.who ?? []))].join(', ');
  const [one] = each;
  return {
    waitingFor,
    since,
    who,
    next: running.length === 1 && one ? one.why.next : 'Each goes on to its next task when it has ended.',
  };
}

/** Failed and cancelled tasks that others wait for: nothing moves until somebody decides. */
const deadEnds = (board: Board, open: readonly Task[]): Task[] =>
  open.filter((task) => openBlockers(board, task).some((id) => isDeadEnd(board, id)));

const isDeadEnd = (board: Board, id: string): boolean => {
  const status = board.tasks.get(id)?.status;
  return status === 'failed' || status === 'cancelled';
};
