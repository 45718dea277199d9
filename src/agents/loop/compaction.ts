/**
 * Keeps a conversation inside its model's window (docs/specification.md R7.11). Before each call, old tool results are
 * cleared in batches. Near the end of the window, a summary that the model writes replaces the whole conversation.
 */
import type { ModelMessage, ToolResultPart } from 'ai';

export interface Window {
  /** Tokens of input and output together. */
  readonly tokens: number;
  readonly output: number;
}

/** The newest results stay whole, however long they are. */
const KEPT_RESULTS = 3;
/** A result with fewer characters is not worth clearing. */
const SHORT = 400;
/** The share of the window that clearing must save: each clearing invalidates the vendor's cache. */
const WORTHWHILE = 0.1;
/** The rest is for the next answers and for errors of the estimate. */
const FULL = 0.85;
const CHARACTERS_PER_TOKEN = 3.5;
/** Of an image. */
const IMAGE_TOKENS = 1_600;
const CLEARED = '[This old result was cleared to save room; call the tool again if you need it.]';

export const tokensIn = (messages: readonly ModelMessage[]): number =>
  Math.ceil(messages.reduce((sum, { content }) => sum + lengthOf(content), 0) / CHARACTERS_PER_TOKEN);

/** Characters; an image counts as a vendor bills a large one, however many bytes it has. */
function lengthOf(content: ModelMessage['content']): number {
  if (typeof content === 'string') return content.length;
  return content.reduce(
    (sum, part) => sum + (part.type === 'image' ? IMAGE_TOKENS * CHARACTERS_PER_TOKEN : JSON.stringify(part).length),
    0,
  );
}

/** @returns the messages with old results cleared; undefined when that would save too little */
export function clearedOf(messages: readonly ModelMessage[], { tokens }: Window): ModelMessage[] | undefined {
  const results = messages.flatMap(({ role, content }) =>
    role === 'tool' ? content.flatMap((part) => (part.type === 'tool-result' ? [part] : [])) : [],
  );
  const old = new Set(results.slice(0, -KEPT_RESULTS).filter((part) => sizeOf(part) > SHORT));
  const saved = [...old].reduce((sum, part) => sum + sizeOf(part), 0) / CHARACTERS_PER_TOKEN;
  if (saved < tokens * WORTHWHILE) return undefined;
  return messages.map((message) =>
    message.role === 'tool'
      ? {
          ...message,
          content: message.content.map((part) => (part.type === 'tool-result' && old.has(part) ? cleared(part) : part)),
        }
      : message,
  );
}

/** @param used tokens of the conversation: the vendor's last count, plus an estimate of what came since */
export const isFull = (used: number, { tokens, output }: Window): boolean => used > (tokens - output) * FULL;

export const SUMMARISE = [
  'The conversation is about to be cut off to make room. Write down everything that the agent that continues your work must know:',
  'the task and its rules, what was decided and why, what was done (files, commands, messages sent, tasks changed),',
  'what was found out, what failed, and what is to be done next. Name files, tasks and members exactly. Call no tool.',
].join(' ');

/**
 * The conversation after compaction: the model's identity and its own summary, then the request.
 *
 * @param prompt of the current turn, word for word
 */
export function compacted(identity: string | undefined, prompt: string, summary: string): [ModelMessage, ModelMessage] {
  const head = 'Our conversation until now was cut off to make room. This is your own summary of it:';
  const known = [identity, head, summary].filter(Boolean).join('\n\n');
  const asked = `What you were asked last, word for word:\n\n${prompt}\n\nGo on from where the summary ends.`;
  return [
    { role: 'user', content: known },
    { role: 'user', content: asked },
  ];
}

const sizeOf = ({ output }: ToolResultPart): number => JSON.stringify(output).length;

const cleared = (part: ToolResultPart): ToolResultPart => ({ ...part, output: { type: 'text', value: CLEARED } });
