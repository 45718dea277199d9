/** Opens an agent for a member: with its environment, home, session, tools and isolation. */
import { isAbsolute, join } from 'node:path';
import { agentFor, childEnvironment, loginFiles, type Agent, type AgentContext } from '../../agents/agent-registry.ts';
import type { AgentSpec } from '../../model/agent/agent.ts';
import { bringsSandbox, hasToolLoop, usesModel } from '../../model/agent/agent-kinds.ts';
import type { Name } from '../../model/text/names.ts';
import { isTeamError } from '../../model/text/errors.ts';
import { withModel } from '../../model/agent/models.ts';
import { asksPerson, type MemberConfig, type TeamConfig } from '../../model/team/team-config.ts';
import { notEnforcedEvent } from '../../model/team/not-enforced.ts';
import { joinedLend } from '../../model/team/lend.ts';
import { defined } from '../../model/text/defined.ts';
import { portsOf } from '../../policy/landing/port-base.ts';
import { defaultSandbox } from '../../policy/sandbox/sandbox-enforcement.ts';
import { wantsIsolation } from '../../policy/sandbox/program-isolation.ts';
import type { Permissions } from '../../policy/sandbox/effective-sandbox.ts';
import type { ShownTree } from '../../policy/sandbox/lent-path.ts';
import { keptSession } from '../../store/team/agent-home.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { availabilityOf, requireAvailable } from './availability.ts';
import { identityOf } from './agent-brief.ts';
import { memberHome, watched } from './watched-agent.ts';
import { insideEnvironment, memberServer, memberServerInside } from '../isolation/member-server.ts';
import { writeDoor } from './write-door.ts';
import type { CommandLine } from '../isolation/broker.ts';
import type { HeldProgram } from '../isolation/open-program-isolation.ts';
import { pathWithUs } from '../process/package.ts';
import { decodeAgentRules, decodeIsolation, decodeLend } from '../team/teammate-env.ts';
import type { Workspace } from '../tools/tool-workspace.ts';
import { ENV } from '../../model/text/environment.ts';
import { stateFolder } from '../../store/user/seal.ts';
import { realPath } from '../../store/workspace/sandbox-host.ts';
import { placeOf, workPlaceOf } from '../../store/team/work-place.ts';

/** What belongs to a member, whichever agent works for it. */
export interface MemberContext {
  readonly store: TeamStore;
  readonly config: TeamConfig;
  /** Its working directory is a tree of its own, which is shown where the project lies. */
  readonly shown?: ShownTree | undefined;
  readonly member: MemberConfig;
  /** The token that proves that a process belongs to this member. */
  readonly token: string;
  /** The environment of this process. */
  readonly parent: Readonly<Record<string, string | undefined>>;
  /** The command line, for programs in isolation. */
  readonly commandLine: CommandLine;
  /** It is opened for a planning turn, whose isolation says nothing about the member's own. */
  readonly isPlanner?: boolean;
  /** What it may do to files at present. */
  readonly permissions: () => Permissions;
}

export interface OpenedAgent {
  readonly spec: AgentSpec;
  readonly agent: Agent;
  /** The environment variables of this member, without those of one task. */
  readonly environment: Readonly<Record<string, string>>;
  /** The workspace of its shell and file tools, if this process executes them. */
  readonly workspace?: Workspace | undefined;
  /** The isolation of its program; closed with the agent. */
  readonly isolation?: HeldProgram | undefined;
}

/**
 * Opens the member's own agent.
 *
 * @throws AgentError `AGENT_UNAVAILABLE` naming the member and what is missing; UsageError for options of another kind
 */
export async function openAgent(place: MemberContext, spec: AgentSpec): Promise<OpenedAgent> {
  const environment = environmentOf(place, spec);
  await requireAvailable(spec, place.member.name, environment);
  return seated(place, spec, environment, { keepsSession: true });
}

/**
 * Opens a stand-in for another agent, if it can work.
 *
 * @param keepsSession it stays for the run, so that a later process continues its session
 * @returns the stand-in, or why it cannot work
 */
export async function openStandIn(
  place: MemberContext,
  spec: AgentSpec,
  { keepsSession }: { keepsSession: boolean },
): Promise<OpenedAgent | string> {
  const environment = environmentOf(place, spec);
  const { isAvailable, found } = await availabilityOf(spec, environment);
  if (!isAvailable) return found;
  try {
    return await seated(place, spec, environment, { keepsSession });
  } catch (error) {
    if (isTeamError(error)) return error.message;
    throw error;
  }
}

async function seated(
  place: MemberContext,
  asked: AgentSpec,
  environment: Readonly<Record<string, string>>,
  { keepsSession }: { keepsSession: boolean },
): Promise<OpenedAgent> {
  const wanted = withModel(asked, decodeAgentRules(place.parent));
  const isolation = await isolationOf(place, wanted, environment);
  const given = isolation === undefined ? environment : insideEnvironment(environment);
  try {
    const spec = isolation === undefined ? await withOwnSandbox(place, wanted, environment) : wanted;
    const isolate = isolation?.hold;
    const agentContext: AgentContext = { ...contextOf(place, spec, given, keepsSession, isolation), isolate };
    const made = await agentFor(spec, agentContext);
    const agent = watched(made, spec.kind, { isolation, environment, ...place });
    const workspace = hasToolLoop(spec.kind) ? await workspaceOf(place) : undefined;
    return { spec, agent, environment: given, workspace, isolation };
  } catch (error) {
    await isolation?.close();
    throw error;
  }
}

/** The program of an agent that isolates its commands itself. What that does not hold is told. */
async function withOwnSandbox(
  { store, config, member: { name, role, sandbox = defaultSandbox(role) }, shown, parent }: MemberContext,
  spec: AgentSpec,
  environment: OpenedAgent['environment'],
): Promise<AgentSpec> {
  if (!bringsSandbox(spec.kind) || sandbox !== 'workspace-write' || shown !== undefined) return spec;
  const { programOfOwnSandbox } = await import('../isolation/own-programs.ts');
  const root = realPath(workPlaceOf(store.disk, store.paths, config));
  const found = programOfOwnSandbox(spec, root, { ...parent, ...environment });
  if (found.weakness !== undefined)
    store.events.append(notEnforcedEvent({ what: `${name} (${spec.kind})`, sandbox, why: found.weakness }));
  return found.spec;
}

/** What an agent keeps across processes: home, identity, session. A command keeps nothing. */
function contextOf(
  { store, config, member, parent }: MemberContext,
  { kind }: AgentSpec,
  environment: OpenedAgent['environment'],
  keepsSession: boolean,
  isolation: HeldProgram | undefined,
): AgentContext {
  if (!usesModel(kind)) return {};
  const { disk, paths } = store;
  const session = keepsSession ? keptSession(disk, paths, member.name, kind) : undefined;
  return {
    home: memberHome({ store, member }),
    identity: identityOf(store, config, member),
    // A program that executes its own tools gets our MCP server.
    ...(hasToolLoop(kind)
      ? {}
      : { server: isolation === undefined ? memberServer(paths.root, environment, parent) : memberServerInside() }),
    session,
    asks: asksPerson(config, member),
  };
}

/** The isolation of its program, if it should have one; the code is loaded only then. */
async function isolationOf(
  { store, config, shown, member, parent, commandLine, isPlanner = false }: MemberContext,
  spec: AgentSpec,
  environment: OpenedAgent['environment'],
): Promise<HeldProgram | undefined> {
  const { kind } = spec;
  const { name, role, sandbox = defaultSandbox(role) } = member;
  const setting = decodeIsolation(parent);
  const isSaid = member.sandbox !== undefined || sandbox === 'read-only';
  const isAsked = isSaid && config.profile !== 'relay';
  if (!wantsIsolation(kind, { sandbox, isAsked, setting, asksPerson: asksPerson(config, member) })) return undefined;

  const { openProgramIsolation } = await import('../isolation/open-program-isolation.ts');
  const isolation = await openProgramIsolation({
    setting,
    root: workPlaceOf(store.disk, store.paths, config),
    shown,
    isWritable: sandbox !== 'read-only',
    environment: parent,
    commandLine: (argv, io) => commandLine(argv, { ...io, openTeam: store }),
    ownHome: memberHome({ store, member }),
    shared: loginFiles(kind, environment).writable,
    lend: joinedLend(decodeLend(parent), config.lend),
    team: [store.paths.folder, store.paths.board],
    handed: handedTo(store.paths, member),
    readable: [environment[ENV.planDir] ?? ''].filter(Boolean),
    programs: 'command' in spec && Array.isArray(spec.command) ? spec.command.filter((word) => isAbsolute(word)) : [],
    member: { name, team: store.paths.name, environment: { ...speakerOf(parent), ...environment } },
  });
  if (isPlanner) return isolation.kind === 'up' ? isolation : undefined;
  const text = `${name}: ${isolation.kind === 'up' ? 'its program is isolated' : `its program is not isolated: ${isolation.why}`}.`;
  store.events.append({ type: isolation.kind === 'up' ? 'sandbox.held' : 'sandbox.missing', member: name, text });
  return isolation.kind === 'up' ? isolation : undefined;
}

/** For a role of a pipeline: its file, and what the roles before it made; what it answers is kept by its runner. */
const handedTo = ({ folder, session }: TeamStore['paths'], { role_spec: file }: MemberConfig): string[] =>
  file === undefined ? [] : [join(folder, file), ...Object.values(session)];

/** What a command of the member needs of this process: the places of the user's key and configuration. */
const speakerOf = (parent: MemberContext['parent']): Record<string, string> =>
  Object.fromEntries(
    ['HOME', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME'].flatMap((name): [string, string][] => {
      const value = parent[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** Absent for a team without a plan. */
const planDirOf = ({ disk, paths }: MemberContext['store'], { plan_dir, places }: TeamConfig): string | undefined =>
  plan_dir === undefined ? undefined : placeOf(disk, paths, plan_dir, places === 'relative');

/** The workspace of a model's tools, limited by the member's permissions; the code is loaded only for such agents. */
async function workspaceOf({ store, config, shown, member, parent, permissions }: MemberContext): Promise<Workspace> {
  const { openWorkspace } = await import('../tools/tool-workspace.ts');
  const workspace = await openWorkspace({
    root: workPlaceOf(store.disk, store.paths, config),
    shown,
    environment: parent,
    permissions,
    refusesWrite: writeDoor(store, member.name, workPlaceOf(store.disk, store.paths, config)),
    isolation: decodeIsolation(parent),
    lend: joinedLend(decodeLend(parent), config.lend),
    team: [store.paths.folder, store.paths.board],
    handed: handedTo(store.paths, member),
    named: { env: member.env ?? {}, envPass: config.env_pass ?? [] },
    onWarning: (text) => void store.events.append({ type: 'sandbox.missing', member: member.name, text }),
  });
  if (workspace.isIsolated) store.events.append({ type: 'sandbox.held', member: member.name });
  const sandbox = member.sandbox ?? defaultSandbox(member.role);
  const { isHome, HOME_IS_OPEN } = await import('../isolation/own-programs.ts');
  const root = realPath(workPlaceOf(store.disk, store.paths, config));
  if (workspace.isIsolated && sandbox === 'workspace-write' && shown === undefined && isHome(root, parent))
    store.events.append(notEnforcedEvent({ what: member.name, sandbox, why: HOME_IS_OPEN }));
  return workspace;
}

function environmentOf(
  { store, config, member, token, parent }: MemberContext,
  spec: AgentSpec,
): Readonly<Record<string, string>> {
  return childEnvironment(spec.kind, {
    parent,
    env: { ...member.env, ...spec.env },
    envPass: config.env_pass ?? [],
    add: {
      PATH: pathWithUs(parent['PATH'] ?? '/usr/bin:/bin'),
      [ENV.root]: store.paths.root,
      [ENV.team]: store.paths.name,
      [ENV.member]: member.name,
      [ENV.role]: member.role,
      [ENV.token]: token,
      ...defined({ [ENV.proof]: bringsSandbox(spec.kind) ? token : undefined }),
      ...portVariables(store, config, member.name),
      ...defined({ [ENV.planDir]: planDirOf(store, config), [ENV.run]: parent[ENV.run], [ENV.mark]: parent[ENV.mark] }),
      ...defined({ [ENV.trust]: store.trust?.join(',') ?? parent[ENV.trust] }),
      // A relay hears who has the user's key: a command of the agent must find it whatever its home is.
      ...(store.isShared ? { XDG_STATE_HOME: stateFolder(parent) } : {}),
    },
  });
}

/** What servers of members in trees of their own get in each other's way by. */
function portVariables({ board }: TeamStore, { isolation, members }: TeamConfig, name: Name): Record<string, string> {
  if (isolation !== 'trees') return {};
  return { [ENV.portBase]: String(portsOf(board.fold().team?.id ?? '', members, name)) };
}
