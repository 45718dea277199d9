/** The board and the inboxes as MCP resources: `teams://TEAM/tasks`, `teams://TEAM/inbox/NAME`. To look at, never taken. */
import { isTeamError, LEAD, mailMark, storedLine, type ToolContext, type TeamHandle } from '../../app.ts';
import { cappedJson } from './answer-limit.ts';

export interface Listed {
  readonly uri: string;
  readonly name: string;
  readonly mimeType: 'application/json';
}

interface Shown extends Listed {
  readonly read: () => string;
  /** What tells whether it reads as before: the same things, in the same order. */
  readonly mark: () => readonly unknown[];
}

/** What each resource looks like, by URI, for telling what changed. */
export type ResourceSnapshot = ReadonlyMap<string, readonly unknown[]>;

const mimeType = 'application/json' as const;

/** A member sees the board and its own mail; the lead sees that of all. */
function resourcesOf({ team, side }: ToolContext): Shown[] {
  if (team === undefined) return [];
  const board = team.store.board.fold();
  const inboxes = side === 'lead' ? [LEAD, ...board.members.keys()] : [team.speaker.name];
  return [tasksOf(team), ...inboxes.map((name) => inboxOf(team, name))];
}

const tasksOf = (team: TeamHandle): Shown => ({
  uri: `teams://${team.name}/tasks`,
  name: `Tasks of ${team.name}`,
  mimeType,
  read: () => cappedJson('tasks', team.board.list()),
  // A task is a frozen value: a changed one is another.
  mark: () => team.board.list(),
});

const inboxOf = (team: TeamHandle, name: string): Shown => ({
  uri: `teams://${team.name}/inbox/${name}`,
  name: `Unread mail of ${name}`,
  mimeType,
  read: () => cappedJson('messages', unreadOf(team, name)),
  mark: () => [mailMark(team, name)],
});

function* unreadOf(team: TeamHandle, name: string) {
  for (const message of team.inbox(name)) yield storedLine(message);
}

export const listResources = (context: ToolContext): Listed[] =>
  resourcesOf(context).map(({ uri, name }) => ({ uri, name, mimeType }));

/** @returns undefined for what is not listed */
export const readResource = (context: ToolContext, uri: string): string | undefined =>
  resourcesOf(context)
    .find((one) => one.uri === uri)
    ?.read();

/** What there is to see now; nothing, where the team cannot be read. */
export function resourceSnapshot(context: ToolContext): ResourceSnapshot {
  try {
    return new Map(resourcesOf(context).map(({ uri, mark }) => [uri, mark()]));
  } catch (error) {
    if (isTeamError(error)) return new Map();
    throw error;
  }
}

export interface ResourceChanges {
  /** Resources came or went. */
  readonly isListChanged: boolean;
  /** Those that were there before and read differently now. */
  readonly updated: readonly string[];
}

export function changesBetween(before: ResourceSnapshot, now: ResourceSnapshot): ResourceChanges {
  const uris = [...now.keys()];
  const updated = uris.filter((uri) => {
    const [was, is = []] = [before.get(uri), now.get(uri)];
    return was !== undefined && (was.length !== is.length || was.some((one, index) => one !== is[index]));
  });
  return { isListChanged: before.size !== now.size || uris.some((uri) => !before.has(uri)), updated };
}
