/**
 * The budget of one member's agent: before a turn or a call it reserves on the team's ledger the most that may be used,
 * afterwards it settles what was used (docs/budgets.md). As long as nothing is limited it costs one look at a missing file.
 */
import type { CallBound } from '../../agents/agent-contract.ts';
import type { AgentSpec } from '../../model/agent/agent.ts';
import { usesModel } from '../../model/agent/agent-kinds.ts';
import type { Usage } from '../../model/agent/usage.ts';
import type { TurnEnd } from '../../model/agent/turn-end.ts';
import type { Amount, LedgerEntry, Meter } from '../../model/team/budget.ts';
import type { BudgetAccount } from '../../model/team/budget-account.ts';
import { NOTHING_SPENT, spendingEvent, spentAfter } from '../../model/team/spending-sum.ts';
import { defined } from '../../model/text/defined.ts';
import { isTeamError } from '../../model/text/errors.ts';
import { BUDGET_WAIT, type Admission } from '../../policy/budget/admission.ts';
import { outputWithin, wantedByCall, wantedByTurn, type PriceRules } from '../../policy/budget/estimate.ts';
import { newId } from '../../store/files/new-ids.ts';
import { SpenderLedgers, type Spender, type Wanted } from './spender-ledgers.ts';

/** Milliseconds between two looks at the ledger while a reservation waits. */
const LOOK_AGAIN_MS = 200;

/** How its agent is limited. */
interface BudgetOptions extends PriceRules {
  /** Its agent is a model API, and each call reserves for itself. */
  readonly perCall: boolean;
  /** Nobody waits until a person sets a higher limit. */
  readonly isUrgent?: boolean;
}

/** What a turn or a call holds, and what its agent told of it. */
interface Held {
  readonly id: string;
  readonly hold: Amount;
  cost: number | undefined;
  tokens: number;
  isTold: boolean;
}

/** Without a reason an abort makes an error with its stack. */
const ENDED = 'the turn has ended';

export class TurnBudget {
  readonly #spender: Spender;
  readonly #spec: AgentSpec;
  readonly #rules: BudgetOptions;
  readonly #ledgers: SpenderLedgers;
  #task: string | undefined;
  #turn: { readonly held: Held; readonly beganAt: number; readonly over: AbortController } | undefined;
  #call: Held | undefined;
  /** Reservations of the same turn after the first. */
  #more: Held[] = [];
  #timer = new AbortController();

  constructor(spender: Spender, spec: AgentSpec, rules: BudgetOptions) {
    this.#spender = spender;
    this.#spec = spec;
    this.#rules = rules;
    this.#ledgers = new SpenderLedgers(spender);
  }

  /**
   * Reserves a turn; waits until the budget has room for it.
   *
   * @param timeMs the turn's time-out
   * @returns aborts when the turn has used what it may; a text says why it may not begin
   */
  async begin(
    task: string | undefined,
    timeMs: number,
    signal: AbortSignal,
  ): Promise<AbortSignal | string | undefined> {
    this.#task = task;
    const held = await this.#reserve((account) => {
      const turns = account.turns.get(this.#agent) ?? [];
      return wantedByTurn(this.#spec, { turns, timeMs }, this.#rules);
    }, signal);
    if (held === undefined || typeof held === 'string') return held;
    const { clock } = this.#spender.store;
    const over = new AbortController();
    this.#turn = { held, beganAt: clock.monotonic(), over };
    this.#timer = new AbortController();
    const { time } = held.hold;
    if (time !== undefined && time < timeMs)
      void clock.sleep(time, this.#timer.signal).then(() => {
        if (!this.#timer.signal.aborted) this.#stop('it has used the time that its budget allows');
      });
    return over.signal;
  }

  /**
   * Reserves a call of a model API.
   *
   * @returns the most tokens of the answer; undefined if nothing is limited; a text says why it may not begin
   */
  async call(bound: CallBound, signal: AbortSignal): Promise<number | string | undefined> {
    // The call before was neither told nor refused: it counts as reserved.
    await this.#settleCall();
    const { kind } = this.#spec;
    const held = await this.#reserve(() => wantedByCall(kind, bound, this.#rules), signal);
    if (held === undefined || typeof held === 'string') return held;
    this.#call = held;
    return outputWithin(kind, bound, held.hold, this.#rules);
  }

  /** Counts what the agent tells that it used; a program that has used what it may is interrupted. */
  async used(usage: Usage, signal: AbortSignal): Promise<void> {
    const held = this.#call ?? this.#turn?.held;
    if (held === undefined) return;
    const { model } = this.#spec;
    const event = {
      at: '',
      ...spendingEvent(this.#spec.kind, { ...defined({ model }), ...usage }),
    };
    const { tokens, usd, unpriced, unknown } = spentAfter(NOTHING_SPENT, event, this.#rules.prices ?? {});
    if (unknown.length > 0) return;
    held.isTold = true;
    held.tokens += tokens;
    held.cost = unpriced.length === 0 ? (held.cost ?? 0) + usd : held.cost;
    if (this.#call !== undefined) await this.#settleCall();
    else await this.#extend(held, signal);
  }

  /** The vendor refused the call. */
  async unbilled(): Promise<void> {
    if (this.#call !== undefined) Object.assign(this.#call, { isTold: true, cost: 0 });
    await this.#settleCall();
  }

  /** Settles the turn. */
  async end(end: TurnEnd): Promise<void> {
    this.#timer.abort(ENDED);
    await this.#settleCall();
    const turn = this.#turn;
    if (turn === undefined) return;
    this.#turn = undefined;
    const { held } = turn;
    const time = Math.round(this.#spender.store.clock.monotonic() - turn.beganAt);
    const tells = usesModel(this.#spec.kind) && !this.#rules.perCall;
    if (!tells || neverBegan(end)) Object.assign(held, { isTold: true, cost: held.cost ?? 0 });
    const all = [held, ...this.#more];
    this.#more = [];
    const reserved = (meter: Meter): number | undefined => sumOf(all, meter);
    await this.#write([
      settled(held, { turns: 1, time }, reserved),
      ...all.slice(1).map(({ id }): LedgerEntry => ({ do: 'settle', id, used: {} })),
    ]);
  }

  get #agent(): string {
    const { kind, model = '' } = this.#spec;
    return `${kind}/${model}`;
  }

  /** A program that used what it reserved needs more, or its turn ends. */
  async #extend(held: Held, signal: AbortSignal): Promise<void> {
    const all = [held, ...this.#more];
    const isWithin = (meter: 'cost' | 'tokens', used: number): boolean => used < (sumOf(all, meter) ?? Infinity);
    if (isWithin('cost', held.cost ?? 0) && isWithin('tokens', held.tokens)) return;
    const wanted = (account: BudgetAccount) => {
      const turns = account.turns.get(this.#agent) ?? [];
      const { want, ...rest } = wantedByTurn(this.#spec, { turns, timeMs: 0 }, this.#rules);
      return { ...rest, least: {}, want: { cost: want.cost, tokens: want.tokens } };
    };
    const { more } = await this.#ask(wanted);
    if (more !== undefined) this.#more.push(more);
    else if (!signal.aborted) this.#stop('it has used what its budget allows');
  }

  #stop(why: string): void {
    this.#tell(`the turn is interrupted: ${why}`);
    this.#turn?.over.abort();
  }

  async #settleCall(): Promise<void> {
    const call = this.#call;
    if (call === undefined) return;
    this.#call = undefined;
    await this.#write([settled(call, {}, (meter) => call.hold[meter])]);
  }

  /** @returns undefined if nothing is limited, or the turn was aborted meanwhile; a text if it may not begin */
  async #reserve(wanted: Wanted, signal: AbortSignal): Promise<Held | string | undefined> {
    let told: Admission['do'] = 'grant';
    try {
      while (!signal.aborted) {
        const limited = this.#isLimited();
        if (limited === false) return undefined;
        const { admission, more }: Asked = limited === 'damaged' ? damaged : await this.#ask(wanted);
        if (admission.do === 'grant') return more;
        if (admission.do === 'refuse' && this.#rules.isUrgent === true) return admission.why;
        // The amounts in the reason change with every call of another member.
        if (admission.do !== told) this.#tell(`it ${BUDGET_WAIT}${admission.why}`);
        told = admission.do;
        this.#spender.onWait?.(`${BUDGET_WAIT}${admission.why}`);
        await this.#changed(signal);
      }
      const { member, by } = this.#spender;
      if (told !== 'grant') await this.#write([{ do: 'withdraw', member, by, task: this.#task }]);
      return undefined;
    } finally {
      if (told !== 'grant') this.#spender.onWait?.(undefined);
    }
  }

  async #ask(wanted: Wanted): Promise<Asked> {
    const id = newId(this.#spender.store.clock.now());
    const isUrgent = this.#rules.isUrgent === true;
    const admission = await this.#ledgers.ask({ id, task: this.#task, agent: this.#agent, wanted, isUrgent });
    if (admission.do !== 'grant') return { admission };
    return { admission, more: { id, hold: admission.hold, cost: undefined, tokens: 0, isTold: false } };
  }

  #isLimited(): boolean | 'damaged' {
    try {
      return this.#ledgers.isLimited();
    } catch (error) {
      if (isTeamError(error) && error.code === 'CORRUPT') return 'damaged';
      throw error;
    }
  }

  /** Waits until a ledger has a new record. */
  async #changed(signal: AbortSignal): Promise<void> {
    const { mark } = this.#ledgers;
    do await this.#spender.store.clock.sleep(LOOK_AGAIN_MS, signal);
    while (!signal.aborted && this.#isLimited() !== 'damaged' && this.#ledgers.mark === mark);
  }

  async #write(entries: readonly LedgerEntry[]): Promise<void> {
    try {
      await this.#ledgers.write(entries);
    } catch (error) {
      // Its lead settles what it reserved, when this process is gone.
      this.#spender.onError(error);
    }
  }

  #tell(text: string): void {
    const { store, member } = this.#spender;
    store.events.append({ type: 'budget.reached', member, task: this.#task, text });
  }
}

interface Asked {
  readonly admission: Admission;
  readonly more?: Held;
}

const damaged: Asked = {
  admission: { do: 'refuse', why: 'a ledger is damaged, so nothing more is spent' },
};

/** The agent could not be asked at all. */
const neverBegan = (end: TurnEnd): boolean =>
  end.kind === 'failed' && ['not_installed', 'unauthorised', 'rate_limited'].includes(end.why);

const sumOf = (all: readonly Held[], meter: Meter): number | undefined => {
  const known = all.flatMap(({ hold }) => hold[meter] ?? []);
  return known.length === 0 ? undefined : known.reduce((sum, one) => sum + one, 0);
};

/** What was not told counts as reserved. */
function settled(
  { id, cost, tokens, isTold }: Held,
  others: Amount,
  reserved: (meter: Meter) => number | undefined,
): LedgerEntry {
  const untold: Meter[] = [...(isTold ? [] : ['tokens' as const]), ...(cost === undefined ? ['cost' as const] : [])];
  const used: Amount = {
    ...others,
    tokens: isTold ? tokens : Math.ceil(Math.max(tokens, reserved('tokens') ?? 0)),
    cost: cost ?? reserved('cost') ?? 0,
  };
  return { do: 'settle', id, used, ...(untold.length === 0 ? {} : { untold }) };
}
