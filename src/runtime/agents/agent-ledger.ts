/**
 * Logs what a member's agent reports besides its words: usage, its session, a refusal by its vendor. It also waits here
 * while the team pauses calls to that vendor.
 */
import type { AgentEvent, CallAnswer, CallBound } from '../../agents/agent-contract.ts';
import type { TurnEnd } from '../../model/agent/turn-end.ts';
import type { AgentSpec } from '../../model/agent/agent.ts';
import { hasToolLoop } from '../../model/agent/agent-kinds.ts';
import { sessionIdSchema } from '../../model/agent/kept-session.ts';
import { spendingEvent } from '../../model/team/spending-sum.ts';
import { credentialOf } from '../../policy/vendor.ts';
import { keepSession } from '../../store/team/agent-home.ts';
import { newId } from '../../store/files/new-ids.ts';
import type { PaceTold } from '../../store/replica/relay-request.ts';
import type { PriceRules } from '../../policy/budget/estimate.ts';
import type { MemberSession } from '../team/member-session.ts';
import { VendorPace } from '../process/vendor-pace.ts';
import { TurnBudget } from '../budget/turn-budget.ts';

/** The model from the spec, for programs that do not report which model they use. */
const named = ({ model }: AgentSpec): { model?: string } => (model === undefined ? {} : { model });

const placeOf = (store: MemberSession['store']) => ({
  clock: store.clock,
  folder: store.paths.folder,
  tell: store.isShared ? (told: PaceTold) => store.relay.tellPace(told) : undefined,
});

/** The events that the ledger handles. */
type LedgerEvent = Extract<
  AgentEvent,
  { type: 'session' | 'used' | 'usage' | 'retrying' | 'unbilled' | 'noted' | 'planned' | 'allowance' }
>;

export class AgentLedger {
  readonly #session: MemberSession;
  readonly #spec: AgentSpec;
  readonly #pace: VendorPace | undefined;
  readonly #budget: TurnBudget;
  #task: string | undefined;
  #turn: string | undefined;
  /** The turn began with leave for its first call. */
  #isCalling = false;

  constructor(session: MemberSession, spec: AgentSpec, prices: PriceRules = {}) {
    this.#session = session;
    this.#spec = spec;
    const spender = { store: session.store, member: session.name, by: session.speaker.incarnation };
    const onError = (error: unknown): void => session.reportError(error);
    const onWait = (reason: string | undefined): void =>
      session.note(reason === undefined ? undefined : { state: 'waiting', reason });
    this.#budget = new TurnBudget({ ...spender, onError, onWait }, spec, {
      ...prices,
      perCall: hasToolLoop(spec.kind),
    });
    const credential = credentialOf(spec, process.env);
    this.#pace =
      credential === undefined ? undefined : new VendorPace(placeOf(session.store), credential, session.name);
  }

  /**
   * Begins a turn, as soon as its budget has room and its vendor may be called.
   *
   * @param task the task that the turn is about
   * @param timeMs the turn's time-out
   * @returns aborts when `signal` does, or the turn has used what its budget allows
   */
  async begin(task: string | undefined, timeMs: number, signal: AbortSignal): Promise<AbortSignal> {
    this.#task = task;
    this.#turn = newId(this.#session.store.clock.now());
    const over = await this.#budget.begin(task, timeMs, signal);
    await this.#wait(signal);
    this.#isCalling = true;
    return over instanceof AbortSignal ? AbortSignal.any([signal, over]) : signal;
  }

  /** Waits until a call may be made. */
  async calling(most: CallBound | undefined, signal: AbortSignal): Promise<CallAnswer> {
    const outputTokens = most && (await this.#budget.call(most, signal));
    if (typeof outputTokens === 'string') return { ok: false, why: outputTokens };
    if (!this.#isCalling) await this.#wait(signal);
    this.#isCalling = false;
    return { ok: true, text: '', outputTokens };
  }

  /** Handles an event of the agent. */
  async heard(event: LedgerEvent, signal: AbortSignal): Promise<void> {
    switch (event.type) {
      case 'session':
        this.#keepSession(event.id);
        return;
      case 'usage':
        await this.#pace?.answered();
        await this.#budget.used(event.usage, signal);
        this.#tell({
          ...spendingEvent(this.#spec.kind, { ...named(this.#spec), ...event.usage }),
          turn: this.#turn,
        });
        return;
      case 'used':
        await this.#pace?.answered();
        this.#tell({ type: 'agent.acted', text: `${event.tool}: ${event.text}` });
        return;
      case 'planned':
        this.#tell({ type: 'agent.planned', text: event.text });
        return;
      case 'noted':
        this.#tell({ type: 'agent.noted', text: event.text });
        return;
      case 'retrying':
        this.#tell({ type: 'agent.delayed', text: event.text });
        if (event.why === 'rate_limited') await this.#pace?.refused(event.afterMs);
        return;
      case 'allowance':
        return this.#pace?.allowed(event);
      case 'unbilled':
        return this.#budget.unbilled();
      default:
        return event satisfies never;
    }
  }

  /** Logs that a tool call, which the agent told before, was not allowed. */
  denied(why: string): void {
    this.#tell({ type: 'agent.denied', text: why });
  }

  /**
   * Ends a turn. A rate limit pauses the whole team's calls to that vendor.
   *
   * @returns the end, with the time after which the vendor may be tried again
   */
  async end(end: TurnEnd): Promise<TurnEnd> {
    await this.#budget.end(end);
    if (this.#pace === undefined) return end;
    if (end.kind !== 'failed' || end.why !== 'rate_limited') {
      await (end.kind === 'answered' ? this.#pace.answered() : this.#pace.end());
      return end;
    }
    return { ...end, retryAfterMs: await this.#pace.refused(end.retryAfterMs) };
  }

  async #wait(signal: AbortSignal): Promise<void> {
    const note = (reason: string, forMs: number): void => this.#session.note({ state: 'rate-limited', reason, forMs });
    if (await this.#pace?.wait(signal, note)) this.#session.note();
  }

  #keepSession(id: string): void {
    const { store, name } = this.#session;
    if (!sessionIdSchema.safeParse(id).success) {
      this.#tell({ type: 'agent.noted', text: 'Its session has no usable id and is not continued after a restart.' });
      return;
    }
    keepSession(store.disk, store.paths, name, { kind: this.#spec.kind, id });
    this.#tell({ type: 'agent.session_began', text: id });
  }

  #tell(event: { type: string; text?: string; turn?: string | undefined }): void {
    const { store, name } = this.#session;
    store.events.append({ member: name, task: this.#task, ...event });
  }
}
