/** What the teams of a session spend, as usage updates: tokens of the present team, and the cost of the session. */
import { SpendingBy, type Prices, type ShownEvent, type TeamReader } from '../../app.ts';
import type { TellEditor, TeamView } from './show-team.ts';

interface UsagePlace {
  readonly tell: TellEditor;
  readonly prices: Prices | undefined;
  /** The limit of tokens of the team. */
  readonly maxTokens: number | undefined;
  /** What the session has cost before this run, in US dollars; undefined if a price is not known. */
  readonly before: number | undefined;
}

export class UsageView implements TeamView {
  readonly #place: UsagePlace;
  #team: SpendingBy | undefined;
  /** What the team had cost before this run. */
  #costBefore = 0;
  #told = '';

  constructor(place: UsagePlace) {
    this.#place = place;
  }

  /** What the session has cost with this run, in US dollars; undefined if a price is not known. */
  get cost(): number | undefined {
    const { before } = this.#place;
    const { unpriced = [], usd = 0 } = this.#team?.total ?? {};
    return before === undefined || unpriced.length > 0 ? undefined : before + usd - this.#costBefore;
  }

  async look(store: TeamReader, news: readonly ShownEvent[]): Promise<void> {
    if (this.#team === undefined) {
      this.#team = this.#spentIn(store);
      this.#costBefore = this.#team.total.usd;
    }
    for (const event of news) this.#team.add(event);
    await this.#show(this.#team);
  }

  /** Reads the whole log once more: what was spent between the first look and the first news is in no news. */
  async end(store: TeamReader): Promise<void> {
    this.#team = this.#spentIn(store);
    await this.#show(this.#team);
  }

  #spentIn(store: TeamReader): SpendingBy {
    const sum = new SpendingBy(this.#place.prices);
    for (const { event } of store.events.read()) sum.add(event);
    return sum;
  }

  /** Nothing is shown of a team that used no model. The protocol wants a size: 0 says that there is no limit. */
  async #show({ total: { tokens, unpriced } }: SpendingBy): Promise<void> {
    if (tokens === 0 && unpriced.length === 0) return;
    const { tell, maxTokens: size = 0 } = this.#place;
    const amount = this.cost;
    const cost = amount === undefined ? null : { amount, currency: 'USD' };
    const told = { used: tokens, size, cost };
    const mark = JSON.stringify(told);
    if (mark === this.#told) return;
    this.#told = mark;
    await tell({ sessionUpdate: 'usage_update', ...told });
  }
}
