/** Carries out a verdict. Only this file of the supervision has effects; each branch is one idempotent effect. */
import type { AgentSpec } from '../../model/agent/agent.ts';
import { refused, type Board, type Refused } from '../../model/board/board.ts';
import type { Task } from '../../model/board/task.ts';
import type { Body } from '../../model/board/event.ts';
import type { Name } from '../../model/text/names.ts';
import { decisionOf } from '../../policy/decision.ts';
import { fixChanges, fixNeeds } from '../../policy/pipeline/fix-loop.ts';
import { improvementChanges, improvements } from '../../policy/pipeline/improvement.ts';
import type { Sighting, Verdict } from '../../policy/sighting.ts';
import * as wording from '../../policy/mail-wording.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { checkpointPassed } from '../team/checkpoint-answer.ts';
import { followUpChange, ownerFor } from './follow-up.ts';
import { sendMail } from '../team/send-mail.ts';
import type { LeadMemory } from './lead-memory.ts';
import { authorOf, type Speaker } from '../team/authentication.ts';
import type { Supervisor } from './supervisor.ts';
import { vouchesForCopies } from '../team/task-records.ts';
import { publishOutcome } from '../team/task-service.ts';

export interface ActContext {
  readonly store: TeamStore;
  readonly speaker: Speaker & { kind: 'lead' };
  readonly memory: LeadMemory;
  readonly supervisor: Supervisor;
  /** What the verdict was judged on. */
  readonly sighting: Pick<Sighting, 'members'>;
  /** The agent of members that the lead adds by itself. Without it the lead adds no members. */
  readonly spare: AgentSpec | undefined;
}

/** Applies one verdict. Each decision is logged as an event with its reason; `teams why` reads these events. */
export async function carryOut(verdict: Verdict, context: ActContext): Promise<void> {
  const { store, memory, supervisor } = context;
  // First: a start that a full disk prevents is decided again when there is space, and counts for nothing.
  if (verdict.do === 'restart' || verdict.do === 'start') supervisor.start([verdict.member]);
  logDecision(store, verdict, context.sighting);
  switch (verdict.do) {
    case 'resetDeadlines':
      memory.resetDeadlines();
      return;
    case 'restart':
      memory.of(verdict.member).restarts = verdict.attempt;
      memory.restarted(verdict.member);
      return;
    case 'abandon':
      memory.of(verdict.member).givenUp = true;
      return;
    case 'resetRestarts':
      Object.assign(memory.of(verdict.member), { restarts: 0, givenUp: false });
      return;
    case 'release': {
      const { task, epoch, reason, why } = verdict;
      return append(context, { type: 'task.released', task, epoch, reason, why });
    }
    case 'check':
      memory.of(verdict.member).checkedAt = store.clock.monotonic();
      memory.of(verdict.member).answered = false;
      return mail(context, verdict.member, wording.statusCheck(verdict.task), 'status_check', verdict.task);
    case 'fence':
      return fence(verdict, context);
    case 'stop':
      return stop(verdict.member, context);
    case 'quarantine':
      memory.of(verdict.member).quarantined = true;
      return dismiss(verdict.member, context);
    case 'lift':
      memory.of(verdict.member).quarantined = false;
      memory.forgive(verdict.member);
      return;
    case 'assign': {
      const task = store.board.board.tasks.get(verdict.task);
      await append(context, { type: 'task.assigned', task: verdict.task, owner: verdict.owner });
      if (verdict.owner === null || task === undefined) return;
      const text =
        task.owner === undefined ? wording.assignment(task) : wording.reassignment(task, task.owner, verdict.why);
      return mail(context, verdict.owner, text, 'assignment', verdict.task);
    }
    case 'skip':
      return append(context, {
        type: 'task.skipped',
        task: verdict.task,
        cascade: true,
        why: verdict.why,
        because: verdict.because,
      });
    case 'follow up':
      return follow(verdict, context);
    case 'start':
      memory.restarted(verdict.member);
      return;
    case 'tell':
      memory.announced.add(verdict.task);
      store.events.append({ type: verdict.what, task: verdict.task, text: verdict.why });
      return;
    case 'pass':
      return append(context, (board) => checkpointPassed(board, verdict.task, verdict.why));
    case 'redo':
      return append(context, (board) => redoing(board, verdict.task));
    case 'improve':
      return append(context, (board) => improving(board, verdict.task));
    case 'finish':
    case 'stuck':
      return;
    default:
      return verdict satisfies never;
  }
}

/** Logs a decision as an event of the team. */
export const logDecision = (
  store: Pick<TeamStore, 'events'>,
  verdict: Verdict,
  sighting: Pick<Sighting, 'members'>,
): void => void store.events.append({ type: 'lead.decided', ...decisionOf(verdict, sighting) });

async function append(context: ActContext, body: Body | ((board: Board) => Body | Refused)): Promise<void> {
  const build = typeof body === 'function' ? body : (): Body => body;
  const { outcome } = await context.store.board.append(authorOf(context.speaker), build, {
    vouches: vouchesForCopies(context.store),
  });
  if (outcome.ok) return publishOutcome(context.store, outcome, context.speaker);
  context.store.events.append({ type: 'lead.overtaken', text: outcome.why });
}

/** Sends mail about an effect that is already applied. Mail that cannot be delivered becomes an event, not an error. */
async function mail({ store, speaker }: ActContext, to: Name, text: string, kind: string, task: string): Promise<void> {
  try {
    await sendMail(store, speaker, to, text, { kind, task_id: task });
  } catch (error) {
    store.events.append({
      type: 'message.failed',
      member: to,
      text: error instanceof Error ? error.message : String(error),
    });
  }
}

/** Ends the claim and reassigns the task in one record, then stops the process, so that it cannot continue the task. */
async function fence(verdict: Verdict & { do: 'fence' }, context: ActContext): Promise<void> {
  const { task, epoch, reason, why, heir, member } = verdict;
  const released = { type: 'task.released', task, epoch, reason, why } as const;
  const assigned = heir === undefined ? [] : [{ type: 'task.assigned', task, owner: heir } as const];
  await append(context, { type: 'batch', changes: [released, ...assigned] });
  if (verdict.stop) await stop(member, context);
  const now = context.store.board.board.tasks.get(task);
  if (heir !== undefined && heir !== null && now)
    await mail(context, heir, wording.reassignment(now, member, why), 'assignment', task);
}

function improving(board: Board, task: string): Body | Refused {
  const round = improvements(board).find((one) => one.task.id === task);
  return round === undefined
    ? refused('REPEATED', `the improvements of task #${task} were added already`)
    : { type: 'batch', changes: improvementChanges(board, round) };
}

function redoing(board: Board, task: string): Body | Refused {
  const round = fixNeeds(board).find((need) => need.task.id === task && need.kind === 'due');
  return round?.kind === 'due'
    ? { type: 'batch', changes: fixChanges(board, round) }
    : refused('REPEATED', `the round after task #${task} was made already`);
}

/** Creates the task with its owner in one record first; then mails the owner or starts its process. */
async function follow(verdict: Verdict & { do: 'follow up' }, context: ActContext): Promise<void> {
  const { store, speaker, supervisor, memory, spare } = context;
  const { owner, isNew } = await ownerFor(store, speaker, verdict.follow, verdict.place, spare);
  await append(context, (board) => followUpChange(board, verdict.task, verdict.follow, owner));
  if (owner === undefined) return;
  if (isNew) {
    memory.restarted(owner);
    supervisor.start([owner]);
    return;
  }
  const made = newestChild(store.board.board, verdict.task);
  if (made) await mail(context, owner, wording.assignment(made), 'assignment', made.id);
}

function newestChild({ tasks, lastTaskId }: Board, parent: string): Task | undefined {
  for (let id = lastTaskId; id > 0; id -= 1) {
    const task = tasks.get(String(id));
    if (task?.metadata['parent'] === parent) return task;
  }
  return undefined;
}

async function stop(member: Name, { supervisor }: ActContext): Promise<void> {
  const life = supervisor.processOf(member);
  if (life) await supervisor.end(life);
}

/** Asks a quarantined member's process to shut down, because it would claim tasks by itself. */
async function dismiss(member: Name, { store, speaker }: ActContext): Promise<void> {
  try {
    await sendMail(store, speaker, member, wording.shutdown('Quarantined after failed attempts.'), {
      type: 'shutdown_request',
      data: { force: true },
    });
  } catch (error) {
    store.events.append({
      type: 'message.failed',
      member,
      text: error instanceof Error ? error.message : String(error),
    });
  }
}
