/** MCP over HTTP: several real hosts at one server, each with its own identity; strangers; streams that break. */
import { once } from 'node:events';
import { beforeEach, describe, expect, test } from 'vitest';
import { until, Workplace } from '../../support/cli.ts';
import { ERAS, Host } from '../../support/mcp-host.ts';
import { HttpServer } from '../../support/mcp-http-server.ts';

const asks = { tool: 'SendMessage', input: { recipient: 'lead', kind: 'question', content: 'Which colour?' } };
const AGENTS = {
  quiet: { kind: 'scripted', options: { turns: [{ answers: 'done', repeat: true }] } },
  asker: {
    kind: 'scripted',
    options: {
      turns: [
        { match: 'Paint', calls: [asks], answers: 'I asked' },
        { answers: 'painted', repeat: true },
      ],
    },
  },
  teller: { kind: 'exec', command: 'echo "$TEAMS_TOKEN" > token; sleep 300' },
};

let place: Workplace;
beforeEach(() => {
  place = new Workplace({ TEAMS_SHUTDOWN_TIMEOUT_MS: '2000' });
  place.put('home/config/teams/config.yaml', JSON.stringify({ agents: AGENTS }));
});

describe.each(ERAS)('hosts of %s', (era) => {
  test('a host leads a team over HTTP: tools, prompts, resources and notifications', async () => {
    const server = await HttpServer.on(place);
    await using host = await server.host(era, server.token());
    expect((await host.client.listTools()).tools).toHaveLength(15);
    await host.say('TeamCreate', { name: 'login' });
    await host.say('Task', { prompt: 'begin', team_name: 'login', name: 'ada', agent: 'quiet' });
    await host.say('TaskCreate', { subject: 'Build', description: 'x', owner: 'ada' });
    await until(async () => (await host.say('TaskList')).includes('#1 [completed]'), 'the task is done');
    const { contents } = await host.client.readResource({ uri: 'teams://login/tasks' });
    expect(contents).toHaveLength(1);
    expect((await host.client.getPrompt({ name: 'stand-up' })).messages).toHaveLength(1);
    await expect(host.client.readResource({ uri: 'teams://login/tasks/9' })).rejects.toThrow(/no resource/);
    expect(await host.say('TeamDelete', { name: 'login', force: true })).toContain('1 of 1 tasks');
  });

  test('a host is told what changed', async () => {
    await place.teams('create', 'solo', '--member', 'eve');
    const server = await HttpServer.on(place, '--team', 'solo');
    await using host = await server.host(era, server.token('eve'));
    const uri = 'teams://solo/tasks';
    if (era === '2026-07-28') await host.client.listen({ resourcesListChanged: true, resourceSubscriptions: [uri] });
    else await host.client.subscribeResource({ uri });
    await place.teams('task', 'create', 'solo', 'One');
    await host.hears(uri);
  });

  test('several hosts work in one team, each as the member of its token', async () => {
    await place.teams('create', 'solo', '--member', 'eve', '--member', 'bob');
    const server = await HttpServer.on(place, '--team', 'solo');
    expect([...server.tokens.keys()]).toEqual(['eve', 'bob']);
    await using eve = await server.host(era, server.token('eve'));
    await using bob = await server.host(era, server.token('bob'));
    await eve.say('SendMessage', { recipient: 'bob', content: 'hello bob' });
    expect(await bob.mail(/hello bob/)).toMatch(/message from "eve"/);
    expect(await eve.say('CheckInbox')).toBe('No unread messages.');
    await eve.say('TaskCreate', { subject: 'One', description: 'x', owner: 'eve' });
    expect((await bob.call('TaskUpdate', { taskId: '1', status: 'in_progress' })).isError).toBe(true);
    await eve.say('TaskUpdate', { taskId: '1', status: 'in_progress' });
    await expect(bob.client.readResource({ uri: 'teams://solo/inbox/eve' })).rejects.toThrow(/no resource/);
    expect((await bob.call('TeamDelete', { name: 'solo' })).text).toMatch(/^POLICY_DENIED/);
  });

  test('a form reaches the person of a host', async () => {
    const server = await HttpServer.on(place);
    const asked: string[] = [];
    await using host = await server.host(era, server.token(), (message) => {
      asked.push(message);
      return { action: 'accept', content: { answer: 'red' } };
    });
    await host.say('TeamCreate', { name: 'login' });
    await host.say('Task', { prompt: 'begin', team_name: 'login', name: 'ada', agent: 'asker' });
    await host.say('TaskCreate', { subject: 'Paint', description: 'x', owner: 'ada' });
    await until(async () => {
      if (era === '2026-07-28') await host.say('CheckInbox');
      return (await host.say('TaskList')).includes('#1 [completed]');
    }, 'the answer let the task go on');
    expect(asked).toHaveLength(1);
    await host.say('TeamDelete', { name: 'login', force: true });
  });

  test('the token of a member’s own process is that member, until the process ends', async () => {
    const server = await HttpServer.on(place);
    await using lead = await server.host(era, server.token());
    await lead.say('TeamCreate', { name: 'login' });
    await lead.say('Task', { prompt: 'begin', team_name: 'login', name: 'ada', agent: 'teller' });
    await lead.say('TaskCreate', { subject: 'Build', description: 'x', owner: 'ada' });
    let token = '';
    await until(async () => {
      token = (await place.shell('cat token 2>/dev/null')).out.trim();
      return token !== '';
    }, 'the agent tells its token');
    await using ada = await server.host(era, token);
    await ada.say('SendMessage', { recipient: 'lead', content: 'it is me' });
    expect(await lead.mail(/it is me/)).toMatch(/message from "ada"/);
    expect((await ada.call('TeamDelete', { name: 'login' })).text).toMatch(/^POLICY_DENIED/);
    await lead.say('TeamDelete', { name: 'login', force: true });
    await expect(ada.say('TaskList')).rejects.toThrow();
  });
});

describe('strangers', () => {
  test('a request without a token, from another site, or under another name is refused', async () => {
    await place.teams('create', 'solo', '--member', 'eve', '--member', 'bob');
    const server = await HttpServer.on(place, '--team', 'solo', '--as', 'eve');
    expect([...server.tokens.keys()]).toEqual(['eve']);
    const authorization = `Bearer ${server.token('eve')}`;
    expect(await server.raw({})).toBe(401);
    expect(await server.raw({ authorization: 'Bearer wrong' })).toBe(401);
    expect(await server.raw({ authorization: `${authorization}x` })).toBe(401);
    expect(await server.raw({ authorization, host: 'evil.example' })).toBe(403);
    expect(await server.raw({ authorization, origin: 'https://evil.example' })).toBe(403);
    expect(await server.raw({ authorization, 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await server.raw({ authorization, 'content-type': 'text/plain' })).toBe(415);
    expect(await server.raw({ authorization }, { method: 'PUT' })).toBe(405);
    expect(await server.raw({ authorization }, { path: '/mcp/x' })).toBe(404);
    expect(await server.raw({ authorization }, { body: 'x'.repeat(11 * 1024 * 1024) })).toBe(413);
    expect(await server.raw({ authorization }, { method: 'GET' })).toBe(400);
    await using host = await server.host('2025-11-25', server.token('eve'));
    await host.say('TaskList');
  });

  test('a missing resource has the code of the revision', async () => {
    await place.teams('create', 'solo', '--member', 'eve');
    const server = await HttpServer.on(place, '--team', 'solo');
    const headers = {
      authorization: `Bearer ${server.token('eve')}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    };
    const say = (body: object, more: Record<string, string> = {}) =>
      fetch(server.url, {
        method: 'POST',
        headers: { ...headers, ...more },
        body: JSON.stringify({ jsonrpc: '2.0', ...body }),
      });
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
    const hello = await say({ id: 1, method: 'initialize', params });
    await hello.text();
    const session = { 'mcp-session-id': hello.headers.get('mcp-session-id') ?? '' };
    await say({ method: 'notifications/initialized' }, session);
    const uri = 'teams://solo/tasks/9';
    const answer = await say({ id: 2, method: 'resources/read', params: { uri } }, session);
    expect(await answer.text()).toContain('"code":-32002');
  });

  test('a session belongs to the identity that opened it', async () => {
    await place.teams('create', 'solo', '--member', 'eve', '--member', 'bob');
    const server = await HttpServer.on(place, '--team', 'solo');
    const transport = server.transport(server.token('eve'));
    await using eve = await Host.over(transport);
    const stolen = {
      authorization: `Bearer ${server.token('bob')}`,
      accept: 'application/json, text/event-stream',
      'mcp-session-id': transport.sessionId ?? '',
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect(await server.raw(stolen, { body })).toBe(404);
    expect(await server.raw(stolen, { method: 'DELETE' })).toBe(404);
    // Neither the stream of the session nor what it could send again.
    expect(await server.raw(stolen, { method: 'GET' })).toBe(404);
    expect(await server.raw({ ...stolen, 'last-event-id': '0' }, { method: 'GET' })).toBe(404);
    await eve.say('TaskList');
    await transport.terminateSession();
    expect(await server.raw({ ...stolen, authorization: `Bearer ${server.token('eve')}` }, { body })).toBe(404);
  });

  test('a host that listens keeps its session, whatever many hosts began and left without a word', async () => {
    const server = await HttpServer.on(place);
    await using listening = await server.host('2025-11-25', server.token());
    await listening.client.listResources();
    await listening.say('TeamCreate', { name: 'login' });
    // Its stream is open.
    await listening.hears('list_changed');
    const headers = { authorization: `Bearer ${server.token()}`, accept: 'application/json, text/event-stream' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'left', version: '1' } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    for (let left = 0; left < 70; left += 1) expect(await server.raw(headers, { body })).toBe(200);
    await place.teams('task', 'create', 'login', 'From outside');
    expect(await listening.say('TaskList')).toContain('From outside');
  });

  test.each(['70000', 'a b:1', ':80', '1.2.3.4:'])('the place %j is refused', async (at) => {
    expect(await place.teams('mcp', '--http', at)).toMatchObject({ code: 2 });
  });

  test('a port in use, an unknown member and a foreign address are refused', async () => {
    await place.teams('create', 'solo', '--member', 'eve');
    const server = await HttpServer.on(place, '--team', 'solo');
    const { port } = new URL(server.url);
    const taken = await place.teams('mcp', '--http', port);
    expect([taken.code, taken.err]).toEqual([2, expect.stringMatching(/is taken/)]);
    expect(await place.teams('mcp', '--http', '0', '--team', 'solo', '--as', 'bob')).toMatchObject({ code: 2 });
    expect(await place.teams('mcp', '--http', '203.0.113.7:0')).toMatchObject({ code: 2 });
    expect(await place.say(['mcp', '--http', '0'], { environment: { TEAMS_MEMBER: 'eve' } })).toMatchObject({
      code: 2,
    });
  });
});

describe('a stream that breaks', () => {
  test('an answer that came meanwhile is read after Last-Event-ID', async () => {
    const server = await HttpServer.on(place, '--with-shell');
    // The stream of the answer to `bash` is cut after its first bytes; later ones are whole.
    let isCut = false;
    const cutting: typeof globalThis.fetch = async (input, init) => {
      const response = await fetch(input, init);
      const isCall = typeof init?.body === 'string' && init.body.includes('"bash"');
      if (!isCall || isCut || response.body === null) return response;
      isCut = true;
      const stream: AsyncIterable<unknown> = response.body;
      let begin = '';
      for await (const chunk of stream) {
        if (chunk instanceof Uint8Array) begin = Buffer.from(chunk).toString();
        break;
      }
      return new Response(begin, { status: response.status, headers: response.headers });
    };
    await using host = await Host.over(server.transport(server.token(), cutting));
    expect(await host.say('bash', { command: 'sleep 1; echo after the cut' })).toContain('after the cut');
    expect(isCut).toBe(true);
  });
});

test('the end of the server ends its team in order', async () => {
  const server = await HttpServer.on(place);
  await using host = await server.host('2025-11-25', server.token());
  await host.say('TeamCreate', { name: 'login' });
  await host.say('Task', { prompt: 'begin', team_name: 'login', name: 'ada', agent: 'quiet' });
  const gone = once(server.child, 'exit');
  server.child.kill('SIGTERM');
  await gone;
  expect((await place.teams('status', 'login')).out).not.toContain('running');
});
