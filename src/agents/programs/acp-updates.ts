/**
 * The Agent Client Protocol as steps: what an update means, how a prompt ended. Pure; the SDK does the
 * transport.
 */
import { defined } from '../../model/text/defined.ts';
import { toldNumber, toldSum, type Usage } from '../../model/agent/usage.ts';
import type { ContentBlock, SessionUpdate, ToolCallUpdate } from '@agentclientprotocol/sdk';
import * as z from 'zod';
import type { TurnEnd } from '../../model/agent/turn-end.ts';
import { refused } from '../vendor-fault.ts';
import { tellStep, type AgentStep } from './agent-step.ts';

const LINE = 200;

/** Joins the pieces of the model's text; any other update ends a text. */
export interface MessageCollector {
  /** The steps of an update. */
  take(update: SessionUpdate): AgentStep[];
  /** The text that was not yet reported. */
  rest(): AgentStep[];
  /** The last text. */
  text(): string;
  /** Whether the model asked for a tool: then it was asked more than once. */
  usedTools(): boolean;
}

export function messageCollector(): MessageCollector {
  let [open, last] = ['', ''];
  let usedTools = false;
  const rest = (): AgentStep[] => {
    const said = open.trim();
    open = '';
    if (said === '') return [];
    last = said;
    return [tellStep({ type: 'said', text: said })];
  };
  return {
    rest,
    text: () => last,
    usedTools: () => usedTools,
    take(update) {
      // What came before the words of a user is of an old session.
      if (update.sessionUpdate === 'user_message_chunk') [open, last] = ['', ''];
      if (update.sessionUpdate === 'agent_message_chunk') {
        open += wordsOf(update.content);
        return [];
      }
      if (update.sessionUpdate !== 'tool_call' && update.sessionUpdate !== 'tool_call_update') return [];
      usedTools = true;
      return [...rest(), ...toolSteps(update, update.sessionUpdate === 'tool_call')];
    },
  };
}

/** Sound and images have no words: their place is told. */
export function wordsOf(content: ContentBlock): string {
  switch (content.type) {
    case 'text':
      return content.text;
    case 'resource_link':
      return content.uri;
    case 'resource':
      return 'text' in content.resource ? content.resource.text : `[${content.resource.uri}]`;
    case 'image':
    case 'audio':
      return `[${content.type} ${content.mimeType}]`;
  }
}

/** The list of what the agent is about to do, in one line; undefined for any other update. */
export function planIn(update: SessionUpdate): string | undefined {
  if (update.sessionUpdate !== 'plan') return undefined;
  const { entries } = update;
  if (entries.length === 0) return undefined;
  const done = entries.filter(({ status }) => status === 'completed').length;
  const now =
    entries.find(({ status }) => status === 'in_progress') ?? entries.find(({ status }) => status === 'pending');
  const next = now === undefined ? '' : `: ${now.content.split('\n', 1)[0] ?? ''}`;
  return `${done} of ${entries.length} done${next}`.slice(0, LINE);
}

/** How many tokens are in the context of the agent, and how many have place in it. */
export interface Context {
  readonly contextTokens: number;
  readonly contextSize: number;
}

export function contextIn(update: SessionUpdate): Context | undefined {
  if (update.sessionUpdate !== 'usage_update') return undefined;
  const { used: contextTokens, size: contextSize } = update;
  const isContext = [contextTokens, contextSize].every((count) => Number.isInteger(count) && count >= 0);
  return isContext && contextSize > 0 ? { contextTokens, contextSize } : undefined;
}

function toolSteps({ toolCallId, title, kind, status }: ToolCallUpdate, isNew: boolean): AgentStep[] {
  const isOver = status === 'completed' || status === 'failed';
  const busy: AgentStep = { do: 'busy', with: toolCallId, is: !isOver };
  if (!isNew) return isOver ? [busy] : [];
  const text = (title ?? kind ?? 'tool').split('\n', 1)[0] ?? '';
  return [busy, tellStep({ type: 'used', tool: kind ?? 'tool', text: text.slice(0, LINE) })];
}

/** Some programs first mention a tool when they ask for it. */
export const startSteps = (toolCall: ToolCallUpdate): AgentStep[] =>
  toolSteps({ ...toolCall, status: 'in_progress' }, true);

const tokens = toldNumber;
const answerSchema = z.object({
  stopReason: z.string(),
  usage: z
    .object({
      inputTokens: tokens,
      outputTokens: tokens,
      cachedReadTokens: tokens.nullish(),
      cachedWriteTokens: tokens.nullish(),
      thoughtTokens: tokens.nullish(),
      totalTokens: tokens.nullish(),
    })
    .optional()
    .catch(undefined),
  _meta: z
    .object({ quota: z.object({ token_count: z.object({ input_tokens: tokens, output_tokens: tokens }) }) })
    .optional()
    .catch(undefined),
});

/** What a session has cost so far, in US dollars, if an update says so; a number below 0 for what is no price. */
export function toldCost(update: SessionUpdate): number | undefined {
  if (update.sessionUpdate !== 'usage_update') return undefined;
  const { cost } = update;
  return cost?.currency === 'USD' ? toldNumber.parse(cost.amount) : undefined;
}

type Told = Partial<Pick<Usage, 'costUsd' | 'contextTokens' | 'contextSize'>>;

const UNKNOWN = { inputTokens: -1, outputTokens: -1 };

/**
 * How a prompt was answered.
 * @param text the last text
 * @param told what the program told of the turn: its cost, and how full the context is
 * @param isWhole false if the tokens of the answer are those of its last request only
 */
export function promptSteps(
  response: unknown,
  text: string,
  told: Told = {},
  isWhole = true,
): { steps: AgentStep[]; end: TurnEnd } {
  const parsed = answerSchema.safeParse(response);
  if (!parsed.success) {
    const message = 'Its answer to the prompt does not follow the protocol.';
    return { steps: [], end: { kind: 'failed', why: 'bad_output', text, message } };
  }
  return { steps: usageSteps(parsed.data, told, isWhole), end: stopEnd(parsed.data.stopReason, text) };
}

/** Without any word about tokens, or with one about a part of them, they are unknown, not none. */
function usageSteps(
  { usage, stopReason, _meta: meta }: z.infer<typeof answerSchema>,
  more: Told,
  isWhole: boolean,
): AgentStep[] {
  const also = defined({ costUsd: more.costUsd, contextTokens: more.contextTokens, contextSize: more.contextSize });
  const unknown = [tellStep({ type: 'usage', usage: { ...UNKNOWN, ...also } })];
  if (usage !== undefined) {
    const cache = {
      ...(typeof usage.cachedReadTokens !== 'number' ? {} : { cacheReadTokens: usage.cachedReadTokens }),
      ...(typeof usage.cachedWriteTokens !== 'number' ? {} : { cacheWriteTokens: usage.cachedWriteTokens }),
    };
    const told = toldTokens(usage);
    if (!isWhole) return unknown;
    // Of a turn that was broken off some programs tell only that: it asked its model nevertheless.
    if (told.inputTokens === 0 && told.outputTokens === 0) return stopReason === 'cancelled' ? unknown : [];
    return [tellStep({ type: 'usage', usage: { ...told, ...cache, ...also } })];
  }
  if (meta === undefined) return unknown;
  const { input_tokens: inputTokens, output_tokens: outputTokens } = meta.quota.token_count;
  return [tellStep({ type: 'usage', usage: { inputTokens, outputTokens, ...also } })];
}

type ToldUsage = NonNullable<z.infer<typeof answerSchema>['usage']>;

/**
 * All input and all output. The protocol counts cached and thought tokens beside the others; a program that counts them
 * among the others is known by its total, which is then the sum of input and output.
 */
function toldTokens(usage: ToldUsage): { inputTokens: number; outputTokens: number } {
  const { inputTokens, outputTokens, totalTokens } = usage;
  if (typeof totalTokens === 'number' && toldSum(inputTokens, outputTokens) === totalTokens)
    return { inputTokens, outputTokens };
  const cached = [usage.cachedReadTokens ?? 0, usage.cachedWriteTokens ?? 0];
  return {
    inputTokens: toldSum(inputTokens, ...cached),
    outputTokens: toldSum(outputTokens, usage.thoughtTokens ?? 0),
  };
}

function stopEnd(reason: string, text: string): TurnEnd {
  if (reason === 'end_turn') return { kind: 'answered', text };
  if (reason === 'cancelled') return { kind: 'failed', why: 'crashed', text, message: 'The agent cancelled its turn.' };
  if (reason === 'refusal') return { kind: 'failed', why: 'refused', text, message: 'The model refused to answer.' };
  if (reason === 'max_tokens')
    return { kind: 'failed', why: 'overflow', text, message: 'The answer was cut: max_tokens.' };
  return { kind: 'failed', why: 'bad_output', text, message: `The turn was ended: ${reason}.` };
}

const errorSchema = z.object({ code: z.number().optional(), message: z.string(), data: z.unknown().optional() });
const statusSchema = z.union([
  z.object({ statusCode: z.number() }).transform(({ statusCode }) => statusCode),
  z.object({ status: z.number() }).transform(({ status }) => status),
  z
    .object({ codex_error_info: z.json() })
    .transform((info) => Number(/"http_status_code":(\d+)/.exec(JSON.stringify(info))?.[1])),
]);
const AUTH_REQUIRED = -32_000;

/**
 * A refused request: some programs give the HTTP status as the code, some in the data, some in the text.
 *
 * @param logins the ways to log in that the program names
 */
export function refusal(error: unknown, text: string, logins: readonly string[] = []): TurnEnd {
  const parsed = errorSchema.safeParse(error);
  if (!parsed.success) return refused({ text: String(error) }, text);
  const { code = 0, message, data } = parsed.data;
  const details = data === undefined ? '' : typeof data === 'string' ? data : JSON.stringify(data);
  const said = [message.replace(/^Internal error(?::\s*)?/, ''), details].filter(Boolean).join(' ') || message;
  if (code === AUTH_REQUIRED) {
    const ways = logins.length === 0 ? '' : ` (${logins.join(', ')})`;
    return refused(
      { text: `${said.replace(/\.?$/, '.')} Log in with the program itself${ways}, then try again.`, status: 401 },
      text,
    );
  }
  const told = statusSchema.safeParse(data).data;
  const status = code >= 400 && code < 600 ? code : Number.isNaN(told) ? undefined : told;
  return refused({ text: said, status }, text);
}
