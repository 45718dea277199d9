/**
 * One turn with a persistent program: its events are passed on, its questions are answered, a stop is carried out. The
 * turn ends when the program says so, or when the program dies.
 */
import type { CallAnswer, TurnInput } from '../agent-contract.ts';
import type { TurnEnd } from '../../model/agent/turn-end.ts';
import { channel, type Channel } from './channel.ts';
import type { DialectSession } from './program-dialect.ts';
import type { Peer } from './peer.ts';
import type { ProcessEnd } from './process.ts';
import type { AgentStep } from './agent-step.ts';
import { stopped, watchTurn, type TurnStop, type TurnWatch } from './turn-watch.ts';

/** A running program, from its start to its end. */
export interface PersistentProgram {
  readonly peer: Peer;
  readonly talk: DialectSession;
  /** What it was started with; another turn may need another program. */
  readonly key: string;
  turn: Channel<TurnSignal> | undefined;
  /** Called for every message, whatever it means: a sign of life. */
  sign: () => void;
  /** Whether, since the turn began, it spoke its protocol, or printed something else. */
  hasSpoken: boolean;
  hasPrinted: boolean;
}

/** What reaches a turn, from the program and from outside. */
export type TurnSignal =
  | AgentStep
  | { readonly do: 'stop'; readonly why: TurnStop }
  /** The program was asked to end its turn and did not in time. */
  | { readonly do: 'abandon' }
  | { readonly do: 'died'; readonly end: ProcessEnd }
  | { readonly do: 'mail' };

type ForwardedEvent = Extract<AgentStep, { do: 'tell' }>['event'] | Extract<AgentStep, { do: 'ask' }>['event'];

export interface ProgramDeath {
  readonly kind: 'died';
  readonly end: ProcessEnd;
  /** The last text before the death. */
  readonly text: string;
  /** How the turn ends, if it was being stopped. */
  readonly stopped: TurnEnd | undefined;
}

type TurnOf<End> = AsyncGenerator<ForwardedEvent, End, CallAnswer | undefined>;

/** Characters of the last text that are kept for a turn that fails. */
const TEXT_LENGTH = 64 * 1024;

/** @param interruptMs milliseconds between the request to end a turn and the kill */
export async function* takeTurn(
  program: PersistentProgram,
  input: TurnInput,
  { isNew, interruptMs }: { isNew: boolean; interruptMs: number },
): TurnOf<TurnEnd | ProgramDeath> {
  const signals = (program.turn ??= channel<TurnSignal>());
  const watch = watchTurn(input, (why) => signals.push({ do: 'stop', why }));
  const unlisten = program.talk.steer && input.mail?.onArrival(() => signals.push({ do: 'mail' }));
  [program.sign, program.hasSpoken, program.hasPrinted] = [() => watch.seen(), false, false];
  let isOver = false;
  try {
    program.talk.begin(input);
    if (isNew) yield { type: 'started', pid: program.peer.pid };
    const end = yield* new Follower(program, input, watch, interruptMs).follow(signals);
    isOver = true;
    return end;
  } finally {
    unlisten?.();
    watch.close();
    [program.turn, program.sign] = [undefined, () => {}];
    // If the caller leaves early, the program is stopped.
    if (!isOver) await program.peer.stop();
  }
}

class Follower {
  readonly #program: PersistentProgram;
  readonly #input: TurnInput;
  readonly #watch: TurnWatch;
  readonly #interruptMs: number;
  #text = '';
  #hasActed = false;
  #stop: TurnStop | undefined;
  #grace: NodeJS.Timeout | undefined;

  constructor(program: PersistentProgram, input: TurnInput, watch: TurnWatch, interruptMs: number) {
    this.#program = program;
    this.#input = input;
    this.#watch = watch;
    this.#interruptMs = interruptMs;
  }

  async *follow(signals: Channel<TurnSignal>): TurnOf<TurnEnd | ProgramDeath> {
    try {
      for (;;) {
        const signal = await signals.next();
        this.#watch.seen();
        if (signal.do === 'tell') yield this.#forward(signal.event);
        else if (signal.do === 'ask') signal.reply(this.#refusal() ?? (yield signal.event) ?? UNANSWERED);
        else if (signal.do === 'end') return this.#stopped() ?? this.#ended(signal.end);
        else if (signal.do === 'died')
          return { kind: 'died', end: signal.end, text: this.#text, stopped: this.#stopped() };
        else this.#act(signal, signals);
      }
    } finally {
      clearTimeout(this.#grace);
    }
  }

  #act(signal: Exclude<TurnSignal, { do: 'tell' | 'ask' | 'end' | 'died' }>, signals: Channel<TurnSignal>): void {
    switch (signal.do) {
      case 'busy':
        return this.#watch.busy(signal.with, signal.is);
      case 'mail':
        return this.#steer();
      case 'abandon':
        return void this.#program.peer.stop();
      case 'stop':
        if (this.#stop !== undefined) return;
        this.#stop = signal.why;
        this.#program.talk.interrupt();
        this.#grace = setTimeout(() => signals.push({ do: 'abandon' }), this.#interruptMs);
    }
  }

  #forward(event: Extract<AgentStep, { do: 'tell' }>['event']) {
    this.#hasActed ||= event.type === 'said' || event.type === 'used';
    if (event.type === 'said') this.#text = event.text.slice(-TEXT_LENGTH);
    return event;
  }

  #steer(): void {
    const mail = this.#stop === undefined ? this.#input.mail?.take() : undefined;
    if (mail !== undefined) this.#program.talk.steer?.(mail);
  }

  #refusal(): CallAnswer | undefined {
    return this.#stop === undefined ? undefined : STOPPING;
  }

  /** An empty answer is a failure, even if the program calls it success. */
  #ended(end: TurnEnd): TurnEnd {
    if (this.#hasActed || end.kind !== 'answered' || end.text.trim() !== '') return end;
    return { kind: 'failed', why: 'bad_output', text: '', message: 'It ended its turn without an answer.' };
  }

  #stopped(): TurnEnd | undefined {
    return this.#stop === undefined ? undefined : stopped(this.#stop, this.#input, this.#text);
  }
}

export const UNANSWERED: CallAnswer = { ok: false, why: 'No answer is available here.' };
const STOPPING: CallAnswer = { ok: false, why: 'The turn is being stopped.' };
