/** `teams spawn`: asks the team's lead to start a teammate. */
import * as z from 'zod';
import {
  ConflictError,
  configureMember,
  isLed,
  parseName,
  requireHosts,
  requestSpawn,
  sandboxSchema,
  setLimits,
  UsageError,
} from '../../../../app.ts';
import { agentFor } from '../../input/default-agent.ts';
import { flag, hostLabels, readOptions, text } from '../../input/options.ts';
import { budgetFlags, memberLimits } from '../../input/limit-change.ts';
import { refuseMembers } from '../../input/own-member.ts';
import { settings } from '../../input/settings.ts';
import { openTeamChoice } from '../../input/team-choice.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({
  agent: text,
  role: text,
  sandbox: sandboxSchema.optional(),
  planApproval: flag,
  where: hostLabels,
  ...budgetFlags,
});

export const act: Act = async (context, given) => {
  const { agent, role, sandbox, planApproval, where, ...limits } = readOptions(schema, given);
  refuseMembers(context, 'start another teammate');
  const { handle: opened, words } = await openTeamChoice(context, given.words, { needs: 1 });
  await using handle = opened;
  const name = parseName('member', words[0] ?? '');
  if (words.length > 1)
    throw new UsageError('USAGE', `Name one teammate; ${JSON.stringify(words[1])} is an unexpected argument.`);
  if (!isLed(handle.store)) throw noLead(handle.name, name, handle.store.board.fold().members.has(name), agent);
  const own = handle.store.config.readOwn()?.members.find((member) => member.name === name)?.agent;
  const isKept = agent === undefined && own !== undefined;
  const spec = isKept ? undefined : await agentFor(settings(context), context.io, agent, `for ${name}`);
  const place = where.length === 0 ? {} : { where };
  await requireHosts(handle.store, [{ name, ...place }]);
  await configureMember(handle, name, { role, sandbox, agent: spec, planApproval, ...place });
  await setLimits(handle.store, memberLimits(name, limits), settings(context).merged.config.prices);
  await requestSpawn(handle, name);
  context.result({ member: name }, `The lead of ${handle.name} starts ${name}.`);
  return 0;
};

/** Only such a word needs no quotes in a shell. */
const PLAIN_WORD = /^\w[\w-]*$/;

const noLead = (team: string, member: string, isMember: boolean, agent = 'exec'): ConflictError => {
  const join = isMember ? '' : ' --join';
  return new ConflictError(
    'REFUSED',
    `No lead runs for team ${team}: start one with \`teams lead ${team} --detach\` and repeat this command, or run ${member} in this terminal with \`teams worker ${team} ${member}${join} --agent ${PLAIN_WORD.test(agent) ? agent : 'exec'}\`.`,
  );
};
