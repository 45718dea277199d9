/**
 * An agent behind a persistent program, one for all its turns: started at the first turn, and started again, with its
 * session, after it has ended. Its dialect says how to speak with it.
 *
 *   no program ─turn→ started ─told→ … ─end→ waits for the next turn
 *   stopped (abort, time limit, silence): interrupt → the turn ends, the program stays
 *   no end within the grace: killed with all it started
 *   ended in mid-turn: the turn fails, the next one starts it again
 *   ended between turns, unseen: started again at once
 */
import type { Agent, Turn, TurnInput } from '../agent-contract.ts';
import { channel } from './channel.ts';
import type { Dialect } from './program-dialect.ts';
import { takeTurn, UNANSWERED, type PersistentProgram, type TurnSignal } from './persistent-turn.ts';
import { startPeer, type PeerListener, type PeerLimits } from './peer.ts';
import type { SpawnFailure } from './spawn-failure.ts';
import { tellStep, type AgentStep } from './agent-step.ts';
import { ENV } from '../../model/text/environment.ts';
import type { TurnEnd } from '../../model/agent/turn-end.ts';
import { faultOf } from '../vendor-fault.ts';
import type { ProgramDeath } from './persistent-turn.ts';
import { lastLine, tailText } from '../../os/output-tail.ts';

export interface PersistentLimits extends PeerLimits {
  /** Milliseconds between the request to end a turn and the kill. */
  readonly interruptMs: number;
}

const INTERRUPT_MS = 3_000;
/** These variables differ with each task, but the program outlives a task; it gets the task's details in the prompt. */
const OF_ONE_TASK: ReadonlySet<string> = new Set([ENV.taskId, ENV.taskFile, ENV.mailFile, ENV.note]);

export class PersistentAgent implements Agent {
  readonly #dialect: Dialect;
  readonly #limits: Partial<PersistentLimits>;
  #session: string | undefined;
  #program: PersistentProgram | undefined;

  constructor(dialect: Dialect, session: string | undefined, limits: Partial<PersistentLimits> = {}) {
    this.#dialect = dialect;
    this.#session = session;
    this.#limits = limits;
  }

  async *turn(given: TurnInput): Turn {
    if (given.signal.aborted) return { kind: 'aborted' };
    const input = { ...given, env: withoutTask(given.env) };
    const { interruptMs = INTERRUPT_MS } = this.#limits;
    for (;;) {
      const isNew = await this.#endOtherProgram(input);
      const life = this.#program ?? (await this.#start(input));
      if (!('peer' in life)) return life;
      const end = yield* takeTurn(life, input, { isNew, interruptMs });
      if (end.kind !== 'died') return end;
      if (end.stopped === undefined && !isNew && !life.hasSpoken) continue;
      if (this.#session === undefined || !this.#dialect.isSessionLost(end.end)) return deathEnd(end, life);
      yield { type: 'noted', text: `The session ${this.#session} cannot be resumed; a new one begins.` };
      this.#session = undefined;
    }
  }

  async close(): Promise<void> {
    const life = this.#program;
    this.#program = undefined;
    await life?.peer.endInput();
  }

  /**
   * Ends a program that was started with other settings.
   * @returns whether a new one is needed
   */
  async #endOtherProgram(input: TurnInput): Promise<boolean> {
    if (this.#program !== undefined && this.#program.key !== this.#keyOf(input)) await this.close();
    return this.#program === undefined;
  }

  async #start(input: TurnInput): Promise<PersistentProgram | SpawnFailure> {
    const { cwd } = input;
    const session = this.#session;
    const early: AgentStep[] = [];
    const now: { life?: PersistentProgram } = {};
    const push = (step: AgentStep): void => {
      if (step.do === 'tell' && step.event.type === 'session') this.#session = step.event.id;
      if (now.life === undefined) early.push(step);
      else hear(now.life, step);
    };
    const listener = listenerOf(() => now.life, push);
    const started = await startPeer({ ...this.#dialect.launch(input, session), cwd }, listener, this.#limits);
    if (!started.ok) return started.failure;
    const { peer } = started;
    const talk = this.#dialect.open({ send: (message) => peer.send(message), tell: push, session, cwd });
    const program: PersistentProgram = {
      peer,
      talk,
      key: this.#keyOf(input),
      turn: channel<TurnSignal>(),
      sign: () => {},
      hasSpoken: false,
      hasPrinted: false,
    };
    for (const step of early) hear(program, step);
    this.#program = now.life = program;
    void this.#removeDead(program);
    return program;
  }

  /** Another sandbox needs another isolation, so another program. */
  #keyOf({ cwd, env, sandbox }: TurnInput): string {
    const isolation = this.#dialect.isIsolated ? sandbox : null;
    return JSON.stringify([cwd, Object.entries(env).sort(), isolation]);
  }

  /** Forgets a program that ended; the next turn starts it again. */
  async #removeDead(program: PersistentProgram): Promise<void> {
    const end = await program.peer.ended;
    if (this.#program === program) this.#program = undefined;
    program.talk.closed();
    program.turn?.push({ do: 'died', end });
  }
}

const listenerOf = (life: () => PersistentProgram | undefined, push: (step: AgentStep) => void): PeerListener => ({
  async heard(message) {
    const hearer = life();
    if (hearer === undefined) return;
    hearer.hasSpoken = true;
    hearer.sign();
    hearer.talk.heard(message);
    await hearer.turn?.room();
  },
  printed(event) {
    const printer = life();
    if (printer !== undefined && event.stream === 'stdout') printer.hasPrinted = true;
    push(tellStep(event));
  },
});

/** Between turns there is no listener; a question is answered with no. */
function hear({ turn }: PersistentProgram, step: AgentStep): void {
  if (turn !== undefined) turn.push(step);
  else if (step.do === 'ask') step.reply(UNANSWERED);
}

const withoutTask = (env: TurnInput['env']): TurnInput['env'] =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !OF_ONE_TASK.has(name)));

const KEPT = 64 * 1024;

const MESSAGE = 500;

/** What the death of a program in mid-turn means for the turn. */
function deathEnd({ end, text, stopped }: ProgramDeath, { hasSpoken, hasPrinted }: PersistentProgram): TurnEnd {
  const isGarbage = !hasSpoken && hasPrinted;
  if (stopped !== undefined && !(isGarbage && stopped.kind === 'failed')) return stopped;
  const failed = (why: 'bad_output' | 'crashed' | 'unauthorised', message: string): TurnEnd => ({
    kind: 'failed',
    why,
    text,
    message: message.slice(0, MESSAGE),
  });
  if (end.kind === 'flooded') return failed('bad_output', 'It printed without end and was stopped.');
  if (isGarbage)
    return failed('bad_output', 'It did not speak its protocol; check that its command is the right program.');
  if (end.kind === 'signalled') return failed('crashed', `It was ended by ${end.signal} in mid-turn.`);
  if (end.kind !== 'exited') return failed('crashed', 'It was ended in mid-turn.');
  if (end.code === 0) return failed('bad_output', 'It ended, with exit code 0, before it gave a result.');
  const said = lastLine(tailText(end.stderr, KEPT));
  const message = `It ended in mid-turn, exit ${end.code}${said === undefined ? '' : `: ${said}`}`;
  return failed(faultOf({ text: said ?? '' }) === 'unauthorised' ? 'unauthorised' : 'crashed', message);
}
