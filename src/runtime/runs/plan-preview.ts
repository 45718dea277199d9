/** What a plan will do, before a person approves it: follow-ups, model turns and cost by the reports of earlier runs. */
import { isAgentKind, type AgentKind } from '../../model/agent/agent-kinds.ts';
import type { Config } from '../../model/config/config.ts';
import { describePlan } from '../../model/plan/plan-view.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { expectedWorkLines } from '../../policy/supervise/expected-work-text.ts';
import { expectedWork, type ExpectedWork, type PaidWork } from '../../policy/supervise/expected-work.ts';
import { realDisk } from '../../store/files/disk.ts';
import { membersInReport } from '../../store/board/report-files.ts';
import { listTeams } from '../../store/team/team-list.ts';

/** The newest reports that are read. */
const MOST_REPORTS = 20;

export interface PlanPreview extends ExpectedWork {
  /** The plan and what it will do, for people. */
  readonly text: string;
  /** Only what it will do. */
  readonly lines: readonly string[];
}

/** @param root the directory that holds `.teams` with the reports of earlier runs */
export function previewPlan(plan: Plan, root: string, { cascadeDepth }: Pick<Config, 'cascadeDepth'>): PlanPreview {
  const work = expectedWork(plan, plan.cascadeDepth ?? cascadeDepth, paidBefore(root));
  const lines = expectedWorkLines(work);
  return { ...work, lines, text: describePlan(plan, lines) };
}

function paidBefore(root: string): Map<AgentKind, PaidWork> {
  const newest = listTeams(root)
    .toSorted((a, b) => (b.archivedAt ?? '~').localeCompare(a.archivedAt ?? '~'))
    .slice(0, MOST_REPORTS);
  const paid = new Map<AgentKind, PaidWork>();
  for (const { paths } of newest) {
    for (const { agent, tasks, spent } of membersInReport(realDisk, paths)) {
      if (!isAgentKind(agent) || tasks === 0 || !spent) continue;
      const before = paid.get(agent) ?? { tasks: 0, tokens: 0, usd: 0 };
      const usd = before.usd === null || spent.unpriced.length > 0 ? null : before.usd + spent.usd;
      paid.set(agent, { tasks: before.tasks + tasks, tokens: before.tokens + spent.tokens, usd });
    }
  }
  return paid;
}
