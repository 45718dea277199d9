/**
 * The board and the inboxes as MCP resources: `teams://TEAM/tasks`, `teams://TEAM/inbox/NAME`. Reading consumes
 * nothing.
 */
import { isTeamError, LEAD, mailMark, storedLine, type ToolContext, type TeamHandle } from '../../app.ts';
import { cappedJson } from './answer-limit.ts';

interface Listed {
  readonly uri: string;
  readonly name: string;
  readonly mimeType: 'application/json';
}

interface Shown extends Listed {
  readonly read: () => string;
  /** Values that identify the content: the same values in the same order mean that nothing changed. */
  readonly mark: () => readonly unknown[];
}

/** The marks of each resource by URI, to find changes. */
type ResourceSnapshot = ReadonlyMap<string, readonly unknown[]>;

const mimeType = 'application/json' as const;

/** A member sees the board and its own mail; the lead sees the mail of all members. */
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
  // A task is a frozen value, so a changed task is another object.
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

/** @returns undefined for a URI that is not listed */
export const readResource = (context: ToolContext, uri: string): string | undefined =>
  resourcesOf(context)
    .find((one) => one.uri === uri)
    ?.read();

/** The marks of all resources now; empty if the team cannot be read. */
export function resourceSnapshot(context: ToolContext): ResourceSnapshot {
  try {
    return new Map(resourcesOf(context).map(({ uri, mark }) => [uri, mark()]));
  } catch (error) {
    if (isTeamError(error)) return new Map();
    throw error;
  }
}

interface ResourceChanges {
  /** Resources were added or removed. */
  readonly isListChanged: boolean;
  /** Resources that existed before and have changed. */
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
