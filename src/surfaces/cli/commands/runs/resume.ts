/** `teams resume`: continues an interrupted run. */
import * as z from 'zod';
import {
  endedRun,
  keepRelay,
  openHandle,
  parseEngineAddress,
  realClock,
  resumeTeam,
  takeFromEngine,
  UsageError,
  type EndedRun,
  type Name,
} from '../../../../app.ts';
import type { CliContext } from '../../context.ts';
import { budgetFlags } from '../../input/limit-change.ts';
import { cutOffAfter, duration, flag, noMore, publicKeys, readOptions, text, trustKeys } from '../../input/options.ts';
import { givenText } from '../../input/stdin.ts';
import { detachRun, leadRun, sessionOf } from '../../input/lead-run.ts';
import { refuseMembers } from '../../input/own-member.ts';
import { settings } from '../../input/settings.ts';
import type { Act } from '../../verb.ts';
import { chooseRun } from './run-choice.ts';
import { progressOf } from './run.ts';

const schema = z.object({
  ...budgetFlags,
  timeout: duration,
  apply: flag,
  failFast: flag,
  strict: flag,
  detach: flag,
  takeover: flag,
  cutOffAfter,
  retryFailed: flag,
  note: text,
  fromEngine: flag,
  trust: publicKeys,
});

export const act: Act = async (context, given) => {
  const flags = readOptions(schema, given);
  refuseMembers(context, 'resume a run');
  trustKeys(context, flags.trust);
  using _relay = flags.fromEngine ? await fromEngine(context) : undefined;
  // Without a team the replica is what it was about.
  if (flags.fromEngine && given.words.length === 0) return 0;
  const { team, words } = chooseRun(context, given.words);
  noMore(words);
  if (flags.retryFailed) await retryFailed(context, team.name, flags.note);
  else if (flags.note !== undefined)
    throw new UsageError('USAGE', '--note is for the tasks that are retried; give --retry-failed, too.');
  const ended = endedRun(team.paths, settings(context).merged.config.prices);
  if (ended?.isDone === true && ended.outcome !== 'cancelled') return nothingToDo(context, ended);
  if (flags.detach) return await detachRun(context, team.paths, flags);
  const { session, agents } = settings(context);
  const lead = { ...sessionOf(session, flags), passesCheckpoints: context.flags.yes };
  return await leadRun(
    context,
    team.paths,
    flags,
    (run) => resumeTeam(team.paths, lead, run, agents),
    progressOf(context),
  );
};

/**
 * Takes what the store has for what only this machine has, and says where that is.
 *
 * @returns keeps the relay until it is disposed of
 */
async function fromEngine(context: CliContext): Promise<Disposable> {
  const { store, io } = context;
  if (store === undefined)
    throw new UsageError('USAGE', '--from-engine is for a replica: name its store with --store URL or TEAMS_STORE.');
  const teams = await takeFromEngine(store.root, parseEngineAddress(store.url, 'environment'), realClock);
  for (const { team, isThere, lost, folder, file } of teams)
    context.warn(
      `Team ${team} is as its store has it${isThere ? '' : ': gone'}. ${lost} ${lost === 1 ? 'record' : 'records'} that only this machine had ${lost === 1 ? 'is' : 'are'} in ${file}; as it was here it is in ${folder}.`,
    );
  return keepRelay(store, {
    clock: realClock,
    environment: io.environment,
    tell: (text) => context.warn(text),
  });
}

async function retryFailed(context: CliContext, team: Name, note: string | undefined): Promise<void> {
  const handle = openHandle(team, settings(context).open);
  try {
    const ids = await handle.board.retryFailed(note === undefined ? undefined : await givenText(context, note));
    if (ids.length > 0) context.warn(`Pending again: ${ids.map((id) => `#${id}`).join(' ')}.`);
  } finally {
    await handle[Symbol.asyncDispose]();
  }
}

/** @returns the run's own exit code */
function nothingToDo(context: CliContext, { outcome, report }: EndedRun): number {
  const cure =
    report.failures.length === 0 ? '' : ` \`teams resume ${report.team} --retry-failed\` tries what failed again.`;
  context.result(report, `Nothing to do: team ${report.team} has ended (${outcome}).${cure}`);
  return report.exitCode;
}
