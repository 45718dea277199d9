/** Each answer as data: every tool has a title and an output schema, and each answer is valid by that schema. */
import { beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { TOOL_NAMES } from '../../../src/model/team/tool.ts';
import { until, Workplace } from '../../support/cli.ts';
import { ERAS, Host } from '../../support/mcp-host.ts';
import { scene } from '../../support/tree-scene.ts';

const AGENTS = `
agents:
  shell: { kind: exec, command: 'echo made by a subagent' }
  slow: { kind: exec, command: 'echo begun > begun; setsid sleep 300 & wait' }
  writer: { kind: exec, command: 'cat >/dev/null; echo written >ada.txt' }
  quiet: { kind: scripted, options: { turns: [{ answers: 'done', repeat: true }] } }
`;

/** For teams whose members have trees. */
const OF_TREES: readonly string[] = ['TeamDiff', 'TeamApply', 'TaskReview'];

let place: Workplace;
beforeEach(() => {
  place = new Workplace();
  place.put('home/config/teams/config.yaml', AGENTS);
  place.put('home/config/teams/skills/greet.md', '---\ndescription: how to greet\n---\nSay hello.\n');
});

const like = (pattern: RegExp): unknown => expect.stringMatching(pattern);
const dataSchema = z.record(z.string(), z.unknown());
const schemaOf = (json: unknown): z.ZodType => z.fromJSONSchema(z.record(z.string(), z.json()).parse(json));

/** Calls tools and checks each answer against the schema that the server listed. */
async function checking(host: Host) {
  const { tools } = await host.client.listTools();
  const schemas = new Map(tools.map(({ name, outputSchema }) => [name, schemaOf(outputSchema)]));
  const used = new Set<string>();
  const data = async (name: string, input: Record<string, unknown> = {}) => {
    const { content, structuredContent, isError } = await host.client.callTool({ name, arguments: input });
    expect([name, isError, content]).toEqual([name, undefined, [expect.objectContaining({ type: 'text' })]]);
    const checked = schemas.get(name)?.safeParse(structuredContent);
    expect([name, checked?.error?.issues, checked?.success]).toEqual([name, undefined, true]);
    used.add(name);
    return dataSchema.parse(structuredContent);
  };
  return { used, data };
}

describe.each(ERAS)('answers as data for a host of %s', (era) => {
  test('every listed tool has a title and an output schema, and every answer of a lead is valid', async () => {
    await using host = await Host.of(era, place, '--with-shell');
    const { tools } = await host.client.listTools();
    for (const { name, title, annotations, outputSchema } of tools)
      expect([name, title, annotations?.title, outputSchema]).toEqual([
        name,
        like(/^[A-Z]/),
        title,
        expect.objectContaining({ type: 'object', additionalProperties: false }),
      ]);
    const { used, data } = await checking(host);

    expect(await data('TeamCreate', { name: 'login' })).toEqual({ team: 'login', isolation: 'off' });
    expect(await data('Skill')).toEqual({ skills: [{ name: 'greet', about: 'how to greet', isTrusted: true }] });
    expect(await data('Skill', { name: 'greet' })).toMatchObject({
      name: 'greet',
      text: like(/Say hello./),
    });
    expect(await data('TaskCreate', { subject: 'Design', description: 'x', owner: 'lead' })).toEqual({
      task: { id: '1', status: 'pending', subject: 'Design', owner: 'lead', waitsFor: [] },
    });
    await data('TaskCreate', { subject: 'Build', description: 'x', blockedBy: ['1'], owner: 'lead' });
    expect(await data('TaskUpdate', { taskId: '1', status: 'in_progress' })).toMatchObject({
      outcome: 'changed',
      task: { status: 'in_progress', claimedBy: 'lead' },
    });
    expect(await data('TaskList')).toMatchObject({ tasks: [{ id: '1' }, { id: '2', waitsFor: ['1'] }] });
    expect(await data('TaskUpdate', { taskId: '1', status: 'completed', result: 'drawn' })).toMatchObject({
      outcome: 'ended',
      task: { status: 'completed', end: 'drawn' },
    });
    expect(await data('TaskGet', { taskId: '1' })).toMatchObject({ task: { result: { summary: 'drawn' } } });

    expect(await data('Task', { prompt: 'x', agent: 'shell' })).toMatchObject({
      kind: 'subagent',
      result: like(/made by a subagent/),
    });
    const { task_id } = await data('Task', { prompt: 'x', agent: 'slow', run_in_background: true });
    expect(await data('TaskOutput', { task_id })).toMatchObject({ task_id, state: 'running' });
    expect(await data('TaskStop', { task_id })).toMatchObject({ task_id, state: 'stopped' });
    const quick = await data('Task', { prompt: 'x', agent: 'shell', run_in_background: true });
    expect(await data('TaskOutput', { task_id: quick['task_id'], wait: 60 })).toMatchObject({ state: 'answered' });

    const teammate = { prompt: 'x', team_name: 'login', name: 'ada', agent: 'quiet' };
    expect(await data('Task', teammate)).toMatchObject({ kind: 'teammate', name: 'ada', team: 'login' });
    expect(await data('SendMessage', { recipient: 'ada', content: 'hi' })).toMatchObject({
      deliveries: [{ recipient: 'ada', id: like(/./) }],
    });
    expect(await data('bash', { command: 'echo out' })).toMatchObject({ output: 'out\n', exitCode: 0 });
    expect(await data('write_file', { path: 'a.txt', content: 'ä\n' })).toMatchObject({ path: 'a.txt', bytes: 3 });
    expect(await data('edit_file', { path: 'a.txt', old_text: 'ä', new_text: 'b' })).toMatchObject({ replacements: 1 });
    expect(await data('read_file', { path: 'a.txt' })).toMatchObject({ path: 'a.txt', content: '     1\tb' });
    await place.say(['send', 'login', 'lead', 'from ada', '--as', 'ada']);
    await until(async () => 'notice' in (await data('TaskList')), 'waiting mail is announced in the data, too');
    await until(
      async () => JSON.stringify(await data('CheckInbox')).includes('"content":"from ada"'),
      'the mail comes as data',
    );
    expect(await data('TeamDelete', { name: 'login' })).toMatchObject({ team: 'login', stopped: ['ada'], total: 2 });
    expect(used).toEqual(new Set(TOOL_NAMES.filter((name) => !OF_TREES.includes(name))));
  });

  test('every answer about trees is valid', async () => {
    const { at } = scene({ tasks: [] });
    const host = await Host.of(era, { root: at, environment: place.environment });
    await using _host = host;
    const { used, data } = await checking(host);
    expect(await data('TeamCreate', { name: 'login', isolation: 'trees', review: 'lead' })).toEqual({
      team: 'login',
      isolation: 'trees',
    });
    await data('Task', { prompt: 'x', team_name: 'login', name: 'ada', agent: 'writer' });
    await data('TaskCreate', { subject: 'Write', description: 'x', owner: 'ada' });
    await until(
      async () => JSON.stringify(await data('TaskList')).includes('"review":"lead"'),
      'a change waits',
      60_000,
    );
    const files = [{ path: 'ada.txt', change: 'added' }];
    expect(await data('TeamDiff', { taskId: '1' })).toMatchObject({ files, diff: like(/\+written/) });
    expect(await data('TaskReview', { taskId: '1', approve: true })).toMatchObject({ task: { id: '1' } });
    await until(
      async () => JSON.stringify(await data('TaskList')).includes('"status":"completed"'),
      'the change landed',
      60_000,
    );
    expect(await data('TeamApply')).toMatchObject({ landed: 1, files });
    await data('TeamDelete', { name: 'login' });
    for (const name of OF_TREES) expect(used).toContain(name);
  }, 60_000);

  test('every answer of a member is valid, also one whose verification failed', async () => {
    await place.teams('create', 'solo', '--member', 'eve', '--member', 'bob');
    await place.teams('task', 'create', 'solo', 'Read it', '--owner', 'eve', '--verify', 'echo wrong; exit 3');
    await using host = await Host.of(era, place, '--team', 'solo', '--as', 'eve');
    const { data } = await checking(host);
    await data('TaskUpdate', { taskId: '1', status: 'in_progress' });
    expect(await data('TaskUpdate', { taskId: '1', status: 'completed', result: 'read' })).toMatchObject({
      outcome: 'not done',
      task: { status: 'in_progress' },
      verdict: { result: 'failed', command: 'echo wrong; exit 3', output: 'wrong\n' },
    });
    expect(await data('SendMessage', { type: 'broadcast', content: 'all' })).toMatchObject({
      deliveries: [{ recipient: 'lead' }, { recipient: 'bob' }],
    });
    expect(await data('CheckInbox')).toEqual({ messages: [] });
  });
});

describe('data over the limit', () => {
  test('a list over the limit ends at a row and says that there is more; a long text is clipped', async () => {
    await place.teams('create', 'solo', '--member', 'eve');
    await using host = await Host.on(place, '--team', 'solo', '--as', 'eve');
    const { data } = await checking(host);
    await host.say('TaskCreate', { subject: 'Long', description: '\n'.repeat(200_000) });
    const whole = await data('TaskGet', { taskId: '1' });
    expect(whole['task']).toMatchObject({ description: like(/\n \[\d+ characters more\]$/) });
    await Promise.all(
      Array.from({ length: 200 }, (_, each) =>
        host.say('TaskCreate', { subject: `${each} ${'x'.repeat(900)}`, description: 'x' }),
      ),
    );
    const list = await data('TaskList');
    const shown = z.array(z.unknown()).parse(list['tasks']);
    expect(list['more']).toBe(true);
    expect(Buffer.byteLength(JSON.stringify(list))).toBeLessThanOrEqual(128 * 1024);
    expect(shown.length).toBeGreaterThan(100);
  });

  test('mail that is taken stands whole in the answer, whatever its characters', async () => {
    await place.teams('create', 'solo', '--member', 'eve');
    await using host = await Host.on(place, '--team', 'solo', '--as', 'eve');
    const { data } = await checking(host);
    for (const letter of ['ä', '漢', '\n']) {
      for (let each = 1; each <= 3; each += 1)
        await place.teams('send', 'solo', 'eve', `begin ${letter.repeat(15_000)} end ${each}`);
      const heard: string[] = [];
      await until(async () => {
        const { messages } = await data('CheckInbox');
        for (const { content } of z.array(z.object({ content: z.string() })).parse(messages)) heard.push(content);
        return heard.length === 3;
      }, 'all mail is read');
      expect(heard.map((content) => content.length)).toEqual(Array.from({ length: 3 }, () => 15_012));
    }
  });
});
