/** The user's commands that get events by name: each event once and in order; their failures stop nothing. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { eventPatternSchema, HOOK_SCHEMAS, isSubscribed } from '../../../src/model/team/hook-event.ts';
import { subscriberLine } from '../../../src/surfaces/cli/shapes/subscriber-shapes.ts';
import { until, Workplace } from '../../support/cli.ts';
import { run, scripted, team } from '../../support/session.ts';

const read = (place: { readonly root: string }, file: string): unknown[] =>
  readFileSync(join(place.root, file), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));

const loggedSchema = z.looseObject({ type: z.string(), at: z.string() });

const PLAN = `name: told
members: [{name: ada, agent: {kind: exec}}]
tasks: [{key: a, subject: A, run: 'true'}, {subject: B, run: 'exit 3', blockedBy: [a]}, {subject: C, run: 'true', blockedBy: [a]}]
`;

function configured(values: object): Workplace {
  const place = new Workplace();
  place.put('home/config/teams/config.yaml', JSON.stringify(values));
  place.put('plan.yaml', PLAN);
  return place;
}

describe('a subscriber', () => {
  it('a subscriber gets each event of its name once, in the order of the log, as log --json prints it', async () => {
    const place = configured({
      subscribers: { 'task.*': 'cat >>tasks', 'task.failed': 'cat >>failed', '*': 'cat >>all' },
    });
    expect((await place.teams('run', 'plan.yaml')).code).toBe(1);
    const tasks = read(place, 'tasks').map((line) => subscriberLine.parse(line));
    expect(tasks).toMatchObject(tasks.map(() => ({ team: 'told', root: place.root })));
    const { out } = await place.teams('log', 'told', '--json');
    const logged = out
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
      .map((line) => loggedSchema.parse(line));
    // What was before the lead is not given.
    const ofTasks = logged.filter(({ type }) => type.startsWith('task.') && type !== 'task.created');
    expect(tasks.map(({ type, at }) => [type, at])).toEqual(ofTasks.map(({ type, at }) => [type, at]));
    expect(read(place, 'failed')).toMatchObject([{ type: 'task.failed', text: 'exit 3', task: { id: '2' } }]);
    const types = read(place, 'all').map((line) => subscriberLine.parse(line).type);
    expect(types).toContain('member.started');
    expect(types).toContain('team.closing');
    // Each event of the board has a schema of its own, which another event does not fit.
    const [failed] = read(place, 'failed');
    const taskless = { ...z.record(z.string(), z.json()).parse(failed) };
    delete taskless['task'];
    expect(subscriberLine.safeParse(taskless).success).toBe(false);
  });

  it('a subscriber that fails is an event, and stops nothing', async () => {
    const place = configured({ subscribers: { 'task.failed': 'echo broken >&2; exit 7', '*': 'cat >>all' } });
    expect((await place.teams('run', 'plan.yaml')).code).toBe(1);
    const { out } = await place.teams('log', 'told');
    expect(out).toContain('exit 7: broken');
    expect(readFileSync(join(place.root, 'all'), 'utf8')).not.toContain('hook.');
  });

  it('a slow subscriber gets what happened meanwhile in its next run, and ends with its lead', async () => {
    const once = 'cat >>"run$(ls run* 2>/dev/null | wc -l)"; test -e go || sleep 300';
    const ada = scripted({ match: 'second', answers: 'two' }, { answers: 'one' });
    const on = await team({
      members: [{ name: 'ada', agent: ada }],
      tasks: [{ subject: 'first' }, { subject: 'second', blockedBy: ['1'] }],
    });
    expect(await run(on, { subscribers: { 'task.completed': once } })).toBe('finished');
    expect(read(on, 'run0')).toMatchObject([{ type: 'task.completed', task: { id: '1' } }]);
    expect(existsSync(join(on.root, 'run1'))).toBe(false);
  });
});

it('an event has the names of its noun, of all and its own; what hooks do has none', () => {
  const patterns = ['task.failed', 'task.*', '*', 'task.completed', 'team.*'];
  expect(patterns.filter((pattern) => isSubscribed(pattern, 'task.failed'))).toEqual(['task.failed', 'task.*', '*']);
  expect(patterns.filter((pattern) => isSubscribed(pattern, 'hook.failed'))).toEqual([]);
});

it.each([
  ['task', 'Expected the name of an event such as task.failed, task.* or *, got "task"; did you mean task.*?'],
  [
    'tasks.failed',
    'Expected the name of an event such as task.failed, task.* or *, got "tasks.failed"; did you mean task.*?',
  ],
  ['curl', 'Expected the name of an event such as task.failed, task.* or *, got "curl".'],
])('%s is no name of events', (pattern, sentence) => {
  expect(eventPatternSchema.safeParse(pattern).error?.issues.map(({ message }) => message)).toEqual([sentence]);
});

it('what hooks get has the published shape', async () => {
  const place = configured({
    hooks: { onTaskCompleted: 'cat >>done', onFinished: 'cat >>end' },
  });
  await place.teams('run', 'plan.yaml');
  for (const line of read(place, 'done')) HOOK_SCHEMAS.onTaskCompleted.strict().parse(line);
  for (const line of read(place, 'end')) HOOK_SCHEMAS.onFinished.strict().parse(line);
});

it('the hook of a question gets the published shape', async () => {
  const ask = { tool: 'SendMessage', input: { recipient: 'lead', kind: 'question', content: 'Which?' } };
  const ada = scripted({ match: 'This', answers: 'done' }, { calls: [ask], answers: 'asked' });
  const on = await team({ members: [{ name: 'ada', agent: ada }], tasks: [{ subject: 'Choose' }] });
  const ends = run(on, { hooks: { onWaiting: 'cat >>told' } });
  await until(() => existsSync(join(on.root, 'told')) && readFileSync(join(on.root, 'told')).length > 0, 'it is told');
  const [id = ''] = on.board().open.keys();
  await on.handle.send('ada', 'This.', { request_id: id });
  await ends;
  for (const line of read(on, 'told')) HOOK_SCHEMAS.onWaiting.strict().parse(line);
});
