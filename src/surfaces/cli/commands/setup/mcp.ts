/** `teams mcp`: this process is an MCP server on stdio, which leads a team or works in one. */
import * as z from 'zod';
import {
  chooseAgent,
  detachLead,
  isTeamError,
  LEAD,
  LeadingDesk,
  leaveOf,
  memberDesk,
  openHandle,
  openWorkspace,
  parseMemberName,
  UsageError,
  type Leave,
  type Workspace,
} from '../../../../index.ts';
import { defaultAgent } from '../../input/default-agent.ts';
import { Endings } from '../../interrupts.ts';
import type { Frame } from '../../context.ts';
import { flag, noMore, readOptions, text } from '../../input/options.ts';
import { settings } from '../../input/settings.ts';
import type { Act } from '../../verb.ts';
import { VERSION } from '../../version.ts';

const schema = z.object({ team: text, detach: flag, withShell: flag });

export const act: Act = async (frame, given) => {
  const { team, detach, withShell } = readOptions(schema, given);
  noMore(given.words);
  const own =
    frame.outside.environment['TEAMS_MEMBER'] === undefined ? undefined : frame.outside.environment['TEAMS_TEAM'];
  const joined = team ?? own;
  using endings = new Endings();
  if (joined === undefined) await lead(frame, { detach, withShell }, endings);
  else await work(frame, { team: joined, withShell }, endings);
  return endings.code ?? 0;
};

/** As a lead, until the host goes away: then the team is shut down in order, or handed to a lead in the background. */
async function lead(
  frame: Frame,
  { detach, withShell }: { detach: boolean; withShell: boolean },
  endings: Endings,
): Promise<void> {
  const { as } = frame.flags;
  if (as !== undefined && parseMemberName(as) !== LEAD)
    throw new UsageError('USAGE', `To work as ${as}, say in which team: --team TEAM --as ${as}.`);
  const { outside } = frame;
  const known = settings(frame);
  const named = defaultAgent(known, undefined);
  await using workspace = withShell ? await shell(frame, outside.cwd, () => LEADS) : undefined;
  const desk = new LeadingDesk({
    workspace,
    ...{ open: known.open, session: known.session, agents: known.agents },
    defaultAgent: async () => named ?? chooseAgent(known.merged.config, outside.environment),
    ...{ cwd: outside.cwd, environment: outside.environment, keeps: detach, force: endings.force },
  });
  if (detach) await takeUp(frame, desk);
  await serve(frame, desk, endings);
  const led = await desk.close();
  if (detach && led !== undefined) await detachLead(led, ['lead', led.name, '--root', led.root], outside);
}

/** A team that cannot be taken up is no reason to serve nothing: it can be looked at and deleted. */
async function takeUp(frame: Frame, desk: LeadingDesk): Promise<void> {
  try {
    const team = await desk.takeUp();
    if (team !== undefined) frame.say(`teams mcp: leads team ${team} again.`);
  } catch (error) {
    if (!isTeamError(error)) throw error;
    frame.say(`teams mcp: ${error.message}`);
  }
}

/** As a member: by its token, or a person in its name. */
async function work(
  frame: Frame,
  { team, withShell }: { team: string; withShell: boolean },
  endings: Endings,
): Promise<void> {
  await using handle = openHandle(team, settings(frame).open);
  if (handle.speaker.name === LEAD)
    throw new UsageError('USAGE', `As whom of team ${team}? Say --as NAME; a lead is \`teams mcp\` without --team.`);
  const { members } = handle.store.board.fold();
  if (members.get(handle.speaker.name)?.state !== 'joined')
    throw new UsageError('UNKNOWN_MEMBER', `Team ${team} has no member ${handle.speaker.name}.`);
  const { root } = handle.paths;
  const cwd = handle.store.config.read()?.cwd ?? root;
  await using workspace = withShell ? await shell(frame, cwd, () => leaveOf(handle)) : undefined;
  await serve(frame, memberDesk(handle, workspace), endings);
}

/** What a lead's host may do with our tools. */
const LEADS: Leave = { sandbox: 'workspace-write', planPending: false };

/** The workspace of a host: its commands get no key. */
async function shell(frame: Frame, root: string, leave: () => Leave): Promise<Workspace> {
  const { environment } = frame.outside;
  const { bwrap } = settings(frame).merged.config.sandbox;
  const onWarning = (text: string): void => frame.warn(text);
  return openWorkspace({ root, bwrap, leave, onWarning, environment });
}

async function serve(frame: Frame, desk: LeadingDesk | ReturnType<typeof memberDesk>, endings: Endings): Promise<void> {
  const { serveMcp } = await import('../../../mcp/serve-mcp.ts');
  const stop = AbortSignal.any([endings.stop, frame.outside.gone]);
  await serveMcp({ desk, version: VERSION, stop, onTrouble: (error) => frame.say(`teams mcp: ${error.message}`) });
}
