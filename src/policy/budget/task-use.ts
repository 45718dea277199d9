/** What tasks took, by the logs: for the report, and for estimates of later runs. */
import type { Board } from '../../model/board/board.ts';
import type { Task } from '../../model/board/task.ts';
import type { TeamConfig } from '../../model/team/team-config.ts';
import type { SpendingBy } from '../view/spending-by.ts';
import type { TasksUse } from './estimate-error.ts';
import { knownModel, taskSize, type PastTask } from './forecast.ts';

/** @returns null if no agent did the task, or its use is not known */
export function workOf(
  task: Task,
  { members }: Pick<Board, 'members'>,
  config: Pick<TeamConfig, 'members'> | undefined,
  { tasks, work }: Pick<SpendingBy, 'tasks' | 'work'>,
): Omit<PastTask, 'durationMs'> | null {
  const name = 'by' in task ? task.by.member : undefined;
  const written = config?.members.find((one) => one.name === name)?.agent;
  const [spent, paid] = [tasks.get(task.id), work.get(task.id)];
  const agent = paid?.agent ?? written?.kind;
  if (name === undefined || agent === undefined || paid?.isTold === false) return null;
  return {
    role: members.get(name)?.role ?? name,
    agent,
    model: knownModel(paid?.model),
    size: taskSize(task),
    turns: paid?.turns ?? 0,
    tokens: spent?.tokens ?? 0,
    usd: usdOf(spent),
  };
}

const usdOf = (spent: { readonly usd: number; readonly unpriced: readonly string[] } | undefined): number | null =>
  spent === undefined ? 0 : spent.unpriced.length > 0 ? null : spent.usd;

/** What tasks used together, in a run in which members worked so many milliseconds; mail and gates are not in it. */
export function usedBy(
  tasks: readonly Task[],
  durationMs: number,
  { tasks: spending, work }: Pick<SpendingBy, 'tasks' | 'work'>,
): TasksUse {
  let [turns, tokens] = [0, 0];
  let usd: number | null = 0;
  for (const { id } of tasks) {
    const cost = usdOf(spending.get(id));
    turns += work.get(id)?.turns ?? 0;
    tokens += spending.get(id)?.tokens ?? 0;
    usd = usd === null || cost === null ? null : usd + cost;
  }
  return { turns, tokens, usd, durationMs };
}
