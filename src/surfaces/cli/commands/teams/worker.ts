/** `teams worker`: runs one teammate in this process. */
import * as z from 'zod';
import {
  agentRuleVariables,
  configureMember,
  didYouMean,
  join,
  parseName,
  serve,
  UsageError,
  type TeamHandle,
} from '../../../../app.ts';
import { agentFor } from '../../input/default-agent.ts';
import { duration, flag, noMore, readOptions, text } from '../../input/options.ts';
import { freeTerminal } from '../../output/lead-terminal.ts';
import { refuseMembers } from '../../input/own-member.ts';
import { settings } from '../../input/settings.ts';
import { openTeamChoice } from '../../input/team-choice.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({ agent: text, role: text, idleTimeout: duration, join: flag });

export const act: Act = async (context, given) => {
  const { agent, role, idleTimeout, join: joins } = readOptions(schema, given);
  refuseMembers(context, 'run another teammate');
  const { handle, words } = await openTeamChoice(context, given.words, { needs: 1 });
  const { store } = handle;
  try {
    store.requireTrusted();
    const name = parseName('member', words[0] ?? '');
    noMore(words.slice(1));
    const spec = agent === undefined ? undefined : await agentFor(settings(context), context.io, agent, `for ${name}`);
    if (!joins) requireMember(handle, name);
    await configureMember(handle, name, { role });
    const teammate = await join(store, name, {
      byHand: true,
      commandLine: async (argv, io) => (await import('../../main.ts')).main(argv, io),
      environment: { ...context.io.environment, ...agentRuleVariables(settings(context).session) },
      agent: spec,
      idleTimeoutMs: idleTimeout,
    });
    freeTerminal(context);
    context.info(`${name} works for team ${handle.name}; Ctrl-C ends it.`);
    const exitCode = await serve(teammate);
    context.result({ member: name, exitCode }, '');
    return exitCode;
  } finally {
    await store.close();
  }
};

/** A name that no member ever had may be a slip: whoever means a new member says so. One that left comes back. */
function requireMember({ name: team, store }: TeamHandle, name: string): void {
  const members = [...store.board.fold().members.values()];
  if (members.some((member) => member.name === name)) return;
  const known = members.flatMap((member) => (member.state === 'joined' ? [member.name] : []));
  throw new UsageError(
    'UNKNOWN_MEMBER',
    `Team ${team} has no member ${name}${didYouMean(name, known)} \`--join\` adds it as a new member.`,
  );
}
