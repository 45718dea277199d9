/** Lists the tools and calls them. Schemas, rules and answers come from the toolbox; this only passes requests on. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type InputRequiredResult,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import {
  isMap,
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
import type { LogNotices } from './log-notices.ts';
import { agreesToForce, FORCE_FORM, type PersonQuestions } from './person-questions.ts';
import { PAGE, refuseCursor } from './refusals.ts';
import type { McpConnection, ResourceNotices } from './resource-notices.ts';

/** What is told to a host, and what its person is asked. */
export interface HostTalk {
  readonly notices: ResourceNotices;
  readonly logs: LogNotices;
  readonly questions: PersonQuestions;
  /** Whether the host of a connection shows forms; undefined where each request says so. */
  readonly showsForms?: () => boolean;
}

type Request = ServerContext['mcpReq'];

export function offerTools(server: McpConnection, context: ToolContext, talk: HostTalk): void {
  server.setRequestHandler('tools/list', PAGE, (params) => {
    refuseCursor(params);
    return { tools: toolsOf(context).map(toolOf) };
  });
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    if (!isToolName(params.name))
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, noTool(params.name, context));
    return call(context, { name: params.name, input: params.arguments }, mcpReq, talk);
  });
}

interface Called {
  readonly name: ToolName;
  readonly input: unknown;
}

async function call(
  context: ToolContext,
  called: Called,
  request: Request,
  talk: HostTalk,
): Promise<CallToolResult | InputRequiredResult> {
  const answered = await talkToPerson(called, request, talk);
  if (answered.kind === 'ask') return answered.asked;
  const { logs, notices, questions } = talk;
  const level = talk.showsForms === undefined ? logLevelIn(request.envelope) : undefined;
  const stop = level === undefined ? undefined : logs.listen(level, (message) => request.notify(message));
  const answer = answered.refusal ?? (await useTool(context, called.name, answered.input, callFor(request)));
  for (const one of [notices, logs, questions]) one.ring();
  stop?.();
  if (!answer.ok && called.name === 'TeamDelete' && REFUSES.test(answer.why) && showsForms(request, talk))
    return inputRequired({
      inputRequests: { [FORCE]: inputRequired.elicit({ message: answer.why, requestedSchema: FORCE_FORM }) },
    });
  const note = answered.note === undefined ? '' : `\n\n${answered.note}`;
  const content = [{ type: 'text' as const, text: capped(`${answer.ok ? answer.text : answer.why}${note}`) }];
  return answer.ok ? { content, structuredContent: fitting(answer.data) } : { content, isError: true };
}

/** How a call goes on after what its person was asked. */
type Talked =
  | { readonly kind: 'ask'; readonly asked: InputRequiredResult }
  | {
      readonly kind: 'call';
      readonly input: unknown;
      readonly refusal?: { readonly ok: false; readonly why: string };
      /** What went wrong with an answer of the person. */
      readonly note?: string | undefined;
    };

const FORCE = 'force';
const REFUSES = /^STILL_RUNNING: .*refuses to stop/s;
const NOT_FORCED = {
  ok: false,
  why: 'STILL_RUNNING: The person did not agree to stop the members that refuse. The team goes on.',
} as const;

/**
 * In protocol 2026-07-28 a server asks by the answer to a call, which the host repeats with what its person said. So
 * CheckInbox asks what waits for a person; before, forms are shown without a call.
 */
async function talkToPerson({ name, input }: Called, request: Request, talk: HostTalk): Promise<Talked> {
  const { inputResponses } = request;
  if (name === 'TeamDelete' && inputResponses !== undefined && FORCE in inputResponses) {
    const end = inputResponse(inputResponses, FORCE);
    const agrees = end.kind === 'elicit' && end.action === 'accept' && agreesToForce(end.content);
    return agrees
      ? { kind: 'call', input: { ...(isMap(input) ? input : {}), force: true } }
      : { kind: 'call', input, refusal: NOT_FORCED };
  }
  if (name !== 'CheckInbox' || talk.showsForms !== undefined || !showsForms(request, talk))
    return { kind: 'call', input };
  const notes: string[] = [];
  for (const key of Object.keys(inputResponses ?? {})) {
    const end = inputResponse(inputResponses, key);
    const note = end.kind === 'elicit' ? await talk.questions.take(key, end) : undefined;
    if (note !== undefined) notes.push(`The person answered in vain: ${note}`);
  }
  const waiting = inputResponses === undefined ? talk.questions.waiting() : [];
  if (waiting.length === 0) return { kind: 'call', input, note: notes.length === 0 ? undefined : notes.join('\n') };
  const inputRequests = Object.fromEntries(
    waiting.map(({ key, message, form }) => [key, inputRequired.elicit({ message, requestedSchema: form })]),
  );
  return { kind: 'ask', asked: inputRequired({ inputRequests }) };
}

const showsForms = ({ envelope }: Request, talk: HostTalk): boolean =>
  talk.showsForms?.() ?? hasForms(isMap(envelope) ? envelope[CLIENT_CAPABILITIES_META_KEY] : undefined);

/** Whether a host with these capabilities shows forms: without a mode a form is meant. */
export function hasForms(capabilities: unknown): boolean {
  const elicitation = isMap(capabilities) ? capabilities['elicitation'] : undefined;
  return isMap(elicitation) && ('form' in elicitation || !('url' in elicitation));
}

function callFor({ _meta, signal, notify }: Request) {
  const progressToken = _meta?.progressToken;
  let progress = 0;
  return {
    signal,
    // The rest is for what the toolbox adds, such as the announcement of mail.
    mostBytes: MOST_BYTES - 1_024,
    progress(message: string) {
      if (progressToken === undefined) return;
      progress += 1;
      // A host that is gone needs no progress.
      notify({ method: 'notifications/progress', params: { progressToken, progress, message } }).catch(() => undefined);
    },
  };
}

/** The key in a request of the modern era that names the least level of log messages. */
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';

function logLevelIn(envelope: unknown): string | undefined {
  const level = isMap(envelope) ? envelope[LOG_LEVEL] : undefined;
  return typeof level === 'string' ? level : undefined;
}

/** A model that calls a tool that is not offered gets a result that it can act on; here its host is wrong. */
const noTool = (name: string, context: ToolContext): string =>
  `There is no tool ${name}; there are: ${toolsOf(context).join(', ')}.`;

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
