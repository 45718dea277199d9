/** One turn of the loop. Whatever ends it, the conversation stays valid and can be continued. */
import type { CallAnswer, CallBound, ToolImage, Turn, TurnInput, AgentEvent } from '../agent-contract.ts';
import type { TurnEnd } from '../../model/agent/turn-end.ts';
import { pause } from '../../os/pause.ts';
import { clearedOf, compacted, isFull, SUMMARISE, tokensIn } from './compaction.ts';
import { imageMessage, resultPart, toolMessage, type Conversation } from './conversation.ts';
import { callBound } from './call-bound.ts';
import { callFault, notAllowed, type ModelCallFault } from './model-call-fault.ts';
import type { Library } from './library.ts';
import type { TurnDeadline } from './turn-deadline.ts';
import { streamModelStep, type ModelRequest, type StepEnd, type RequestedToolCall } from './model-step.ts';
import type { LoopOptions, ResolvedModel, ModelVendor } from './model-vendor.ts';

interface TurnLoopEnvironment {
  readonly library: Library;
  readonly reached: ResolvedModel;
  readonly conversation: Conversation;
  readonly options: LoopOptions;
  readonly deadline: TurnDeadline;
  readonly input: TurnInput;
  readonly identity: string | undefined;
  readonly vendor: ModelVendor;
}

type Answered = StepEnd & { kind: 'answered' };
type Steps<T> = AsyncGenerator<AgentEvent, T, CallAnswer | undefined>;
type Calls<T> = Generator<AgentEvent, T, CallAnswer | undefined>;

/** The longest wait inside a turn. For a longer one the turn ends, and another member may take the work. */
const LONGEST_WAIT_MS = 60_000;
const FIRST_WAIT_MS = 500;
/** How often an answer that was cut for its length may continue. */
const MOST_CUTS = 3;
const CUT = 'Your answer was cut off at its longest. Go on exactly where it ended.';
const STOPPED = 'Not carried out: the turn was stopped.';
const REPEATED =
  'You made exactly this call before and got the same answer each time, so it is not carried out again. Do something else, or end your turn and say what blocks you.';

export class TurnLoop {
  readonly #environment: TurnLoopEnvironment;
  readonly #repeats = repeats();
  /** The vendor's token count at the last answer, and the number of messages then. */
  #counted = { tokens: 0, messages: 0 };
  #isLooping = false;
  /** The number of messages before this turn. */
  #before = 0;

  constructor(environment: TurnLoopEnvironment) {
    this.#environment = environment;
  }

  async *turn(): Turn {
    const { conversation, input } = this.#environment;
    this.#before = conversation.messages.length;
    conversation.say(input.prompt);
    try {
      return yield* this.#loop();
    } finally {
      // If the caller leaves early, it answers no more calls.
      conversation.answerAll(STOPPED);
      conversation.forgetUnanswered(this.#before);
    }
  }

  async *#loop(): Turn {
    const { conversation, options, deadline, input } = this.#environment;
    let cuts = 0;
    const said: string[] = [];
    for (let steps = 1; ; steps += 1) {
      if (steps > options.maxSteps) return failed(tooLong(options.maxSteps), said.at(-1));
      this.#takeMail();
      const answer = yield* this.#askWithinWindow(input.tools ?? []);
      if (answer.kind !== 'answered') return answer.kind === 'broken' ? failed(answer.fault) : deadline.end();
      if (answer.text !== '') said.push(answer.text);
      if (answer.isCut && answer.wanted.length === 0 && cuts++ < MOST_CUTS) {
        conversation.push({ role: 'user', content: CUT });
        continue;
      }
      if (conversation.isCalling) {
        if (yield* this.#runTools(answer.wanted)) return failed(looping, said.at(-1));
        if (deadline.isOver) return deadline.end();
      } else if (!this.#takeMail()) {
        const text = answer.isCut || cuts > 0 ? said.slice(-1 - cuts).join('') : answer.text;
        return text === '' ? failed(nothingSaid) : { kind: 'answered', text };
      }
    }
  }

  /** @returns whether there was any mail */
  #takeMail(): boolean {
    const { conversation, input } = this.#environment;
    const mail = input.mail?.take();
    if (mail !== undefined) conversation.say(mail);
    return mail !== undefined;
  }

  /** Asks the model, within its window: a conversation that is too long is summarised, once. */
  async *#askWithinWindow(
    tools: ModelRequest['tools'],
  ): Steps<Answered | { kind: 'over' } | { kind: 'broken'; fault: ModelCallFault }> {
    this.#clearOldResults();
    const { reached, conversation } = this.#environment;
    let isFresh = false;
    if (conversation.isAnswered && isFull(this.#size(), reached.window)) {
      const fault = yield* this.#compact(tools);
      if (fault !== undefined) return fault;
      isFresh = true;
    }
    const answer = yield* this.#callAndRecord(tools);
    const isTooLong = answer.kind === 'broken' && answer.fault.why === 'overflow';
    if (!isTooLong || isFresh || !conversation.isAnswered) return answer;
    return (yield* this.#compact(tools)) ?? (yield* this.#callAndRecord(tools));
  }

  /** One call with the present conversation, tried again after a fault that passes. */
  async *#callAndRecord(
    tools: ModelRequest['tools'],
  ): Steps<Answered | { kind: 'over' } | { kind: 'broken'; fault: ModelCallFault }> {
    const { conversation } = this.#environment;
    const answer = yield* this.#callWithRetry(() => ({ messages: conversation.messages, tools }));
    if (answer.kind === 'answered') {
      conversation.push(...answer.messages);
      this.#counted = { tokens: answer.tokens, messages: conversation.messages.length };
    }
    return answer;
  }

  async *#callWithRetry(
    request: () => Pick<ModelRequest, 'messages' | 'tools'>,
  ): Steps<Answered | { kind: 'over' } | { kind: 'broken'; fault: ModelCallFault }> {
    const { library, reached, deadline, identity, options, vendor } = this.#environment;
    for (let attempt = 0; ; attempt += 1) {
      const asked = request();
      const allowed = yield { type: 'calling', most: this.#bound(asked) };
      if (deadline.isOver) return { kind: 'over' };
      if (allowed?.ok === false) return { kind: 'broken', fault: notAllowed(allowed.why) };
      const outputTokens = allowed?.outputTokens;
      const end = yield* streamModelStep(library, { reached, system: identity, ...asked, outputTokens }, deadline);
      if (end.kind !== 'broken') return end;
      const fault = this.#fault(end.error);
      if (fault.isRefusal && !end.hasBegun) yield { type: 'unbilled' };
      const afterMs = fault.retryAfterMs ?? FIRST_WAIT_MS * 2 ** attempt;
      if (!fault.passes || attempt >= options.maxRetries || afterMs > LONGEST_WAIT_MS) return { kind: 'broken', fault };
      yield { type: 'retrying', why: fault.why, text: `${vendor.name}: ${fault.message}`, afterMs };
      await pause(afterMs, deadline.signal);
    }
  }

  #bound(asked: Pick<ModelRequest, 'messages' | 'tools'>): CallBound {
    const { reached, conversation, identity } = this.#environment;
    const last = conversation.messages[this.#counted.messages - 1];
    return callBound(reached, { ...asked, system: identity }, { ...this.#counted, last });
  }

  #fault(error: unknown): ModelCallFault {
    const { vendor, reached } = this.#environment;
    return callFault(error, `${vendor.name} (${reached.name})`, vendor.unreachable);
  }

  /**
   * Carries out the model's tool calls, in order.
   * @returns whether the model repeats itself
   */
  *#runTools(wanted: readonly RequestedToolCall[]): Calls<boolean> {
    const { conversation, deadline } = this.#environment;
    const images: ToolImage[] = [];
    for (const call of wanted) {
      if (deadline.isOver || this.#isLooping) break;
      const answer = yield* this.#runTool(call);
      const image = answer.ok ? answer.image : undefined;
      conversation.push(toolMessage([resultPart(call, this.#withSight(answer))]));
      if (image !== undefined && this.#sees) images.push(image);
    }
    // Not every vendor takes an image as the answer of a tool.
    if (images.length > 0) conversation.push(imageMessage(images));
    return this.#isLooping;
  }

  get #sees(): boolean {
    return this.#environment.reached.seesImages;
  }

  /** The model is told whether an image comes. */
  #withSight(answer: CallAnswer): CallAnswer {
    if (!answer.ok || answer.image === undefined) return answer;
    const blind = 'This model gets no images (`images: true` in the options of its agent changes that).';
    return { ok: true, text: `${answer.text} ${this.#sees ? 'It follows.' : blind}` };
  }

  *#runTool({ tool, input }: RequestedToolCall): Calls<CallAnswer> {
    const verdict = this.#repeats.judge(tool, input);
    if (verdict !== 'carry out') {
      this.#isLooping = verdict === 'give up';
      yield { type: 'noted', text: `It repeats the same call of ${tool}.` };
      return { ok: false, why: REPEATED };
    }
    const given = { ...(typeof input === 'object' && input !== null ? input : {}) };
    const { signal } = this.#environment.deadline;
    const answer = (yield { type: 'called', tool, input: given, signal }) ?? unhandled;
    this.#repeats.answered(tool, input, answer.ok ? answer.text : answer.why);
    return answer;
  }

  /**
   * Clears old results before each call, if it is worth it. The model's reasoning goes with them, because it is bound
   * to them.
   */
  #clearOldResults(): void {
    const { conversation, reached, library } = this.#environment;
    const cleared = clearedOf(conversation.messages, reached.window);
    if (cleared === undefined) return;
    conversation.replace(library.pruneMessages({ messages: cleared, reasoning: 'all' }));
    this.#counted = { tokens: 0, messages: 0 };
  }

  /** The vendor's count, plus an estimate of what came since. */
  #size(): number {
    const { tokens, messages } = this.#counted;
    return tokens + tokensIn(this.#environment.conversation.messages.slice(messages));
  }

  /** The model summarises the conversation; if even that is too long, without the results of its tools. */
  async *#compact(
    tools: ModelRequest['tools'],
  ): Steps<{ kind: 'over' } | { kind: 'broken'; fault: ModelCallFault } | undefined> {
    const { conversation, library, identity, input } = this.#environment;
    const ask = { role: 'user', content: SUMMARISE } as const;
    const bare = (): ModelRequest['messages'] =>
      library.pruneMessages({ messages: [...conversation.messages], reasoning: 'all', toolCalls: 'all' });
    let answer = yield* this.#callWithRetry(() => ({ messages: [...conversation.messages, ask], tools }));
    if (answer.kind === 'broken' && answer.fault.why === 'overflow')
      answer = yield* this.#callWithRetry(() => ({ messages: [...bare(), ask], tools }));
    if (answer.kind !== 'answered') return answer;
    if (answer.text === '') return { kind: 'broken', fault: { ...nothingSaid, passes: false, isRefusal: false } };
    const before = conversation.messages.length;
    conversation.replace(compacted(identity, input.prompt, answer.text));
    // Like any prompt, the request is taken back when it gets no answer.
    this.#before = 1;
    this.#counted = { tokens: 0, messages: 0 };
    yield { type: 'noted', text: `The conversation of ${before} messages was summarised to make room.` };
    return undefined;
  }
}

const unhandled: CallAnswer = { ok: false, why: 'This tool is not available here.' };

const failed = ({ why, message, retryAfterMs }: Omit<ModelCallFault, 'passes' | 'isRefusal'>, text = ''): TurnEnd => ({
  kind: 'failed',
  why,
  text,
  message,
  retryAfterMs,
});

const tooLong = (steps: number): Pick<ModelCallFault, 'why' | 'message'> => ({
  why: 'bad_output',
  message: `The turn did not end in ${steps} steps.`,
});
const looping = { why: 'bad_output', message: 'The model repeated the same call.' } as const;
const nothingSaid = { why: 'bad_output', message: 'The model ended its turn without an answer.' } as const;

/** The loop detector: the same call with the same answer, three times in a row, makes no progress. */

/** How often the same call may get the same answer; the next one is not carried out. */
const CARRIED_OUT = 2;

/** How often it is refused before the turn ends. */
const REFUSED = 2;

interface Repeats {
  /** Before a call: whether it is carried out, refused with a message, or ends the turn. */
  judge(tool: string, input: unknown): 'carry out' | 'refuse' | 'give up';
  /** After the call was carried out. */
  answered(tool: string, input: unknown, answer: string): void;
}

function repeats(): Repeats {
  let [last, lastAnswer, same, refused] = ['', '', 0, 0];
  return {
    judge: (tool, input) => {
      if (keyOf(tool, input) !== last || same < CARRIED_OUT) return 'carry out';
      refused += 1;
      return refused > REFUSED ? 'give up' : 'refuse';
    },
    answered: (tool, input, answer) => {
      const key = keyOf(tool, input);
      same = key === last && answer === lastAnswer ? same + 1 : 1;
      [last, lastAnswer, refused] = [key, answer, 0];
    },
  };
}

const keyOf = (tool: string, input: unknown): string => `${tool} ${JSON.stringify(sorted(input))}`;

/** The same arguments in another order count as the same. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => [key, sorted(item)]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
