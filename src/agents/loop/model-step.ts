/** One call of a model: yields its text line by line, and returns the tool calls that it wants. */
import type { LanguageModelMiddleware, LanguageModelUsage, ModelMessage, TextStreamPart, ToolSet } from 'ai';
import type { ToolName } from '../../model/team/tool.ts';
import { toolFacts, toolJsonSchema } from '../../model/team/tool.ts';
import type { Usage } from '../../model/agent/usage.ts';
import { defined } from '../../model/text/defined.ts';
import type { AgentEvent, CallAnswer } from '../agent-contract.ts';
import { allowanceIn } from './allowance.ts';
import type { Library } from './library.ts';
import type { TurnDeadline } from './turn-deadline.ts';
import type { ResolvedModel } from './model-vendor.ts';

export interface ModelRequest {
  readonly reached: ResolvedModel;
  readonly system: string | undefined;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolName[];
  /** The most tokens of the answer; by default the model's own limit. */
  readonly outputTokens?: number | undefined;
}

export interface RequestedToolCall {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
}

export type StepEnd =
  | {
      readonly kind: 'answered';
      readonly text: string;
      /** The messages to add to the conversation. */
      readonly messages: readonly ModelMessage[];
      readonly wanted: readonly RequestedToolCall[];
      readonly isCut: boolean;
      readonly tokens: number;
    }
  | { readonly kind: 'over' }
  /** `hasBegun`: the vendor had begun to answer, so the call is billed. */
  | { readonly kind: 'broken'; readonly error: unknown; readonly hasBegun: boolean };

/** @returns how the call ended; never throws for a fault of the vendor */
export async function* streamModelStep(
  library: Library,
  { reached, system, messages, tools, outputTokens = reached.window.output }: ModelRequest,
  deadline: TurnDeadline,
): AsyncGenerator<AgentEvent, StepEnd, CallAnswer | undefined> {
  const heard = new AnswerBuffer();
  // They come before the answer, which may take minutes; the library's stream has them at its end.
  let headers: Record<string, string> | undefined;
  const wrapStream: LanguageModelMiddleware['wrapStream'] = async ({ doStream }) => {
    const begun = await doStream();
    headers = begun.response?.headers;
    return begun;
  };
  deadline.listen();
  try {
    const result = library.streamText({
      model: library.wrapLanguageModel({
        model: reached.model,
        middleware: { specificationVersion: 'v3', wrapStream },
      }),
      messages: [...messages],
      tools: offered(library, tools),
      maxRetries: 0,
      maxOutputTokens: outputTokens,
      abortSignal: deadline.signal,
      onError: () => undefined,
      ...defined({ system, providerOptions: reached.providerOptions && { ...reached.providerOptions } }),
    });
    for await (const part of result.fullStream) {
      deadline.listen();
      const told = allowanceIn(headers);
      headers = undefined;
      if (told !== undefined) yield { type: 'allowance', ...told };
      for (const text of heard.lines(part)) yield { type: 'said', text };
      if (part.type === 'finish-step' && isAny(part.usage))
        yield { type: 'usage', usage: usageOf(part.usage, reached.name) };
    }
    // A refusal of the vendor counts before the deadline does.
    if (heard.error !== undefined && !deadline.isOver)
      return { kind: 'broken', error: heard.error, hasBegun: heard.hasBegun };
    if (deadline.isOver || heard.end === undefined) return unfinished(deadline, heard.hasBegun);
    return { ...heard.end, kind: 'answered', messages: (await result.response).messages };
  } catch (error) {
    return deadline.isOver ? { kind: 'over' } : { kind: 'broken', error, hasBegun: heard.hasBegun };
  } finally {
    deadline.rest();
  }
}

const unfinished = (deadline: TurnDeadline, hasBegun: boolean): StepEnd =>
  deadline.isOver
    ? { kind: 'over' }
    : { kind: 'broken', error: new Error('The stream ended before the answer did.'), hasBegun };

type Part = TextStreamPart<ToolSet>;

/** Parts that come also when the vendor refused. */
const BEFORE_THE_ANSWER: ReadonlySet<Part['type']> = new Set(['start', 'start-step', 'error', 'abort']);

/** What has arrived of one answer so far. */
class AnswerBuffer {
  error: unknown;
  hasBegun = false;
  end: Omit<StepEnd & { kind: 'answered' }, 'kind' | 'messages'> | undefined;
  readonly #wanted: RequestedToolCall[] = [];
  #text = '';
  #line = '';

  /** @returns whole lines, as they are completed */
  lines(part: Part): string[] {
    this.hasBegun ||= !BEFORE_THE_ANSWER.has(part.type);
    if (part.type === 'text-delta') {
      this.#text += part.text;
      return this.#cut(part.text);
    }
    if (part.type === 'text-end') return this.#cut('\n');
    if (part.type === 'error') this.error ??= part.error;
    // The library itself answers a call that cannot be parsed.
    else if (part.type === 'tool-call' && part.invalid !== true)
      this.#wanted.push({ id: part.toolCallId, tool: part.toolName, input: part.input });
    else if (part.type === 'finish-step') this.#finish(part);
    return [];
  }

  #finish({ usage, finishReason }: Part & { type: 'finish-step' }): void {
    this.end = {
      text: this.#text.trim(),
      wanted: this.#wanted,
      isCut: finishReason === 'length',
      tokens: (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0),
    };
    if (finishReason === 'content-filter') this.error ??= new Error('The vendor refused to answer (content filter).');
  }

  #cut(text: string): string[] {
    const lines = (this.#line + text).split('\n');
    this.#line = lines.pop() ?? '';
    return lines.filter((line) => line.trim() !== '');
  }
}

/** The tools in the library's form; the library carries none of them out. */
const offered = ({ jsonSchema, tool }: Library, names: readonly ToolName[]): ToolSet =>
  Object.fromEntries(
    names.map((name) => [
      name,
      tool({ description: toolFacts[name].description, inputSchema: jsonSchema<object>({ ...toolJsonSchema(name) }) }),
    ]),
  );

const isAny = ({ inputTokens = 0, outputTokens = 0 }: LanguageModelUsage): boolean =>
  inputTokens !== 0 || outputTokens !== 0;

function usageOf({ inputTokens = 0, outputTokens = 0, inputTokenDetails }: LanguageModelUsage, model: string): Usage {
  const { cacheReadTokens, cacheWriteTokens } = inputTokenDetails;
  return {
    inputTokens,
    outputTokens,
    model,
    cacheReadTokens,
    cacheWriteTokens,
  };
}
