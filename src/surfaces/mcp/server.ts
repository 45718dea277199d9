/**
 * The team's tools as an MCP server: what is offered, what is called, what is shown. It decides nothing; the desk does.
 */
import {
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type Tool,
} from '@modelcontextprotocol/server';
import { toolFacts, toolJsonSchema, toolsOf, useTool, type Desk, type ToolName } from '../../index.ts';
import { capped } from './capped.ts';
import { listResources, readResource } from './resources.ts';

const INSTRUCTIONS =
  'A team of worker processes that share a board of tasks and write to each other. Lead: TeamCreate, then Task with team_name and name for each teammate, TaskCreate for the work, CheckInbox for what they say, TeamDelete at the end. Member: TaskList, TaskUpdate, SendMessage, CheckInbox. Mail is announced in the answers of the other tools.';

function toolOf(name: ToolName): Tool {
  const { description, effect } = toolFacts[name];
  return {
    ...{ name, description, inputSchema: toolJsonSchema(name) },
    annotations: {
      readOnlyHint: effect === 'looks',
      destructiveHint: effect === 'ends',
      idempotentHint: effect === 'looks',
      // A teammate's agent may do whatever its program can.
      openWorldHint: name === 'Task',
    },
  };
}

export function makeServer(desk: Desk, version: string): McpServer {
  const made = new McpServer(
    { name: 'teams', version },
    { capabilities: { tools: {}, resources: {} }, instructions: INSTRUCTIONS },
  );
  // Schemas, rules and answers are the toolbox's own: the requests are handled as they come.
  const { server } = made;
  server.setRequestHandler('tools/list', () => ({ tools: toolsOf(desk).map(toolOf) }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }): Promise<CallToolResult> => {
    const token = mcpReq._meta?.progressToken;
    let progress = 0;
    const answer = await useTool(desk, params.name, params.arguments, {
      signal: mcpReq.signal,
      progress(message) {
        if (token === undefined) return;
        progress += 1;
        // A host that has gone needs no progress.
        const note = { progressToken: token, progress, message };
        mcpReq.notify({ method: 'notifications/progress', params: note }).catch(() => undefined);
      },
    });
    const text = capped(answer.ok ? answer.text : answer.why);
    return { content: [{ type: 'text', text }], ...(answer.ok ? {} : { isError: true }) };
  });
  server.setRequestHandler('resources/list', () => ({ resources: listResources(desk) }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    const text = readResource(desk, uri);
    if (text === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no resource ${uri}.`);
    return { contents: [{ uri, mimeType: 'application/json', text }] };
  });
  return made;
}
