/** What a person can do in the dashboard: each action opens the team for its duration, for the speaker. */
import {
  changesSince,
  judgeTask,
  openForReading,
  openHandle,
  realClock,
  resolveTask,
  retryTasks,
  reviseTask,
  why,
  type TeamHandle,
  type TeamPaths,
} from '../../../app.ts';
import type { CliContext } from '../context.ts';
import { settings } from '../input/settings.ts';
import { whyLines } from './why-lines.ts';

/** @param isLedHere the run belongs to this view, so a retry leads it again */
export function teamActions(context: CliContext, paths: TeamPaths, { isLedHere }: { readonly isLedHere: boolean }) {
  const { name } = paths;
  const doing = async <T>(work: (handle: TeamHandle) => Promise<T>): Promise<T> => {
    await using handle = openHandle(name, settings(context).open);
    return await work(handle);
  };
  const looking = async (work: (store: ReturnType<typeof openForReading>) => Promise<string>): Promise<string> => {
    const store = openForReading(paths, { clock: realClock });
    try {
      return await work(store);
    } finally {
      store.close();
    }
  };
  return {
    send: (to: string, text: string) => doing((handle) => handle.send(to, text)),
    answer: (id: string, text: string) => doing((handle) => handle.answer(id, text)),
    decide: (task: string, answer: { readonly approve: boolean; readonly text: string }) =>
      doing((handle) => judgeTask(handle, task, answer)),
    revise: (task: string, text: string) => doing((handle) => reviseTask(handle, task, text)),
    skip: (task: string) => doing((handle) => handle.board.skip(task, { cascade: true, why: 'skipped in the view' })),
    stop: (member: string) =>
      doing((handle) => handle.send(member, 'Finish your step and leave.', { type: 'shutdown_request' })),
    pause: () =>
      doing(async (handle) => {
        if (await handle.pause()) return 'paused: nothing begins; P lets it go on';
        await handle.unpause();
        return 'it goes on';
      }),
    retry: (task: string | undefined) =>
      doing((handle) => retryTasks(handle, paths, task, isLedHere ? undefined : context.io)),
    diff: (task: string | undefined) =>
      looking(async (store) => {
        const about = task === undefined ? undefined : resolveTask(store.board.fold(), task);
        const { text } = await changesSince(store, about, context.io.gone);
        return text === '' ? 'Nothing has changed.' : text;
      }),
    why: (task: string | undefined) =>
      looking(async (store) => {
        const { watchdogWarningMs, watchdogReassignMs, shutdownTimeoutMs } = settings(context).merged.config;
        return whyLines(await why(store, task, { watchdogWarningMs, watchdogReassignMs, shutdownTimeoutMs }));
      }),
  };
}
