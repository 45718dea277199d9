/** Resources behind templates: one task, results, output, the report; completion of their variables; pages to the end. */
import { beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { Workplace } from '../../support/cli.ts';
import { greatTeam, memberAt } from '../../support/great-team.ts';
import { ERAS, Host } from '../../support/mcp-host.ts';

let place: Workplace;
beforeEach(() => {
  place = new Workplace();
  const quiet = { kind: 'scripted', options: { turns: [{ answers: 'done', repeat: true }] } };
  place.put('home/config/teams/config.yaml', JSON.stringify({ agents: { quiet } }));
});

const contentSchema = z.object({
  contents: z.tuple([
    z.object({
      uri: z.string(),
      mimeType: z.string(),
      text: z.string(),
      _meta: z.looseObject({ 'teams/next': z.string().optional() }).optional(),
    }),
  ]),
});
const rowsSchema = z.object({
  tasks: z.array(z.looseObject({ id: z.string() })).default([]),
  messages: z.array(z.looseObject({ content: z.string() })).default([]),
  more: z.boolean(),
  next: z.string().optional(),
});

async function read(host: Host, uri: string) {
  const { text, mimeType, _meta } = contentSchema.parse(await host.client.readResource({ uri })).contents[0];
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(64 * 1024);
  return { text, mimeType, next: _meta?.['teams/next'] };
}

/** Reads a list page by page to its end. */
async function rows(host: Host, first: string) {
  const [tasks, messages]: [string[], string[]] = [[], []];
  let pages = 0;
  for (let uri: string | undefined = first; uri !== undefined; pages += 1) {
    const page = await read(host, uri);
    const list = rowsSchema.parse(JSON.parse(page.text));
    expect([list.next, list.more]).toEqual([page.next, page.next !== undefined]);
    tasks.push(...list.tasks.map(({ id }) => id));
    messages.push(...list.messages.map(({ content }) => content));
    uri = list.next;
  }
  return { tasks, messages, pages };
}

/** Reads a text page by page to its end. */
async function pages(host: Host, first: string): Promise<string> {
  let all = '';
  for (let uri: string | undefined = first; uri !== undefined;) {
    const { text, next } = await read(host, uri);
    all += text.replace(/\n\[Bytes \d+ to \d+ of \d+\. Go on with [^\n]*\]$/, '');
    uri = next;
  }
  return all;
}

const asEve = (...args: string[]) => Host.on(place, '--team', 'solo', '--as', 'eve', ...args);

describe.each(ERAS)('templates for a host of %s', (era) => {
  test('a lead reads a task, its result, the output of its worker and the report, and is told of changes', async () => {
    await using host = await Host.of(era, place);
    const { resourceTemplates } = await host.client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate, title }) => [uriTemplate, title])).toEqual([
      ['teams://{team}/tasks{?from}', 'Tasks'],
      ['teams://{team}/tasks/{id}', 'Task'],
      ['teams://{team}/results/{id}{?from}', 'Result of a task'],
      ['teams://{team}/logs/{member}{?from}', 'Output of a member'],
      ['teams://{team}/report{?from}', 'Report'],
      ['teams://{team}/inbox/{member}{?from}', 'Unread mail of a member'],
    ]);
    await host.say('TeamCreate', { name: 'login' });
    await host.say('Task', { prompt: 'begin', team_name: 'login', name: 'ada', agent: 'quiet' });
    await host.say('TaskCreate', { subject: 'Design', description: 'x', owner: 'lead' });
    const one = 'teams://login/tasks/1';
    expect(JSON.parse((await read(host, one)).text)).toMatchObject({ task: { subject: 'Design', status: 'pending' } });
    if (era === '2026-07-28') await host.client.listen({ resourceSubscriptions: [one] });
    else await host.client.subscribeResource({ uri: one });
    await host.say('TaskUpdate', { taskId: '1', status: 'in_progress' });
    await host.hears(one);
    await host.say('TaskUpdate', { taskId: '1', status: 'completed', result: 'drawn\nin full' });
    await host.hears(one);
    expect(await read(host, 'teams://login/results/1')).toMatchObject({
      mimeType: 'text/markdown',
      text: 'drawn\nin full',
    });
    expect((await read(host, 'teams://login/report')).text).toContain('Design');
    expect((await read(host, 'teams://login/logs/ada')).mimeType).toBe('text/plain');
    for (const uri of ['tasks/2', 'results/2', 'logs/bob', 'tasks/1?from=1', 'report/x', 'tasks?to=1', 'nothing'])
      await expect(host.client.readResource({ uri: `teams://login/${uri}` })).rejects.toThrow(/There is no resource/);
    await host.say('TeamDelete', { name: 'login', force: true });
  });

  test('a host completes teams, tasks and members', async () => {
    await place.teams('create', 'solo', '--member', 'eve', '--member', 'bob');
    for (let id = 1; id <= 11; id += 1) await place.teams('task', 'create', 'solo', `Task ${id}`);
    await using host = await Host.of(era, place, '--team', 'solo', '--as', 'eve');
    const complete = async (uri: string, name: string, value: string) => {
      const ref = { type: 'ref/resource' as const, uri: `teams://{team}/${uri}` };
      return (await host.client.complete({ ref, argument: { name, value } })).completion;
    };
    expect(await complete('report{?from}', 'team', '')).toEqual({ values: ['solo'], total: 1, hasMore: false });
    expect((await complete('tasks/{id}', 'id', '1')).values).toEqual(['1', '10', '11']);
    // A member reads its own mail and output only.
    expect((await complete('logs/{member}{?from}', 'member', '')).values).toEqual(['eve']);
    expect((await complete('tasks{?from}', 'from', '1')).values).toEqual([]);
    await expect(complete('x/{y}', 'y', '')).rejects.toThrow(/no such template/);
    for (const uri of ['logs/bob', 'logs/lead', 'inbox/bob'])
      await expect(host.client.readResource({ uri: `teams://solo/${uri}` })).rejects.toThrow(/There is no resource/);
    await expect(host.client.listTools({ cursor: 'foreign' })).rejects.toThrow(/no such cursor/);
  });
});

describe('a board, mail and texts of any size', () => {
  test('a board of 5,000 tasks is read to its end, each task once', async () => {
    const team = greatTeam({ members: 4, tasks: 5_000, messages: 0 }, place.root);
    const base = `teams://${team.store.paths.name}`;
    await using host = await Host.on(place, '--team', team.store.paths.name, '--as', memberAt(0));
    const { tasks, pages: count } = await rows(host, `${base}/tasks`);
    expect(tasks).toEqual(Array.from({ length: 5_000 }, (_, at) => String(at + 1)));
    expect(count).toBeGreaterThan(10);
    expect((await rows(host, `${base}/tasks?from=4999`)).tasks).toEqual(['4999', '5000']);
    const { completion } = await host.client.complete({
      ref: { type: 'ref/resource', uri: 'teams://{team}/tasks/{id}' },
      argument: { name: 'id', value: '4' },
    });
    expect([completion.values.length, completion.total, completion.hasMore]).toEqual([100, 1_111, true]);
  });

  test('items above every limit do not stop a reader: each is clipped, and the next page begins behind it', async () => {
    await place.teams('create', 'solo', '--member', 'eve');
    await using host = await asEve();
    const files = Array.from({ length: 1_000 }, (_, at) => `${at}-${'x'.repeat(900)}`);
    for (let each = 1; each <= 4; each += 1)
      await host.say('TaskCreate', { subject: `Task ${each}`, description: 'x', files });
    for (let each = 1; each <= 30; each += 1) await place.teams('send', 'solo', 'eve', `${each} ${'y'.repeat(3_900)}`);
    expect((await rows(host, 'teams://solo/tasks')).tasks).toEqual(['1', '2', '3', '4']);
    expect((await rows(host, 'teams://solo/inbox/eve')).messages.map((text) => Number.parseInt(text, 10))).toEqual(
      Array.from({ length: 30 }, (_, at) => at + 1),
    );
    expect(JSON.parse((await read(host, 'teams://solo/tasks/1')).text)).toMatchObject({ task: { id: '1' } });
  });

  test('a long result and a long output are read to their ends, byte by byte the same', async () => {
    await place.teams('create', 'solo', '--member', 'eve');
    await using host = await asEve();
    await host.say('TaskCreate', { subject: 'Long', description: 'x', owner: 'eve' });
    await host.say('TaskUpdate', { taskId: '1', status: 'in_progress' });
    const result = `begin ${'漢'.repeat(60_000)} middle\n${'ä line\n'.repeat(5_000)}end`;
    await host.say('TaskUpdate', { taskId: '1', status: 'completed', result });
    expect(await pages(host, 'teams://solo/results/1')).toBe(result);
    const printed = Array.from({ length: 20_000 }, (_, at) => `line ${at} ö\n`).join('');
    place.put('.teams/solo/logs/eve.log', printed);
    expect(await pages(host, 'teams://solo/logs/eve?from=0')).toBe(printed);
    const { text, next } = await read(host, 'teams://solo/logs/eve');
    expect([printed.endsWith(text.slice(10)), next]).toEqual([true, undefined]);
  });
});
