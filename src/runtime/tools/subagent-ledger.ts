/**
 * What a subagent may use: its budget, and the pace of its vendor, which it shares with all teams of the user. Nobody
 * waits until a person sets a higher limit: what no other reservation can make room for is refused at once.
 */
import type { CallAnswer } from '../../agents/agent-contract.ts';
import { hasToolLoop } from '../../model/agent/agent-kinds.ts';
import type { TurnEnd } from '../../model/agent/turn-end.ts';
import { spendingEvent } from '../../model/team/spending-sum.ts';
import { realClock } from '../../os/system-clock.ts';
import type { PriceRules } from '../../policy/budget/estimate.ts';
import { credentialOf } from '../../policy/vendor.ts';
import type { Spender } from '../budget/spender-ledgers.ts';
import { TurnBudget } from '../budget/turn-budget.ts';
import { VendorPace } from '../process/vendor-pace.ts';
import type { CallEvent, SubagentTask } from './subagent-message.ts';

interface SubagentLedgerOptions {
  readonly task: SubagentTask;
  /** Among those of its folder; unique. */
  readonly id: string;
  /** Whose budget it uses; undefined where nothing can be limited. */
  readonly spender: (Spender & PriceRules) | undefined;
  readonly onSpent: ((event: ReturnType<typeof spendingEvent>) => void) | undefined;
  readonly onLine: (line: string) => void;
}

export class SubagentLedger {
  readonly #options: SubagentLedgerOptions;
  readonly #budget: TurnBudget | undefined;
  readonly #pace: VendorPace | undefined;
  /** The model's calls are told one by one. */
  readonly #perCall: boolean;

  constructor(options: SubagentLedgerOptions) {
    const { task, id, spender } = options;
    this.#options = options;
    this.#perCall = hasToolLoop(task.spec.kind);
    this.#budget =
      spender && new TurnBudget(spender, task.spec, { ...spender, perCall: this.#perCall, isUrgent: true });
    const credential = credentialOf(task.spec, task.env);
    const folder = spender?.store.paths?.folder ?? task.cwd;
    this.#pace = credential === undefined ? undefined : new VendorPace({ clock: realClock, folder }, credential, id);
  }

  /** @returns aborts when the turn has used what it may; a text says why it may not begin */
  async begin(signal: AbortSignal): Promise<AbortSignal | string> {
    const begun = await this.#budget?.begin(undefined, this.#options.task.timeoutMs, signal);
    if (typeof begun === 'string') return begun;
    if (!this.#perCall) await this.#wait(signal);
    return begun === undefined ? signal : AbortSignal.any([signal, begun]);
  }

  /** The answer to what its agent tells. Where the budget cannot be read or written, nothing more is spent. */
  answer(event: CallEvent, signal: AbortSignal): Promise<CallAnswer | undefined> {
    const refusal = (error: unknown): CallAnswer => ({
      ok: false,
      why: error instanceof Error ? error.message : String(error),
    });
    return this.#heard(event, signal).catch(refusal);
  }

  /** Settles what it used, and gives its place at the vendor back. */
  async end(end: TurnEnd): Promise<void> {
    await this.#budget?.end(end);
    if (end.kind === 'failed' && end.why === 'rate_limited') await this.#pace?.refused(end.retryAfterMs);
    else await (end.kind === 'answered' ? this.#pace?.answered() : this.#pace?.end());
  }

  async #heard(event: CallEvent, signal: AbortSignal): Promise<CallAnswer | undefined> {
    const pace = this.#pace;
    switch (event.type) {
      case 'calling': {
        const outputTokens = event.most && (await this.#budget?.call(event.most, signal));
        if (typeof outputTokens === 'string') return { ok: false, why: outputTokens };
        if (this.#perCall) await this.#wait(signal);
        return { ok: true, text: '', outputTokens };
      }
      case 'usage': {
        const { spec } = this.#options.task;
        await pace?.answered();
        await this.#budget?.used(event.usage, signal);
        this.#options.onSpent?.(spendingEvent(spec.kind, { model: spec.model, ...event.usage }));
        return undefined;
      }
      case 'unbilled':
        await this.#budget?.unbilled();
        return undefined;
      case 'retrying':
        if (event.why === 'rate_limited') await pace?.refused(event.afterMs);
        return undefined;
      case 'allowance':
        await pace?.allowed(event);
        return undefined;
      default:
        return event satisfies never;
    }
  }

  async #wait(signal: AbortSignal): Promise<void> {
    await this.#pace?.wait(signal, (reason) => this.#options.onLine(`It waits: ${reason}.`));
  }
}
