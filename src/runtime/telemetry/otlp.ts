/**
 * Sends spans, log records and counters over OTLP/HTTP, with OpenTelemetry's own libraries. Their environment variables
 * set the endpoint.
 */
import { createHash } from 'node:crypto';
import type { Attributes } from '@opentelemetry/api';
import { AgentError } from '../../model/text/errors.ts';
import type { ShownEvent } from '../../model/team/shown-event.ts';
import { NOTHING_SPENT, spentAfter } from '../../model/team/spending-sum.ts';
import { RUN, type TracedSpan } from '../../policy/view/trace-spans.ts';
import { eventLine } from '../views/event-line.ts';

export interface Otlp {
  span(span: TracedSpan): void;
  /** @param inside the key of the span in which it happened */
  event(event: ShownEvent, inside: string): void;
  /** Sends what is left. */
  close(): Promise<void>;
}

const SCOPE = 'teams';

/** An id derived from `parts`, so that a lead that takes over continues the same trace. */
const idOf = (digits: number, ...parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, digits);

/** @throws AgentError if the libraries are not installed */
export async function openOtlp(team: Team): Promise<Otlp> {
  const found = await libraries();
  const { api } = found;
  const ids = idsOf(team);
  const { tracing, logging, metering } = providersOf(found, team, ids);
  const contextOf = (key: string) => ({ ...ids.of(key), traceFlags: api.TraceFlags.SAMPLED });
  const within = (key: string) => api.trace.setSpanContext(api.ROOT_CONTEXT, contextOf(key));
  const tracer = tracing.getTracer(SCOPE);
  const logger = logging.getLogger(SCOPE);
  const count = countersIn(metering.getMeter(SCOPE));
  return {
    span({ key, name, parent, link, from, to, fault, attributes }) {
      const links = link === undefined ? [] : [{ context: contextOf(link) }];
      const outside = parent === undefined ? api.ROOT_CONTEXT : within(parent);
      ids.next(key);
      const span = tracer.startSpan(name, { startTime: from, attributes, links }, outside);
      if (fault !== undefined) span.setStatus({ code: api.SpanStatusCode.ERROR, message: fault.slice(0, 1_000) });
      span.end(to);
    },
    event(event, inside) {
      const { type, number, member = '' } = event;
      const attributes = { 'teams.event': type, 'teams.number': number, 'teams.member': member };
      logger.emit({ timestamp: Date.parse(event.at), body: eventLine(event), attributes, context: within(inside) });
      count(event);
    },
    async close() {
      await Promise.all([tracing, logging, metering].map((one) => one.shutdown()));
    },
  };
}

interface Team {
  readonly id: string;
  readonly name: string;
}

type Ids = ReturnType<typeof idsOf>;

/** The ids of a span are derived from its key: a span that is sent again has the same id. */
function idsOf({ id }: Team) {
  const traceId = idOf(32, id);
  const spanId = (key: string): string => idOf(16, id, key);
  let next = RUN;
  return {
    of: (key: string) => ({ traceId, spanId: spanId(key) }),
    /** Sets the key of the span that begins next. */
    next: (key: string) => void (next = key),
    generator: { generateTraceId: () => traceId, generateSpanId: () => spanId(next) },
  };
}

function providersOf({ resources, traces, logs, metrics }: Libraries, { name }: Team, { generator }: Ids) {
  const resource = resources.resourceFromAttributes({ 'service.name': 'teams', 'teams.team': name });
  const spanProcessors = [new traces.BatchSpanProcessor(new traces.OTLPTraceExporter())];
  const processors = [new logs.BatchLogRecordProcessor({ exporter: new logs.OTLPLogExporter() })];
  const readers = [new metrics.PeriodicExportingMetricReader({ exporter: new metrics.OTLPMetricExporter() })];
  return {
    tracing: new traces.NodeTracerProvider({ resource, idGenerator: generator, spanProcessors }),
    logging: new logs.LoggerProvider({ resource, processors }),
    metering: new metrics.MeterProvider({ resource, readers }),
  };
}

interface Meter {
  createCounter(name: string, options: { unit: string }): { add(value: number, attributes: Attributes): void };
}

function countersIn(meter: Meter): (event: ShownEvent) => void {
  const events = meter.createCounter('teams.events', { unit: '{event}' });
  const tokens = meter.createCounter('teams.tokens', { unit: '{token}' });
  const dollars = meter.createCounter('teams.cost', { unit: 'USD' });
  return (event) => {
    const member = event.member ?? '';
    events.add(1, { 'teams.event': event.type });
    if (event.type !== 'agent.spent' || typeof event.task === 'object') return;
    const spent = spentAfter(NOTHING_SPENT, event);
    tokens.add(spent.tokens, { 'teams.member': member });
    dollars.add(spent.usd, { 'teams.member': member });
  };
}

type Libraries = Awaited<ReturnType<typeof libraries>>;

/** Load all at once, so that a missing one is reported before anything is sent. */
async function libraries() {
  try {
    const [api, resources, trace, traceOut, log, logOut, metric, metricOut] = await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/sdk-trace-node'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/sdk-logs'),
      import('@opentelemetry/exporter-logs-otlp-http'),
      import('@opentelemetry/sdk-metrics'),
      import('@opentelemetry/exporter-metrics-otlp-http'),
    ]);
    const traces = { ...trace, ...traceOut };
    return { api, resources, traces, logs: { ...log, ...logOut }, metrics: { ...metric, ...metricOut } };
  } catch (cause) {
    const text =
      'install @opentelemetry/api, resources, sdk-trace-node, sdk-logs, sdk-metrics and the OTLP/HTTP exporters beside teams-runtime, or set telemetry to off';
    throw new AgentError('AGENT_NOT_INSTALLED', text, { cause });
  }
}
