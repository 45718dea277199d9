/** `teams spawn`: the team's lead starts a teammate. */
import * as z from 'zod';
import {
  ConflictError,
  equip,
  isLed,
  parseAgentFlag,
  parseName,
  requestSpawn,
  sandboxSchema,
  UsageError,
} from '../../../index.ts';
import { flag, readOptions, text } from '../given.ts';
import { mustNotBeMember } from '../own-member.ts';
import { settings } from '../settings.ts';
import { openChosen } from '../team-choice.ts';
import type { Act } from '../verb.ts';

const schema = z.object({ agent: text, role: text, sandbox: sandboxSchema.optional(), planApproval: flag });

export const act: Act = async (frame, given) => {
  const { agent, role, sandbox, planApproval } = readOptions(schema, given);
  mustNotBeMember(frame, 'starts another');
  const { handle: opened, words } = await openChosen(frame, given.words, { needs: 1 });
  await using handle = opened;
  const name = parseName('member', words[0] ?? '');
  if (words.length > 1)
    throw new UsageError('USAGE', `One teammate at a time; there is no use for ${JSON.stringify(words[1])}.`);
  const spec = agent === undefined ? undefined : parseAgentFlag(agent, settings(frame).agents);
  if (!isLed(handle.store)) throw noLead(handle.name, name);
  const config = handle.store.config.read();
  if (spec === undefined && config?.members.find((member) => member.name === name)?.agent === undefined)
    throw new UsageError('USAGE', `${name} has no agent yet; give it one with --agent, for example --agent exec.`);
  await equip(handle, name, { role, sandbox, agent: spec, planApproval });
  await requestSpawn(handle, name);
  frame.answer({ member: name }, `The lead of ${handle.name} starts ${name}.`);
  return 0;
};

const noLead = (team: string, member: string): ConflictError =>
  new ConflictError(
    'REFUSED',
    `No lead runs for team ${team}: start one with \`teams lead ${team}\`, or be the teammate yourself with \`teams worker ${team} ${member} --agent exec\`.`,
  );
