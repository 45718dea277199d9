/**
 * The user's commands that get events of the team by name (`subscribers`). A command runs once at a time; what happens
 * meanwhile is given to its next run, each event as a line, in the order of the log. A lead gives what happens while it
 * leads, and ends the commands when it ends.
 */
import type { Command } from '../../model/agent/agent.ts';
import { isSubscribed } from '../../model/team/hook-event.ts';
import type { ShownEvent } from '../../model/team/shown-event.ts';
import { safeJson } from '../../model/text/safe-text.ts';
import { LEAD } from '../../model/text/names.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { runWithInput, type MarkedRunner } from '../team/hooks.ts';
import type { OwnPlaces } from './own-places.ts';
import { teamNews } from '../views/team-events.ts';

interface SubscribersEnvironment {
  readonly store: TeamStore;
  readonly children: MarkedRunner;
  readonly places: Pick<OwnPlaces, 'of'>;
  /** By the pattern of its events. */
  readonly commands: Readonly<Record<string, Command>>;
}

/** So many events wait for a command at most; what comes then is not given, and that is told. */
const MOST_WAITING = 10_000;
/** Milliseconds that the last runs have when the lead ends. */
const LAST_RUN_MS = 1_000;

interface Subscription {
  readonly pattern: string;
  readonly command: Command;
  waiting: string[];
  lost: number;
  running: Promise<void> | undefined;
}

export class Subscribers {
  readonly #environment: SubscribersEnvironment;
  readonly #all: readonly Subscription[];
  readonly #stop = new AbortController();
  readonly #kill = new AbortController();
  readonly #following: Promise<void>;

  constructor(environment: SubscribersEnvironment) {
    this.#environment = environment;
    this.#all = Object.entries(environment.commands).map(([pattern, command]) => ({
      pattern,
      command,
      waiting: [],
      lost: 0,
      running: undefined,
    }));
    this.#following = this.#all.length === 0 ? Promise.resolve() : this.#follow();
  }

  /** Gives what has happened so far, and ends. */
  async close(): Promise<void> {
    this.#stop.abort();
    const { clock } = this.#environment.store;
    const late = new AbortController();
    void clock.sleep(LAST_RUN_MS, late.signal).then(() => this.#kill.abort());
    await this.#following;
    for (const { running } of this.#all) await running;
    late.abort();
  }

  async #follow(): Promise<void> {
    const { store } = this.#environment;
    try {
      const { signal: until } = this.#stop;
      for await (const news of teamNews(store, { since: 'now', follow: true, until }))
        for (const event of news) this.#give(event);
    } catch (error) {
      store.events.append({ type: 'hook.failed', member: LEAD, text: `subscribers: ${String(error)}` });
    }
  }

  #give({ number: _, ...event }: ShownEvent): void {
    const { name, root } = this.#environment.store.paths;
    for (const one of this.#all) {
      if (!isSubscribed(one.pattern, event.type)) continue;
      if (one.waiting.length >= MOST_WAITING) one.lost += 1;
      else one.waiting.push(safeJson({ team: name, root, ...event }));
      one.running ??= this.#run(one).finally(() => (one.running = undefined));
    }
  }

  async #run(one: Subscription): Promise<void> {
    const { store, children, places } = this.#environment;
    const { signal } = this.#kill;
    while (one.waiting.length > 0 && !signal.aborted) {
      const [lines, lost] = [one.waiting, one.lost];
      [one.waiting, one.lost] = [[], 0];
      const told = { type: 'hook.failed', member: LEAD, hook: one.pattern } as const;
      if (lost > 0) store.events.append({ ...told, text: `${lost} events were not given: the command is too slow` });
      try {
        const at = await places.of(`subscriber of ${one.pattern}`, one.command);
        const { refusal, trouble } = await children.run((marker) =>
          runWithInput(one.command, `${lines.join('\n')}\n`, { store, signal, at, marker }),
        );
        const text = trouble ?? refusal;
        if (text !== undefined) store.events.append({ ...told, text });
      } catch (error) {
        store.events.append({ ...told, text: String(error) });
      }
    }
  }
}
