/** `teams mcp`: runs an MCP server on stdio; its host leads a team, or works in one. */
import * as z from 'zod';
import {
  applyLanded,
  chooseAgent,
  cwdOf,
  detachLead,
  isTeamError,
  LEAD,
  HostLeadContext,
  memberPermissions,
  memberToolContext,
  openHandle,
  parseMemberName,
  UsageError,
  type Permissions,
  ENV,
} from '../../../../app.ts';
import { configuredIsolation } from '../../input/asked-isolation.ts';
import { defaultAgent } from '../../input/default-agent.ts';
import { hostWorkspace } from '../../input/host-workspace.ts';
import { Interrupts } from '../../interrupts.ts';
import { budgetFlags, budgetWords, withLimits, type BudgetFlags } from '../../input/limit-change.ts';
import type { CliContext } from '../../context.ts';
import { refuseMembers } from '../../input/own-member.ts';
import { flag, noMore, readOptions, text } from '../../input/options.ts';
import { settings } from '../../input/settings.ts';
import type { Act } from '../../verb.ts';
import { VERSION } from '../../version.ts';
import { httpPlace, serveLead, serveMembers } from './mcp-http.ts';

const schema = z.object({ team: text, detach: flag, withShell: flag, http: httpPlace, ...budgetFlags });

export const act: Act = async (context, given) => {
  const { team, detach, withShell, http, ...limits } = readOptions(schema, given);
  noMore(given.words);
  if (http !== undefined && context.io.environment[ENV.member] !== undefined)
    throw new UsageError('POLICY_DENIED', 'A teammate cannot serve other hosts.');
  const own = context.io.environment[ENV.member] === undefined ? undefined : context.io.environment[ENV.team];
  const joined = team ?? own;
  if (joined !== undefined && budgetWords(limits).length > 0)
    throw new UsageError(
      'USAGE',
      'Who works in a team sets no limits: leave out --team, or set them with `teams budget TEAM --set`.',
    );
  using interrupts = new Interrupts(undefined, context.io.wire === undefined);
  if (joined === undefined)
    await lead(context, { detach, withShell, limits }, interrupts, (leading) =>
      http === undefined ? serve(context, leading, interrupts) : serveLead(context, http, leading, interrupts),
    );
  else if (http !== undefined) await serveMembers(context, { place: http, team: joined, withShell }, interrupts);
  else await work(context, { team: joined, withShell }, interrupts);
  return interrupts.code ?? 0;
};

/** Leads until the host exits. Then the team is shut down in order, or with `--detach` handed to a background lead. */
async function lead(
  context: CliContext,
  { detach, withShell, limits }: { detach: boolean; withShell: boolean; limits: BudgetFlags },
  interrupts: Interrupts,
  serves: (leading: HostLeadContext) => Promise<void>,
): Promise<void> {
  const { as } = context.flags;
  if (as !== undefined && parseMemberName(as) !== LEAD)
    throw new UsageError('USAGE', `To work as ${as}, name the team: --team TEAM --as ${as}.`);
  refuseMembers(context, 'lead a team');
  const { io } = context;
  const known = settings(context);
  const named = defaultAgent(known, undefined);
  await using workspace = withShell ? await hostWorkspace(context, io.cwd, () => LEADS) : undefined;
  const toolContext = new HostLeadContext({
    workspace,
    open: known.open,
    session: withLimits(known.session, limits),
    agents: known.agents,
    defaultAgent: async () => named ?? chooseAgent(known.merged.config, io.environment),
    cwd: io.cwd,
    trees: configuredIsolation(context),
    apply: (reader, task, signal) => applyLanded(reader, { task, leads: true }, known.session.store, signal),
    environment: io.environment,
    keeps: detach,
    force: interrupts.force,
  });
  if (detach) await takeUp(context, toolContext);
  await serves(toolContext);
  const led = await toolContext.close();
  if (detach && led !== undefined) await detachLead(led, ['lead', led.name, '--root', led.root], io);
}

/** If a team cannot be taken over, the server still runs, so that the host can inspect and delete the team. */
async function takeUp(context: CliContext, toolContext: HostLeadContext): Promise<void> {
  try {
    const team = await toolContext.takeUp();
    if (team !== undefined) context.info(`teams mcp: takes over the lead of team ${team}.`);
  } catch (error) {
    if (!isTeamError(error)) throw error;
    context.info(`teams mcp: ${error.message}`);
  }
}

/** Works as a member: identified by its token, or as a person who names the member with `--as`. */
async function work(
  context: CliContext,
  { team, withShell }: { team: string; withShell: boolean },
  interrupts: Interrupts,
): Promise<void> {
  const { open, merged } = settings(context);
  await using handle = openHandle(team, open);
  if (handle.speaker.name === LEAD)
    throw new UsageError(
      'USAGE',
      `Name the member of team ${team} with --as NAME; to lead, run \`teams mcp\` without --team.`,
    );
  const { members } = handle.store.board.fold();
  if (members.get(handle.speaker.name)?.state !== 'joined')
    throw new UsageError('UNKNOWN_MEMBER', `Team ${team} has no member ${handle.speaker.name}.`);
  const cwd = cwdOf(handle.store);
  await using workspace = withShell ? await hostWorkspace(context, cwd, () => memberPermissions(handle)) : undefined;
  const { isolate } = context.io;
  await serve(context, memberToolContext(handle, { workspace, isolate, prices: merged.config.prices }), interrupts);
}

/** The permissions of a lead's host for our workspace tools. */
const LEADS: Permissions = { sandbox: 'workspace-write', planPending: false };

async function serve(
  context: CliContext,
  toolContext: HostLeadContext | ReturnType<typeof memberToolContext>,
  interrupts: Interrupts,
): Promise<void> {
  const { serveMcp } = await import('../../../mcp/serve-mcp.ts');
  const stop = AbortSignal.any([interrupts.stop, context.io.gone]);
  await serveMcp({
    context: toolContext,
    version: VERSION,
    wire: context.io.wire,
    stop,
    onTrouble: (error) => context.info(`teams mcp: ${error.message}`),
  });
}
