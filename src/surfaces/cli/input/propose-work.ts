/** Pushes a branch of what landed and opens a pull request, or says how: for `teams pr` and `teams apply --push`. */
import {
  makeBranch,
  openerFor,
  openPullRequest,
  pullRequestText,
  pushBranch,
  pushTarget,
  reportOf,
  shownCommand,
  type Task,
  type TeamReader,
} from '../../../app.ts';
import type { CliContext } from '../context.ts';
import { settings } from './settings.ts';

interface Proposal {
  readonly branch: string | undefined;
  readonly remote: string | undefined;
  readonly task: Task | undefined;
}

/** @returns the exit code: 1 if the branch was pushed and the program for pull requests failed */
export async function proposeWork(
  context: CliContext,
  reader: TeamReader,
  { branch: named, remote: asked, task }: Proposal,
): Promise<number> {
  const { name: team } = reader.paths;
  const place = { environment: context.io.environment, signal: context.io.gone };
  const branch = named ?? team;
  const target = await pushTarget(reader, asked, place);
  const { commit, commits } = await makeBranch(reader, { name: branch, task, mayExist: true }, place.signal);
  await pushBranch(reader, { remote: target.remote, branch }, place);
  const report = reportOf(reader, { prices: settings(context).merged.config.prices });
  const said = pullRequestText(report, commits);
  const opener = openerFor(target, branch, said, place.environment);
  const opened = opener.isThere ? await openPullRequest(reader, opener, place) : undefined;
  const url = opened !== undefined && 'url' in opened ? opened.url : undefined;
  const command = [...opener.argv];
  context.result(
    { team, branch, commit, commits: [...commits], remote: target.remote, ...said, command, url: url ?? null },
    [
      `Pushed branch ${branch} to ${target.remote}, ${commits.length} ${commits.length === 1 ? 'commit' : 'commits'} on HEAD. Your files are as they were.`,
      ...(url === undefined
        ? [
            opened === undefined
              ? `No pull request was opened: ${opener.program} is not on PATH. Its text:`
              : `No pull request was opened: ${'why' in opened ? opened.why : ''}. Its text:`,
            '',
            said.title,
            '',
            said.body,
            `Open it: ${shownCommand(command)}`,
          ]
        : [url]),
    ].join('\n'),
  );
  return opened !== undefined && url === undefined ? 1 : 0;
}
