/** Why a member, or the whole team, does not proceed. */
import { isDone, openBlockers, type Board } from '../../model/board/board.ts';
import {
  offeredTasksOf,
  pendingTasks,
  pendingTasksOf,
  tasksOf,
  waitingForMissed,
} from '../../model/board/listed-tasks.ts';
import { timestamp } from '../../model/text/clock.ts';
import { LEAD, type Name } from '../../model/text/names.ts';
import { waitOf } from '../../model/board/request.ts';
import { byId, isInternal, type Task } from '../../model/board/task.ts';
import { limitOf } from './deadline.ts';
import { explainHeldMember } from './explain-member.ts';
import { explainPause } from './explain-ready.ts';
import { explainTask, blockerOf, blockedForever, idsOf } from './explain-task.ts';
import {
  askedLead,
  atTime,
  dueAt,
  laterOf,
  withLead,
  type Explanation,
  type Facts,
  type Limit,
} from './explanation.ts';
import { STALE_BEAT_MS } from '../member-availability.ts';
import { continueProcess, duration } from '../mail-wording.ts';

/** Milliseconds between the first signal of a shutdown and the last. */
const TERM_MS = 5_000;

export function explainMember(facts: Facts, name: Name): Explanation {
  const { board, members } = facts;
  if (board.phase === 'closed') return blockedForever(facts);
  if (board.phase === 'closing' && !facts.lead.alive) return closing(facts);
  const member = members.get(name);
  const current = board.busy.get(name);
  const asked = waitOf(board, name, current);
  if (asked && (current === undefined || asked.task === current)) return askedLead(facts, asked);
  const own = board.tasks.get(current ?? '') ?? nextOwn(board, name);
  const held = member && explainHeldMember(facts, name, member);
  if (held) return held;
  if (own) {
    const why = ownWork(explainTask(facts, own), own);
    return current === undefined ? { ...why, since: laterOf(why.since, member?.since ?? null) } : why;
  }
  if (board.phase === 'paused') return explainPause(facts);
  const unread = member?.unread ?? 0;
  const mail = unread > 0 ? `It has ${unread} unread ${unread === 1 ? 'message' : 'messages'} to read. ` : '';
  const next = `${mail}A ready task that it may claim, or mail, gives it work.`;
  return { waitingFor: 'a task or mail', since: member?.since ?? null, who: LEAD, next: withLead(facts, next) };
}

/** The explanation of its task explains the member too; the task's events are shown as evidence. */
const ownWork = (why: Explanation, { id }: Task): Explanation => ({
  ...why,
  about: { ...why.about, tasks: [...(why.about?.tasks ?? []), id] },
});

/** The member's first pending task: a ready one before a blocked one. */
function nextOwn(board: Board, name: Name): Task | undefined {
  for (const task of offeredTasksOf(board, name)) if (openBlockers(board, task).length === 0) return task;
  const [first] = pendingTasksOf(board, name);
  return first;
}

export function explainTeam(facts: Facts): Explanation {
  const { board } = facts;
  if (board.phase === 'closed') return blockedForever(facts);
  if (board.phase === 'closing') return hasEnded(facts) ? endOfRun(facts) : closing(facts);
  if (board.phase === 'paused' && facts.lead.alive) return explainPause(facts);
  const [asked] = board.open.values();
  if (asked) return askedLead(facts, asked);
  const { tally } = board;
  const hasOpen = tally.pending + tally.in_progress + tally.landing > 0;
  const unled = hasOpen || board.lastTaskId === 0 || facts.lead.alive ? withoutLead(facts) : undefined;
  if (unled) return unled;
  const running = [...tasksOf(board, board.busy.values())].filter((task) => !isInternal(task)).sort(byId);
  if (running.length > 0) return explainRunning(facts, running);
  const first = waitingForMissed(board).find((task) => !isInternal(task)) ?? firstPending(board);
  return first ? ownWork(explainTask(facts, first), first) : nothingOpen(facts);
}

function firstPending(board: Board): Task | undefined {
  for (const task of pendingTasks(board)) if (!isInternal(task)) return task;
  return undefined;
}

/** Its lead closed the team and is gone: nothing more happens by itself. */
const hasEnded = ({ board, lead }: Facts): boolean => !lead.alive && isDone(board);

/** What failed in a run that has ended, and how it is tried again. */
function endOfRun(facts: Facts): Explanation {
  const { board, team } = facts;
  const why = closing(facts);
  if (board.tally.failed === 0) return why;
  const failed = [...board.tasks.values()].filter(isFailure).sort(byId);
  const [first, ...others] = failed;
  if (first === undefined) return why;
  const [said, report, them] =
    others.length === 0
      ? [`#${first.id} failed (${first.reason})`, '', 'it']
      : [`${idsOf(failed)} failed`, `\`teams report ${team}\` says why; `, 'them'];
  const next = `${said}, and its run has ended. ${report}\`teams resume ${team} --retry-failed\` tries ${them} again.`;
  return { ...why, next, about: { tasks: failed.map(({ id }) => id) } };
}

const isFailure = (task: Task): task is Extract<Task, { status: 'failed' }> =>
  task.status === 'failed' && task.required && !isInternal(task);

function closing(facts: Facts): Explanation {
  const since = facts.since.team.closing ?? null;
  if (hasEnded(facts))
    return { waitingFor: null, since, who: null, next: 'Its run has ended: nothing more will happen.' };
  if (!facts.lead.alive)
    return { waitingFor: 'a lead: it was shut down with work left', since, who: null, next: withLead(facts, '') };
  const why = { waitingFor: 'its members to stop', since, who: LEAD };
  if (since === null) return { ...why, next: 'A process that does not stop in time is ended.' };
  const signal = Date.parse(since) + facts.shutdownWaitMs;
  const at = signal > facts.now ? signal : signal + TERM_MS;
  const what = signal > facts.now ? 'is sent SIGTERM' : 'is killed';
  return { ...why, next: `A process that still runs ${what} ${atTime(facts, at)}.`, ...dueAt(facts, at) };
}

/** A team with work that has no lead, or whose lead does not move. */
function withoutLead(facts: Facts): Explanation | undefined {
  const { lead, board, team, now } = facts;
  const since = lead.lastBeat === undefined ? board.lead.since : timestamp(lead.lastBeat);
  if (!lead.alive) {
    if (board.lead.epoch === 0 || board.tasks.size === 0) return undefined;
    return { waitingFor: 'a lead: the last one is gone', since, who: null, next: withLead(facts, '') };
  }
  if (lead.stopped === true)
    return {
      waitingFor: `its lead (pid ${lead.pid ?? 'unknown'}), whose process is stopped`,
      since,
      who: LEAD,
      next: `${continueProcess(lead.pid)}; \`teams resume ${team} --takeover\` ends it and leads instead.`,
    };
  const stillFor = now - (lead.lastBeat ?? now);
  if (stillFor < STALE_BEAT_MS) return undefined;
  return {
    waitingFor: `a heartbeat of its lead (pid ${lead.pid ?? 'unknown'}), whose process lives but has had none for ${duration(stillFor)}`,
    since,
    who: LEAD,
    next: `If the process is suspended, continue it; \`teams resume ${team} --takeover\` ends it and leads instead.`,
  };
}

function nothingOpen(facts: Facts): Explanation {
  const { board, team, since } = facts;
  const next = isDone(board)
    ? 'Every task is final: the run ends, or new tasks continue it.'
    : `\`teams task create ${team} SUBJECT\` adds the first task.`;
  return {
    waitingFor: isDone(board) ? null : 'its first task',
    since: since.team.changed ?? since.team.opened ?? null,
    who: isDone(board) ? null : LEAD,
    next: withLead(facts, next),
  };
}

/** A blocked task explains more than the tasks that members work on. */
function explainRunning(facts: Facts, running: readonly Task[]): Explanation {
  for (const task of running) {
    const held = blockerOf(facts, task);
    if (held) return ownWork(held, task);
  }
  const each = running.map((task) => ({ task, why: explainTask(facts, task) }));
  const since = each.map(({ why }) => why.since ?? '').sort()[0] ?? null;
  const waitingFor = running.map((task) => `#${task.id} (${workerOf(task) ?? ''})`).join(', ');
  const who = [...new Set(each.flatMap(({ why }) => why.who ?? []))].join(', ');
  const about = { tasks: running.map(({ id }) => id) };
  const [one] = each;
  if (running.length === 1 && one) return { ...one.why, waitingFor, about };
  const next = 'Each member takes its next task when its task has ended.';
  const limit = firstLimit(facts, running);
  return { waitingFor, since, who, next, about, limit };
}

function firstLimit(facts: Facts, running: readonly Task[]): Limit | undefined {
  const [first] = running
    .flatMap((task) => {
      const name = workerOf(task);
      const limit = name && limitOf(facts, task, name);
      return limit ? [limit] : [];
    })
    .sort((a, b) => a.at - b.at);
  return first && { at: first.at, text: `The first limit: ${first.text}` };
}

const workerOf = (task: Task): Name | undefined => (task.status === 'in_progress' ? task.claim.member : undefined);
