/**
 * Claude Code's stream-json, in both directions: what a line means, as steps, and what is sent. Pure. Unused fields are
 * not checked, so that a newer version may add fields.
 */
import { toldNumber } from '../../model/agent/usage.ts';
import * as z from 'zod';
import type { CallAnswer, AccessKind } from '../agent-contract.ts';
import type { TurnEnd } from '../../model/agent/turn-end.ts';
import { refused } from '../vendor-fault.ts';
import type { JsonObject } from './json-lines.ts';
import { endStep, tellStep, type AgentStep } from './agent-step.ts';

const text = z.object({ type: z.literal('text'), text: z.string() });
const toolUse = z.object({
  type: z.literal('tool_use'),
  id: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()).catch({}),
});
const toolResult = z.object({ type: z.literal('tool_result'), tool_use_id: z.string() });
const other = z.object({ type: z.string() });
const blocks = z
  .union([z.array(z.union([text, toolUse, toolResult, other])), z.string().transform(() => [])])
  .catch([]);

const tokens = toldNumber;
const usage = z.object({
  input_tokens: tokens,
  output_tokens: tokens,
  cache_read_input_tokens: tokens.optional(),
  cache_creation_input_tokens: tokens.optional(),
});

const incoming = z.discriminatedUnion('type', [
  z.object({ type: z.literal('system'), subtype: z.string(), session_id: z.string().optional() }).loose(),
  z.object({
    type: z.literal('assistant'),
    message: z.object({
      content: blocks,
      id: z.string().optional(),
      model: z.string().optional(),
      usage: usage.optional().catch(undefined),
    }),
    parent_tool_use_id: z.string().nullish(),
  }),
  z.object({
    type: z.literal('user'),
    message: z.object({ content: blocks }),
    uuid: z.string().optional(),
    isReplay: z.boolean().optional(),
  }),
  z.object({
    type: z.literal('result'),
    subtype: z.string(),
    is_error: z.boolean(),
    result: z.string().optional(),
    errors: z.array(z.string()).optional().catch(undefined),
    api_error_status: z.number().nullish(),
    terminal_reason: z.string().nullish(),
    usage: usage.optional().catch(undefined),
    stop_reason: z.string().nullish().catch(undefined),
    total_cost_usd: toldNumber.optional(),
  }),
  z.object({
    type: z.literal('control_request'),
    request_id: z.string(),
    request: z.object({ subtype: z.string() }).loose(),
  }),
  z.object({
    type: z.literal('control_response'),
    response: z.object({ subtype: z.string(), request_id: z.string(), error: z.string().optional() }),
  }),
]);
export type FromClaude = z.infer<typeof incoming>;
type ClaudeResult = Extract<FromClaude, { type: 'result' }>;

/** Parses one line; undefined for one that has no meaning here. */
export function readClaude(message: JsonObject): FromClaude | undefined {
  const parsed = incoming.safeParse(message);
  return parsed.success ? parsed.data : undefined;
}

const retrySchema = z.object({
  subtype: z.literal('api_retry'),
  attempt: z.number().catch(0),
  retry_delay_ms: z.number().min(0).optional().catch(undefined),
  error_status: z.number().nullish(),
  error: z.string().catch('unknown'),
});

const WORDS: ReadonlyMap<string, string> = new Map([
  ['rate_limit', '429'],
  ['overloaded', '529'],
  ['server_error', '500'],
]);

/** @param told the session that was already reported */
export function systemSteps(message: Extract<FromClaude, { type: 'system' }>, told: string | undefined): AgentStep[] {
  const { session_id: id } = message;
  if (message.subtype === 'init') return id === undefined || id === told ? [] : [tellStep({ type: 'session', id })];
  if (message.subtype === 'compact_boundary')
    return [tellStep({ type: 'noted', text: 'Its conversation was compacted.' })];
  const retry = retrySchema.safeParse(message);
  if (!retry.success) return [];
  const { attempt, error, error_status: status, retry_delay_ms: afterMs } = retry.data;
  const said = `${WORDS.get(error) ?? error}: attempt ${attempt} failed`;
  const after = afterMs === undefined ? {} : { afterMs: Math.round(afterMs) };
  const refusal = refused({ text: said === 'unknown' ? 'connection' : said, status: status ?? undefined });
  const why = refusal.kind === 'failed' && refusal.why !== 'exit' ? refusal.why : 'crashed';
  return [tellStep({ type: 'retrying', why, text: `${error} (attempt ${attempt})`, ...after })];
}

/** What the model said, and which tools it uses; text of its subagents is left out. */
export function assistantSteps({
  message,
  parent_tool_use_id,
}: Extract<FromClaude, { type: 'assistant' }>): AgentStep[] {
  if (message.model === '<synthetic>') return [];
  return message.content.flatMap((block): AgentStep[] => {
    if ('text' in block)
      return (parent_tool_use_id ?? undefined) === undefined ? [tellStep({ type: 'said', text: block.text })] : [];
    if (!('input' in block)) return [];
    const line = `${block.name} ${summary(block.input)}`.trim();
    return [{ do: 'busy', with: block.id, is: true }, tellStep({ type: 'used', tool: block.name, text: line })];
  });
}

export const toolsEnded = ({ message }: Extract<FromClaude, { type: 'user' }>): AgentStep[] =>
  message.content.flatMap((block): AgentStep[] =>
    'tool_use_id' in block ? [{ do: 'busy', with: block.tool_use_id, is: false }] : [],
  );

const SUMMARY = 200;
const TELLING = ['command', 'file_path', 'path', 'pattern', 'url', 'query', 'description', 'recipient', 'taskId'];

/** The one argument that says most. */
function summary(input: JsonObject): string {
  const said = TELLING.map((key) => input[key]).find((value) => typeof value === 'string');
  return typeof said === 'string' ? (said.split('\n', 1)[0] ?? '').slice(0, SUMMARY) : '';
}

/** `subtype` is "success" even when the vendor refused: `is_error` decides. */
function resultEnd(result: ClaudeResult): TurnEnd {
  const { is_error, subtype, result: text = '', errors = [], api_error_status: status, stop_reason } = result;
  if (stop_reason === 'refusal')
    return { kind: 'failed', why: 'refused', text, message: 'The model refused to answer.' };
  if (!is_error && subtype === 'success') return { kind: 'answered', text };
  const said = text || errors.join(' ') || `Claude ended its turn with ${subtype}.`;
  if (/^error_max_/.test(subtype)) return { kind: 'failed', why: 'bad_output', text, message: said };
  const isCut = subtype === 'error_during_execution' && (status ?? undefined) === undefined && errors.length === 0;
  return isCut
    ? { kind: 'failed', why: 'crashed', text, message: said }
    : refused({ text: said, status: status ?? undefined });
}

const askSchema = z.object({
  subtype: z.literal('can_use_tool'),
  tool_name: z.string(),
  input: z.record(z.string(), z.unknown()),
  blocked_path: z.string().nullish(),
});

interface ClaudePermissionRequest {
  readonly tool: string;
  readonly effect: AccessKind;
  readonly paths: readonly string[];
  readonly input: JsonObject;
}

export function readPermissionRequest(request: JsonObject): ClaudePermissionRequest | undefined {
  const parsed = askSchema.safeParse(request);
  if (!parsed.success) return undefined;
  const { tool_name: tool, input, blocked_path } = parsed.data;
  const named = [input['file_path'], input['notebook_path'], input['path'], blocked_path];
  const paths = [...new Set(named.filter((path) => typeof path === 'string'))];
  return { tool, effect: EFFECTS.get(tool) ?? 'unknown', paths, input };
}

/** The whole call, as a person reads it: a command as it is, everything else as JSON. */
export function callText(input: JsonObject): string {
  const { command, description: _, ...rest } = input;
  return typeof command === 'string' && Object.keys(rest).length === 0 ? command : JSON.stringify(input);
}

const EFFECTS: ReadonlyMap<string, AccessKind> = new Map([
  ...(['Read', 'Glob', 'Grep', 'LS', 'NotebookRead', 'TodoWrite'] as const).map((tool) => [tool, 'reads'] as const),
  ...(['Edit', 'Write', 'MultiEdit', 'NotebookEdit'] as const).map((tool) => [tool, 'writes'] as const),
  ...(['Bash', 'BashOutput', 'KillShell'] as const).map((tool) => [tool, 'runs'] as const),
  ...(['WebFetch', 'WebSearch'] as const).map((tool) => [tool, 'reaches'] as const),
]);

const control = (requestId: string, request: JsonObject): JsonObject => ({
  type: 'control_request',
  request_id: requestId,
  request,
});

/** @param identity is appended to its own system prompt, and stays there when the conversation is compacted */
export const initialize = (requestId: string, identity: string | undefined): JsonObject =>
  control(requestId, {
    subtype: 'initialize',
    hooks: null,
    appendSystemPrompt: identity,
  });

export const interrupt = (requestId: string): JsonObject => control(requestId, { subtype: 'interrupt' });

export const userMessage = (uuid: string, said: string): JsonObject => ({
  type: 'user',
  uuid,
  message: { role: 'user', content: [{ type: 'text', text: said }] },
});

const respond = (requestId: string, response: JsonObject): JsonObject => ({
  type: 'control_response',
  response: { subtype: 'success', request_id: requestId, response },
});

export const permission = (requestId: string, { input }: ClaudePermissionRequest, answer: CallAnswer): JsonObject =>
  respond(
    requestId,
    answer.ok ? { behavior: 'allow', updatedInput: input } : { behavior: 'deny', message: answer.why },
  );

/** Answers a request that this driver does not know, so that the program does not wait. */
export const unknownRequest = (requestId: string, subtype: string): JsonObject => ({
  type: 'control_response',
  response: { subtype: 'error', request_id: requestId, error: `Unknown request: ${subtype}.` },
});

export const endOf = (result: ClaudeResult): AgentStep => endStep(resultEnd(result));
