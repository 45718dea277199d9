/**
 * Ends a task for its worker, for the tool and the command line. With a runner the worker only reports, and the runner
 * writes the end. Without a runner the end is written here, if the task's `verify:` commands and the user's hook accept
 * it.
 */
import process from 'node:process';
import { UsageError } from '../../model/text/errors.ts';
import type { Task } from '../../model/board/task.ts';
import { reportTask, runnersTask, verifyHere } from '../team/task-report.ts';
import { loadConfig } from '../team/configuration.ts';
import type { ToolCall } from './tool-context.ts';
import type { TeamHandle } from '../team/team-handle.ts';
import type { EndInput } from '../team/task-service.ts';
import type { Verified } from '../team/verify-command.ts';
import { notEnforcedEvent } from '../../model/team/not-enforced.ts';
import { workPlaceOf } from '../../store/team/work-place.ts';
import { openJudging, type Judging } from '../isolation/judging-isolation.ts';
import { askHook } from '../team/hooks.ts';

interface SaidEnd extends Omit<EndInput, 'result'> {
  readonly outcome: 'completed' | 'failed';
  /** The result, or why it failed. */
  readonly result: string | undefined;
}

export type TaskEnd =
  | { readonly kind: 'ended'; readonly task: Task }
  /** Its runner ends it with the present turn. */
  | { readonly kind: 'reported'; readonly task: Task; readonly verdict: Verified }
  | { readonly kind: 'not done'; readonly task: Task; readonly verdict: Exclude<Verified, { result: 'passed' }> };

/**
 * @throws StoreError `UNTRUSTED` for the commands of a folder that this user did not create
 * @throws UsageError `USAGE` without a result from a worker without a runner; the errors of a change that the board
 * refuses
 */
export async function endTask(
  handle: TeamHandle,
  reference: string,
  { outcome, result, ...end }: SaidEnd,
  call: ToolCall,
): Promise<TaskEnd> {
  const own = runnersTask(handle, reference);
  if (own !== undefined) {
    const { signal } = call;
    const wrap = outcome === 'completed' ? await judgingOf(handle, own, call) : asIs;
    const { verdict } = await reportTask(handle, own, { outcome, text: result ?? '' }, { signal, wrap });
    return verdict.result === 'passed'
      ? { kind: 'reported', task: own, verdict }
      : { kind: 'not done', task: own, verdict };
  }
  const task = handle.board.get(reference);
  if (result === undefined)
    throw new UsageError('USAGE', `Task #${task.id} needs a result: a worker without a runner must give it.`);
  const verdict = outcome === 'completed' ? await verified(handle, task, result, call) : undefined;
  if (verdict !== undefined) return { kind: 'not done', task, verdict };
  const said = { result, ...end };
  const { board } = handle;
  return {
    kind: 'ended',
    task: await (outcome === 'completed' ? board.complete(task.id, said) : board.fail(task.id, said)),
  };
}

/** @returns undefined if the verification and the hook accept it */
async function verified(
  handle: TeamHandle,
  task: Task,
  result: string,
  call: ToolCall,
): Promise<Exclude<Verified, { result: 'passed' }> | undefined> {
  if (task.status !== 'in_progress') return undefined;
  const { signal } = call;
  if (task.work.verify.length > 0) call.progress(`verifying task #${task.id}`);
  const verdict = await verifyHere(handle, task, { signal, wrap: await judgingOf(handle, task, call) });
  return verdict.result === 'passed' ? refusedHere(handle, task, result, call) : verdict;
}

const asIs: Judging['wrap'] = (command) => command;

/** How commands that judge the task are isolated. */
async function judgingOf(
  { store }: TeamHandle,
  task: Task,
  { isolate: own }: ToolCall,
  isHook = task.work.verify.length > 0,
): Promise<Judging['wrap']> {
  if (!isHook) return asIs;
  const team = store.config.read();
  const { sandbox, gates } = loadConfig(store.paths.root, process.env).config;
  const judging = await openJudging({
    what: `verify: of task #${task.id}`,
    config: team,
    cwd: workPlaceOf(store.disk, store.paths, team),
    environment: process.env,
    rules: { setting: sandbox.bwrap, ...gates },
    lend: sandbox.lend,
    team: [store.paths.folder, store.paths.board],
    own,
  });
  if (judging.notEnforced !== undefined) store.events.append(notEnforcedEvent(judging.notEnforced));
  return judging.wrap;
}

/** Runs the user's hook `onTaskCompleted`; for a member with a runner, the runner does that. */
async function refusedHere(
  handle: TeamHandle,
  task: Task & { status: 'in_progress' },
  result: string,
  call: ToolCall,
): Promise<Exclude<Verified, { result: 'passed' }> | undefined> {
  const { store } = handle;
  const { signal } = call;
  const { onTaskCompleted: hook } = loadConfig(store.paths.root, process.env).config.hooks;
  if (hook === undefined) return undefined;
  const wrap = await judgingOf(handle, task, call, true);
  const output = await askHook(task, result, { hook, store, wrap }, signal);
  if (signal.aborted) return { result: 'aborted' };
  const refusal = { result: 'failed', command: 'onTaskCompleted', message: 'the hook refuses it' } as const;
  return output === undefined ? undefined : { ...refusal, output };
}
