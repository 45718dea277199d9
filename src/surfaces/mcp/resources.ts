/**
 * The board, inboxes, results, output and the report as MCP resources, page by page. Reading consumes nothing. The
 * board and the inboxes are listed; the others are found by the templates of `resource-uris.ts`.
 */
import {
  isTeamError,
  mailMark,
  outputPage,
  parseMemberName,
  reportOf,
  reportText,
  resultOf,
  storedLine,
  type ToolContext,
  type TeamHandle,
} from '../../app.ts';
import { cappedJson, fitting, MOST_BYTES, textPage } from './answer-limit.ts';
import { addressOf, visibleMembers, type ResourceAddress } from './resource-uris.ts';

interface Listed {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly mimeType: string;
}

interface Shown extends Listed {
  /** Values that identify the content: the same values in the same order mean that nothing changed. */
  readonly mark: () => readonly unknown[];
}

/** What a resource has, and the URI of its next page. */
interface ResourceContent {
  readonly mimeType: string;
  readonly text: string;
  readonly next?: string | undefined;
}

/** The marks of each listed resource by URI, and the tasks, to find changes. */
interface ResourceSnapshot {
  readonly marks: ReadonlyMap<string, readonly unknown[]>;
  /** A task is a frozen value, so a changed task is another object. */
  readonly tasks: ReadonlyMap<string, unknown>;
}

const json = 'application/json';
/** Bytes of a text besides its page. */
const FRAME_BYTES = 1_024;

function listedIn(context: ToolContext): Shown[] {
  const { team } = context;
  if (team === undefined) return [];
  return [tasksOf(team), ...visibleMembers(context, team).map((name) => inboxOf(team, name))];
}

const tasksOf = (team: TeamHandle): Shown => {
  const title = `Tasks of ${team.name}`;
  return { uri: uriOf(team, 'tasks'), name: title, title, mimeType: json, mark: () => team.board.list() };
};

const inboxOf = (team: TeamHandle, name: string): Shown => {
  const title = `Unread mail of ${name}`;
  return { uri: uriOf(team, `inbox/${name}`), name: title, title, mimeType: json, mark: () => [mailMark(team, name)] };
};

const uriOf = (team: TeamHandle, path: string): string => `teams://${team.name}/${path}`;

export const listResources = (context: ToolContext): Listed[] =>
  listedIn(context).map(({ uri, name, title, mimeType }) => ({ uri, name, title, mimeType }));

/** @returns undefined for a URI that names nothing that this caller may read */
export function readResource(context: ToolContext, uri: string): ResourceContent | undefined {
  const { team } = context;
  const address = addressOf(context, uri);
  return team === undefined || address === undefined ? undefined : contentAt(context, team, address);
}

function contentAt(context: ToolContext, team: TeamHandle, address: ResourceAddress): ResourceContent | undefined {
  const { kind, of, from } = address;
  switch (kind) {
    case 'tasks':
      if (of === undefined) return tasksFrom(team, from ?? 0);
      return from === undefined ? taskContent(team, of) : undefined;
    case 'report':
      return of === undefined
        ? textContent(team, kind, reportText(reportOf(team.store, { prices: context.prices })), from)
        : undefined;
    case 'results':
      return of === undefined ? undefined : resultContent(team, of, from);
    case 'inbox':
    case 'logs':
      if (of === undefined || !visibleMembers(context, team).includes(of)) return undefined;
      return kind === 'inbox' ? mailFrom(team, of, from ?? 0) : output(team, of, from);
  }
}

function tasksFrom(team: TeamHandle, first: number): ResourceContent {
  const tasks = team.board.list().filter(({ id }) => Number(id) >= first);
  return pageOf('tasks', tasks, (at) => uriOf(team, `tasks?from=${tasks[at]?.id}`));
}

function mailFrom(team: TeamHandle, name: string, first: number): ResourceContent {
  const messages = [...team.inbox(parseMemberName(name))].slice(first).map(storedLine);
  return pageOf('messages', messages, (at) => uriOf(team, `inbox/${name}?from=${first + at}`));
}

function pageOf(key: string, items: readonly object[], nextOf: (at: number) => string): ResourceContent {
  const { text, next } = cappedJson(key, items, nextOf);
  return { mimeType: json, text, next };
}

function taskContent(team: TeamHandle, id: string): ResourceContent | undefined {
  const task = team.store.board.fold().tasks.get(id);
  if (task === undefined) return undefined;
  return { mimeType: json, text: JSON.stringify(fitting({ task }, MOST_BYTES), undefined, 1) };
}

function resultContent(team: TeamHandle, id: string, from: number | undefined): ResourceContent | undefined {
  const task = team.store.board.fold().tasks.get(id);
  const text = task && resultOf(team.store, task);
  return text === undefined ? undefined : textContent(team, `results/${id}`, text, from);
}

function textContent(team: TeamHandle, path: string, text: string, from = 0): ResourceContent {
  const whole = Buffer.from(text);
  const bytes = whole.subarray(from, from + MOST_BYTES - FRAME_BYTES);
  return {
    mimeType: 'text/markdown',
    ...textPage({ bytes, from, size: whole.length }, (at) => uriOf(team, `${path}?from=${at}`)),
  };
}

function output(team: TeamHandle, name: string, from: number | undefined): ResourceContent {
  const page = outputPage(team.store, parseMemberName(name), MOST_BYTES - FRAME_BYTES, from);
  return { mimeType: 'text/plain', ...textPage(page, (at) => uriOf(team, `logs/${name}?from=${at}`)) };
}

/** Whether a host is told when it changes. */
export function tellsChanges(context: ToolContext, uri: string): boolean {
  if (listedIn(context).some((one) => one.uri === uri)) return true;
  const address = addressOf(context, uri);
  return address?.kind === 'tasks' && address.of !== undefined && readResource(context, uri) !== undefined;
}

const NOTHING: ResourceSnapshot = { marks: new Map(), tasks: new Map() };

/** The resources now; empty if the team cannot be read. */
export function resourceSnapshot(context: ToolContext): ResourceSnapshot {
  try {
    const { team } = context;
    if (team === undefined) return NOTHING;
    const marks = new Map(listedIn(context).map(({ uri, mark }) => [uri, mark()]));
    return { marks, tasks: new Map(team.board.list().map((task) => [uriOf(team, `tasks/${task.id}`), task])) };
  } catch (error) {
    if (isTeamError(error)) return NOTHING;
    throw error;
  }
}

interface ResourceChanges {
  /** Resources were added or removed. */
  readonly isListChanged: boolean;
  /** Resources that existed before and have changed. */
  readonly updated: readonly string[];
}

/** What is new counts as updated: a host may have read it, and subscribed to it, before this look. */
export function changesBetween(before: ResourceSnapshot, now: ResourceSnapshot): ResourceChanges {
  const uris = [...now.marks.keys()];
  const updated = uris.filter((uri) => {
    const [was, is = []] = [before.marks.get(uri), now.marks.get(uri)];
    return was?.length !== is.length || was.some((one, index) => one !== is[index]);
  });
  const tasks = [...new Set([...before.tasks.keys(), ...now.tasks.keys()])];
  const changed = tasks.filter((uri) => before.tasks.get(uri) !== now.tasks.get(uri));
  const isListChanged = before.marks.size !== now.marks.size || uris.some((uri) => !before.marks.has(uri));
  return { isListChanged, updated: [...updated, ...changed] };
}
