/** Carries out what the person orders for the team, and says in the footer what came of it. */
import type { TeamOrder } from './dashboard-state.ts';
import type { Actions } from './watch-team.ts';

/** The result of an order is shown this long. */
const NOTICE_MS = 6_000;

interface DeskEvents {
  /** @param change from the notice that is shown to the next one */
  readonly onNotice: (change: (shown: string) => string) => void;
  /** A task was retried: the run goes on if it had ended. */
  readonly onRetried: () => void;
}

export class OrderDesk {
  readonly #actions: Actions;
  readonly #events: DeskEvents;
  #notices = 0;

  constructor(actions: Actions, events: DeskEvents) {
    this.#actions = actions;
    this.#events = events;
  }

  give(order: TeamOrder): void {
    const actions = this.#actions;
    switch (order.do) {
      case 'send':
        return this.#try(() => actions.send(order.to, order.text), `sent to ${order.to}`);
      case 'answer':
        return this.#try(() => actions.answer(order.id, order.text), 'answered');
      case 'decide':
        return this.#try(() => actions.decide(order.task, order), order.approve ? 'approved' : 'refused');
      case 'revise':
        return this.#try(() => actions.revise(order.task, order.text), 'revision requested');
      case 'skip':
        return this.#try(() => actions.skip(order.task), `#${order.task} skipped`);
      case 'stop':
        return this.#try(() => actions.stop(order.member), `${order.member} finishes its step and leaves`);
      case 'pause':
        return this.#try(() => actions.pause(), undefined);
      case 'retry':
        return this.#try(() => actions.retry(order.task), undefined, this.#events.onRetried);
      case 'retryAll':
        return this.#try(() => actions.retry(undefined), undefined, this.#events.onRetried);
      default:
        order satisfies never;
    }
  }

  /** @param done undefined: the work says itself what happened */
  #try(work: () => Promise<unknown>, done: string | undefined, then: () => void = () => {}): void {
    work().then(
      (told) => {
        this.#tell(done ?? String(told));
        then();
      },
      (error: unknown) => this.#tell(error instanceof Error ? error.message : String(error)),
    );
  }

  #tell(notice: string): void {
    const number = (this.#notices += 1);
    this.#events.onNotice(() => notice);
    const forget = (): void => {
      if (number === this.#notices) this.#events.onNotice((shown) => (shown === notice ? '' : shown));
    };
    setTimeout(forget, NOTICE_MS).unref();
  }
}
