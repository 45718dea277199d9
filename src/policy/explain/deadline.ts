/** What limits the work on a task: its time-out, and the watchdog over a member without progress. */
import type { Name } from '../../model/text/names.ts';
import { DEFAULT_TASK_TIMEOUT_MS, type Task } from '../../model/board/task.ts';
import { atTime, type Facts, type Limit, type MemberFacts } from './explanation.ts';
import { profiles } from '../profiles.ts';

/** The first limit that ends the present work of a member; undefined for a person's work. */
export function limitOf(facts: Facts, task: Task, name: Name): Limit | undefined {
  const member = facts.members.get(name);
  if (task.status !== 'in_progress' || member?.runs !== true) return undefined;
  const all = [timeOut(facts, task, task.claimed_at), ask(facts, name, member)];
  return all.flatMap((one) => one ?? []).sort((a, b) => a.at - b.at)[0];
}

/**
 * The time-out of the present turn. A time-out in the past limits nothing: what runs then is a check with its own
 * limit.
 */
function timeOut(facts: Facts, task: Task, claimedAt: string): Limit | undefined {
  const answers = [...facts.board.requests.values()].flatMap((request) =>
    request.state === 'answered' && request.task === task.id ? [request.answeredAt] : [],
  );
  const stamps = [claimedAt, facts.since.turn(task.id) ?? claimedAt, ...answers].map((at) => Date.parse(at));
  // What is stamped later than now began before the clock was set back.
  const began = Math.min(facts.now, Math.max(...stamps));
  const at = began + (task.work.timeoutMs ?? DEFAULT_TASK_TIMEOUT_MS);
  return at <= facts.now
    ? undefined
    : { at, text: `The time-out of #${task.id} ends the attempt ${atTime(facts, at)}.` };
}

/** When the lead sends a STATUS CHECK. A command is limited by its time-out only. */
function ask(facts: Facts, name: Name, { agent, lastSign }: MemberFacts): Limit | undefined {
  const at = Math.min(facts.now, lastSign) + facts.warnAfterMs;
  const isWatched = facts.lead.alive && agent !== 'exec' && profiles[facts.board.profile].whenSilent !== 'leave';
  if (!isWatched || at <= facts.now) return undefined;
  return { at, text: `Without progress of ${name} the lead sends a STATUS CHECK ${atTime(facts, at)}.` };
}
