/** The title and text of a pull request, from the report of a team whose work landed. */
import { longestRun } from '../../model/text/repeated-characters.ts';
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
        commits.map((subject) => `- ${asCode(subject)}`),
      ),
      ...section('Checks', judged),
      ...(judged.length === 0 ? ['', 'No gate judged these changes.'] : []),
      ...(verification === null ? [] : ['', `Verified by ${verification.verifier}: ${verification.result}`]),
      ...section(
        'Not in it',
        open.map(({ id, subject, status }) => `- task ${id}, ${asCode(subject)}: ${status}`),
      ),
      '',
      `Made by team ${team} of agents; each commit names its task and its member.`,
      '',
    ]
      .join('\n')
      .trimStart(),
  };
}

/** What members wrote, as Markdown that only shows it: it mentions nobody, closes no issue and links to nothing. */
function asCode(text: string): string {
  const longest = longestRun(text);
  if (longest === 0) return `\`${text}\``;
  const fence = '`'.repeat(longest + 1);
  return `${fence} ${text} ${fence}`;
}
