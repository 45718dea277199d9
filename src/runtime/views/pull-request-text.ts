/** The title and text of a pull request, from the report of a team whose work landed. */
import type { Report } from './report-text.ts';

export interface PullRequestText {
  readonly title: string;
  readonly body: string;
}

/** @param commits the subjects of the branch's commits */
export function pullRequestText(report: Report, commits: readonly string[]): PullRequestText {
  const [only] = commits;
  const { team, tasks, gates, verification } = report;
  const judged = Object.entries(gates).flatMap(([name, result]) =>
    result === 'pass' || result === 'fail' ? [`- ${name}: ${result}`] : [],
  );
  const open = tasks.filter(({ status }) => status !== 'completed');
  const section = (head: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : ['', `## ${head}`, '', ...lines];
  return {
    title: commits.length === 1 && only !== undefined ? only : `${team}: ${commits.length} changes`,
    body: [
      ...section(
        'Changes',
        commits.map((subject) => `- ${subject}`),
      ),
      ...section('Checks', judged),
      ...(judged.length === 0 ? ['', 'No gate judged these changes.'] : []),
      ...(verification === null ? [] : ['', `Verified by ${verification.verifier}: ${verification.result}`]),
      ...section(
        'Not in it',
        open.map(({ id, subject, status }) => `- #${id} ${subject}: ${status}`),
      ),
      '',
      `Made by team ${team} of agents; each commit names its task and its member.`,
      '',
    ]
      .join('\n')
      .trimStart(),
  };
}
