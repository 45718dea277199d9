/**
 * The conversation with a model, in memory and, if the agent has a home, on disk. It can always be sent: a call without
 * an answer gets one, which says that its result is unknown.
 */
import { join } from 'node:path';
import type { ModelMessage, ToolModelMessage, ToolResultPart, UserModelMessage } from 'ai';
import * as z from 'zod';
import type { ToolImage } from '../agent-contract.ts';
import { readSession, sessionFile, type SessionFile } from './session-file.ts';

interface PendingToolCall {
  readonly id: string;
  readonly tool: string;
}

const recordSchema = z.union([
  z.looseObject({ type: z.literal('message'), message: z.unknown() }),
  z.looseObject({ type: z.literal('compacted'), messages: z.array(z.unknown()) }),
  z.looseObject({ type: z.literal('forgotten'), count: z.number().int().min(0) }),
]);

/** The id becomes a file name, so its form is checked. */
const SESSION = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export class Conversation {
  readonly id: string;
  #messages: ModelMessage[];
  readonly #file: SessionFile | undefined;

  private constructor(id: string, messages: readonly ModelMessage[], file: SessionFile | undefined) {
    this.id = id;
    this.#messages = [...messages];
    this.#file = file;
  }

  /**
   * @param session the session to continue
   * @param schema of one message, from the library that defines the messages
   * @returns a new conversation when the session cannot be found; then `isLost` is true
   */
  static open(
    home: string | undefined,
    session: string | undefined,
    schema: z.ZodType<ModelMessage>,
  ): { conversation: Conversation; isLost: boolean } {
    const path = (id: string): string => join(home ?? '', 'sessions', `${id}.jsonl`);
    const records =
      home === undefined || session === undefined || !SESSION.test(session) ? undefined : readSession(path(session));
    const id = records === undefined || session === undefined ? crypto.randomUUID() : session;
    const file = home === undefined ? undefined : sessionFile(path(id));
    const conversation = new Conversation(id, replayed(records ?? [], schema), file);
    conversation.answerAll('The process ended before the answer: it may or may not have been carried out.');
    return { conversation, isLost: session !== undefined && records === undefined };
  }

  get messages(): readonly ModelMessage[] {
    return this.#messages;
  }

  push(...messages: readonly ModelMessage[]): void {
    for (const message of messages) {
      this.#messages.push(message);
      this.#file?.append({ type: 'message', message });
    }
  }

  /** Adds a user message. A text equal to the last message is not added again: a failed turn is tried again. */
  say(text: string): void {
    const last = this.#messages.at(-1);
    if (last?.role !== 'user' || last.content !== text) this.push({ role: 'user', content: text });
  }

  /** Removes the user messages after the first `kept` messages that got no answer. */
  forgetUnanswered(kept: number): void {
    const lastAnswer = this.#messages.findLastIndex(({ role }) => role !== 'user');
    const count = this.#messages.length - Math.max(kept, lastAnswer + 1);
    if (count <= 0) return;
    this.#messages.splice(-count);
    this.#file?.append({ type: 'forgotten', count });
  }

  /** Replaces the whole history. */
  replace(messages: readonly ModelMessage[]): void {
    this.#messages = [...messages];
    this.#file?.append({ type: 'compacted', messages });
  }

  /** Whether the model has answered yet: without an answer there is nothing to summarise. */
  get isAnswered(): boolean {
    return this.#messages.some(({ role }) => role === 'assistant');
  }

  /** Whether the model's last message was a call, answered or not. */
  get isCalling(): boolean {
    return this.#messages.at(-1)?.role === 'tool' || this.open.length > 0;
  }

  /** Calls without an answer. */
  get open(): readonly PendingToolCall[] {
    const answered = new Set(this.#messages.flatMap(resultIds));
    return this.#messages.flatMap(callsIn).filter(({ id }) => !answered.has(id));
  }

  /** Answers every open call with the same text. */
  answerAll(why: string): void {
    const { open } = this;
    if (open.length > 0) this.push(toolMessage(open.map((call) => resultPart(call, { ok: false, why }))));
  }
}

export const toolMessage = (content: ToolResultPart[]): ToolModelMessage => ({ role: 'tool', content });

/** Images that tools showed. */
export const imageMessage = (images: readonly ToolImage[]): UserModelMessage => ({
  role: 'user',
  content: images.map(({ mediaType, base64 }) => ({ type: 'image', image: base64, mediaType })),
});

export const resultPart = (
  { id, tool }: PendingToolCall,
  answer: { ok: true; text: string } | { ok: false; why: string },
): ToolResultPart => ({
  type: 'tool-result',
  toolCallId: id,
  toolName: tool,
  output: answer.ok ? { type: 'text', value: answer.text } : { type: 'error-text', value: answer.why },
});

function replayed(records: readonly unknown[], schema: z.ZodType<ModelMessage>): ModelMessage[] {
  let messages: ModelMessage[] = [];
  for (const record of records) {
    const known = recordSchema.safeParse(record);
    if (!known.success) continue;
    if (known.data.type === 'compacted') messages = z.array(schema).catch([]).parse(known.data.messages);
    else if (known.data.type === 'forgotten') messages.splice(messages.length - known.data.count);
    else {
      const message = schema.safeParse(known.data.message);
      if (message.success) messages.push(message.data);
    }
  }
  return messages;
}

const callsIn = ({ role, content }: ModelMessage): PendingToolCall[] =>
  role !== 'assistant' || typeof content === 'string'
    ? []
    : content.flatMap((part) => (part.type === 'tool-call' ? [{ id: part.toolCallId, tool: part.toolName }] : []));

const resultIds = ({ role, content }: ModelMessage): string[] =>
  role !== 'tool' ? [] : content.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : []));
