/**
 * What an agent says of its own task (SPEC §5): a claim, never the end. The runner ends the attempt; a report of the same
 * task and epoch adds its text to the result, and one of a failure makes the attempt a failure.
 */
import type { AgentReport } from '../../model/team/reported-outcome.ts';
import type { TurnVerdict } from '../outcome.ts';

/** The verdict on a turn, with the report that its agent made meanwhile. A claim that is given back stays given back. */
export function withReport(verdict: TurnVerdict, report: AgentReport | undefined): TurnVerdict {
  if (report === undefined || report.outcome === 'unverified' || verdict.do === 'release') return verdict;
  const text = [verdict.text.trimEnd(), report.text].filter((part) => part !== '').join('\n\n');
  if (report.outcome === 'completed') return { ...verdict, text };
  return { ...verdict, do: 'fail', why: report.text, text };
}
