/**
 * The most tokens that a call of a model can use, before it is made. No token has less than one byte, so the bytes of
 * what the vendor has not counted yet are an upper bound of its tokens.
 */
import type { ModelMessage } from 'ai';
import { toolFacts, toolJsonSchema, type ToolName } from '../../model/team/tool.ts';
import type { CallBound } from '../agent-contract.ts';
import type { ResolvedModel } from './model-vendor.ts';

/** What a vendor's template adds to a message, and to a request with tools. */
const ENVELOPE_TOKENS = 32;
const TEMPLATE_TOKENS = 2_048;

interface Asked {
  readonly system: string | undefined;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolName[];
}

/** The vendor's count of the first messages of a conversation, with all that stood around them. */
interface Counted {
  readonly tokens: number;
  readonly last: ModelMessage | undefined;
  readonly messages: number;
}

export function callBound(
  reached: ResolvedModel,
  { system = '', messages, tools }: Asked,
  counted: Counted,
): CallBound {
  const isCounted = counted.tokens > 0 && messages[counted.messages - 1] === counted.last;
  const fresh = isCounted ? messages.slice(counted.messages) : messages;
  const around = tools.flatMap((name) => [toolFacts[name].description, toolJsonSchema(name)]);
  const known = isCounted ? counted.tokens : bytesOf([system, ...around]) + TEMPLATE_TOKENS;
  return {
    model: reached.name,
    inputTokens: known + bytesOf(fresh) + fresh.length * ENVELOPE_TOKENS,
    outputTokens: reached.window.output,
  };
}

const bytesOf = (values: readonly unknown[]): number =>
  values.reduce<number>((sum, value) => sum + Buffer.byteLength(JSON.stringify(value)), 0);
