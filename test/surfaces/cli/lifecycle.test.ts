/** Verbs that create, fill, show, set up and remove teams. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { failureSchema, until, Workplace } from '../../support/cli.ts';
import { running } from '../../support/processes.ts';
import { refusing } from '../../support/refusing.ts';

const HURRY = { TEAMS_SHUTDOWN_TIMEOUT_MS: '2000' };
const teamSchema = z.strictObject({ schemaVersion: z.literal(2), team: z.string() });
const countsSchema = z.object({
  total: z.number(),
  pending: z.number(),
  inProgress: z.number(),
  completed: z.number(),
  failed: z.number(),
  skipped: z.number(),
  cancelled: z.number(),
  blocked: z.number(),
});
const statusSchema = z.looseObject({
  schemaVersion: z.literal(2),
  team: z.string(),
  outcome: z.string(),
  members: z.array(
    z.looseObject({
      name: z.string(),
      role: z.string(),
      state: z.string(),
      reason: z.string(),
      pid: z.number().nullable(),
      task: z.string().nullable(),
    }),
  ),
  tasks: countsSchema,
});
const listSchema = z.object({
  schemaVersion: z.literal(2),
  teams: z.array(z.looseObject({ name: z.string(), tasks: countsSchema })),
});

const errorOf = ({ code, out }: { code: number; out: string }) => ({
  exit: code,
  code: failureSchema.parse(JSON.parse(out)).error.code,
});
const workIn = ({ root }: Workplace) =>
  running().filter(
    ({ pid, cwd, command }) => pid !== process.pid && (cwd?.startsWith(root) === true || command.includes(root)),
  );

describe('a team', () => {
  it('a team is created, listed, shown and archived', async () => {
    const place = new Workplace();
    expect(
      await place.json(teamSchema, 'create', 'login', '--member', 'ada:explorer', '--member', 'bob'),
    ).toMatchObject({ team: 'login' });
    expect(existsSync(join(place.root, '.teams/login/config.json'))).toBe(true);
    const { members } = await place.json(statusSchema, 'status');
    expect(members.map(({ name, role, state }) => [name, role, state])).toEqual([
      ['ada', 'explorer', 'joined'],
      ['bob', 'executor', 'joined'],
    ]);
    expect(errorOf(await place.teams('create', 'login', '--json'))).toEqual({ exit: 3, code: 'TEAM_EXISTS' });
    expect((await place.json(listSchema, 'list')).teams.map(({ name }) => name)).toEqual(['login']);
    expect((await place.teams('list')).out).toMatch(/ {2}2 members {2}/);
    expect((await place.teams('delete')).out).toBe('Team login was archived.\n');
    expect((await place.json(listSchema, 'list')).teams).toEqual([]);
    expect((await place.json(listSchema, 'list', '--all')).teams.map(({ name }) => name)).toEqual(['login']);
    expect(await place.json(statusSchema, 'status', 'login')).toMatchObject({ outcome: 'cancelled' });
  });

  it.each([
    ['claude', 'claude'],
    ['exec:echo $HOME', 'exec'],
  ])('without a lead the cure for `spawn --agent %s` names the agent, if a shell can read it', async (agent, named) => {
    const place = new Workplace();
    await place.teams('create', 'login');
    const { code, err } = await place.teams('spawn', 'login', 'cy', '--agent', agent);
    expect(code).toBe(3);
    expect(err).toContain(`\`teams worker login cy --join --agent ${named}\``);
  });

  it('a teammate cannot create a team', async () => {
    const place = new Workplace({ TEAMS_MEMBER: 'ada', TEAMS_TOKEN: 'x' });
    for (const argv of [
      ['create', 'inner'],
      ['delete', 'login'],
      ['cancel', 'login'],
      ['spawn', 'login', 'bob'],
      ['doctor', '--trust', 'login'],
    ])
      expect(errorOf(await place.teams(...argv, '--json'))).toEqual({ exit: 2, code: 'POLICY_DENIED' });
  });

  it('a team with a damaged config is set aside, exit 4', async () => {
    const place = new Workplace();
    await place.teams('create', 'login');
    writeFileSync(join(place.root, '.teams/login/config.json'), '{"version": 1,');
    expect(errorOf(await place.teams('status', 'login', '--json'))).toEqual({ exit: 4, code: 'CORRUPT' });
    expect(existsSync(join(place.root, '.teams/login'))).toBe(false);
    expect(
      readdirSync(join(place.root, '.teams/.archive')).filter((name) => name.startsWith('login.broken-')),
    ).toHaveLength(1);
  });

  it.each([
    ['damaged', (path: string) => writeFileSync(path, '{"version": 1,')],
    ['removed', (path: string) => rmSync(path)],
  ])('a run whose config is %s is cancelled, and the other verbs name that cure', async (_, damage) => {
    const place = new Workplace();
    const work = { subject: 'Long', run: 'touch begun; exec sleep 600' };
    place.put('plan.json', JSON.stringify({ name: 'login', members: [{ name: 'ada', agent: 'exec' }], tasks: [work] }));
    const { ended } = place.start('run', 'plan.json');
    await until(() => existsSync(join(place.root, 'begun')), 'it works');
    damage(join(place.root, '.teams/login/config.json'));
    expect((await place.teams('status', 'login')).err).toContain('`teams cancel login` ends it');
    expect(await place.teams('cancel', 'login', '--force')).toMatchObject({ code: 0, err: '' });
    await ended;
    expect(existsSync(join(place.root, '.teams/login'))).toBe(false);
    expect(workIn(place)).toEqual([]);
  });

  it('a foreign team is shown, but nothing is started from it until it is trusted', async () => {
    const place = new Workplace();
    await place.teams('create', 'login', '--member', 'ada');
    writeFileSync(join(place.environment['XDG_STATE_HOME'] ?? '', 'teams', 'key'), 'f'.repeat(64));
    expect((await place.teams('status', 'login')).code).toBe(0);
    for (const argv of [
      ['lead', 'login'],
      ['resume', 'login'],
      ['worker', 'login', 'ada', '--agent', 'exec'],
    ])
      expect(errorOf(await place.teams(...argv, '--json'))).toEqual({ exit: 4, code: 'UNTRUSTED' });
    expect((await place.teams('doctor', '--trust', 'login')).code).toBe(0);
    expect((await place.teams('worker', 'login', 'ada', '--agent', 'exec', '--idle-timeout', '10ms')).code).toBe(0);
  });

  it('a team is removed from the archive only after a confirmation', async () => {
    const place = new Workplace();
    await place.teams('create', 'login');
    await place.teams('delete', 'login');
    const removedSchema = z.looseObject({ teams: z.array(z.looseObject({ name: z.string() })), removed: z.boolean() });
    expect((await place.json(removedSchema, 'prune')).teams).toEqual([]);
    expect(await place.json(removedSchema, 'prune', '--older-than', '1ms', '--dry-run')).toMatchObject({
      teams: [{ name: 'login' }],
      removed: false,
    });
    expect(errorOf(await place.teams('prune', '--older-than', '1ms', '--json'))).toEqual({ exit: 2, code: 'USAGE' });
    expect(await place.json(removedSchema, 'prune', '--older-than', '1ms', '--yes')).toMatchObject({ removed: true });
    expect((await place.json(listSchema, 'list', '--all')).teams).toEqual([]);
  });
});

describe('teammates', () => {
  it('teammates need a lead to be started, and the error names the alternative', async () => {
    const place = new Workplace();
    await place.teams('create', 'login');
    const { code, err } = await place.teams('spawn', 'login', 'ada', '--agent', 'exec');
    expect(code).toBe(3);
    expect(err).toContain('teams worker login ada');
    expect((await place.json(statusSchema, 'status')).members).toEqual([]);
  });

  it('teammates are started by a lead in the background, and end with the team', async () => {
    const place = new Workplace(HURRY);
    await place.teams('create', 'login', '--member', 'ada');
    const { pid } = await place.json(z.looseObject({ pid: z.number() }), 'lead', 'login', '--detach');
    expect(errorOf(await place.teams('lead', 'login', '--json'))).toEqual({ exit: 3, code: 'LEAD_ALIVE' });
    // Whatever is installed here: the empty list of fallbacks leaves no agent for a member without one.
    place.put('.teams/config.yaml', 'fallback: []\n');
    const nobody = { exit: 5, code: 'AGENT_UNAVAILABLE' };
    expect(errorOf(await place.teams('spawn', 'login', 'ada', '--json'))).toEqual(nobody);
    expect(
      await place.json(z.looseObject({ member: z.string() }), 'spawn', 'login', 'ada', '--agent', 'exec'),
    ).toMatchObject({ member: 'ada' });
    await place.teams('spawn', 'login', 'bob', '--agent', 'exec:cat', '--role', 'tester');
    await until(
      async () => (await place.json(statusSchema, 'status')).members.every(({ state }) => state === 'idle'),
      'both are idle',
    );
    expect((await place.json(statusSchema, 'status')).members.map(({ role }) => role)).toEqual(['executor', 'tester']);
    expect((await place.teams('delete', 'login')).code).toBe(0);
    await until(() => !workIn(place).some((one) => one.pid === pid), 'the lead ends');
    expect(workIn(place)).toEqual([]);
  });

  it('teammates may refuse to stop, and are stopped by force', async () => {
    const place = new Workplace(HURRY);
    await place.teams('create', 'login');
    await place.teams('lead', 'login', '--detach');
    const stubborn = refusing('I am not done.');
    await place.teams('spawn', 'login', 'ada', '--agent', JSON.stringify(stubborn));
    const state = async () => (await place.json(statusSchema, 'status')).members[0]?.state;
    await until(async () => (await state()) === 'idle', 'ada is there');
    for (const verb of ['delete', 'cancel']) {
      const { code, err } = await place.teams(verb, 'login');
      expect({ verb, code }).toEqual({ verb, code: 3 });
      expect(err).toBe('teams: ada refuses to stop (I am not done.); `--force` stops it anyway.\n');
      expect(await state()).toBe('idle');
    }
    expect(errorOf(await place.teams('delete', 'login', '--json'))).toEqual({ exit: 3, code: 'STILL_RUNNING' });
    expect((await place.json(z.looseObject({ stopped: z.unknown() }), 'delete', 'login', '--force')).stopped).toEqual([
      'ada',
    ]);
    await until(() => workIn(place).length === 0, 'nobody runs any more');
  });

  it('idle teammates leave, tell the lead, and get no more mail', async () => {
    const place = new Workplace();
    await place.teams('create', 'login', '--member', 'ada', '--member', 'bob');
    const worker = await place.teams('worker', 'login', 'ada', '--agent', 'exec', '--idle-timeout', '1ms');
    expect(worker.code).toBe(0);
    expect((await place.teams('inbox', 'lead')).out).toContain('ada had nothing to do and leaves.');
    expect(errorOf(await place.teams('send', 'ada', 'hello', '--json'))).toEqual({ exit: 3, code: 'REFUSED' });
    expect((await place.teams('send', 'ada', 'hello')).err).toContain('ada has left team login');
    expect((await place.teams('send', '--broadcast', 'hello')).out).toMatch(/^\S+ {2}bob\n$/);
  });

  it('who left the team is neither asked to stop at its end, nor said to be stopped', async () => {
    const place = new Workplace();
    await place.teams('create', 'login', '--member', 'ada');
    const worker = place.start('worker', 'login', 'ada', '--agent', 'exec', '--idle-timeout', '1500ms');
    await until(async () => (await place.json(statusSchema, 'status')).members[0]?.state === 'idle', 'ada is there');
    const lead = place.start('lead', 'login');
    await until(() => existsSync(join(place.root, '.teams', 'login', 'state.json')), 'it leads');
    expect((await worker.ended).code).toBe(0);
    lead.child.kill('SIGINT');
    await lead.ended;
    const events = readFileSync(join(place.root, '.teams', 'login', 'events.jsonl'), 'utf8');
    expect(events).not.toMatch(/"type":"(?:message\.failed|member\.stopped)"/);
  });

  it('a worker started by hand joins with --join only, and comes back', async () => {
    const place = new Workplace();
    await place.teams('create', 'login');
    const argv = ['worker', 'login', 'ada', '--agent', 'exec', '--idle-timeout', '10ms'];
    expect(errorOf(await place.teams(...argv, '--json'))).toEqual({ exit: 2, code: 'UNKNOWN_MEMBER' });
    expect((await place.teams(...argv, '--join', '--role', 'tester')).code).toBe(0);
    expect((await place.json(statusSchema, 'status')).members).toMatchObject([{ name: 'ada', role: 'tester' }]);
    expect((await place.teams(...argv)).code).toBe(0);
  });

  it('a teammate is one process', async () => {
    const place = new Workplace();
    await place.teams('create', 'login', '--member', 'ada');
    const { child, ended } = place.start('worker', 'login', 'ada', '--agent', 'exec');
    await until(async () => (await place.json(statusSchema, 'status')).members[0]?.state === 'idle', 'ada is there');
    expect(errorOf(await place.teams('worker', 'login', 'ada', '--agent', 'exec', '--json'))).toEqual({
      exit: 3,
      code: 'MEMBER_ALIVE',
    });
    child.kill('SIGINT');
    expect((await ended).code).toBe(0);
  });

  it('a teammate gets its agent from the flag or from its entry', async () => {
    const place = new Workplace();
    await place.teams('create', 'login', '--member', 'ada');
    expect(errorOf(await place.teams('worker', 'login', 'ada', '--json'))).toEqual({
      exit: 5,
      code: 'AGENT_UNAVAILABLE',
    });
  });
});

describe('a lead in the foreground', () => {
  it('a lead in the foreground ends with Ctrl-C, and its teammates with it', async () => {
    const place = new Workplace(HURRY);
    await place.teams('create', 'login', '--member', 'ada');
    const { child, ended } = place.start('lead', 'login');
    await until(async () => (await place.teams('status', '--json')).out.includes('"alive":true'), 'the lead leads');
    await place.teams('spawn', 'login', 'ada', '--agent', 'exec');
    await until(async () => (await place.json(statusSchema, 'status')).members[0]?.state === 'idle', 'ada is there');
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
    expect(workIn(place)).toEqual([]);
  });
});

describe('a project', () => {
  it('a project is set up without overwriting anything', async () => {
    const place = new Workplace();
    await place.shell('git init -q .');
    const { code, err } = await place.teams('init');
    expect(code).toBe(0);
    expect(err).toContain('.teams/config.yaml');
    const config = join(place.root, '.teams/config.yaml');
    expect(readFileSync(config, 'utf8')).toMatch(/^(?:#.*\n|\n)+$/);
    expect((await place.shell('git add .teams/config.yaml teams.yaml')).err).toBe('');
    writeFileSync(config, 'maxAgents: 3\n');
    expect((await place.teams('init')).err).toBe('Nothing to write: everything exists already.\n');
    expect(readFileSync(config, 'utf8')).toBe('maxAgents: 3\n');
  });

  it('config show gives the origin of each value', async () => {
    const place = new Workplace({ TEAMS_MAX_AGENTS: '4' });
    const file = place.put('.teams/config.yaml', 'maxAgents: 3\nlockTimeoutMs: 1000\n');
    const shown = z.looseObject({
      config: z.looseObject({ maxAgents: z.number() }),
      origins: z.record(z.string(), z.string()),
    });
    const { config, origins } = await place.json(shown, 'config', 'show', '--origin');
    expect(config.maxAgents).toBe(4);
    expect(origins).toMatchObject({ maxAgents: 'TEAMS_MAX_AGENTS', lockTimeoutMs: file, hardCap: 'default' });
    expect((await place.teams('config', 'show', '--origin')).out).toMatch(/^maxAgents +4 +TEAMS_MAX_AGENTS$/m);
  });

  it('a foreign file sets no command until its content is trusted', async () => {
    const place = new Workplace();
    mkdirSync(join(place.root, '.teams'));
    place.put('.teams/config.yaml', 'hooks: {onFinished: "touch owned"}\n');
    const shown = z.looseObject({ config: z.looseObject({ hooks: z.record(z.string(), z.unknown()) }) });
    expect((await place.json(shown, 'config', 'show')).config.hooks).toEqual({});
    expect((await place.teams('doctor', '--trust')).code).toBe(0);
    expect((await place.json(shown, 'config', 'show')).config.hooks).toEqual({ onFinished: 'touch owned' });
    place.put('.teams/config.yaml', 'hooks: {onFinished: "touch owned twice"}\n');
    expect((await place.json(shown, 'config', 'show')).config.hooks).toEqual({});
  });
});
