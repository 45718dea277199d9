/**
 * What a changed plan changes in its team (`teams up`). A value: nothing is carried out here. A task of the
 * plan is the task of the board with its key, else the one with its subject. What a run changes by itself (an owner, an
 * edge, a description) is a difference only where the plan changed it, too; tasks and members that no plan named stay.
 */
import type { Board } from '../../model/board/board.ts';
import { isInternal, type Task } from '../../model/board/task.ts';
import type { Plan, PlanMember, PlanTask } from '../../model/plan/plan.ts';
import type { MemberConfig } from '../../model/team/team-config.ts';
import type { Name } from '../../model/text/names.ts';

export type MemberDifference =
  | { readonly kind: 'added'; readonly name: Name; readonly member: PlanMember }
  | { readonly kind: 'changed'; readonly name: Name; readonly member: PlanMember; readonly what: readonly string[] }
  /** `task`: what it works on; it leaves after that. */
  | { readonly kind: 'removed'; readonly name: Name; readonly task?: string | undefined }
  | { readonly kind: 'kept'; readonly name: Name; readonly why: string };

export type TaskDifference =
  | { readonly kind: 'added'; readonly position: number; readonly subject: string }
  | {
      readonly kind: 'changed';
      readonly id: string;
      readonly position: number;
      readonly subject: string;
      readonly what: readonly string[];
      /** It failed, and is tried again as the plan says now. */
      readonly isRetried: boolean;
    }
  /** `by`: who works on it; the present attempt is lost. */
  | { readonly kind: 'removed'; readonly id: string; readonly subject: string; readonly by?: Name | undefined }
  | { readonly kind: 'kept'; readonly id: string; readonly subject: string; readonly why: string };

export interface PlanDifference {
  readonly members: readonly MemberDifference[];
  readonly tasks: readonly TaskDifference[];
  /** Keys of the plan that differ, besides members and tasks. */
  readonly settings: readonly string[];
  /** Of each task of the new plan: the id on the board; undefined for one that is added. */
  readonly ids: readonly (string | undefined)[];
}

interface TeamAsIs {
  readonly board: Board;
  /** The plan that the team carries out; undefined for one that was made by hand. */
  readonly plan: Plan | undefined;
  readonly members: readonly MemberConfig[];
}

export function planDifference(team: TeamAsIs, next: Plan): PlanDifference {
  const { board, plan } = team;
  const places = taskPlaces(board);
  const before = plan === undefined ? [] : placed(plan.tasks, places);
  const ids = placed(next.tasks, places);
  return {
    members: memberDifferences(team, next),
    tasks: taskDifferences(board, { plan, ids: before }, { plan: next, ids }),
    settings: plan === undefined ? [] : changedSettings(plan, next),
    ids,
  };
}

/** Whether there is something to do. */
export const isSamePlan = ({ members, tasks, settings }: PlanDifference): boolean =>
  settings.length === 0 && [...members, ...tasks].every(({ kind }) => kind === 'kept');

// ── tasks ────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Placed {
  readonly plan: Plan;
  readonly ids: readonly (string | undefined)[];
}

/** The plan of the team; undefined for one that was made by hand. */
interface PlacedBefore {
  readonly plan: Plan | undefined;
  readonly ids: Placed['ids'];
}

/** The tasks that a plan may mean, by key and by subject. */
interface TaskPlaces {
  readonly byKey: ReadonlyMap<string, string>;
  readonly bySubject: ReadonlyMap<string, readonly string[]>;
}

function taskPlaces({ tasks }: Board): TaskPlaces {
  const byKey = new Map<string, string>();
  const bySubject = new Map<string, string[]>();
  for (const task of tasks.values()) {
    if (isWaived(task) || isInternal(task) || 'parent' in task.metadata) continue;
    if (task.key !== undefined) byKey.set(task.key, task.id);
    const same = bySubject.get(task.subject);
    if (same === undefined) bySubject.set(task.subject, [task.id]);
    else same.push(task.id);
  }
  return { byKey, bySubject };
}

const isWaived = (task: Task): boolean => task.status === 'cancelled' && task.waived === true;

/** Keys first, so that a renamed subject takes no other task's place; equal subjects in their order. */
function placed(tasks: readonly PlanTask[], { byKey, bySubject }: TaskPlaces): (string | undefined)[] {
  const ids = tasks.map(({ key }) => (key === undefined ? undefined : byKey.get(key)));
  const taken = new Set(ids);
  return tasks.map(({ subject }, at) => {
    const known = ids[at];
    if (known !== undefined) return known;
    const found = bySubject.get(subject)?.find((id) => !taken.has(id));
    if (found !== undefined) taken.add(found);
    return found;
  });
}

function taskDifferences(board: Board, before: PlacedBefore, next: Placed): TaskDifference[] {
  const oldAt = new Map(before.ids.flatMap((id, at) => (id === undefined ? [] : [[id, at] as const])));
  const wanted = next.plan.tasks.map((planned, position) => {
    const id = next.ids[position];
    const task = id === undefined ? undefined : board.tasks.get(id);
    if (task === undefined) return { position, planned, task: undefined, what: [] };
    const at = oldAt.get(task.id);
    const old = at === undefined ? undefined : before.plan?.tasks[at];
    const edges = { now: blockersOf(planned, next.ids), old: old && blockersOf(old, before.ids) };
    return { position, planned, task, what: changedFields(task, planned, old, edges) };
  });
  const kept = new Set(next.ids);
  const removed = before.ids.flatMap((id) => (kept.has(id) ? [] : (board.tasks.get(id ?? '') ?? [])));
  const mended = wanted.flatMap(({ task, what }) => (task !== undefined && what.length > 0 ? [task] : []));
  const retried = new Set([...mended, ...removed].flatMap(({ id, status }) => (status === 'failed' ? [id] : [])));
  return [
    ...wanted.flatMap(({ position, planned, task, what }): TaskDifference[] => {
      if (task === undefined) return [{ kind: 'added', position, subject: planned.subject }];
      return what.length === 0 && !isRevived(task, retried) ? [] : [changedTask(task, position, what, retried)];
    }),
    ...removed.flatMap((task) => removedTask(task, retried) ?? []),
  ];
}

/** Ids, and the positions of tasks that are not there yet. */
const blockersOf = ({ blockedBy }: PlanTask, ids: Placed['ids']): string[] =>
  blockedBy.map((position) => ids[position] ?? `new ${position}`).sort();

function changedTask(
  task: Task,
  position: number,
  what: readonly string[],
  retried: ReadonlySet<string>,
): TaskDifference {
  const { id, subject, status } = task;
  const isRetried = status === 'failed' || isRevived(task, retried);
  if (status === 'pending' || isRetried) return { kind: 'changed', id, position, subject, what, isRetried };
  return { kind: 'kept', id, subject, why: `${cannotChange(task)}, so its changed ${what.join(', ')} does not count` };
}

/** It was skipped because of a task that is tried again, or that the plan has no more. */
const isRevived = (task: Task, retried: ReadonlySet<string>): boolean =>
  task.status === 'skipped' && retried.has(task.because ?? '');

function cannotChange(task: Task): string {
  if (task.status === 'in_progress') return `${task.claim.member} works on it`;
  if (task.status === 'landing') return 'its change waits to land';
  if (task.status === 'skipped')
    return task.because === undefined ? 'it was skipped' : `it was skipped because #${task.because} failed`;
  return `it is ${task.status}`;
}

function removedTask(task: Task, retried: ReadonlySet<string>): TaskDifference | undefined {
  if (task.status === 'cancelled' || (task.status === 'skipped' && !isRevived(task, retried))) return undefined;
  const { id, subject } = task;
  if (task.status === 'completed') return { kind: 'kept', id, subject, why: 'it is completed, so it stays' };
  return { kind: 'removed', id, subject, by: task.status === 'in_progress' ? task.claim.member : undefined };
}

const isEqual = (one: unknown, other: unknown): boolean => {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].every((key) => isEqual(Reflect.get(one, key), Reflect.get(other, key)));
};

/** The keys of the plan that differ for a task. */
function changedFields(
  task: Task,
  planned: PlanTask,
  old: PlanTask | undefined,
  edges: { readonly now: readonly string[]; readonly old: readonly string[] | undefined },
): string[] {
  const pairs: Record<string, readonly [now: unknown, before: unknown]> = {
    subject: [planned.subject, (old ?? task).subject],
    key: [planned.key, task.key],
    description: [planned.description, (old ?? task).description],
    owner: [planned.owner, (old ?? task).owner],
    role: [planned.role, task.role],
    blockedBy: [edges.now, edges.old ?? [...task.blockedBy].sort()],
    run: [planned.work.run, task.work.run],
    prompt: [planned.work.prompt, task.work.prompt],
    verify: [planned.work.verify, task.work.verify],
    timeout: [planned.work.timeoutMs, task.work.timeoutMs],
    env: [planned.work.env, task.work.env],
    files: [planned.work.files, task.work.files],
    artifact: [planned.work.artifact, task.work.artifact],
    retries: [planned.retries, task.retries],
    required: [planned.required, task.required],
    acceptance: [planned.metadata['acceptance'], task.metadata['acceptance']],
    tier: [planned.metadata['tier'], task.metadata['tier']],
  };
  return Object.entries(pairs).flatMap(([name, [now, before]]) => (isEqual(now, before) ? [] : [name]));
}

// ── members ──────────────────────────────────────────────────────────────────────────────────────────────────────

function memberDifferences({ board, plan, members }: TeamAsIs, next: Plan): MemberDifference[] {
  const configs = new Map(members.map((config) => [config.name, config]));
  const wanted = next.members.flatMap((member): MemberDifference[] => {
    const { name } = member;
    const known = board.members.get(name);
    const config = configs.get(name);
    if (known?.state !== 'joined' || config === undefined || config.leaving === true)
      return [{ kind: 'added', name, member }];
    const what = changedSettingsOf(member, config);
    if (member.role !== config.role)
      return [
        { kind: 'kept', name, why: `its role stays ${config.role}; a member of another name can have ${member.role}` },
      ];
    return what.length === 0 ? [] : [{ kind: 'changed', name, member, what }];
  });
  const named = new Set(next.members.map(({ name }) => name));
  const removed = (plan?.members ?? []).flatMap(({ name }): MemberDifference[] => {
    const isThere = board.members.get(name)?.state === 'joined' && configs.get(name)?.leaving !== true;
    return named.has(name) || !isThere ? [] : [{ kind: 'removed', name, task: board.busy.get(name) }];
  });
  return [...wanted, ...removed];
}

function changedSettingsOf(member: PlanMember, config: MemberConfig): string[] {
  const pairs: Record<string, readonly [now: unknown, before: unknown]> = {
    agent: [member.agent, config.agent],
    sandbox: [member.sandbox, config.sandbox],
    env: [member.env, config.env ?? {}],
    planApproval: [member.planApproval, config.plan_approval ?? false],
    approvals: [member.approvals, config.approvals],
    approvalTimeout: [member.approvalMs, config.approval_ms],
    where: [member.where, config.where],
    prompt: [member.prompt, config.prompt],
  };
  return Object.entries(pairs).flatMap(([name, [now, before]]) => (isEqual(now, before) ? [] : [name]));
}

// ── the rest of the plan ─────────────────────────────────────────────────────────────────────────────────────────

/** Keys that cannot change in an existing team. */
export const FIXED_KEYS = ['profile', 'cwd', 'isolation', 'trees'] as const;

const OTHER_KEYS = [
  ...FIXED_KEYS,
  'gates',
  'cascade',
  'cascadeByRole',
  'cascadeDepth',
  'sharedFiles',
  'lead',
  'envPass',
  'lend',
] as const;

const changedSettings = (before: Plan, next: Plan): string[] => [
  ...OTHER_KEYS.filter((key) => !isEqual(before[key], next[key])),
  ...(isEqual(before.budgets, next.budgets) ? [] : ['budget']),
];
