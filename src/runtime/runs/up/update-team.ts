/**
 * `teams up`: a changed plan is compared with its team, living or ended, and carried out in one batch of
 * the board. What comes after the batch can be done again by the same call: it ends what a crash left undone.
 */
import type { AgentSpec } from '../../../model/agent/agent.ts';
import type { Plan } from '../../../model/plan/plan.ts';
import { refused, type Board, type Refused } from '../../../model/board/board.ts';
import type { Body } from '../../../model/board/event.ts';
import type { MemberConfig, TeamConfig } from '../../../model/team/team-config.ts';
import type { RunState } from '../../../model/run/run-state.ts';
import { isScope, type BudgetLimits } from '../../../model/team/budget.ts';
import { lendsNothing } from '../../../model/team/lend.ts';
import { ConflictError, UsageError } from '../../../model/text/errors.ts';
import type { Name } from '../../../model/text/names.ts';
import { differenceLines, differenceSummary } from '../../../policy/up/difference-text.ts';
import { FIXED_KEYS, planDifference, type PlanDifference } from '../../../policy/up/plan-difference.ts';
import { withMembers } from '../../../policy/sandbox/judged-work.ts';
import { idsAfter, planUpdate } from '../../../policy/up/plan-update.ts';
import { changePlan, formerPlan, restoreFormerPlan, type KeptPlan } from '../../../store/board/plan-record.ts';
import { createBell, removeBell } from '../../../store/mail/bell.ts';
import type { TeamStore } from '../../../store/team/team-store.ts';
import { setLimits } from '../../budget/limits.ts';
import { authorOf } from '../../team/authentication.ts';
import { memberConfig } from '../../team/membership.ts';
import { askToEnd } from '../../lead/changed-members.ts';
import { publishOutcome, refusalError } from '../../team/task-service.ts';
import type { TeamHandle } from '../../team/team-handle.ts';
import { isLed, requestSpawn } from '../living-lead.ts';
import { loadPlan, planOfKept } from '../plan/kept-plan.ts';
import { planHash } from '../plan/planned-team.ts';

/** A changed plan beside its team. */
export interface TeamUpdate {
  readonly next: Plan;
  readonly kept: KeptPlan;
  readonly difference: PlanDifference;
  /** The plan is the one before the last change. */
  readonly isBack: boolean;
}

interface GivenUpdate {
  readonly plan: Plan;
  readonly from: { readonly kept: KeptPlan };
}

/**
 * @param agents the configured agents that plans may name
 * @throws UsageError `PLAN_INVALID` for what cannot change in an existing team; `POLICY_DENIED` for a pipeline;
 *   ConflictError `REFUSED` for a team whose log is of the version before
 */
export function compareWithTeam(
  { store, name }: TeamHandle,
  { plan, from }: GivenUpdate,
  agents: ReadonlyMap<string, AgentSpec>,
  isBack = false,
): TeamUpdate {
  const board = store.board.fold();
  const next = { ...plan, name };
  const now = loadPlan(store, agents);
  if (board.profile === 'pipeline')
    throw new UsageError('POLICY_DENIED', `Team ${name} is a pipeline: its roles and its order are not a plan's.`);
  if (board.version === 1)
    throw new ConflictError(
      'REFUSED',
      `Team ${name} is of an earlier version of this program: \`teams resume ${name}\` makes it one whose plan can change.`,
    );
  const difference = planDifference({ board, plan: now && { ...now, name }, members: membersOf(store) }, next);
  const fixed = FIXED_KEYS.filter((key) => difference.settings.includes(key));
  if (fixed.length > 0)
    throw new UsageError(
      'PLAN_INVALID',
      `${fixed.map((key) => JSON.stringify(key)).join(' and ')} cannot change in an existing team; \`teams run --fresh\` makes team ${name} anew.`,
    );
  return { next, kept: from.kept, difference, isBack };
}

/**
 * The plan before the last change, as a given one.
 *
 * @throws UsageError `USAGE` if the plan was never changed; StoreError `UNTRUSTED`
 */
export function earlierPlanOf({ store, name }: TeamHandle, agents: ReadonlyMap<string, AgentSpec>): GivenUpdate {
  const kept = formerPlan(store);
  if (kept === undefined) throw new UsageError('USAGE', `The plan of team ${name} was never changed.`);
  return { plan: planOfKept(kept, agents), from: { kept } };
}

/**
 * Carries out what was shown.
 *
 * @throws ConflictError `NOT_READY` if the team changed meanwhile, so that something else would happen; StoreError
 *   `UNTRUSTED`, before anything is changed
 */
export async function carryOutUpdate(
  handle: TeamHandle,
  update: TeamUpdate,
  agents: ReadonlyMap<string, AgentSpec>,
): Promise<void> {
  const { store } = handle;
  const { next, difference } = update;
  store.requireTrusted();
  const joining = difference.members.flatMap((one) => (one.kind === 'added' ? [one.name] : []));
  const ids = idsAfter(store.board.fold(), difference);
  // Before the board: a run that had ended is never taken for one that the changed plan has ended.
  const former = isLed(store)
    ? undefined
    : await store.state.update((state) => ({ next: state && unfinished(state), result: state }));
  try {
    await changeBoard(handle, update, joining, agents);
  } catch (error) {
    await store.state.update(() => ({ next: former, result: undefined }));
    throw error;
  }
  await store.config.update((current) => ({
    next: current && changedConfig(current, next, difference, store.board.board),
    result: undefined,
  }));
  await setLimits(store, [{ how: 'set', limits: limitsOf(next, ids) }]);
  store.events.append({ type: 'plan.changed', text: differenceSummary(difference) });
  for (const name of isLed(store) ? endingOf(store, difference) : []) await askToEnd(store, handle.speaker, name);
  await finishUpdate(handle, update, agents, joining);
}

/**
 * What is left when the board and the members are as the plan says: the plan is the team's, and its new members start.
 * An update that was killed comes here, too, when it is repeated.
 */
export async function finishUpdate(
  handle: TeamHandle,
  { next, kept, isBack }: TeamUpdate,
  agents: ReadonlyMap<string, AgentSpec>,
  joining: readonly Name[] = [],
): Promise<void> {
  const { store, name: team } = handle;
  store.requireTrusted();
  const now = loadPlan(store, agents);
  if (isBack) restoreFormerPlan(store, kept);
  else if (now === undefined || planHash({ ...now, name: team }) !== planHash(next)) changePlan(store, kept);
  if (!isLed(store)) return;
  const { members } = store.board.fold();
  const neverStarted = next.members
    .map(({ name }) => name)
    .filter((name) => members.get(name)?.state === 'joined' && store.roster.read(name) === undefined);
  for (const name of new Set([...joining, ...neverStarted])) await requestSpawn(handle, name);
}

/** A run that had ended goes on: how it stood is no longer how it stands. */
const unfinished = (state: RunState): RunState => ({
  ...state,
  status: 'active',
  phase: 'executing',
  exitCode: undefined,
  gates: [],
});

/** Members whose process ends after its task; a worker in a person's terminal ends only if it leaves. */
const endingOf = (store: TeamStore, { members }: PlanDifference): Name[] =>
  members.flatMap(({ kind, name }) => {
    const life = store.lifeOf(name);
    const isByHand = life === 'elsewhere' || store.roster.read(name)?.by_hand === true;
    const ends = kind === 'removed' || (kind === 'changed' && !isByHand);
    return ends && (life === 'alive' || life === 'elsewhere') ? [name] : [];
  });

const membersOf = (store: Pick<TeamStore, 'config'>): readonly MemberConfig[] => store.config.read()?.members ?? [];

async function changeBoard(
  handle: TeamHandle,
  { next, difference }: TeamUpdate,
  joining: readonly Name[],
  agents: ReadonlyMap<string, AgentSpec>,
): Promise<void> {
  const { store, speaker } = handle;
  const shown = differenceLines(difference).join('\n');
  const now = loadPlan(store, agents);
  const build = (board: Board): Body | Refused => {
    const present = planDifference(
      { board, plan: now && { ...now, name: next.name }, members: membersOf(store) },
      next,
    );
    if (differenceLines(present).join('\n') !== shown)
      return refused('NOT_READY', 'the team has changed since its plan was compared; repeat `teams up`');
    const changes = planUpdate(board, next, present, { absent: absentMembers(store) });
    return { type: 'batch', changes };
  };
  const isNeeded = planUpdate(store.board.fold(), next, difference, { absent: absentMembers(store) }).length > 0;
  const bells = joining.map((name) => store.paths.inbox(name).bell);
  for (const bell of bells) createBell(store.disk, bell);
  if (!isNeeded) return;
  const { outcome } = await store.board.append(authorOf(speaker), build);
  if (!outcome.ok) {
    const { members } = store.board.board;
    for (const name of joining)
      if (members.get(name)?.state !== 'joined') removeBell(store.disk, store.paths.inbox(name).bell);
    throw refusalError(outcome);
  }
  await publishOutcome(store, outcome, speaker);
}

function absentMembers(store: TeamStore): ReadonlySet<Name> {
  return new Set([...store.board.board.members.keys()].filter((name) => store.lifeOf(name) === 'dead'));
}

function changedConfig(config: TeamConfig, next: Plan, { members }: PlanDifference, board: Board): TeamConfig {
  const entries = new Map(config.members.map((member) => [member.name, member]));
  for (const one of members) {
    const before = entries.get(one.name);
    if (one.kind === 'added' || one.kind === 'changed') {
      const { role, agent, sandbox, env, planApproval, approvals, approvalMs, where, prompt } = one.member;
      const input = { name: one.name, role, agent, sandbox, env, planApproval, approvals, approvalMs, where, prompt };
      const made = memberConfig(config.name, input, entries.size);
      const revision = one.kind === 'changed' ? (before?.revision ?? 0) + 1 : before?.revision;
      entries.set(one.name, { ...made, color: before?.color ?? made.color, revision });
    } else if (one.kind === 'removed' && before !== undefined) {
      // Who had no process left with the batch.
      const isThere = board.members.get(one.name)?.state === 'joined';
      entries.set(one.name, { ...before, leaving: isThere ? true : undefined });
    }
  }
  return {
    ...withMembers(config, [...entries.values()]),
    env_pass: [...next.envPass],
    lend: next.lend && !lendsNothing(next.lend) ? next.lend : undefined,
  };
}

/** Limits of tasks are the plan's by position; the ledger's are by id. */
function limitsOf({ budgets = {} }: Plan, ids: readonly string[]): BudgetLimits {
  return Object.fromEntries(
    Object.entries(budgets).flatMap(([scope, limit]) => {
      const position = /^task\.([0-9]+)$/.exec(scope)?.[1];
      const given = position === undefined ? scope : `task.${ids[Number(position) - 1] ?? ''}`;
      return isScope(given) ? [[given, limit] as const] : [];
    }),
  );
}
