/**
 * Follow-ups of finished tasks (docs/specification.md R8.10): implement → test → review → end. Each task's metadata has
 * its depth and parent, so a chain has at most `cascadeDepth` follow-ups. The board refuses a second follow-up of the same
 * parent and kind.
 */
import type { Tier } from '../../model/agent/agent.ts';
import type { Board } from '../../model/board/board.ts';
import { IdSet } from '../../model/board/id-set.ts';
import { completedBeyond } from '../../model/board/listed-tasks.ts';
import { parseName, type Name } from '../../model/text/names.ts';
import { uniqueMarks, type Task } from '../../model/board/task.ts';
import type { CascadeKind, CascadeRules, FollowUp, Limits, Placement, Sighting, Verdict } from '../sighting.ts';
import { isIdle, readyOwners, sightedMembers, type SightedMember } from '../member-availability.ts';
import { bareSubject, mayDo, taskType } from '../task-type.ts';

/** Where the configuration's `cascadeDepth` says nothing else. */
export const MAX_CASCADE_DEPTH = 3;

const ROLES: Readonly<Record<CascadeKind, Name>> = {
  test: parseName('role', 'test-engineer'),
  review: parseName('role', 'quality-reviewer'),
};
const TIER: Tier = 'sonnet';

/** Leading verbs that are removed from the follow-up's subject: `Implement user profile API` → `user profile API`. */
const LEADING_VERB =
  /^(?:(?:re)?implement|create|build|fix|add|refactor|write|review|audit|check|test)(?:\s+(?:(?:unit|integration|e2e)\s+)?(?:tests|specs|coverage)\s+for)?\s+/i;

/**
 * The follow-up of a completed task, if it has one.
 *
 * @param deepest the most follow-ups of a chain
 */
export function followUp(
  board: Board,
  task: Task,
  rules: CascadeRules,
  deepest = MAX_CASCADE_DEPTH,
): FollowUp | undefined {
  if (task.status !== 'completed') return undefined;
  const next = followUpOf(task, board.members.get(task.by.member)?.role, rules, deepest);
  return next === undefined || uniqueMarks(next).some((mark) => board.unique.has(mark)) ? undefined : next;
}

/** The follow-up of a task once it is completed, whatever else is on the board. */
export function followUpOf(
  task: Pick<Task, 'id' | 'subject' | 'metadata'>,
  doer: Name | undefined,
  rules: Pick<CascadeRules, 'byRole'>,
  deepest = MAX_CASCADE_DEPTH,
): FollowUp | undefined {
  if (/\[no-cascade\]/i.test(task.subject)) return undefined;
  const kind = kindAfter(task, doer, rules);
  const depth = depthOf(task) + 1;
  if (kind === undefined || depth > deepest) return undefined;
  const metadata = { parent: task.id, kind, type: kind, depth, tier: TIER };
  return { kind, subject: subjectOf(kind, task), role: ROLES[kind], tier: TIER, metadata };
}

function kindAfter(
  task: Pick<Task, 'subject' | 'metadata'>,
  doer: Name | undefined,
  { byRole }: Pick<CascadeRules, 'byRole'>,
): CascadeKind | undefined {
  const type = taskType(task);
  const told = doer === undefined || type === 'review' || type === 'explore' ? undefined : byRole?.get(doer);
  if (told !== undefined) return told === 'none' ? undefined : told;
  if (type === 'implement') return 'test';
  return type === 'test' ? 'review' : undefined;
}

function depthOf({ metadata }: Pick<Task, 'metadata'>): number {
  const depth = metadata['depth'];
  return typeof depth === 'number' && Number.isInteger(depth) && depth > 0 ? depth : 0;
}

/** Removed too: `Write API integration tests` is about the API. */
const TRAILING_TESTS = /\s+(?:(?:unit|integration|e2e)\s+)?(?:tests?|specs?|coverage)$/i;

function subjectOf(kind: CascadeKind, task: Pick<Task, 'subject' | 'metadata'>): string {
  const bare = bareSubject(task.subject);
  const rest = bare.replace(LEADING_VERB, '') || bare;
  if (kind === 'test') return `Write tests for ${rest}`;
  return taskType(task) === 'test' ? `Review ${rest.replace(TRAILING_TESTS, '')} and tests` : `Review ${rest}`;
}

/** Patterns of test files in common languages. */
const TESTS: readonly string[] = [
  '**/*.{test,spec}.*',
  '**/{test,tests,__tests__,spec,specs}/**',
  '**/*_{test,spec}.*',
  '**/test_*.*',
  '**/*{Test,Tests,Spec}.{java,kt,scala,cs,swift,php}',
];

/**
 * The files that a follow-up may write, if its task names files: a test writes test files, a review writes nothing
 * (docs/specification.md R8.14). If the task names no files, the follow-up names none either.
 */
export const filesOf = ({ kind }: Pick<FollowUp, 'kind'>, { work }: Pick<Task, 'work'>): string[] =>
  kind === 'test' && work.files.length > 0 ? [...TESTS] : [];

/** Members that may take follow-ups; updated while follow-ups are assigned. */
interface Helpers {
  readonly idle: readonly SightedMember[];
  /** How many members may still be added. */
  readonly room: number;
}

interface Settled {
  readonly rules: CascadeRules;
  readonly deepest: number | undefined;
  readonly tasks: IdSet;
}

/** Of each board, the completed tasks that nothing follows any more: remembered, so that a look does not walk the past. */
const SETTLED = new WeakMap<Board, Settled>();

/** A completed task does not change, and what follows it is made once; other rules begin anew. */
function settledOn(board: Board, rules: CascadeRules, deepest: number | undefined): IdSet {
  const known = SETTLED.get(board);
  if (known?.rules === rules && known.deepest === deepest) return known.tasks;
  const tasks = new IdSet();
  SETTLED.set(board, { rules, deepest, tasks });
  return tasks;
}

/**
 * The follow-ups that are due, each with its member; an idle member gets only one.
 *
 * @param taken members that got another task in this look
 */
export function cascades(
  sighting: Sighting,
  { cascade, cascadeDepth, maxAgents }: Limits,
  taken: ReadonlySet<Name> = new Set(),
): Verdict[] {
  const { board } = sighting;
  if (cascade === undefined) return [];
  const settled = settledOn(board, cascade, cascadeDepth);
  const due = completedBeyond(board, settled).flatMap((task) => {
    const follow = followUp(board, task, cascade, cascadeDepth);
    if (follow !== undefined && task.status === 'completed') return [{ task, follow }];
    settled.add(Number(task.id));
    return [];
  });
  let helpers = helpersOf(sighting, taken, cascade.canSpawn ? maxAgents : 0);
  return due.map(({ task, follow }): Verdict => {
    const place = placeFollowUp(helpers, follow, task.by.member);
    helpers = without(helpers, place);
    return { do: 'follow up', task: task.id, follow, place, why: `${follow.kind} for #${task.id}; ${place.why}` };
  });
}

function helpersOf(sighting: Sighting, taken: ReadonlySet<Name>, maxAgents: number): Helpers {
  const { board } = sighting;
  const owners = readyOwners(board);
  const idle = sightedMembers(sighting).filter(
    (one) => !one.seen.needsCommand && !taken.has(one.member.name) && isIdle(board, one, owners),
  );
  const joined = [...board.members.values()].filter(({ state }) => state === 'joined').length;
  return { idle, room: Math.max(0, maxAgents - joined) };
}

const without = (helpers: Helpers, place: Placement): Helpers => ({
  ...helpers,
  idle: place.do === 'assign' ? helpers.idle.filter(({ member }) => member.name !== place.owner) : helpers.idle,
  room: place.do === 'spawn' ? helpers.room - 1 : helpers.room,
});

/**
 * Who does a follow-up: an idle member of its role → any idle member that may → a new member → no one yet.
 *
 * @param author the member that did the parent; it never reviews its own work
 */
function placeFollowUp({ idle, room }: Helpers, { subject, metadata, role, kind }: FollowUp, author: Name): Placement {
  const free = idle.filter(({ member }) => !(kind === 'review' && member.name === author));
  const expert = free.find(({ member }) => member.role === role);
  if (expert) return { do: 'assign', owner: expert.member.name, why: `${expert.member.name} is idle` };
  const any = free.find(({ member }) => mayDo(member.role, { subject, metadata, role }));
  if (any)
    return { do: 'assign', owner: any.member.name, why: `${any.member.name} is idle, and ${any.member.role} may` };
  if (room > 0) return { do: 'spawn', role, why: `no member is idle, and a ${role} may be added` };
  return { do: 'queue', why: 'no member is free for it yet' };
}
