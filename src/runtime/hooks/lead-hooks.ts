/**
 * The hooks that a lead runs: when a teammate is idle, when a request waits for a person, when a run has ended. They
 * run beside the loop and end with the lead.
 */
import { LEAD, type Name } from '../../model/text/names.ts';
import { pastOf } from '../../model/past/board-past.ts';
import type { OpenRequest } from '../../model/board/request.ts';
import * as wording from '../../policy/mail-wording.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { runHook, type HookEvent, type HookName, type Hooks, type MarkedRunner } from '../team/hooks.ts';
import { sendMail } from '../team/send-mail.ts';
import type { Speaker } from '../team/authentication.ts';
import type { OwnPlaces } from './own-places.ts';

interface LeadHooksEnvironment {
  readonly store: TeamStore;
  readonly speaker: Speaker & { kind: 'lead' };
  readonly hooks: Hooks;
  readonly children: MarkedRunner;
  readonly places: Pick<OwnPlaces, 'of'>;
}

/** After this many refusals without a newly completed task the member may be idle. */
const MOST_REFUSALS = 3;

export class LeadHooks {
  readonly #environment: LeadHooksEnvironment;
  readonly #running = new Set<Promise<unknown>>();
  readonly #stop = new AbortController();
  readonly #notified = new Set<string>();
  readonly #refusals = new Map<string, number>();

  constructor(environment: LeadHooksEnvironment) {
    this.#environment = environment;
  }

  /** A member reported that it is idle. If the hook refuses, its text is mailed to the member as work. */
  idle(member: Name): void {
    this.#beside(async () => {
      const { store, speaker } = this.#environment;
      store.board.fold();
      const { completed } = pastOf(store.board.past, member);
      const since = `${member} ${completed}`;
      const refusals = this.#refusals.get(since) ?? 0;
      if (refusals >= MOST_REFUSALS) return;
      const feedback = await this.#run('onTeammateIdle', { member, completed });
      if (feedback === undefined || this.#stop.signal.aborted) return;
      this.#refusals.set(since, refusals + 1);
      await sendMail(store, speaker, member, wording.refusedIdle(feedback), { kind: 'hook' });
    });
  }

  /** Runs the hook once for each request that waits for a person. */
  waiting(open: ReadonlyMap<string, OpenRequest>): void {
    for (const { id, kind, from, task, text, at } of open.values()) {
      if (this.#notified.has(id)) continue;
      this.#notified.add(id);
      const about = task === undefined ? {} : { task };
      this.#beside(() => this.#run('onWaiting', { request: id, kind, member: from, ...about, text, since: at }));
    }
  }

  /** Runs the hook for the end of the run and waits for it. It is the last hook. */
  async finished(report: object): Promise<void> {
    await this.#run('onFinished', { report });
  }

  /** Ends the hooks that run. */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
  }

  #beside(work: () => Promise<unknown>): void {
    const { store } = this.#environment;
    const running = work().catch((error: unknown) =>
      store.events.append({ type: 'hook.failed', member: LEAD, text: String(error) }),
    );
    this.#running.add(running);
    void running.finally(() => this.#running.delete(running));
  }

  async #run(name: HookName, event: HookEvent): Promise<string | undefined> {
    const { hooks, store, children, places } = this.#environment;
    const command = hooks[name];
    if (command === undefined || this.#stop.signal.aborted) return undefined;
    const { signal } = this.#stop;
    const at = await places.of(`hook ${name}`, command);
    return children.run((marker) => runHook({ name, command, event }, { store, signal, at, marker }));
  }
}
