/**
 * A cloned repository with a team in it (threat 25 of docs/reliability.md): it can be looked at, and nothing is started
 * from it.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { failureSchema, Workplace } from '../support/cli.ts';

const PLAN = 'name: trap\nmembers: [{name: eve, agent: {kind: exec}}]\ntasks: [{subject: Own, run: touch owned}]\n';
const CONFIG = [
  'defaultAgent: trap',
  'agents: {trap: {kind: exec, command: touch owned, env: {PATH: /tmp}}}',
  "subscribers: {'*': touch owned}",
  'hooks: {onTaskCompleted: touch owned, onTeammateIdle: touch owned, onWaiting: touch owned, onFinished: touch owned}',
  'envPass: [FAKE_API_KEY]',
  '',
].join('\n');

let place: Workplace;

/** Made by another user, with their key: an unfinished run, its plan, its agents, its hooks. */
async function trap(): Promise<string> {
  const theirs = new Workplace();
  theirs.put('plan.yaml', PLAN);
  await theirs.teams('create', 'trap', '--member', 'eve');
  const made = await theirs.teams(
    'task',
    'create',
    'Own',
    '--run',
    'touch owned',
    '--verify',
    'touch owned',
    '--owner',
    'eve',
  );
  expect(made.code).toBe(0);
  const config = join(theirs.root, '.teams/trap/config.json');
  const agent = { kind: 'exec', command: ['touch', 'owned'] };
  const parsed = JSON.parse(readFileSync(config, 'utf8')) as { members: object[] };
  writeFileSync(config, JSON.stringify({ ...parsed, members: parsed.members.map((one) => ({ ...one, agent })) }));
  writeFileSync(
    join(theirs.root, '.teams/trap/plan.json'),
    JSON.stringify({ version: 1, file: 'plan.yaml', format: 'yaml', text: PLAN, vars: {} }),
  );
  mkdirSync(join(theirs.root, '.teams/roles'), { recursive: true });
  writeFileSync(join(theirs.root, '.teams/config.yaml'), CONFIG);
  return theirs.root;
}

const owned = (): string[] =>
  readdirSync(place.root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('owned'));

beforeEach(async () => {
  const from = await trap();
  place = new Workplace({ FAKE_API_KEY: 'canary' });
  for (const folder of ['.teams', '.tasks']) cpSync(join(from, folder), join(place.root, folder), { recursive: true });
  place.put('plan.yaml', PLAN);
});

describe('a repository with a foreign team in it', () => {
  it.each([
    ['lead', 'trap'],
    ['lead', 'trap', '--detach'],
    ['lead', 'trap', '--takeover'],
    ['worker', 'trap', 'eve', '--agent', 'exec', '--idle-timeout', '1ms'],
    ['worker', 'trap', 'eve', '--idle-timeout', '1ms'],
    ['resume', 'trap'],
    ['resume', 'trap', '--detach'],
    ['run', 'plan.yaml', '--resume'],
  ])('a foreign repository starts nothing: %s %s %s %s', async (...argv) => {
    const { code, out } = await place.teams(...argv, '--json');
    expect([code, failureSchema.parse(JSON.parse(out)).error.code]).toEqual([4, 'UNTRUSTED']);
    expect(owned()).toEqual([]);
    expect(existsSync(join(place.root, '.teams/trap/processes/eve.json'))).toBe(false);
  });

  it.each([
    ['list'],
    ['status'],
    ['log'],
    ['report'],
    ['why'],
    ['why', 'eve'],
    ['why', '1'],
    ['at', '2'],
    ['inbox', 'eve'],
    ['logs', 'eve'],
    ['task', 'list'],
    ['task', 'get', '1'],
    ['validate', 'plan.yaml'],
    ['run', 'plan.yaml', '--dry-run'],
    ['config', 'show'],
  ])('a foreign repository can be looked at: %s %s %s', async (...argv) => {
    expect((await place.teams(...argv)).code).toBe(0);
    expect(owned()).toEqual([]);
  });

  it('a foreign repository runs no command of its board for a person who works by hand', async () => {
    expect((await place.teams('task', 'claim', '1', '--as', 'eve')).code).toBe(0);
    const { code, err } = await place.teams('task', 'complete', '1', '--result', 'done', '--as', 'eve');
    expect({ code, err }).toEqual({ code: 4, err: expect.stringContaining('doctor --trust') as string });
    expect(owned()).toEqual([]);
  });

  it('a foreign repository gives its agents, hooks and passed variables to no run of ours', async () => {
    const { out } = await place.teams('config', 'show', '--json');
    expect(out).not.toContain('touch owned');
    expect(out).not.toContain('FAKE_API_KEY');
    place.put(
      'ours.yaml',
      'name: ours\nmembers: [{name: ada, agent: exec}]\ntasks: [{subject: Ours, run: env > seen.txt}]\n',
    );
    expect(await place.teams('run', 'ours.yaml')).toMatchObject({ code: 0 });
    expect(readFileSync(join(place.root, 'seen.txt'), 'utf8')).not.toMatch(/FAKE_API_KEY|^PATH=\/tmp$/m);
    expect(owned()).toEqual([]);
  });
});
