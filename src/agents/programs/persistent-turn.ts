/**
 * One turn with a program that stays: what it tells is handed on, what it asks is answered, what stops it is carried out.
 * It ends by the program's word, or by the program's death.
 */
import type { CallAnswer, TurnEnd, TurnInput } from '../agent-contract.ts';
import { channel, type Channel } from './channel.ts';
import type { Talk } from './program-dialect.ts';
import type { Peer } from './peer.ts';
import type { ProcessEnd } from './process.ts';
import type { Step } from './agent-step.ts';
import { stopped, watchTurn, type Stop, type TurnWatch } from './turn-watch.ts';

/** A program, from its start to its end. */
export interface Life {
  readonly peer: Peer;
  readonly talk: Talk;
  /** What it was started with; another turn may need another program. */
  readonly key: string;
  turn: Channel<Signal> | undefined;
  /** Told of every message, whatever it means: a sign of life. */
  sign: () => void;
  /** Since the turn began it spoke its protocol, or printed something else. */
  hasSpoken: boolean;
  hasPrinted: boolean;
}

/** What comes to a turn, from the program and from outside. */
export type Signal =
  | Step
  | { readonly do: 'stop'; readonly why: Stop }
  /** Asked to end its turn, it did not in time. */
  | { readonly do: 'give up' }
  | { readonly do: 'died'; readonly end: ProcessEnd }
  | { readonly do: 'mail' };

export type Told = Extract<Step, { do: 'tell' }>['event'] | Extract<Step, { do: 'ask' }>['event'];

export interface Death {
  readonly ended: 'died';
  readonly end: ProcessEnd;
  /** What was said until then. */
  readonly text: string;
  /** How the turn ends that was being stopped. */
  readonly stopped: TurnEnd | undefined;
}

export type TurnOf<End> = AsyncGenerator<Told, End, CallAnswer | undefined>;

/** How much of what was last said is kept for a turn that fails. */
const TEXT_LENGTH = 64 * 1024;

/** @param interruptMs between the asking for a turn's end and the kill */
export async function* takeTurn(
  life: Life,
  input: TurnInput,
  { isNew, interruptMs }: { isNew: boolean; interruptMs: number },
): TurnOf<TurnEnd | Death> {
  const signals = (life.turn ??= channel<Signal>());
  const watch = watchTurn(input, (why) => signals.push({ do: 'stop', why }));
  const unlisten = life.talk.steer && input.mail?.onArrival(() => signals.push({ do: 'mail' }));
  [life.sign, life.hasSpoken, life.hasPrinted] = [() => watch.seen(), false, false];
  let isOver = false;
  try {
    life.talk.begin(input);
    if (isNew) yield { type: 'started', pid: life.peer.pid };
    const end = yield* new Follower(life, input, watch, interruptMs).follow(signals);
    isOver = true;
    return end;
  } finally {
    unlisten?.();
    watch.close();
    [life.turn, life.sign] = [undefined, () => {}];
    // A reader that leaves early takes the program along.
    if (!isOver) await life.peer.stop();
  }
}

class Follower {
  readonly #life: Life;
  readonly #input: TurnInput;
  readonly #watch: TurnWatch;
  readonly #interruptMs: number;
  #text = '';
  #hasActed = false;
  #stop: Stop | undefined;
  #grace: NodeJS.Timeout | undefined;

  constructor(life: Life, input: TurnInput, watch: TurnWatch, interruptMs: number) {
    this.#life = life;
    this.#input = input;
    this.#watch = watch;
    this.#interruptMs = interruptMs;
  }

  async *follow(signals: Channel<Signal>): TurnOf<TurnEnd | Death> {
    try {
      for (;;) {
        const signal = await signals.next();
        this.#watch.seen();
        if (signal.do === 'tell') yield this.#told(signal.event);
        else if (signal.do === 'ask') signal.reply(this.#refusal() ?? (yield signal.event) ?? UNANSWERED);
        else if (signal.do === 'end') return this.#stopped() ?? this.#ended(signal.end);
        else if (signal.do === 'died')
          return { ended: 'died', end: signal.end, text: this.#text, stopped: this.#stopped() };
        else this.#act(signal, signals);
      }
    } finally {
      clearTimeout(this.#grace);
    }
  }

  #act(signal: Exclude<Signal, { do: 'tell' | 'ask' | 'end' | 'died' }>, signals: Channel<Signal>): void {
    switch (signal.do) {
      case 'busy':
        return this.#watch.busy(signal.with, signal.is);
      case 'mail':
        return this.#steer();
      case 'give up':
        return void this.#life.peer.stop();
      case 'stop':
        if (this.#stop !== undefined) return;
        this.#stop = signal.why;
        this.#life.talk.interrupt();
        this.#grace = setTimeout(() => signals.push({ do: 'give up' }), this.#interruptMs);
    }
  }

  #told(event: Extract<Step, { do: 'tell' }>['event']) {
    this.#hasActed ||= event.type === 'said' || event.type === 'used';
    if (event.type === 'said') this.#text = event.text.slice(-TEXT_LENGTH);
    return event;
  }

  #steer(): void {
    const mail = this.#stop === undefined ? this.#input.mail?.take() : undefined;
    if (mail !== undefined) this.#life.talk.steer?.(mail);
  }

  #refusal(): CallAnswer | undefined {
    return this.#stop === undefined ? undefined : STOPPING;
  }

  /** Silence is no answer, whatever the program takes it for. */
  #ended(end: TurnEnd): TurnEnd {
    if (this.#hasActed || end.ended !== 'answered' || end.text.trim() !== '') return end;
    return { ended: 'failed', why: 'bad_output', text: '', message: 'It ended its turn without a word.' };
  }

  #stopped(): TurnEnd | undefined {
    return this.#stop === undefined ? undefined : stopped(this.#stop, this.#input, this.#text);
  }
}

export const UNANSWERED: CallAnswer = { ok: false, why: 'Nobody answers for it here.' };
const STOPPING: CallAnswer = { ok: false, why: 'The turn is being stopped.' };
