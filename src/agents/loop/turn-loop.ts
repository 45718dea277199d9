/** One turn of the loop. Whatever ends it, and wherever, the conversation stays fit to be gone on with. */
import type { CallAnswer, Turn, TurnEnd, TurnInput, AgentEvent } from '../agent-contract.ts';
import { pause } from '../../os/pause.ts';
import { clearedOf, compacted, isFull, SUMMARISE, tokensIn } from './compaction.ts';
import { resultPart, toolMessage, type Conversation } from './conversation.ts';
import { callFault, type ModelCallFault } from './model-call-fault.ts';
import type { Library } from './library.ts';
import { repeats } from './repeats.ts';
import type { TurnDeadline } from './turn-deadline.ts';
import { streamModelStep, type ModelRequest, type StepEnd, type RequestedToolCall } from './model-step.ts';
import type { LoopOptions, ResolvedModel, ModelVendor } from './model-vendor.ts';

export interface TurnLoopEnvironment {
  readonly library: Library;
  readonly reached: ResolvedModel;
  readonly conversation: Conversation;
  readonly options: LoopOptions;
  readonly deadline: TurnDeadline;
  readonly input: TurnInput;
  readonly identity: string | undefined;
  readonly vendor: ModelVendor;
}

type Answered = StepEnd & { ended: 'answered' };
type Steps<T> = AsyncGenerator<AgentEvent, T, CallAnswer | undefined>;
type Calls<T> = Generator<AgentEvent, T, CallAnswer | undefined>;

/** A longer wait is not made inside a turn: the turn ends, and somebody else may take the work. */
const LONGEST_WAIT_MS = 60_000;
const FIRST_WAIT_MS = 500;
/** An answer that was cut for its length is asked to go on so often. */
const MOST_CUTS = 3;
const CUT = 'Your answer was cut off at its longest. Go on exactly where it ended.';
const STOPPED = 'Not carried out: the turn was stopped.';
const REPEATED =
  'You made this very call before and got the same answer each time, so it is not carried out again. Do something else, or end your turn and say what keeps you.';

export class TurnLoop {
  readonly #environment: TurnLoopEnvironment;
  readonly #repeats = repeats();
  /** Tokens at the last answer, and how many messages there were. */
  #counted = { tokens: 0, messages: 0 };
  #isLooping = false;
  /** Messages that were there before this turn. */
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
      // A reader that leaves early takes no more answers.
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
      if (answer.ended !== 'answered') return answer.ended === 'broken' ? failed(answer.fault) : deadline.end('');
      if (answer.text !== '') said.push(answer.text);
      if (answer.isCut && answer.wanted.length === 0 && cuts++ < MOST_CUTS) {
        conversation.push({ role: 'user', content: CUT });
        continue;
      }
      if (conversation.isCalling) {
        if (yield* this.#runTools(answer.wanted)) return failed(looping, said.at(-1));
        if (deadline.isOver) return deadline.end('');
      } else if (!this.#takeMail()) {
        const text = answer.isCut || cuts > 0 ? said.slice(-1 - cuts).join('') : answer.text;
        return text === '' ? failed(nothingSaid) : { ended: 'answered', text };
      }
    }
  }

  /** @returns whether there was any */
  #takeMail(): boolean {
    const { conversation, input } = this.#environment;
    const mail = input.mail?.take();
    if (mail !== undefined) conversation.say(mail);
    return mail !== undefined;
  }

  /** Asks the model, within its window: a conversation that is too long for it is summarised, once. */
  async *#askWithinWindow(
    tools: ModelRequest['tools'],
  ): Steps<Answered | { ended: 'over' } | { ended: 'broken'; fault: ModelCallFault }> {
    this.#clearOldResults();
    const { reached, conversation } = this.#environment;
    let isFresh = false;
    if (conversation.isAnswered && isFull(this.#size(), reached.window)) {
      const fault = yield* this.#compact(tools);
      if (fault !== undefined) return fault;
      isFresh = true;
    }
    const answer = yield* this.#callAndRecord(tools);
    const isTooLong = answer.ended === 'broken' && answer.fault.why === 'overflow';
    if (!isTooLong || isFresh || !conversation.isAnswered) return answer;
    return (yield* this.#compact(tools)) ?? (yield* this.#callAndRecord(tools));
  }

  /** One call of the conversation as it is, made again when what kept it passes. */
  async *#callAndRecord(
    tools: ModelRequest['tools'],
  ): Steps<Answered | { ended: 'over' } | { ended: 'broken'; fault: ModelCallFault }> {
    const { conversation } = this.#environment;
    const answer = yield* this.#callWithRetry(() => ({ messages: conversation.messages, tools }));
    if (answer.ended === 'answered') {
      conversation.push(...answer.messages);
      this.#counted = { tokens: answer.tokens, messages: conversation.messages.length };
    }
    return answer;
  }

  async *#callWithRetry(
    request: () => Pick<ModelRequest, 'messages' | 'tools'>,
  ): Steps<Answered | { ended: 'over' } | { ended: 'broken'; fault: ModelCallFault }> {
    const { library, reached, deadline, identity, options, vendor } = this.#environment;
    for (let attempt = 0; ; attempt += 1) {
      yield { type: 'calling' };
      if (deadline.isOver) return { ended: 'over' };
      const end = yield* streamModelStep(library, { reached, system: identity, ...request() }, deadline);
      if (end.ended !== 'broken') return end;
      const fault = this.#fault(end.error);
      const afterMs = fault.retryAfterMs ?? FIRST_WAIT_MS * 2 ** attempt;
      if (!fault.passes || attempt >= options.maxRetries || afterMs > LONGEST_WAIT_MS)
        return { ended: 'broken', fault };
      yield { type: 'retrying', why: fault.why, text: `${vendor.name}: ${fault.message}`, afterMs };
      await pause(afterMs, deadline.signal);
    }
  }

  #fault(error: unknown): ModelCallFault {
    const { vendor, reached } = this.#environment;
    return callFault(error, `${vendor.name} (${reached.name})`, vendor.unreachable);
  }

  /** Carries out what the model wants, in order. @returns whether it goes in circles */
  *#runTools(wanted: readonly RequestedToolCall[]): Calls<boolean> {
    const { conversation, deadline } = this.#environment;
    for (const call of wanted) {
      if (deadline.isOver || this.#isLooping) break;
      const answer = yield* this.#runTool(call);
      conversation.push(toolMessage([resultPart(call, answer)]));
    }
    return this.#isLooping;
  }

  *#runTool({ tool, input }: RequestedToolCall): Calls<CallAnswer> {
    const verdict = this.#repeats.judge(tool, input);
    if (verdict !== 'carry out') {
      this.#isLooping = verdict === 'give up';
      yield { type: 'noted', text: `It calls ${tool} the same way again and again.` };
      return { ok: false, why: REPEATED };
    }
    const given = { ...(typeof input === 'object' && input !== null ? input : {}) };
    const { signal } = this.#environment.deadline;
    const answer = (yield { type: 'called', tool, input: given, signal }) ?? nobodyAnswers;
    this.#repeats.answered(tool, input, answer.ok ? answer.text : answer.why);
    return answer;
  }

  /** Old results go before each call, when it is worth it; what a model thought about them is bound to them. */
  #clearOldResults(): void {
    const { conversation, reached, library } = this.#environment;
    const cleared = clearedOf(conversation.messages, reached.window);
    if (cleared === undefined) return;
    conversation.replace(library.pruneMessages({ messages: cleared, reasoning: 'all' }));
    this.#counted = { tokens: 0, messages: 0 };
  }

  /** What the vendor counted, and what came since as we reckon it. */
  #size(): number {
    const { tokens, messages } = this.#counted;
    return tokens + tokensIn(this.#environment.conversation.messages.slice(messages));
  }

  /** The model sums up; when even that is too long, without what its tools answered. */
  async *#compact(
    tools: ModelRequest['tools'],
  ): Steps<{ ended: 'over' } | { ended: 'broken'; fault: ModelCallFault } | undefined> {
    const { conversation, library, identity, input } = this.#environment;
    const ask = { role: 'user', content: SUMMARISE } as const;
    const bare = (): ModelRequest['messages'] =>
      library.pruneMessages({ messages: [...conversation.messages], reasoning: 'all', toolCalls: 'all' });
    let answer = yield* this.#callWithRetry(() => ({ messages: [...conversation.messages, ask], tools }));
    if (answer.ended === 'broken' && answer.fault.why === 'overflow')
      answer = yield* this.#callWithRetry(() => ({ messages: [...bare(), ask], tools }));
    if (answer.ended !== 'answered') return answer;
    if (answer.text === '') return { ended: 'broken', fault: { ...nothingSaid, passes: false } };
    const before = conversation.messages.length;
    conversation.replace(compacted(identity, input.prompt, answer.text));
    // What it is asked is taken back like any prompt when nobody answers it.
    this.#before = 1;
    this.#counted = { tokens: 0, messages: 0 };
    yield { type: 'noted', text: `The conversation of ${before} messages was summed up to make room.` };
    return undefined;
  }
}

const nobodyAnswers: CallAnswer = { ok: false, why: 'There is nobody here who carries this out.' };

const failed = ({ why, message, retryAfterMs }: Omit<ModelCallFault, 'passes'>, text = ''): TurnEnd => ({
  ended: 'failed',
  why,
  text,
  message,
  retryAfterMs,
});

const tooLong = (steps: number): Omit<ModelCallFault, 'passes'> => ({
  why: 'bad_output',
  message: `The turn came to no end in ${steps} steps.`,
});
const looping = { why: 'bad_output', message: 'The model made the same call again and again.' } as const;
const nothingSaid = { why: 'bad_output', message: 'The model ended its turn without a word.' } as const;
