/**
 * Combines a turn's verdict with the agent's own report of its task (docs/specification.md R3.6). The report never ends
 * the task: the runner does. A report of the same task and epoch adds its text to the result. A reported failure makes
 * the attempt a failure.
 */
import type { AgentReport } from '../../model/member/reported-outcome.ts';
import type { TurnVerdict } from '../outcome.ts';

/** The verdict on a turn with its agent's report. A released claim stays released. */
export function withReport(verdict: TurnVerdict, report: AgentReport | undefined): TurnVerdict {
  if (report === undefined || report.outcome === 'unverified' || verdict.do === 'release') return verdict;
  const text = [verdict.text.trimEnd(), report.text].filter((part) => part !== '').join('\n\n');
  if (report.outcome === 'completed') return { ...verdict, text };
  return { ...verdict, do: 'fail', why: report.text, text };
}
