/**
 * Exports a run to an OpenTelemetry collector, if the configuration says so: one trace, a log record for each event,
 * and counters. It is derived from the two logs like every view. It never delays the run, and its failure ends nothing.
 * The user installs its libraries (`peerDependencies`); only this file loads them.
 */
import type { ShownEvent } from '../../model/team/shown-event.ts';
import { Traces } from '../../policy/view/trace-spans.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import type { Otlp } from './otlp.ts';
import { teamNews } from '../views/team-events.ts';

/** Milliseconds that the end of a run waits for a collector that does not answer. */
const PATIENCE_MS = 3_000;

export class Telemetry {
  readonly #store: TeamStore;
  readonly #ending = new AbortController();
  readonly #work: Promise<void>;
  readonly #traces = new Traces();
  /** Earlier events were exported by the earlier lead, if there was one. */
  readonly #since: number;

  constructor(store: TeamStore) {
    this.#store = store;
    this.#since = store.clock.now();
    this.#work = this.#observe().catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      store.events.append({ type: 'run.unobserved', text: `telemetry is off: ${why}` });
    });
  }

  /** Sends what is left, within {@link PATIENCE_MS}; idempotent. */
  async stop(): Promise<void> {
    this.#ending.abort();
    const waited = new AbortController();
    await Promise.race([this.#work, this.#store.clock.sleep(PATIENCE_MS, waited.signal)]);
    waited.abort();
  }

  async #observe(): Promise<void> {
    const { openOtlp } = await import('./otlp.ts');
    const { id, name } = this.#store.board.fold().team ?? { id: '', name: this.#store.paths.name };
    const otlp = await openOtlp({ id, name });
    try {
      for await (const events of teamNews(this.#store, { follow: true, until: this.#ending.signal }))
        for (const event of events) this.#tell(otlp, event);
      for (const span of this.#traces.rest(this.#store.clock.now())) otlp.span(span);
    } finally {
      await otlp.close();
    }
  }

  #tell(otlp: Otlp, event: ShownEvent): void {
    const isNew = Date.parse(event.at) >= this.#since;
    const inside = this.#traces.spanOf(event.member ?? '');
    for (const span of this.#traces.add(event)) if (isNew) otlp.span(span);
    if (isNew) otlp.event(event, inside);
  }
}
