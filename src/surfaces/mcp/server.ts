/**
 * The team's tools as an MCP server: it lists tools, calls them, and shows resources. All decisions are made by the
 * tool context.
 */
import { McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { ToolContext } from '../../app.ts';
import { LogNotices } from './log-notices.ts';
import { hasForms, offerTools, type HostTalk } from './offer-tools.ts';
import { PersonQuestions } from './person-questions.ts';
import { completedArgument, listPrompts, promptNamed } from './prompts.ts';
import { invalid, noResource, PAGE, refuseCursor } from './refusals.ts';
import { connectionSink, ResourceNotices, type McpConnection } from './resource-notices.ts';
import { completed, resourceTemplates } from './resource-uris.ts';
import { listResources, readResource, tellsChanges } from './resources.ts';

const INSTRUCTIONS =
  'A team of worker processes that share a board of tasks and write to each other. Lead: TeamCreate, then Task with team_name and name for each teammate, TaskCreate for the work, CheckInbox for what they say, TeamDelete at the end. Member: TaskList, TaskUpdate, SendMessage, CheckInbox. Mail is announced in the answers of the other tools.';

/** Tells a restarted host that it already leads a team. */
const instructionsFor = ({ side, team }: ToolContext): string =>
  side === 'lead' && team !== undefined
    ? `${INSTRUCTIONS} You lead team ${team.name}, which is already running.`
    : INSTRUCTIONS;

/** How a server is connected. */
type Connection =
  /** Its host can be told and asked at any time, once `ready` calls its function. */
  | { readonly era: 'legacy'; readonly ready?: (start: () => void) => void }
  /** `talk` is shared by the servers of one host, each of which answers one request. */
  | { readonly era: 'modern'; readonly talk?: HostTalk };

export function makeServer(context: ToolContext, version: string, connection: Connection): McpServer {
  const made = new McpServer(
    { name: 'teams', version },
    {
      capabilities: {
        tools: {},
        resources: { subscribe: true, listChanged: true },
        prompts: {},
        completions: {},
        logging: {},
      },
      instructions: instructionsFor(context),
    },
  );
  const { server } = made;
  const talk = talkOver(server, context, connection);
  if (connection.era === 'legacy') talkUnasked(server, context, talk, connection.ready);
  offerTools(server, context, talk);
  offerResources(server, context, talk.notices);
  offerPrompts(server, context);
  offerCompletion(server, context);
  return made;
}

/**
 * Parameters with a schema are refused by -32602 and one sentence; without one the SDK answers -32603, an error of ours,
 * with the JSON of its parser.
 */
const LEVEL = {
  params: z.looseObject({
    level: z.enum(['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']),
  }),
};
const URI = { params: z.looseObject({ uri: z.string() }) };
const PROMPT = {
  params: z.looseObject({ name: z.string(), arguments: z.record(z.string(), z.string()).optional() }),
};

const texts = z.record(z.string(), z.string()).optional();
const COMPLETION = {
  params: z.looseObject({
    ref: z.discriminatedUnion('type', [
      z.looseObject({ type: z.literal('ref/prompt'), name: z.string() }),
      z.looseObject({ type: z.literal('ref/resource'), uri: z.string() }),
    ]),
    argument: z.looseObject({ name: z.string(), value: z.string() }),
    context: z.looseObject({ arguments: texts }).optional(),
  }),
};

/** What is told to a host and asked of it; it ends with the connection, unless it is shared. */
function talkOver(server: McpConnection, context: ToolContext, connection: Connection): HostTalk {
  if (connection.era === 'modern' && connection.talk !== undefined) return connection.talk;
  const isModern = connection.era === 'modern';
  const talk = openTalk(context, connectionSink(server, isModern));
  server.onclose = () => closeTalk(talk);
  // In this era the SDK answers subscriptions itself and does not report them, so notices start at once.
  if (isModern) talk.notices.start();
  return isModern ? talk : { ...talk, showsForms: () => hasForms(capabilitiesOf(server)) };
}

export const openTalk = (context: ToolContext, sink: ConstructorParameters<typeof ResourceNotices>[1]): HostTalk => ({
  notices: new ResourceNotices(context, sink),
  logs: new LogNotices(context),
  questions: new PersonQuestions(context),
});

export function closeTalk({ notices, logs, questions }: HostTalk): void {
  for (const one of [notices, logs, questions]) one.close();
}

/** What a host told in `initialize`. The SDK deprecates the method for the other era, which tells it in each request. */
const capabilitiesOf = (server: { getClientCapabilities(): unknown }): unknown => server.getClientCapabilities();

/** The most that a timer can wait: a form waits for its person as long as its question does. */
const MOST_WAIT_MS = 2 ** 31 - 1;

/**
 * In this era a server tells and asks without a call. A lead hears of what goes wrong without setting a level; a
 * member's host sets one, because many of them would read all logs.
 */
function talkUnasked(
  server: McpConnection,
  { side }: ToolContext,
  { logs, questions, showsForms }: HostTalk,
  ready = (start: () => void): void => void (server.oninitialized = start),
): void {
  let stop: (() => void) | undefined;
  const listen = (level: string): void => {
    stop?.();
    stop = logs.listen(level, (message) => server.notification(message));
  };
  server.setRequestHandler('logging/setLevel', LEVEL, ({ level }) => {
    listen(level);
    return {};
  });
  if (side !== 'lead') return;
  ready(() => {
    if (stop === undefined) listen('warning');
    if (showsForms?.() !== true) return;
    const asking = questions.askAll(({ message, form }, signal) =>
      server.request(
        { method: 'elicitation/create', params: { message, requestedSchema: form } },
        { signal, timeout: MOST_WAIT_MS },
      ),
    );
    // A problem with the team is reported in the answers of the tools.
    asking.catch(() => undefined);
  });
}

function offerResources(server: McpConnection, context: ToolContext, notices: ResourceNotices): void {
  server.setRequestHandler('resources/list', PAGE, (params) => {
    refuseCursor(params);
    notices.start();
    return { resources: listResources(context) };
  });
  server.setRequestHandler('resources/templates/list', PAGE, (params) => {
    refuseCursor(params);
    return { resourceTemplates };
  });
  server.setRequestHandler('resources/read', URI, ({ uri }) => {
    notices.start();
    const content = readResource(context, uri);
    if (content === undefined) throw noResource(uri);
    const { mimeType, text, next } = content;
    return { contents: [{ uri, mimeType, text, _meta: next === undefined ? undefined : { 'teams/next': next } }] };
  });
  server.setRequestHandler('resources/subscribe', URI, ({ uri }) => {
    if (!tellsChanges(context, uri)) throw noResource(uri);
    notices.subscribe(uri);
    notices.start();
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', URI, ({ uri }) => {
    notices.unsubscribe(uri);
    return {};
  });
}

function offerPrompts(server: McpConnection, context: ToolContext): void {
  server.setRequestHandler('prompts/list', PAGE, (params) => {
    refuseCursor(params);
    return { prompts: listPrompts(context) };
  });
  server.setRequestHandler('prompts/get', PROMPT, async ({ name, arguments: given }) => {
    const prompt = await promptNamed(context, name, given).catch(invalid);
    if (prompt !== undefined) return prompt;
    const known = listPrompts(context).map((one) => one.name);
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `There is no prompt ${name}; there are: ${known.join(', ')}.`,
    );
  });
}

function offerCompletion(server: McpConnection, context: ToolContext): void {
  server.setRequestHandler('completion/complete', COMPLETION, ({ ref, argument }) => {
    const completion =
      ref.type === 'ref/resource'
        ? completed(context, ref.uri, argument)
        : completedArgument(context, ref.name, argument);
    if (completion !== undefined) return { completion: { ...completion } };
    const what = ref.type === 'ref/resource' ? 'template' : 'prompt';
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no such ${what}.`);
  });
}
