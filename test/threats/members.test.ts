/**
 * What a member's child may not do, tried on the command line as that member (threats 4, 5, 6, 22 and 24 of
 * docs/reliability.md).
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { MESSAGE_TYPES } from '../../src/model/team/message.ts';
import { failureSchema, Workplace } from '../support/cli.ts';
import { asMember } from '../support/member.ts';

const eventSchema = z.looseObject({ type: z.string() });
const tasksSchema = z.looseObject({ tasks: z.array(z.looseObject({ id: z.string(), status: z.string() })) });

let place: Workplace;
let ada: Record<string, string>;

/**
 * Runs a verb as a child of ada.
 * @returns how it failed, or 0
 */
async function said(...argv: string[]): Promise<0 | [number, string]> {
  const { code, out } = await place.say([...argv, '--json'], { environment: ada });
  return code === 0 ? 0 : [code, failureSchema.parse(JSON.parse(out)).error.code];
}

const events = async (type: string) =>
  (await place.teams('log', 'login', '--json')).out
    .trim()
    .split('\n')
    .map((line) => eventSchema.parse(JSON.parse(line)))
    .filter((event) => event.type === type);
const mail = (member: string): string[] => {
  const path = join(place.root, `.teams/login/${member}_inbox.jsonl`);
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
};

beforeEach(async () => {
  place = new Workplace();
  await place.teams('create', 'login', '--member', 'ada', '--member', 'bob');
  await place.teams('task', 'create', 'Of ada', '--owner', 'ada');
  await place.teams('task', 'create', 'Of bob', '--owner', 'bob', '--blocked-by', '1');
  await place.teams('task', 'create', 'Of anybody');
  ada = await asMember(place, 'login', 'ada', '1');
});

describe('a child of a member', () => {
  it('a child acts as the member of its token, whatever else it says', async () => {
    expect(await said('send', 'login', 'bob', 'hello')).toBe(0);
    expect(mail('bob').map((line) => z.looseObject({}).parse(JSON.parse(line)))).toMatchObject([{ sender: 'ada' }]);
  });

  it.each([
    ['another member', ['--as', 'bob'], {}],
    ['the lead', ['--as', 'lead'], {}],
    ['an alias of the lead', ['--as', 'coordinator'], {}],
    ['a member whose token it does not have', [], { TEAMS_MEMBER: 'bob' }],
    ['itself with a wrong token', [], { TEAMS_TOKEN: 'x'.repeat(43) }],
    ['itself with an empty token', [], { TEAMS_TOKEN: '' }],
  ])('a child is refused as %s, and that is logged', async (_, flags, environment) => {
    ada = { ...ada, ...environment };
    expect(await said('send', 'login', 'bob', 'hello', ...flags)).toEqual([2, 'POLICY_DENIED']);
    expect(mail('bob')).toEqual([]);
    expect(await events('member.refused')).toHaveLength(1);
  });

  it('a child has no rights in another team, and the attempt is logged there', async () => {
    await place.teams('create', 'other', '--member', 'ada');
    for (const argv of [
      ['send', 'other', 'ada', 'hello'],
      ['task', 'create', 'other', 'Mine'],
      ['take', 'other', 'ada'],
    ])
      expect(await said(...argv)).toEqual([2, 'POLICY_DENIED']);
    expect(readFileSync(join(place.root, '.teams/other/events.jsonl'), 'utf8')).toContain('member.refused');
  });

  it('a child answers no question, not even its own', async () => {
    const asked = await place.say(['send', 'login', 'lead', 'may I?', '--kind', 'question'], { environment: ada });
    expect(asked.code).toBe(0);
    const [id = ''] = mail('lead').map((line) => z.looseObject({ id: z.string() }).parse(JSON.parse(line)).id);
    expect(await said('answer', 'login', id, 'yes')).toEqual([2, 'POLICY_DENIED']);
    await said('send', 'login', 'ada', 'yes', '--reply-to', id);
    // Only the first answer counts.
    expect((await place.teams('answer', 'login', id, 'no')).code).toBe(0);
    expect((await place.teams('answer', 'login', id, 'yes')).code).toBe(3);
  });

  it('a child is no longer a member once its process was replaced', async () => {
    const old = ada;
    await asMember(place, 'login', 'ada');
    ada = old;
    expect(await said('send', 'login', 'bob', 'hello')).toEqual([2, 'POLICY_DENIED']);
  });

  it.each([
    ['task', 'list', 'other'],
    ['task', 'get', 'other', '1'],
    ['task', 'claim', 'other', '1'],
    ['send', 'other', 'lead', 'hello'],
    ['wisdom', 'other', 'learnings', 'hello'],
  ])('a program in its isolation sees nothing of another team: %s %s %s', async (...argv) => {
    await place.teams('create', 'other');
    await place.teams('task', 'create', 'other', 'Secret of others');
    const { code, out } = await place.say([...argv, '--json'], { environment: ada, isolate: (command) => command });
    expect([code, failureSchema.parse(JSON.parse(out)).error.code]).toEqual([2, 'POLICY_DENIED']);
    expect(out).not.toContain('Secret');
    const own = await place.say(['task', 'list', 'login'], { environment: ada, isolate: (command) => command });
    expect(own.out).toContain('Of bob');
  });

  it('a program in its isolation puts no damaged team aside', async () => {
    await place.teams('create', 'other');
    const config = join(place.root, '.teams/other/config.json');
    writeFileSync(config, '{');
    const { code } = await place.say(['task', 'list', 'other'], { environment: ada, isolate: (command) => command });
    expect([code, readFileSync(config, 'utf8')]).toEqual([2, '{']);
  });

  it('a child takes no mail but its own', async () => {
    await place.teams('send', 'login', 'bob', 'for bob');
    expect(await said('take', 'login', 'bob')).toEqual([2, 'POLICY_DENIED']);
    expect(await said('take', 'login', 'lead')).toEqual([2, 'POLICY_DENIED']);
    expect(mail('bob')).toHaveLength(1);
  });
});

describe('a type of message', () => {
  const allowed = new Set(['message to bob', 'message to lead', 'broadcast to bob', 'broadcast to lead']);
  const product = MESSAGE_TYPES.flatMap((type) => ['bob', 'lead', 'team-lead'].map((to) => [type, to] as const));
  it.each(product)('a member may send %s to %s only by the table', async (type, to) => {
    const isAllowed =
      allowed.has(`${type} to ${to === 'team-lead' ? 'lead' : to}`) || (type === 'shutdown_response' && to !== 'bob');
    expect(await said('send', 'login', to, 'x', '--type', type)).toEqual(isAllowed ? 0 : [2, 'POLICY_DENIED']);
    expect(await events('message.refused')).toHaveLength(isAllowed ? 0 : 1);
  });
});

describe('a member starts and ends nothing', () => {
  it.each([
    ['create', 'own'],
    ['spawn', 'login', 'eve', '--agent', 'exec'],
    ['spawn', 'login', 'bob', '--agent', 'exec'],
    ['run', 'plan.yaml'],
    ['run', 'plan.yaml', '--fresh'],
    ['resume', 'login'],
    ['lead', 'login'],
    ['lead', 'login', '--detach', '--takeover'],
    ['worker', 'login', 'bob', '--agent', 'exec'],
    ['delete', 'login', '--force', '--now'],
    ['cancel', 'login', '--force'],
    ['prune', '--yes', '--older-than', '24h'],
    ['doctor', '--trust', 'login'],
    ['doctor', '--break-lock'],
    ['task', 'approve', '1', 'yes'],
    ['up', 'plan.yaml', '--yes'],
    ['up', 'login', '--back', '--yes'],
    ['pause', 'login'],
    ['unpause', 'login'],
    ['budget', 'login', '--set', 'cost=5'],
    ['approvals', 'login', '--remove', '1'],
    ['apply', 'login', '--yes'],
    ['undo', 'login', '--yes'],
    ['pr', 'login'],
    ['acp'],
    ['mcp', '--http', '0'],
    ['task', 'skip', 'login', '2'],
    ['task', 'revise', 'login', '1', 'x'],
  ])('a member can start or end nothing by %s', async (...argv) => {
    place.put('plan.yaml', 'tasks: [{subject: Own, run: touch owned}]\n');
    expect(await said(...argv)).toEqual([2, 'POLICY_DENIED']);
    expect(existsSync(join(place.root, 'owned'))).toBe(false);
    expect(existsSync(join(place.root, '.teams/own'))).toBe(false);
  });
});

describe('the board', () => {
  it.each([
    ['ends no task of another', ['complete', '2', '--result', 'x']],
    ['ends no unclaimed task', ['complete', '3', '--result', 'x']],
    ['fails no task of another', ['fail', '2', '--reason', 'x']],
    ['releases no claim of another', ['release', '2']],
    ['claims no task of another', ['claim', '2']],
    ['claims no second task', ['claim', '3']],
    ['skips nothing', ['skip', '2']],
    ['removes no edge', ['unblock', '2', '--blocker', '1']],
    ['retries nothing', ['retry', '2']],
    ['makes no cycle', ['update', '1', '--blocked-by', '2']],
    ['gives no task to another', ['update', '2', '--owner', 'ada']],
    ['changes no subject of another’s task', ['update', '2', '--subject', 'Mine']],
  ])('a member’s child %s', async (_, argv) => {
    const before = (await place.json(tasksSchema, 'task', 'list', 'login')).tasks;
    expect(await said('task', ...argv)).not.toBe(0);
    expect((await place.json(tasksSchema, 'task', 'list', 'login')).tasks).toEqual(before);
  });
});

describe('a program of a member that is not isolated', () => {
  it('speaks for nobody without its token, however it cleans its environment', async () => {
    const clean = 'env -i PATH="$PATH" HOME="$HOME" XDG_STATE_HOME="$XDG_STATE_HOME"';
    const acts = [
      `env -u TEAMS_TOKEN teams task create crew Own --run 'touch owned' --owner bob`,
      `${clean} teams task create crew Own --run 'touch owned' --owner bob`,
      `${clean} setsid teams pause crew`,
      `${clean} teams send crew bob hi`,
      `${clean} teams send crew bob hi --as bob`,
      `${clean} teams spawn crew cy --agent exec`,
      `${clean} teams budget crew --add 5`,
      `${clean} teams cancel crew --yes`,
      `${clean} teams doctor --trust crew --yes`,
      `${clean} teams undo crew --yes`,
      `${clean} teams up crew.json --yes`,
      `${clean} teams unpause crew`,
      `${clean} teams answer crew 01ARZ3NDEKTSV4RRFFQ69G5FAV yes`,
      `${clean} teams approvals crew --remove 1`,
      `${clean} teams task skip crew 2`,
      `${clean} teams mcp --detach </dev/null`,
      `${clean} teams mcp --http 0`,
      `${clean} teams acp </dev/null`,
      `${clean} teams create other`,
      `${clean} teams run other.json`,
      `env -u TEAMS_TOKEN TEAMS_PROOF=wrong teams send bob hi`,
    ];
    const run = acts.map((act) => `${act} >>said.txt 2>&1; echo $? >>codes.txt`).join('; ');
    const members = ['ada', 'bob'].map((name) => ({ name, agent: 'exec' }));
    const tasks = [
      { subject: 'Try', owner: 'ada', run },
      { subject: 'Say', owner: 'ada', blockedBy: [1], run: 'teams send bob hello' },
    ];
    const other = [{ subject: 'Own', owner: 'ada', run: 'touch owned' }];
    place.put('other.json', JSON.stringify({ name: 'other', members, tasks: other }));
    place.put('crew.json', JSON.stringify({ name: 'crew', members, tasks }));
    place.environment['PATH'] = `${resolve('bin')}:${place.environment['PATH'] ?? ''}`;
    const { code, out, err } = await place.start('run', 'crew.json', '--quiet').ended;
    expect(readFileSync(join(place.root, 'codes.txt'), 'utf8')).toBe('2\n'.repeat(acts.length));
    expect(readFileSync(join(place.root, 'said.txt'), 'utf8')).toMatch(/started by ada of team crew/);
    expect([code, existsSync(join(place.root, 'owned'))], `${out}${err}`).toEqual([0, false]);
    const { tasks: left } = tasksSchema.parse(JSON.parse((await place.teams('task', 'list', 'crew', '--json')).out));
    expect(left).toHaveLength(2);
  });
});
