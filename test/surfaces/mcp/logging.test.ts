/** Log messages to a host: restarts, failures, pauses of a vendor and alerts, by the level that the host wants. */
import { beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { until, Workplace } from '../../support/cli.ts';
import { ERAS, Host } from '../../support/mcp-host.ts';

const AGENTS = `
agents:
  quiet: { kind: scripted, options: { turns: [{ answers: 'done', repeat: true }] } }
  red: { kind: exec, command: 'echo no; exit 1' }
  busy: { kind: scripted, options: { turns: [{ match: Build, fails: { why: rate_limited, message: 429 too many requests, retryAfterMs: 50 } }, { answers: 'done', repeat: true }] } }
`;

let place: Workplace;
beforeEach(() => {
  place = new Workplace();
  place.put('home/config/teams/config.yaml', AGENTS);
});

const messageSchema = z.object({
  level: z.string(),
  logger: z.literal('teams'),
  data: z.object({
    team: z.string(),
    event: z.string(),
    member: z.string().optional(),
    task: z.string().optional(),
    text: z.string(),
  }),
});
type Heard = z.infer<typeof messageSchema>;

/** Collects the log messages to a host. */
function heardBy(host: Host): Heard[] {
  const heard: Heard[] = [];
  host.client.setNotificationHandler('notifications/message', ({ params }) => {
    heard.push(messageSchema.parse(params));
  });
  return heard;
}

const setLevel = (host: Host, level: string) => host.client.request({ method: 'logging/setLevel', params: { level } });

async function team(host: Host, agent: string): Promise<void> {
  await host.say('TeamCreate', { name: 'login' });
  await host.say('Task', { prompt: 'begin', team_name: 'login', name: 'ada', agent });
}

describe('a host of 2025-11-25', () => {
  test('a lead hears of what fails without asking, and of nothing else', async () => {
    await using host = await Host.on(place);
    const heard = heardBy(host);
    await team(host, 'red');
    await host.say('TaskCreate', { subject: 'Build', description: 'x', owner: 'ada' });
    await until(() => heard.some(({ data }) => data.event === 'task.failed'), 'the failure is told');
    const failure = heard.find(({ data }) => data.event === 'task.failed');
    expect(failure).toMatchObject({ level: 'error', data: { team: 'login', task: '1' } });
    expect(failure?.data.text).toMatch(/^failed at #1 Build/);
    expect(heard.filter(({ level }) => !['warning', 'error'].includes(level))).toEqual([]);
    await host.say('TeamDelete', { name: 'login', force: true });
  });

  test('a killed member is told as restarted, and a pause of a vendor as such', async () => {
    await using host = await Host.on(place);
    const heard = heardBy(host);
    await team(host, 'busy');
    await host.say('TaskCreate', { subject: 'Build', description: 'x', owner: 'ada' });
    const tells = (words: RegExp) => () =>
      heard.some(({ level, data }) => level === 'warning' && words.test(data.text));
    await until(tells(/429 too many requests/), 'the pause is told');
    const { members } = await place.json(statusSchema, 'status', 'login');
    const pid = members.find(({ name }) => name === 'ada')?.pid;
    if (pid === undefined || pid === null) throw new Error('ada has no process');
    process.kill(pid, 'SIGKILL');
    await until(tells(/the lead restarted ada/), 'the restart is told');
    await host.say('TeamDelete', { name: 'login', force: true });
  });

  test('an alert to the lead is told once', async () => {
    await using host = await Host.on(place);
    const heard = heardBy(host);
    await team(host, 'quiet');
    await place.say(['send', 'login', 'lead', 'the disk is full', '--as', 'ada', '--kind', 'alert']);
    await until(() => heard.some(({ data }) => data.event === 'alert'), 'the alert is told');
    await host.say('TaskCreate', { subject: 'Build', description: 'x', owner: 'ada' });
    await until(async () => (await host.say('TaskList')).includes('[completed]'), 'the task is done');
    const alerts = heard.filter(({ data }) => data.event === 'alert');
    expect(alerts.map(({ data }) => [data.member, data.text])).toEqual([['ada', 'the disk is full']]);
    await host.say('TeamDelete', { name: 'login', force: true });
  });

  test('the level that a host sets is honoured, down to every event and up to none', async () => {
    await using host = await Host.on(place);
    const heard = heardBy(host);
    await setLevel(host, 'info');
    await team(host, 'quiet');
    await host.say('TaskCreate', { subject: 'One', description: 'x', owner: 'ada' });
    await until(() => heard.some(({ data }) => data.event === 'task.completed'), 'the end of #1 is told');
    await setLevel(host, 'emergency');
    heard.length = 0;
    await host.say('TaskCreate', { subject: 'Two', description: 'x', owner: 'ada' });
    await until(async () => /#2 \[completed\]/.test(await host.say('TaskList')), '#2 is done');
    await setLevel(host, 'info');
    await host.say('TaskCreate', { subject: 'Three', description: 'x', owner: 'ada' });
    await until(() => heard.some(({ data }) => data.event === 'task.completed'), 'the end of #3 is told');
    expect(heard.filter(({ data }) => /#2/.test(data.text))).toEqual([]);
    await expect(setLevel(host, 'loud')).rejects.toThrow();
    await host.say('TeamDelete', { name: 'login', force: true });
  });

  test('a member hears of itself and of the team only, and only if its host asks', async () => {
    await place.teams('create', 'solo', '--member', 'eve', '--member', 'bob');
    await using eve = await Host.on(place, '--team', 'solo', '--as', 'eve');
    const heard = heardBy(eve);
    await place.teams('task', 'create', 'solo', 'One', '--owner', 'eve');
    await eve.say('TaskUpdate', { taskId: '1', status: 'in_progress' });
    expect(heard).toEqual([]);
    await setLevel(eve, 'debug');
    await using bob = await Host.on(place, '--team', 'solo', '--as', 'bob');
    await bob.say('TaskCreate', { subject: 'Two', description: 'x', owner: 'bob' });
    await bob.say('TaskUpdate', { taskId: '2', status: 'in_progress' });
    await place.teams('pause', 'solo');
    await eve.say('TaskUpdate', { taskId: '1', status: 'failed', result: 'no' });
    await until(() => heard.some(({ data }) => data.event === 'task.failed'), 'the end of #1 is told');
    expect(heard.map(({ data }) => data.event)).toContain('team.paused');
    expect(heard.filter(({ data }) => data.member === 'bob')).toEqual([]);
  });
});

const statusSchema = z.looseObject({
  members: z.array(z.looseObject({ name: z.string(), pid: z.number().nullable() })),
});

test('a host of 2026-07-28 hears what happens during a call that names a level, and nothing else', async () => {
  await using host = await Host.of('2026-07-28', place);
  const heard = heardBy(host);
  await host.say('TeamCreate', { name: 'login' });
  const create = (subject: string, meta: Record<string, unknown>) =>
    host.client.callTool({ name: 'TaskCreate', arguments: { subject, description: 'x' }, _meta: meta });
  await create('Silent', {});
  await create('Told', { 'io.modelcontextprotocol/logLevel': 'info' });
  await create('Silent again', {});
  await host.say('TaskList');
  expect(heard.map(({ data }) => data.text)).toEqual([expect.stringMatching(/^added #2 Told/)]);
  await host.say('TeamDelete', { name: 'login', force: true });
});

test.each(ERAS)('a host of %s finds logging among the capabilities', async (era) => {
  await using host = await Host.of(era, place);
  expect(host.client.getServerCapabilities()).toMatchObject({ logging: {}, prompts: {}, completions: {} });
});
