/** The URIs of resources and their templates, and how a host completes a variable of a template. */
import { LEAD, type TeamHandle, type ToolContext } from '../../app.ts';

const RESOURCE_KINDS = ['tasks', 'inbox', 'results', 'logs', 'report'] as const;
type ResourceKind = (typeof RESOURCE_KINDS)[number];

export interface ResourceAddress {
  readonly kind: ResourceKind;
  /** A task's id or a member's name. */
  readonly of: string | undefined;
  /** Where a page begins: a task's id, a count of messages, or a byte. */
  readonly from: number | undefined;
}

const URI = /^teams:\/\/([^/?#]+)\/([a-z]+)(?:\/([^/?#]+))?(?:\?from=(\d{1,15}))?$/;

/** @returns undefined for a URI of another team or form */
export function addressOf({ team }: ToolContext, uri: string): ResourceAddress | undefined {
  const [, name, word, of, from] = URI.exec(uri) ?? [];
  const kind = RESOURCE_KINDS.find((one) => one === word);
  if (kind === undefined || name !== team?.name) return undefined;
  return { kind, of, from: from === undefined ? undefined : Number(from) };
}

const json = 'application/json';
const templates = [
  ['tasks{?from}', 'Tasks', json, 'The board from a task on, with the URI of the next page.'],
  ['tasks/{id}', 'Task', json, 'One task with all its keys.'],
  ['results/{id}{?from}', 'Result of a task', 'text/markdown', 'The whole result of the last attempt that ended.'],
  ['logs/{member}{?from}', 'Output of a member', 'text/plain', 'What its agent printed: the end, or from a byte on.'],
  ['report{?from}', 'Report', 'text/markdown', 'The results of the team so far.'],
  ['inbox/{member}{?from}', 'Unread mail of a member', json, 'Reading it takes no message.'],
] as const;

export const resourceTemplates = templates.map(([path, title, mimeType, description]) => ({
  uriTemplate: `teams://{team}/${path}`,
  name: title,
  title,
  description,
  mimeType,
}));

/** A member sees the mail and the output of itself only; the lead those of all. */
export const visibleMembers = ({ side }: ToolContext, { store, speaker }: TeamHandle): string[] =>
  side === 'lead' ? [LEAD, ...store.board.fold().members.keys()] : [speaker.name];

/** Values of an answer, by the protocol. */
const MOST_VALUES = 100;

export interface CompletedValues {
  readonly values: string[];
  readonly total: number;
  readonly hasMore: boolean;
}

/**
 * The values of a variable that begin with a text.
 *
 * @returns undefined for a template that is not listed
 */
export function completed(
  context: ToolContext,
  template: string,
  { name, value }: { readonly name: string; readonly value: string },
): CompletedValues | undefined {
  if (!resourceTemplates.some(({ uriTemplate }) => uriTemplate === template)) return undefined;
  return matching(valuesOf(context, name), value);
}

/** The values that begin with a text, as many as an answer may have. */
export function matching(values: Iterable<string>, begin: string): CompletedValues {
  const all = [...values].filter((one) => one.startsWith(begin));
  return { values: all.slice(0, MOST_VALUES), total: all.length, hasMore: all.length > MOST_VALUES };
}

function valuesOf(context: ToolContext, variable: string): Iterable<string> {
  const { team } = context;
  if (team === undefined) return [];
  switch (variable) {
    case 'team':
      return [team.name];
    case 'id':
      return team.store.board.fold().tasks.keys();
    case 'member':
      return visibleMembers(context, team);
    default:
      return [];
  }
}
