/**
 * Becoming a member's process: the lease says whether to try, the log says whether it worked, and the roster records
 * the process. Used by teammates that a lead starts and by workers that a person starts.
 */
import process from 'node:process';
import { newId } from '../../store/files/new-ids.ts';
import { agentSpecSchema, type AgentSpec } from '../../model/agent/agent.ts';
import { agentForm } from '../../model/agent/plain-agent.ts';
import { AgentError, codeOf, ConflictError, UsageError } from '../../model/text/errors.ts';
import type { Name } from '../../model/text/names.ts';
import { LEAD } from '../../model/text/names.ts';
import type { MemberConfig, TeamConfig } from '../../model/team/team-config.ts';
import { defaultSandbox } from '../../policy/sandbox/sandbox-enforcement.ts';
import { profiles } from '../../policy/profiles.ts';
import type { ShownTree } from '../../policy/sandbox/lent-path.ts';
import type { Permissions } from '../../policy/sandbox/effective-sandbox.ts';
import { takeLease, type Lease, type LeaseEnvironment } from '../../store/team/lease.ts';
import { ownIdentity } from '../../os/process-table.ts';
import { newToken, tokenHash } from '../../store/team/roster.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { briefOf } from '../agents/agent-brief.ts';
import { type ExitReason } from './announce-exit.ts';
import { roleOf } from './load-role.ts';
import { sendRateFrom } from '../team/send-rate.ts';
import { openAgent, openStandIn, type MemberContext } from '../agents/open-agent.ts';
import { Teammate } from './teammate.ts';
import type { CommandLine } from '../isolation/broker.ts';
import { decodeAgentRules, decodeCutOffAfter, decodeHook, decodeJudging } from '../team/teammate-env.ts';
import { UNAVAILABLE_EXIT } from '../team/member-session.ts';
import { ENV } from '../../model/text/environment.ts';
import { inOwnTree, requireWorkPlace, workPlaceOf } from '../../store/team/work-place.ts';
import type { AttemptTree } from '../trees/tree-attempt.ts';

export interface JoinOptions {
  readonly byHand: boolean;
  /** Replaces the agent in the team's config. */
  readonly agent?: AgentSpec | undefined;
  readonly idleTimeoutMs?: number | undefined;
  /** The command line, which serves programs in isolation; without it their commands are refused. */
  readonly commandLine?: CommandLine | undefined;
  /** Where it works, for a team in a store: another machine has the team's own working directory. */
  readonly cwd?: string | undefined;
  /** The environment of this process. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Makes this process the member.
 *
 * @throws ConflictError `MEMBER_ALIVE` when another process is this member; StoreError `UNTRUSTED` for a config that this
 *   user did not write; UsageError, AgentError
 */
export async function join(store: TeamStore, name: Name, options: JoinOptions): Promise<Teammate> {
  const own = store.config.readOwn();
  const team = own && options.cwd !== undefined && store.isShared ? { ...own, cwd: options.cwd } : own;
  const member = team?.members.find((one) => one.name === name);
  if (!team || !member)
    throw new UsageError(
      'UNKNOWN_MEMBER',
      `Team ${store.paths.name} has no member ${name}; \`teams create\` or \`teams spawn\` adds one.`,
    );
  requireWorkPlace(store.disk, store.paths, team);
  const spec = options.agent ?? specOf(member);
  const cwd = workPlaceOf(store.disk, store.paths, team);
  const { tree, shown } = await treeFor(store, team, { name, cwd });
  const config = inOwnTree(store.paths, team, name);
  const token = options.environment[ENV.token] ?? newToken();
  const late: { teammate?: Teammate } = {};
  const before: Permissions = {
    sandbox: member.sandbox ?? defaultSandbox(member.role),
    planPending: member.plan_approval ?? false,
  };
  const permissions = (): Permissions => late.teammate?.permissions() ?? before;
  const context: MemberContext = {
    store,
    config,
    shown,
    member,
    token,
    parent: options.environment,
    commandLine: options.commandLine ?? noCommandLine,
    permissions,
  };
  // Open the agent before the lease: a missing agent, or required shell isolation that does not work, is reported
  // first.
  const first = await openAgent(context, spec);
  const events: { lost: (why?: Error) => void } = { lost: () => {} };
  const incarnation = newId(store.clock.now());
  const lease = await leaseFor(store, { name, incarnation, isByHand: options.byHand }, (why) => events.lost(why));
  const cutOffAfterMs = decodeCutOffAfter(options.environment);
  if (store.isShared) store.relay.waitFor(cutOffAfterMs);
  announce(store, name, incarnation, token, options);
  const hook = decodeHook(options.environment);
  const role = roleOf(store, config, member, { agent: first.spec, shown });
  const profile = profiles[config.profile];
  const { stallMs, ...rules } = decodeAgentRules(options.environment);
  const idleTimeoutMs = options.idleTimeoutMs ?? profile.idleTimeoutMs ?? undefined;
  const teammate = new Teammate({
    store,
    lease,
    speaker: { kind: 'member', name, incarnation },
    slots: {
      given: spec,
      first,
      rules,
      openStandIn: (other, how) => openStandIn(context, other, how),
    },
    sandbox: before.sandbox,
    cwd: workPlaceOf(store.disk, store.paths, config),
    tree,
    shown,
    stallMs,
    judging: { rules: decodeJudging(options.environment), environment: options.environment },
    hook,
    brief: briefOf(store, config, member, spec.kind),
    rate: sendRateFrom(store.clock, options.environment),
    role,
    answersMail: spec.kind !== 'exec',
    planApproval: member.plan_approval ?? false,
    openPlanner: spec.kind === 'exec' ? () => openStandIn(reading(context), spec, { keepsSession: false }) : undefined,
    cutOffAfterMs,
    idleTimeoutMs,
    ...mostFailures(options.environment[ENV.maxConsecutiveErrors]),
    asksBeforeStop: spec.shutdown === 'ask',
  });
  late.teammate = teammate;
  events.lost = (why) => teammate.stop(codeOf(why) === 'TEAM_GONE' ? 'gone' : 'replaced');
  return teammate;
}

interface OwnTree {
  readonly tree?: AttemptTree;
  /** What commands in isolation see of it. */
  readonly shown?: ShownTree;
}

/** Without trees no module of theirs is loaded. */
async function treeFor(
  store: TeamStore,
  { isolation }: TeamConfig,
  { name, cwd }: { readonly name: Name; readonly cwd: string },
): Promise<OwnTree> {
  if (isolation !== 'trees') return {};
  const { AttemptTree } = await import('../trees/tree-attempt.ts');
  const { shownTree } = await import('../trees/shown-tree.ts');
  return { tree: await AttemptTree.open(store, name, cwd), shown: shownTree(store, cwd) };
}

const noCommandLine: CommandLine = () =>
  Promise.reject(new UsageError('POLICY_DENIED', 'This process does not serve the command line.'));

const EXITS: Readonly<Partial<Record<ExitReason, number>>> = {
  gone: 4,
  'cut-off': 4,
  replaced: 3,
  unfit: UNAVAILABLE_EXIT,
};

interface Served {
  readonly why: ExitReason;
  readonly exitCode: number;
}

/** Runs a teammate until it exits; SIGTERM, SIGINT and SIGHUP end it. */
export async function serve(teammate: Teammate): Promise<Served> {
  const stop = (): void => teammate.stop('signal');
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop);
  const why: ExitReason = await teammate.run();
  return { why, exitCode: EXITS[why] ?? 0 };
}

/** The member as it is while it plans. */
const reading = (context: MemberContext): MemberContext => ({
  ...context,
  member: { ...context.member, sandbox: 'read-only' },
  isPlanner: true,
});

/** The lead sets it; a worker that a person started may have no lead. */
function mostFailures(text: string | undefined): { mostFailures?: number } {
  const number = Number(text);
  return Number.isSafeInteger(number) && number > 0 ? { mostFailures: number } : {};
}

function specOf(member: MemberConfig): AgentSpec {
  if (member.agent === undefined)
    throw new AgentError(
      'AGENT_UNAVAILABLE',
      `Member ${member.name} has no agent; give it one, for example \`teams worker TEAM ${member.name} --agent exec\`.`,
    );
  const plain = agentForm.plain?.(member.agent);
  if (plain !== undefined) return plain;
  const parsed = agentSpecSchema.safeParse(member.agent);
  if (parsed.success) return parsed.data;
  throw new UsageError(
    'CONFIG_INVALID',
    `The agent of ${member.name} in config.json is invalid: ${parsed.error.issues[0]?.message ?? 'unreadable'}.`,
  );
}

/** A lease of a process on another machine that is lost lapses within this time, in milliseconds. */
const LAPSE_MS = 12_000;
const LOOK_AGAIN_MS = 500;

interface Joining {
  readonly name: Name;
  readonly incarnation: string;
  readonly isByHand: boolean;
}

async function leaseFor(
  store: TeamStore,
  { name, incarnation, isByHand }: Joining,
  onLost: (why?: Error) => void,
): Promise<Lease> {
  const isOurs = (): boolean => {
    store.pinned.check();
    return store.board.fold().members.get(name)?.incarnation === incarnation;
  };
  const until = store.clock.monotonic() + (isByHand ? 0 : LAPSE_MS);
  const environment: LeaseEnvironment = { ...store.forLease(onLost, isOurs), startedBy: isByHand ? 'person' : 'lead' };
  let answer = await takeLease(store.paths, name, environment);
  // The lead starts it anew: the process before is on a machine that is lost, and nobody there gives its lease back.
  while (!answer.held && answer.elsewhere !== undefined && store.clock.monotonic() < until) {
    await store.clock.sleep(LOOK_AGAIN_MS);
    answer = await takeLease(store.paths, name, environment);
  }
  if (!answer.held) throw alive(name, answer.owner?.pid ?? answer.elsewhere?.pid, answer.elsewhere?.machine);
  const { outcome } = await store.board.append({ by: name, inc: incarnation }, (board) => ({
    type: 'member.started',
    name,
    inc: incarnation,
    after: board.members.get(name)?.incarnation ?? null,
  }));
  if (outcome.ok) return answer.lease;
  await answer.lease.release();
  throw outcome.code === 'STALE_MEMBER'
    ? alive(name, undefined)
    : new ConflictError('REFUSED', `${name} cannot start: ${outcome.why}.`);
}

const alive = (name: Name, pid: number | undefined, machine?: string): ConflictError =>
  new ConflictError(
    'MEMBER_ALIVE',
    `${name} is running already${pid === undefined ? '' : ` as pid ${pid}${machine === undefined ? '' : ` on ${machine}`}`}; a member has only one process.`,
  );

function announce(store: TeamStore, name: Name, incarnation: string, token: string, { byHand }: JoinOptions): void {
  const before = store.roster.read(name);
  store.roster.write({
    version: 1,
    ...(byHand ? {} : { mark: before?.mark, run: before?.run, revision: before?.revision, host: before?.host }),
    name,
    phase: 'running',
    ...ownIdentity(),
    folder: store.pinned.identity,
    incarnation,
    tokenHash: tokenHash(token),
    by_hand: byHand,
    started_at: store.clock.now() / 1000,
  });
  store.ring(LEAD);
}
