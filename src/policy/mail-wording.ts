/**
 * Texts of the mail that the runtime sends to people and members (docs/specification.md R2.10). No program decides by
 * reading these texts: every message carries its `kind` and ids.
 */
import type { Name } from '../model/text/names.ts';
import type { Bounce, Task } from '../model/board/task.ts';

type Named = Pick<Task, 'id' | 'subject'>;

export const statusCheck = (taskId: string): string => `STATUS CHECK: Report progress on task #${taskId}.`;

export const statusAnswer = (doing: string): string => `STATUS: ${doing}`;

/** @param blocker the last blocker that was resolved */
export const unblocked = (taskId: string, blocker: Pick<Task, 'id' | 'status'>): string =>
  `UNBLOCKED: Task #${taskId} is now ready. Blocker #${blocker.id} ${blocker.status === 'skipped' ? 'was skipped' : 'completed'}.`;

export const assignment = ({ id, subject }: Named): string => `New assignment: task #${id} - ${subject}`;

/** `(was worker-1, quarantined)`. If the reason begins with the former owner's name, that name is not repeated. */
export function reassignment({ id, subject }: Named, from: Name, why: string): string {
  const of = [`${from} is `, `${from} `].find((start) => why.startsWith(start)) ?? '';
  return `NEW ASSIGNMENT: Task #${id} is now assigned to you (was ${from}, ${why.slice(of.length)}). Subject: ${subject}.`;
}

export const taskCompleted = (taskId: string, summary: string): string => `Completed task #${taskId}: ${summary}`;

export const taskFailed = (taskId: string, reason: string): string => `FAILED task #${taskId}: ${reason}`;

export const standingBy = (): string => 'All assigned tasks complete. Standing by.';

/** For a member that has done no task and only answered mail. */
export const idling = (): string => 'Nothing left to do. Standing by.';

export const stillBlocked = (taskId: string, blockers: readonly string[]): string =>
  `BLOCKED: Task #${taskId} still waits for ${blockers.map((id) => `#${id}`).join(', ')}.`;

/** @param text what the member should know or change; may be empty */
export const planAnswer = (taskId: string, { approve, text }: { approve: boolean; text: string }): string => {
  const said = approve ? `PLAN APPROVED: Task #${taskId}` : `PLAN REFUSED: Task #${taskId}`;
  return text === '' ? `${said}.` : `${said}: ${text}`;
};

/** What the lead itself said: the text without the head that `planAnswer` puts before it. */
export const saidOfPlan = (taskId: string, answer: string): string =>
  answer.replace(new RegExp(`^PLAN (?:APPROVED|REFUSED): Task #${taskId}(?:: |\\.$)`), '');

/** @param feedback of the user's hook */
export const refusedCompletion = (taskId: string, feedback: string): string =>
  `NOT DONE: Task #${taskId} was refused by a check of the user: ${feedback}`;

/** @param hasOwnChange its tree shows its change on what landed, where both conflict with marks */
export function sentBack(
  taskId: string,
  { cause, why }: Pick<Bounce, 'cause' | 'why'>,
  { hasOwnChange }: { hasOwnChange: boolean },
): string {
  const tree =
    hasOwnChange && cause !== 'unreadable'
      ? `Your files are now what landed meanwhile with your change on it${cause === 'conflict' ? '; where both conflict there are marks (<<<<<<<, =======, >>>>>>>): resolve them all, keep what both wanted' : ''}.`
      : 'Your files are now what landed meanwhile; do it again there.';
  const reason = cause === 'review' ? `its review says: ${why}` : why;
  return `SENT BACK: Your change for task #${taskId} did not land: ${reason}. ${tree}`;
}

export const refusedIdle = (feedback: string): string => `NOT IDLE: A check of the user says: ${feedback}`;

const SHUTDOWN_DONE = 'All work complete. Finish current operation and stop.';
export const SHUTDOWN_CANCELLED = 'Team cancelled by user.';

export const shutdown = (why: string = SHUTDOWN_DONE): string => `SHUTDOWN: ${why}`;

/** @param request the text of the request */
export const stopQuestion = (request: string): string =>
  `The lead asks you to stop: ${request}\n\nAnswer APPROVE, or REJECT: and the reason in one line, if something would be lost or left broken.`;

/** The reason of a rejection at the beginning of an answer; undefined if it accepts. */
export function rejectionIn(answer: string): string | undefined {
  const found = /^\s*REJECT\b[\s:]*([^\n]*)/i.exec(answer);
  return found === null ? undefined : (found[1] ?? '').trim().slice(0, 1_000) || 'it gave no reason';
}

export const shutdownAck = (member: Name, completed: number, inProgress: number): string =>
  `SHUTDOWN ACK: ${member} stopping. Final status: ${tasks(completed)} completed, ${inProgress} in progress.`;

export const teamCancelled = (team: Name, workers: number, completed: number, total: number): string =>
  `Team ${team} cancelled. ${workers} ${workers === 1 ? 'worker' : 'workers'} stopped. ${completed}/${total} tasks were completed before cancellation.`;

export const teamForceCancelled = (team: Name): string => `Team ${team} force-cancelled.`;

const tasks = (count: number): string => `${count} ${count === 1 ? 'task' : 'tasks'}`;

/** `850 ms`, `45s`, `1m30s`, `2h05m`: how reports write the time of a task (docs/specification.md R8.19). */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = Math.floor(ms / 1_000);
  const [h, m, s] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (part: number): string => String(part).padStart(2, '0');
  if (h > 0) return `${h}h${two(m)}m`;
  return m > 0 ? `${m}m${two(s)}s` : `${s}s`;
}

/** How a person lets a stopped process go on. */
export const continueProcess = (pid: number | null): string =>
  `\`fg\` in its terminal, or \`kill -CONT ${pid ?? 'PID'}\`, continues it`;
