/**
 * The follow-up of a finished task (S2 "Cascade_Mode"): implement → test → review → end. Depth and parent are kept in
 * each task's metadata, so that a chain has at most three follow-ups, and the board refuses a second one of the same
 * parent and kind.
 */
import type { Tier } from '../model/agent.ts';
import type { Board } from '../model/board.ts';
import { parseName, type Name } from '../model/names.ts';
import { uniqueMarks, type Task } from '../model/task.ts';
import type { Sighting } from './sighting.ts';
import { isIdle, readyOwners, workers } from './standing.ts';
import { bareSubject, mayDo, taskType } from './task-type.ts';

export const MAX_CASCADE_DEPTH = 3;

export type CascadeKind = 'test' | 'review';

export interface FollowUp {
  readonly kind: CascadeKind;
  readonly subject: string;
  readonly role: Name;
  readonly tier: Tier;
  /** For the new task; `parent` and `kind` make it unique on the board. */
  readonly metadata: { parent: string; kind: CascadeKind; type: CascadeKind; depth: number; tier: Tier };
  readonly why: string;
}

export interface CascadeRules {
  /** `enableCascade` of the configuration, or `cascade:` of a plan. */
  readonly enabled: boolean;
  /** A template's own rules, by the role of who did the task; `none` ends the chain. */
  readonly byRole?: ReadonlyMap<Name, CascadeKind | 'none'>;
}

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
  if (!rules.enabled || task.status !== 'completed' || /\[no-cascade\]/i.test(task.subject)) return undefined;
  const kind = kindAfter(board, task, rules);
  const depth = depthOf(task) + 1;
  if (kind === undefined || depth > MAX_CASCADE_DEPTH) return undefined;
  const subject = subjectOf(kind, task);
  const metadata = { parent: task.id, kind, type: kind, depth, tier: TIER };
  if (uniqueMarks({ subject, metadata }).some((mark) => board.unique.has(mark))) return undefined;
  return {
    ...{ kind, subject, role: ROLES[kind], tier: TIER, metadata },
    why: `${kind} for #${task.id}`,
  };
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

export type Placement =
  | { readonly do: 'assign'; readonly owner: Name; readonly why: string }
  | { readonly do: 'spawn'; readonly role: Name; readonly why: string }
  | { readonly do: 'queue'; readonly why: string };

/**
 * Who does a follow-up: an idle member of its role → any idle one that may → a new member → nobody yet.
 *
 * @param author who did the parent; never the reviewer of its own work
 */
export function placeFollowUp(sighting: Sighting, follow: FollowUp, author: Name, maxAgents: number): Placement {
  const { board } = sighting;
  const task = { subject: follow.subject, metadata: follow.metadata, role: follow.role };
  const owners = readyOwners(board);
  const idle = workers(sighting).filter(
    (one) => isIdle(board, one, owners) && !(follow.kind === 'review' && one.member.name === author),
  );
  const expert = idle.find(({ member }) => member.role === follow.role);
  if (expert) return { do: 'assign', owner: expert.member.name, why: `idle, with the role ${follow.role}` };
  const any = idle.find(({ member }) => mayDo(member.role, task));
  if (any) return { do: 'assign', owner: any.member.name, why: `idle, and ${any.member.role} may do it` };
  const joined = [...board.members.values()].filter(({ state }) => state === 'joined').length;
  if (joined < maxAgents)
    return { do: 'spawn', role: follow.role, why: `nobody is idle, and there is room for a ${follow.role}` };
  return { do: 'queue', why: `nobody is idle, and the team has its ${maxAgents} members` };
}
