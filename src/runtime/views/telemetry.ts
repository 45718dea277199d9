/**
 * A run told to an OpenTelemetry collector, when the configuration says so: one trace, a log record for each event, and
 * counters. It is drawn from the two logs like every view; it never holds the run up, and its failure ends nothing. Its
 * libraries are the user's own (`peerDependencies`), and are loaded here alone.
 */
import type { ShownEvent } from '../../model/team/shown-event.ts';
import { Traces } from '../../policy/view/trace-spans.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import type { Otlp } from './otlp.ts';
import { teamNews } from './team-events.ts';

/** How long the end of a run waits for a collector that does not answer. */
const PATIENCE_MS = 3_000;

export class Telemetry {
  readonly #store: TeamStore;
  readonly #ending = new AbortController();
  readonly #work: Promise<void>;
  readonly #traces = new Traces();
  /** What happened before was told by the lead before, if any. */
  readonly #since: number;

  constructor(store: TeamStore) {
    this.#store = store;
    this.#since = store.clock.now();
    this.#work = this.#observe().catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      store.events.append({ type: 'run.unobserved', text: `telemetry is off: ${why}` });
    });
  }

  /** Tells what is left, as far as that goes in time; idempotent. */
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
