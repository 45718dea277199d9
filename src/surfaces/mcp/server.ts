/**
 * The team's tools as an MCP server: it lists tools, calls them, and shows resources. All decisions are made by the
 * tool context.
 */
import {
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type CallToolResult,
  type ProtocolEra,
  type Tool,
} from '@modelcontextprotocol/server';
import {
  isMap,
  isTeamError,
  isToolName,
  toolFacts,
  toolJsonSchema,
  toolOutputSchema,
  toolsOf,
  useTool,
  type ToolContext,
  type ToolName,
} from '../../app.ts';
import { capped, fitting, MOST_BYTES } from './answer-limit.ts';
import { LogNotices } from './log-notices.ts';
import { completedArgument, listPrompts, promptNamed } from './prompts.ts';
import { ResourceNotices, type McpConnection } from './resource-notices.ts';
import { completed, resourceTemplates } from './resource-uris.ts';
import { listResources, readResource, tellsChanges } from './resources.ts';

const INSTRUCTIONS =
  'A team of worker processes that share a board of tasks and write to each other. Lead: TeamCreate, then Task with team_name and name for each teammate, TaskCreate for the work, CheckInbox for what they say, TeamDelete at the end. Member: TaskList, TaskUpdate, SendMessage, CheckInbox. Mail is announced in the answers of the other tools.';

/** Tells a restarted host that it already leads a team. */
const instructionsFor = ({ side, team }: ToolContext): string =>
  side === 'lead' && team !== undefined
    ? `${INSTRUCTIONS} You lead team ${team.name}, which is already running.`
    : INSTRUCTIONS;

function toolOf(name: ToolName): Tool {
  const { title, description, effect } = toolFacts[name];
  return {
    name,
    title,
    description,
    inputSchema: toolJsonSchema(name),
    outputSchema: toolOutputSchema(name),
    annotations: {
      // Hosts of protocol 2025-03-26 read the title here.
      title,
      readOnlyHint: effect === 'looks',
      destructiveHint: effect === 'changes' || effect === 'ends',
      idempotentHint: effect === 'looks',
      // The agents and commands that these tools start may reach anything.
      openWorldHint: name === 'Task' || name === 'bash',
    },
  };
}

export function makeServer(context: ToolContext, version: string, era: ProtocolEra): McpServer {
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
  const notices = new ResourceNotices(context, server, era);
  const logs = new LogNotices(context);
  server.onclose = () => {
    notices.close();
    logs.close();
  };
  // In this era the SDK answers subscriptions itself and does not report them, so notices start at once.
  if (era === 'modern') notices.start();
  else offerLogging(server, context, logs);
  offerTools(server, context, { notices, logs, era });
  offerResources(server, context, notices);
  offerPrompts(server, context);
  offerCompletion(server, context);
  return made;
}

/** What tells a host of the team. */
interface Told {
  readonly notices: ResourceNotices;
  readonly logs: LogNotices;
  readonly era: ProtocolEra;
}

/** Schemas, rules and answers come from the toolbox; this only passes requests on. */
function offerTools(server: McpConnection, context: ToolContext, { notices, logs, era }: Told): void {
  server.setRequestHandler('tools/list', ({ params }) => {
    refuseCursor(params?.cursor);
    return { tools: toolsOf(context).map(toolOf) };
  });
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }): Promise<CallToolResult> => {
    if (!isToolName(params.name))
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, noTool(params.name, context));
    const token = mcpReq._meta?.progressToken;
    let progress = 0;
    const level = era === 'modern' ? logLevelIn(mcpReq.envelope) : undefined;
    const stop = level === undefined ? undefined : logs.listen(level, (message) => mcpReq.notify(message));
    const answer = await useTool(context, params.name, params.arguments, {
      signal: mcpReq.signal,
      // The rest is for what the toolbox adds, such as the announcement of mail.
      mostBytes: MOST_BYTES - 1_024,
      progress(message) {
        if (token === undefined) return;
        progress += 1;
        // A host that is gone needs no progress.
        const note = { progressToken: token, progress, message };
        mcpReq.notify({ method: 'notifications/progress', params: note }).catch(() => undefined);
      },
    });
    notices.ring();
    logs.ring();
    stop?.();
    const content = [{ type: 'text' as const, text: capped(answer.ok ? answer.text : answer.why) }];
    return answer.ok ? { content, structuredContent: fitting(answer.data) } : { content, isError: true };
  });
}

/** A model that calls a tool that is not offered gets a result that it can act on; here its host is wrong. */
const noTool = (name: string, context: ToolContext): string =>
  `There is no tool ${name}; there are: ${toolsOf(context).join(', ')}.`;

/** The key in a request of the modern era that names the least level of log messages. */
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';

function logLevelIn(envelope: unknown): string | undefined {
  const level = isMap(envelope) ? envelope[LOG_LEVEL] : undefined;
  return typeof level === 'string' ? level : undefined;
}

/** A lead hears of what goes wrong without asking; a member's host asks, because many of them would read all logs. */
function offerLogging(server: McpConnection, { side }: ToolContext, logs: LogNotices): void {
  let stop: (() => void) | undefined;
  const listen = (level: string): void => {
    stop?.();
    stop = logs.listen(level, (message) => server.notification(message));
  };
  if (side === 'lead') server.oninitialized = () => listen('warning');
  server.setRequestHandler('logging/setLevel', ({ params: { level } }) => {
    listen(level);
    return {};
  });
}

function offerResources(server: McpConnection, context: ToolContext, notices: ResourceNotices): void {
  server.setRequestHandler('resources/list', ({ params }) => {
    refuseCursor(params?.cursor);
    notices.start();
    return { resources: listResources(context) };
  });
  server.setRequestHandler('resources/templates/list', ({ params }) => {
    refuseCursor(params?.cursor);
    return { resourceTemplates };
  });
  server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    notices.start();
    const content = readResource(context, uri);
    if (content === undefined) throw noResource(uri);
    const { mimeType, text, next } = content;
    return { contents: [{ uri, mimeType, text, _meta: next === undefined ? undefined : { 'teams/next': next } }] };
  });
  server.setRequestHandler('resources/subscribe', ({ params: { uri } }) => {
    if (!tellsChanges(context, uri)) throw noResource(uri);
    notices.subscribe(uri);
    notices.start();
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    notices.unsubscribe(uri);
    return {};
  });
}

function offerPrompts(server: McpConnection, context: ToolContext): void {
  server.setRequestHandler('prompts/list', ({ params }) => {
    refuseCursor(params?.cursor);
    return { prompts: listPrompts(context) };
  });
  server.setRequestHandler('prompts/get', async ({ params: { name, arguments: given } }) => {
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
  server.setRequestHandler('completion/complete', ({ params: { ref, argument } }) => {
    const completion =
      ref.type === 'ref/resource'
        ? completed(context, ref.uri, argument)
        : completedArgument(context, ref.name, argument);
    if (completion !== undefined) return { completion: { ...completion } };
    const what = ref.type === 'ref/resource' ? 'template' : 'prompt';
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no such ${what}.`);
  });
}

/** @throws a refusal of the runtime as an error of the protocol; other errors as they are */
function invalid(error: unknown): never {
  if (!isTeamError(error)) throw error;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${error.code}: ${error.message}`);
}

/** Each list has one page, so that a cursor is never one of ours. */
function refuseCursor(cursor: string | undefined): void {
  if (cursor !== undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such cursor.');
}

const noResource = (uri: string): ResourceNotFoundError =>
  new ResourceNotFoundError(uri, `There is no resource ${uri}.`);
