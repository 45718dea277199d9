/** `teams worker`: runs one teammate in this process. */
import * as z from 'zod';
import {
  agentRuleVariables,
  configureMember,
  didYouMean,
  encodeCutOffAfter,
  join,
  parseName,
  serve,
  setLimits,
  startWorkerReaper,
  UsageError,
  type ExitReason,
  type Name,
  type TeamHandle,
} from '../../../../app.ts';
import { agentFor } from '../../input/default-agent.ts';
import { cutOffAfter, duration, flag, noMore, publicKeys, readOptions, text, trustKeys } from '../../input/options.ts';
import type { CliContext } from '../../context.ts';
import { freeTerminal, type ShownRun } from '../../output/lead-terminal.ts';
import { budgetFlags, memberLimits } from '../../input/limit-change.ts';
import { refuseMembers } from '../../input/own-member.ts';
import { settings } from '../../input/settings.ts';
import { openTeamChoice } from '../../input/team-choice.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({
  agent: text,
  role: text,
  idleTimeout: duration,
  cutOffAfter,
  join: flag,
  trust: publicKeys,
  ...budgetFlags,
});

export const act: Act = async (context, given) => {
  const read = readOptions(schema, given);
  const { agent, role, idleTimeout, cutOffAfter: endAfter, join: joins, trust, ...limits } = read;
  refuseMembers(context, 'run another teammate');
  trustKeys(context, trust);
  const { handle, words } = await openTeamChoice(context, given.words, { needs: 1 });
  const { store } = handle;
  try {
    store.requireTrusted();
    const name = parseName('member', words[0] ?? '');
    noMore(words.slice(1));
    const spec = agent === undefined ? undefined : await agentFor(settings(context), context.io, agent, `for ${name}`);
    if (!joins) requireMember(handle, name);
    const signer = store.config.signer();
    await configureMember(handle, name, { role });
    warnOfSigner(context, handle, signer);
    await setLimits(store, memberLimits(name, limits), settings(context).merged.config.prices);
    await using reaper = startWorkerReaper(context.io.environment);
    const teammate = await join(store, name, {
      byHand: true,
      commandLine: async (argv, io) => (await import('../../main.ts')).main(argv, io),
      environment: {
        ...context.io.environment,
        ...agentRuleVariables(settings(context).session),
        ...encodeCutOffAfter(endAfter),
        ...reaper.environment,
      },
      agent: spec,
      cwd: context.io.cwd,
      idleTimeoutMs: idleTimeout,
    });
    freeTerminal(context);
    context.info(`${name} works for team ${handle.name}; Ctrl-C ends it.`);
    const shown = await linesOf(context, handle, name);
    const { why, exitCode } = await serve(teammate).finally(() => shown?.stop());
    context.info(ENDINGS[why](name, handle.name));
    context.result({ member: name, exitCode, why }, '');
    return exitCode;
  } finally {
    await store.close();
  }
};

/** Why a worker ended, for the person at its terminal. */
const ENDINGS: Readonly<Record<ExitReason, (name: string, team: string) => string>> = {
  shutdown: (name) => `${name} ended: the lead asked it to stop.`,
  idle: (name, team) => `${name} ended: it had no work for the time of --idle-timeout, and left team ${team}.`,
  done: (name) => `${name} ended: all tasks of its role are done.`,
  closed: (name, team) => `${name} ended: team ${team} was closed; \`teams report ${team}\` shows how it ended.`,
  replaced: (name) => `${name} ended: its lease was lost here, so another process may work as ${name} now.`,
  signal: (name) => `${name} ended: it was stopped here. A task that it had is free again.`,
  gone: (name, team) => `${name} ended: the folder of team ${team} was removed or replaced.`,
  'cut-off': (name) => `${name} ended: the store of its team was not heard for the time of --cut-off-after.`,
  unfit: (name) => `${name} ended: no agent can work for it here; \`teams doctor\` says what to do.`,
};

/** What the member does, as lines on stderr; nothing with `--quiet`. */
async function linesOf(context: CliContext, { store }: TeamHandle, name: Name): Promise<ShownRun | undefined> {
  context.io.own?.stderr.setHint(`${store.paths.events} has all events`);
  if (context.flags.quiet) return undefined;
  const { startMemberLines } = await import('../../../terminal/progress-view.ts');
  return startMemberLines(store.paths, context.io.stderr, name);
}

/** Who adds a member on a machine with a key of its own signs the team's configuration with it. */
function warnOfSigner(context: CliContext, { name, store }: TeamHandle, before: string | undefined): void {
  const now = store.config.signer();
  if (before === undefined || now === undefined || now === before) return;
  context.warn(
    `The configuration of team ${name} is signed with ${now} now: machines with other keys need \`--trust ${now}\`.`,
  );
}

/** A name that no member ever had may be a slip: a new member is asked for by an option. One that left comes back. */
function requireMember({ name: team, store }: TeamHandle, name: string): void {
  const members = [...store.board.fold().members.values()];
  if (members.some((member) => member.name === name)) return;
  const known = members.flatMap((member) => (member.state === 'joined' ? [member.name] : []));
  throw new UsageError(
    'UNKNOWN_MEMBER',
    `Team ${team} has no member ${name}${didYouMean(name, known)} \`--join\` adds it as a new member.`,
  );
}
