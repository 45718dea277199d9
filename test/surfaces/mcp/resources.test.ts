/** Tasks and inboxes as MCP resources, in both eras of the protocol: listed, read, and announced when they change. */
import { beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { Workplace } from '../../support/cli.ts';
import { ERAS, Host, type Era } from '../../support/mcp-host.ts';

const LEAD_INBOX = 'teams://login/inbox/lead';
const TASKS = 'teams://login/tasks';

let place: Workplace;
beforeEach(() => {
  place = new Workplace();
  const quiet = { kind: 'scripted', options: { turns: [{ answers: 'done', repeat: true }] } };
  place.put('home/config/teams/config.yaml', JSON.stringify({ agents: { quiet } }));
});

const contentSchema = z.object({ contents: z.tuple([z.object({ uri: z.string(), text: z.string() })]) });
const listSchema = z.object({
  tasks: z.array(z.object({ subject: z.string(), description: z.string() })).optional(),
  messages: z.array(z.object({ sender: z.string(), content: z.string() })).optional(),
  more: z.boolean(),
});

/** A resource, parsed: it is JSON at any size. */
async function read(host: Host, uri: string) {
  const { contents } = contentSchema.parse(await host.client.readResource({ uri }));
  expect(Buffer.byteLength(contents[0].text)).toBeLessThanOrEqual(64 * 1024);
  return listSchema.parse(JSON.parse(contents[0].text));
}

/** Waits for notifications of a change until the resource has the expected content. */
async function toldOf(host: Host, uri: string, isSo: (content: Awaited<ReturnType<typeof read>>) => boolean) {
  do await host.hears(uri);
  while (!isSo(await read(host, uri)));
}

const uris = async (host: Host): Promise<string[]> => {
  const { resources } = await host.client.listResources();
  return resources.map(({ uri }) => uri);
};

/** Subscribes to these, in the way of the era. */
async function follow(host: Host, era: Era, ...resourceSubscriptions: string[]): Promise<void> {
  if (era === '2026-07-28') await host.client.listen({ resourcesListChanged: true, resourceSubscriptions });
  else for (const uri of resourceSubscriptions) await host.client.subscribeResource({ uri });
}

describe.each(ERAS)('a host of %s that leads', (era) => {
  test('a lead is notified when the list, the board or an inbox changes, and of nothing else', async () => {
    await using host = await Host.of(era, place);
    expect(host.client.getNegotiatedProtocolVersion()).toBe(era);
    expect(host.client.getServerCapabilities()?.resources).toEqual({ subscribe: true, listChanged: true });
    expect(await uris(host)).toEqual([]);
    if (era === '2026-07-28') await host.client.listen({ resourcesListChanged: true });

    await host.say('TeamCreate', { name: 'login' });
    await host.hears('list_changed');
    expect(await uris(host)).toEqual([TASKS, LEAD_INBOX]);
    await follow(host, era, TASKS, LEAD_INBOX);

    await host.say('TaskCreate', { subject: 'Design', description: 'first', owner: 'lead' });
    await host.hears(TASKS);
    // Another process changes it; the host is notified all the same.
    await place.teams('task', 'create', 'login', 'Build');
    await host.hears(TASKS);
    expect((await read(host, TASKS)).tasks?.map(({ subject }) => subject)).toEqual(['Design', 'Build']);

    await host.say('Task', { prompt: 'begin', team_name: 'login', name: 'ada', agent: 'quiet' });
    await host.hears('list_changed');
    expect(await uris(host)).toEqual([TASKS, LEAD_INBOX, 'teams://login/inbox/ada']);
    await place.say(['send', 'login', 'lead', 'from outside', '--as', 'ada']);
    await toldOf(host, LEAD_INBOX, ({ messages = [] }) => messages.some(({ content }) => content === 'from outside'));
    expect(await host.say('CheckInbox')).toContain('from outside');
    await toldOf(host, LEAD_INBOX, ({ messages = [] }) => messages.every(({ content }) => content !== 'from outside'));

    await host.say('TeamDelete', { name: 'login' });
    await host.hears('list_changed');
    expect(await uris(host)).toEqual([]);
  });
});

describe.each(ERAS)('a host of %s that works as a member', (era) => {
  test('a member sees the board and its own mail, and no other member’s', async () => {
    await place.teams('create', 'login', '--member', 'ada', '--member', 'bob');
    await using host = await Host.of(era, place, '--team', 'login', '--as', 'ada');
    const own = 'teams://login/inbox/ada';
    const others = 'teams://login/inbox/bob';
    expect(await uris(host)).toEqual([TASKS, own]);
    for (const uri of [others, 'teams://login/inbox/lead', 'teams://other/tasks', 'teams://login/inbox/../bob'])
      await expect(host.client.readResource({ uri })).rejects.toThrow(/There is no resource/);
    // The old era refuses. In the new one the SDK takes any filter, and no notification is sent for what is not listed.
    if (era === '2025-11-25') await expect(follow(host, era, others)).rejects.toThrow(/There is no resource/);
    await follow(host, era, own, ...(era === '2026-07-28' ? [others] : []));
    await place.teams('send', 'login', 'bob', 'for bob');
    await place.teams('send', 'login', 'ada', 'for ada');
    await host.hears(own);
    await place.teams('send', 'login', 'bob', 'again for bob');
    await place.teams('send', 'login', 'ada', 'again for ada');
    await host.hears(own);
    expect(host.heard).not.toContain(others);
    expect((await read(host, own)).messages?.map(({ content }) => content)).toEqual(['for ada', 'again for ada']);
  });
});

describe('a resource with more than a host can take', () => {
  test('a resource over the limit of a host is cut at an item, stays JSON, and says so', async () => {
    await place.teams('create', 'login', '--member', 'ada');
    await using host = await Host.on(place, '--team', 'login', '--as', 'ada');
    await host.say('TaskCreate', { subject: 'Long', description: 'ä'.repeat(100_000) });
    const [long] = (await read(host, TASKS)).tasks ?? [];
    expect(long?.description).toMatch(/^ä{4000} \[96000 characters more\]$/);
    for (let each = 1; each <= 30; each += 1)
      await host.say('TaskCreate', { subject: `Task ${each}`, description: 'x'.repeat(3_000) });
    const { tasks = [], more } = await read(host, TASKS);
    expect(more).toBe(true);
    expect(tasks.length).toBeGreaterThan(10);
    expect(tasks.length).toBeLessThan(31);
  });

  test('an answer over the limit of a host is cut too, in one piece, at a character boundary', async () => {
    await place.teams('create', 'login', '--member', 'ada');
    await using host = await Host.on(place, '--team', 'login', '--as', 'ada');
    await host.say('TaskCreate', { subject: 'Long', description: 'ä'.repeat(100_000) });
    const text = await host.say('TaskGet', { taskId: '1' });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(64 * 1024);
    expect(text).toMatch(/ä\n\[The answer has \d+ bytes; the first 65536 at most are shown\.\]$/);
    const { isError, text: why } = await host.call('TaskGet', { taskId: 'z'.repeat(900) });
    expect([isError, why.startsWith('UNKNOWN_TASK')]).toEqual([true, true]);
  });
});
