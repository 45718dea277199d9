/**
 * Why a task is in its present state: its worker, its blockers down to the last one, or the member that should begin
 * it.
 */
import { dependants, openBlockers, type Board } from '../../model/board/board.ts';
import { LEAD, type Name } from '../../model/text/names.ts';
import { holdOn, questionOn, reviewOf, waitOf } from '../../model/board/request.ts';
import { landingTasks } from '../../model/board/listed-tasks.ts';
import { isFinal, isResolved, type LandingTask, type Task } from '../../model/board/task.ts';
import { heldBack, holdsIn } from '../landing/queue.ts';
import { limitOf } from './deadline.ts';
import { explainHeldMember } from './explain-member.ts';
import { explainReady } from './explain-ready.ts';
import { askedLead, laterOf, withLead, type Explanation, type Facts } from './explanation.ts';

export function explainTask(facts: Facts, task: Task): Explanation {
  if (facts.board.phase === 'closed' && !isFinal(task)) return blockedForever(facts);
  const question = task.status === 'pending' ? questionOn(facts.board, task.id) : undefined;
  if (question) return askedLead(facts, question);
  switch (task.status) {
    case 'in_progress':
      return inProgress(facts, task, task.claim.member, task.claimed_at);
    case 'pending':
      return openBlockers(facts.board, task).length > 0 ? blocked(facts, task) : explainReady(facts, task);
    case 'landing':
      return landing(facts, task);
    case 'failed':
      return failed(facts, task, task.reason);
    case 'completed': {
      const hold = holdOn(facts.board, task.id);
      return hold === undefined ? over(facts, task) : askedLead(facts, hold);
    }
    case 'skipped':
    case 'cancelled':
      return over(facts, task);
    default:
      return task satisfies never;
  }
}

/** For a closed team: an unfinished task stays unfinished. */
export const blockedForever = ({ since }: Facts): Explanation => ({
  waitingFor: null,
  since: since.team.closed ?? null,
  who: null,
  next: 'It is closed: nothing more will happen.',
});

const over = ({ team }: Facts, task: Task): Explanation => ({
  waitingFor: null,
  since: task.updated_at,
  who: null,
  next: `It is ${task.status}${'reason' in task ? ` (${task.reason})` : ''}: ${comesBack(team, task) ?? 'nothing more will happen.'}`,
});

/** A skipped task comes back with the one that it was skipped for. */
const comesBack = (team: Name, task: Task): string | undefined =>
  task.status === 'skipped' && task.because !== undefined
    ? `\`teams task retry ${team} ${task.because}\` brings it back.`
    : undefined;

/** What blocks a task in progress: a question to the lead, or a member that cannot work. */
export function blockerOf(facts: Facts, task: Task): Explanation | undefined {
  if (task.status !== 'in_progress') return undefined;
  const name = task.claim.member;
  const asked = waitOf(facts.board, name, task.id);
  if (asked?.task === task.id) return askedLead(facts, asked);
  const member = facts.members.get(name);
  return member && explainHeldMember(facts, name, member);
}

function inProgress(facts: Facts, task: Task, name: Name, since: string): Explanation {
  const held = blockerOf(facts, task);
  if (held) return held;
  const after = dependants(facts.board, task.id).filter((one) => !isFinal(one));
  const next =
    after.length === 0
      ? `Nothing else waits for #${task.id}.`
      : `When #${task.id} completes, ${idsOf(after)} can go on.`;
  const limit = limitOf(facts, task, name);
  return { waitingFor: `${name} to finish it`, since, who: name, next, limit };
}

/** Its place in the line, or what it waits for before it may come in. */
function landing(facts: Facts, task: LandingTask): Explanation {
  const { board } = facts;
  const review = reviewOf(board, task);
  if (review?.state === 'open') return askedLead(facts, review);
  const held = heldBack(task, holdsIn(board));
  const all = landingTasks(board);
  const before = all.findIndex(({ id }) => id === task.id);
  const place = before <= 0 ? 'first in line' : `${before} ${before === 1 ? 'is' : 'are'} before it in line`;
  const waits = held && `#${held.task}, which holds ${held.file} until it has landed`;
  const change = `Its change (${task.attempt.commit.slice(0, 12)})`;
  if (facts.landing !== undefined)
    return {
      waitingFor: `git to work again in the team's repository (${facts.landing.why})`,
      since: laterOf(facts.landing.since, task.submitted_at),
      who: facts.lead.alive ? LEAD : null,
      next: withLead(
        facts,
        `${change} is kept, and the lead tries again. If it fails for a minute, a person must act.`,
      ),
    };
  return {
    waitingFor: waits ?? `the lead to land its change (${place})`,
    since: task.submitted_at,
    who: held === undefined ? LEAD : (board.tasks.get(held.task)?.owner ?? LEAD),
    next: withLead(facts, `${change} is merged and gated, and lands or goes back to ${task.by.member}.`),
    about: { members: [task.by.member], tasks: held === undefined ? [] : [held.task] },
  };
}

function blocked(facts: Facts, task: Task): Explanation {
  const { board, team } = facts;
  const blockers = openBlockers(board, task).flatMap((id) => board.tasks.get(id) ?? []);
  const [root = task, ...others] = rootsOf(board, task);
  const why = explainTask(facts, root);
  const isEnd = root.status === 'failed' || root.status === 'cancelled';
  const chain = blockers.includes(root) && others.length === 0 ? '' : `, in the end for ${idsOf([root, ...others])}`;
  const owing = [root, ...others].slice(0, LISTED).flatMap((one) => explainTask(facts, one).who ?? []);
  const hold = blockerOf(facts, root)?.waitingFor;
  const held = hold === undefined || hold === null ? '' : `; #${root.id} waits for ${hold}`;
  const goes = task.owner === undefined ? 'any member may claim it' : `${task.owner} can begin it`;
  const next = isEnd
    ? `\`teams task retry ${team} ${root.id}\`, or \`teams task unblock ${team} ${task.id}\`, or skip it.`
    : `${why.next} Then ${goes}.`;
  return {
    waitingFor: `${listed(blockers.map(blockerText))}${chain}${held}`,
    since: laterOf(why.since, task.created_at),
    who: isEnd ? LEAD : owing.length === 0 ? why.who : [...new Set(owing)].join(', '),
    next: withLead(facts, next),
    ...(isEnd ? {} : boundsOf(why)),
    about: { members: why.about?.members ?? [], tasks: [...blockers, root, ...others].map(({ id }) => id) },
  };
}

/** When the next step happens, and what limits the wait. */
const boundsOf = ({ nextAt, limit }: Explanation): Pick<Explanation, 'nextAt' | 'limit'> => ({
  nextAt,
  limit,
});

function blockerText(task: Task): string {
  if (task.status === 'in_progress') return `#${task.id} (${task.claim.member} works on it)`;
  // A completed task that still blocks was discussed without consensus.
  const state = task.status === 'completed' ? 'done without consensus' : task.status;
  return task.status === 'pending' ? `#${task.id}` : `#${task.id} (${state})`;
}

/** The tasks at the end of the chain of blockers: they wait for no other task. */
function rootsOf(board: Board, task: Task): Task[] {
  const found = new Map<string, Task>();
  const seen = new Set<string>([task.id]);
  const queue = [...openBlockers(board, task)];
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    const one = board.tasks.get(id);
    if (one === undefined || seen.has(id)) continue;
    seen.add(id);
    const further = one.status === 'pending' ? openBlockers(board, one) : [];
    if (further.length === 0 && (!isResolved(one) || holdOn(board, id))) found.set(id, one);
    queue.push(...further);
  }
  // Failed and cancelled tasks come first: they need a person's decision.
  const rank = (one: Task): number => (isFinal(one) ? 0 : 1);
  return [...found.values()].sort((a, b) => rank(a) - rank(b) || Number(a.id) - Number(b.id));
}

function failed(facts: Facts, task: Task, reason: string): Explanation {
  const waiting = dependants(facts.board, task.id).filter((one) => !isFinal(one));
  if (waiting.length === 0)
    return {
      waitingFor: null,
      since: task.updated_at,
      who: null,
      next: `It failed (${reason}), and nothing happens by itself. \`teams task retry ${facts.team} ${task.id}\` tries again.`,
    };
  return {
    waitingFor: `a decision, because it failed (${reason}) and ${idsOf(waiting)} ${waiting.length === 1 ? 'waits' : 'wait'} for it`,
    since: task.updated_at,
    who: LEAD,
    next: `\`teams task retry ${facts.team} ${task.id}\`, or skip it; an unattended lead skips the tasks that wait for it.`,
    about: { members: 'by' in task ? [task.by.member] : [] },
  };
}

/** At most ten of them. */
export const idsOf = (tasks: readonly Task[]): string => listed(tasks.map(({ id }) => `#${id}`));

/** At most this many names in a paragraph. */
const LISTED = 10;

const listed = (names: readonly string[]): string =>
  names.slice(0, LISTED).join(', ') + (names.length > LISTED ? ` and ${names.length - LISTED} more` : '');
