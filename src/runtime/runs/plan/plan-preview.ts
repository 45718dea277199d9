/** What a plan will do, before a person approves it: follow-ups, model turns, and what it will use by the reports of earlier runs. */
import type { Config } from '../../../model/config/config.ts';
import type { ModelRules } from '../../../model/agent/models.ts';
import { describePlan } from '../../../model/plan/plan-view.ts';
import type { Plan } from '../../../model/plan/plan.ts';
import type { PastTask } from '../../../policy/budget/forecast.ts';
import { expectedWorkLines } from '../../../policy/supervise/expected-work-text.ts';
import { expectedWork, type ExpectedWork } from '../../../policy/supervise/expected-work.ts';
import { realDisk } from '../../../store/files/disk.ts';
import { tasksInReport } from '../../../store/board/report-files.ts';
import { listTeams } from '../../../store/team/team-list.ts';

/** The newest reports that are read, and the most tasks that are taken from them. */
const MOST_REPORTS = 20;
const MOST_TASKS = 2_000;

export interface PlanPreview extends ExpectedWork {
  /** The plan and what it will do, for people. */
  readonly text: string;
  /** Only what it will do. */
  readonly lines: readonly string[];
}

/** @param root the directory that holds `.teams` with the reports of earlier runs */
export function previewPlan(plan: Plan, root: string, config: ModelRules & Pick<Config, 'cascadeDepth'>): PlanPreview {
  const work = expectedHere(plan, root, config);
  const lines = expectedWorkLines(work);
  return { ...work, lines, text: describePlan(plan, lines) };
}

export const expectedHere = (
  plan: Plan,
  root: string,
  config: ModelRules & { readonly cascadeDepth: number },
): ExpectedWork => expectedWork(plan, plan.cascadeDepth ?? config.cascadeDepth, pastTasks(root), config);

function pastTasks(root: string): PastTask[] {
  const newest = listTeams(root)
    .toSorted((a, b) => (b.archivedAt ?? '~').localeCompare(a.archivedAt ?? '~'))
    .slice(0, MOST_REPORTS);
  const past: PastTask[] = [];
  for (const { paths } of newest) {
    if (past.length >= MOST_TASKS) break;
    past.push(...tasksInReport(realDisk, paths));
  }
  return past.slice(0, MOST_TASKS);
}
