/**
 * The follow-up of a finished task (S2 "Cascade_Mode"): implement → test → review → end. Depth and parent are kept in
 * each task's metadata, so that a chain has at most three follow-ups, and the board refuses a second one of the same
 * parent and kind.
 */
import type { Tier } from '../../model/agent/agent.ts';
import type { Board } from '../../model/board/board.ts';
import { parseName, type Name } from '../../model/text/names.ts';
import { uniqueMarks, type Task } from '../../model/board/task.ts';
import type { CascadeKind, CascadeRules, FollowUp, Limits, Placement, Sighting, Verdict } from '../sighting.ts';
import { isIdle, readyOwners, sightedMembers, type SightedMember } from '../member-availability.ts';
import { bareSubject, mayDo, taskType } from '../task-type.ts';

export const MAX_CASCADE_DEPTH = 3;

const ROLES: Readonly<Record<CascadeKind, Name>> = {
  test: parseName('role', 'test-engineer'),
  review: parseName('role', 'quality-reviewer'),
};
const TIER: Tier = 'sonnet';

/** Leading verbs that the follow-up's subject does without: `Implement user profile API` → `user profile API`. */
const LEADING_VERB =
  /^(?:(?:re)?implement|create|build|fix|add|refactor|write|review|audit|check|test)(?:\s+(?:(?:unit|integration|e2e)\s+)?(?:tests|specs|coverage)\s+for)?\s+/i;

/** What follows a completed task, if anything does. */
export function followUp(board: Board, task: Task, rules: CascadeRules): FollowUp | undefined {
  if (task.status !== 'completed' || /\[no-cascade\]/i.test(task.subject)) return undefined;
  const kind = kindAfter(board, task, rules);
  const depth = depthOf(task) + 1;
  if (kind === undefined || depth > MAX_CASCADE_DEPTH) return undefined;
  const subject = subjectOf(kind, task);
  const metadata = { parent: task.id, kind, type: kind, depth, tier: TIER };
  if (uniqueMarks({ subject, metadata }).some((mark) => board.unique.has(mark))) return undefined;
  return { kind, subject, role: ROLES[kind], tier: TIER, metadata };
}

function kindAfter(
  board: Board,
  task: Task & { status: 'completed' },
  { byRole }: CascadeRules,
): CascadeKind | undefined {
  const type = taskType(task);
  const doer = board.members.get(task.by.member)?.role;
  const told = doer === undefined || type === 'review' || type === 'explore' ? undefined : byRole?.get(doer);
  if (told !== undefined) return told === 'none' ? undefined : told;
  if (type === 'implement') return 'test';
  return type === 'test' ? 'review' : undefined;
}

function depthOf({ metadata }: Task): number {
  const depth = metadata['depth'];
  return typeof depth === 'number' && Number.isInteger(depth) && depth > 0 ? depth : 0;
}

/** `Write API integration tests` is about the API. */
const TRAILING_TESTS = /\s+(?:(?:unit|integration|e2e)\s+)?(?:tests?|specs?|coverage)$/i;

function subjectOf(kind: CascadeKind, task: Task): string {
  const bare = bareSubject(task.subject);
  const rest = bare.replace(LEADING_VERB, '') || bare;
  if (kind === 'test') return `Write tests for ${rest}`;
  return taskType(task) === 'test' ? `Review ${rest.replace(TRAILING_TESTS, '')} and tests` : `Review ${rest}`;
}

/** Where tests are, in the languages that people write. */
const TESTS: readonly string[] = [
  '**/*.{test,spec}.*',
  '**/{test,tests,__tests__,spec,specs}/**',
  '**/*_{test,spec}.*',
  '**/test_*.*',
  '**/*{Test,Tests,Spec}.{java,kt,scala,cs,swift,php}',
];

/**
 * What the follow-up of a task that names its files may write: who tests writes tests, who reviews writes nothing (SPEC §9).
 * Of work that is not told by files nobody can tell.
 */
export const filesOf = ({ kind }: Pick<FollowUp, 'kind'>, { work }: Pick<Task, 'work'>): string[] =>
  kind === 'test' && work.files.length > 0 ? [...TESTS] : [];

/** Who may take up follow-ups, kept up to date while they are given out. */
interface Helpers {
  readonly idle: readonly SightedMember[];
  /** Members that may still be added. */
  readonly room: number;
}

/**
 * The follow-ups that are due, each with whom it is for; one idle member gets one.
 *
 * @param taken members that got something else in this look
 */
export function cascades(
  sighting: Sighting,
  { cascade, maxAgents }: Limits,
  taken: ReadonlySet<Name> = new Set(),
): Verdict[] {
  const { board } = sighting;
  if (cascade === undefined) return [];
  const due = [...board.tasks.values()].flatMap((task) => {
    const follow = task.status === 'completed' ? followUp(board, task, cascade) : undefined;
    return follow && task.status === 'completed' ? [{ task, follow }] : [];
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
 * Who does a follow-up: an idle member of its role → any idle one that may → a new member → nobody yet.
 *
 * @param author who did the parent; never the reviewer of its own work
 */
function placeFollowUp({ idle, room }: Helpers, { subject, metadata, role, kind }: FollowUp, author: Name): Placement {
  const free = idle.filter(({ member }) => !(kind === 'review' && member.name === author));
  const expert = free.find(({ member }) => member.role === role);
  if (expert) return { do: 'assign', owner: expert.member.name, why: `${expert.member.name} is idle` };
  const any = free.find(({ member }) => mayDo(member.role, { subject, metadata, role }));
  if (any)
    return { do: 'assign', owner: any.member.name, why: `${any.member.name} is idle, and ${any.member.role} may` };
  if (room > 0) return { do: 'spawn', role, why: `nobody is idle, and there is room for a ${role}` };
  return { do: 'queue', why: 'nobody is free for it yet' };
}
