/**
 * Exports a run to an OpenTelemetry collector, if the configuration says so: one trace, a log record for each event,
 * and counters. It is derived from the two logs like every view. It never delays the run, and its failure ends nothing.
 * The user installs its libraries (`peerDependencies`); only this file loads them.
 */
import type { ShownEvent } from '../../model/team/shown-event.ts';
import { Traces } from '../../policy/view/trace-spans.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import type { Otlp } from './otlp.ts';
import { TwoLogs, type Present } from '../views/merged-log.ts';
import { newsOf } from '../views/team-events.ts';

/** Milliseconds that the end of a run waits for a collector that does not answer. */
const PATIENCE_MS = 3_000;

export class Telemetry {
  readonly #store: TeamStore;
  readonly #ending = new AbortController();
  readonly #work: Promise<void>;
  readonly #traces = new Traces();
  /** What is before it was exported by the lead before, if there was one. */
  readonly #present: Present | undefined;

  constructor(store: TeamStore, epoch: number) {
    this.#store = store;
    this.#present = epoch > 1 ? { epoch, event: store.events.end() } : undefined;
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
    const { paths, disk, clock } = this.#store;
    const logs = new TwoLogs({ paths, disk, clock, present: this.#present });
    try {
      for await (const events of newsOf(logs, { follow: true, until: this.#ending.signal }))
        for (const event of events) this.#tell(otlp, event);
      for (const span of this.#traces.rest(this.#store.clock.now())) otlp.span(span);
    } finally {
      logs.close();
      await otlp.close();
    }
  }

  #tell(otlp: Otlp, event: ShownEvent): void {
    const inside = this.#traces.spanOf(event.member ?? '');
    const over = this.#traces.add(event);
    if (event.isPast === true) return;
    for (const span of over) otlp.span(span);
    otlp.event(event, inside);
  }
}
