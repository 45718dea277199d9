/** A run is exported to a collector in this process: one trace, logs, counters; and to a collector that is missing. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { run, scripted, team } from '../../support/session.ts';

const value = z.object({ stringValue: z.string().optional(), intValue: z.union([z.number(), z.string()]).optional() });
const attributes = z.array(z.object({ key: z.string(), value })).default([]);
const span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  attributes,
  startTimeUnixNano: z.string(),
  endTimeUnixNano: z.string(),
});
const posted = z.object({
  resourceSpans: z.array(z.object({ scopeSpans: z.array(z.object({ spans: z.array(span) })) })).default([]),
  resourceLogs: z
    .array(
      z.object({
        scopeLogs: z.array(z.object({ logRecords: z.array(z.object({ traceId: z.string(), body: value })) })),
      }),
    )
    .default([]),
  resourceMetrics: z
    .array(z.object({ scopeMetrics: z.array(z.object({ metrics: z.array(z.object({ name: z.string() })) })) }))
    .default([]),
});

/** What a collector received, by kind. */
async function collector() {
  const all: z.infer<typeof posted>[] = [];
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      all.push(posted.parse(body));
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', `http://127.0.0.1:${port}`);
  return {
    spans: () =>
      all.flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      ),
    logs: () =>
      all.flatMap(({ resourceLogs }) =>
        resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords)),
      ),
    metrics: () =>
      all.flatMap(({ resourceMetrics }) =>
        resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics)),
      ),
  };
}

it('telemetry exports one trace of run, task, message, turn and tool, a log record for each event, and counters', async () => {
  const got = await collector();
  const call = { tool: 'SendMessage', input: { recipient: 'bob', content: 'Your turn.' } };
  const on = await team({
    members: [
      { name: 'ada', agent: scripted({ calls: [call], answers: 'hello' }) },
      { name: 'bob', agent: scripted({ repeat: true, answers: 'hello too' }) },
    ],
    tasks: [
      { subject: 'Say hello', owner: 'ada' },
      { subject: 'Answer', owner: 'bob', blockedBy: ['1'] },
    ],
  });
  expect(await run(on, { telemetry: 'otlp' })).toBe('finished');
  const spans = got.spans();
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  const of = (name: string) => spans.find((one) => one.name === name);
  const above = (name: string) => spans.find(({ spanId }) => spanId === of(name)?.parentSpanId)?.name;
  expect(of('run')).not.toHaveProperty('parentSpanId');
  expect(['task #1', 'turn ada', 'tool SendMessage', 'message ada > bob'].map(above)).toEqual([
    'run',
    'task #1',
    'turn ada',
    'turn ada',
  ]);
  // The last message before it caused the turn: ada's, or the lead's that its task is ready.
  expect(above('turn bob')).toMatch(/^message (ada|lead) > bob$/);
  const known = new Set(spans.map(({ spanId }) => spanId));
  expect(spans.filter(({ parentSpanId }) => parentSpanId !== undefined && !known.has(parentSpanId))).toEqual([]);
  const logs = got.logs();
  expect(logs.map(({ body }) => body.stringValue)).toContain('completed #1 Say hello: hello');
  expect(new Set(logs.map(({ traceId }) => traceId))).toEqual(new Set([spans[0]?.traceId]));
  expect(got.metrics().map(({ name }) => name)).toContain('teams.events');
});

it('a run ends equally well and equally soon without a collector', async () => {
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', 'http://127.0.0.1:9');
  const on = await team({ members: ['ada'], tasks: [{ subject: 'Say nothing', owner: 'ada' }] });
  expect(await run(on, { telemetry: 'otlp' })).toBe('finished');
  expect(on.task('1').status).toBe('completed');
});
