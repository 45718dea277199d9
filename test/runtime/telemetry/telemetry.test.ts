/** A run is exported to a collector in this process: one trace, logs, counters; and to a collector that is missing. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { newTaskSchema } from '../../../src/model/board/task.ts';
import type { Clock } from '../../../src/model/text/clock.ts';
import { LEAD } from '../../../src/model/text/names.ts';
import { realClock } from '../../support/clock.ts';
import { lead, run, scripted, team } from '../../support/session.ts';

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

it.each([
  ['back', -3_600_000],
  ['ahead, and right again for the next lead', 3_600_000],
])('each event is exported once though the clock was set %s between two leads', async (_, ms) => {
  const got = await collector();
  const first = ms > 0 ? ms : 0;
  const on = await team({ members: ['ada'], tasks: [{ subject: 'First', owner: 'ada' }] });
  const leads = async (offset: number): Promise<void> => {
    const clock: Clock = { ...realClock, now: () => realClock.now() + offset };
    const session = await lead(on, { telemetry: 'otlp', clock });
    await session.start(session.startable());
    expect(await session.run()).toMatchObject({ why: 'finished' });
    await session.close();
  };
  await leads(first);
  await on.handle.store.board.append({ person: LEAD, epoch: on.board().lead.epoch }, () => ({
    type: 'task.created',
    task: '2',
    fields: newTaskSchema.parse({ subject: 'Second', owner: 'ada' }),
  }));
  await leads(first + ms * (ms > 0 ? -1 : 1));
  const told = got.logs().map(({ body }) => body.stringValue ?? '');
  for (const subject of ['First', 'Second'])
    expect(
      told.filter((text) => text.includes('completed #') && text.includes(subject)),
      told.join('\n'),
    ).toHaveLength(1);
});
