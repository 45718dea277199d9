/** A lead answers the verbs that only look, for processes of their own: what they print is the same as without it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chmodSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { BIN, until, Workplace, type Answer } from '../../../support/cli.ts';

const ASK = `const { askLead } = require(${JSON.stringify(resolve('bin/ask-lead.cjs'))});
process.exitCode = askLead(process.argv.slice(1)) ?? 99;`;
/** The exit code of a process that no lead answered. */
const NOBODY = 99;
/** A variable that may change a wording: no lead answers where it is not the lead's. */
const OTHER = { LC_MESSAGES: 'de_DE' };

interface Scene {
  readonly place: Workplace;
  readonly leads: string;
  readonly lead: ReturnType<Workplace['start']>;
  /** Asks only a lead; exit code {@link NOBODY} without an answer. */
  readonly ask: (argv: readonly string[], more?: Record<string, string>, cwd?: string) => Promise<Answer>;
  /** As a person calls it. */
  readonly teams: (argv: readonly string[], more?: Record<string, string>) => Promise<Answer>;
  readonly end: () => Promise<void>;
}

async function run(program: readonly string[], env: Record<string, string>, cwd: string): Promise<Answer> {
  const child = spawn(process.execPath, program, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code: child.exitCode ?? -1, out, err };
}

async function scene(): Promise<Scene> {
  const place = new Workplace({ TEAMS_SHUTDOWN_TIMEOUT_MS: '2000' });
  await place.teams('create', 'login', '--member', 'ada', '--member', 'bob');
  await place.teams('task', 'create', 'login', 'Build', '--key', 'build');
  await place.teams('task', 'create', 'login', 'Test', '--blocked-by', 'build');
  await place.teams('send', 'login', 'ada', 'Look at the cache first: \u001b[31mred\u001b[0m ä.');
  const leads = join(place.environment['XDG_STATE_HOME'] ?? '', 'teams/leads');
  const lead = place.start('lead', 'login', '--quiet');
  await until(() => existsSync(leads) && readdirSync(leads).length > 0, 'a lead that answers');
  return {
    place,
    leads,
    lead,
    ask: (argv, more = {}, cwd = place.root) => run(['-e', ASK, '--', ...argv], { ...place.environment, ...more }, cwd),
    teams: (argv, more = {}) => run([BIN, ...argv], { ...place.environment, ...more }, place.root),
    async end() {
      lead.child.kill('SIGINT');
      await lead.ended;
    },
  };
}

const LOOKS = [
  ['list'],
  ['list', '--all'],
  ['status'],
  ['status', 'login'],
  ['task', 'list', 'login'],
  ['task', 'list', 'login', '--status', 'blocked'],
  ['task', 'get', 'login', 'build'],
  ['inbox', 'login', 'ada'],
  ['inbox', 'login', 'ada', '--history'],
  ['why', 'login'],
  ['why', 'login', '2'],
  ['log', 'login'],
  ['log', 'login', '--since', '2'],
  ['task', 'get', 'login', '77'],
  ['status', 'logn'],
  ['inbox', 'login', 'Nobody!'],
];

/** How long something waits is another second in the next process. */
const timeless = ({ out, ...rest }: Answer): Answer => ({
  ...rest,
  out: out.replaceAll(/(?:\d+m)?\d+(?= ?m?s\b)/g, 'N'),
});

it('prints what the verb prints by itself, in each form, errors included', { timeout: 120_000 }, async () => {
  const { place, ask, teams, end } = await scene();
  // Both read the events of the lead's own looks; the board is at rest.
  for (const argv of LOOKS.flatMap((one) => [one, [...one, '--json'], [...one, '--root', place.root]])) {
    const alone = timeless(await teams(argv, OTHER));
    expect(timeless(await ask(argv)), argv.join(' ')).toEqual(alone);
    expect(timeless(await teams(argv)), argv.join(' ')).toEqual(alone);
  }
  await end();
});

it('declines what it could answer differently: its process does the verb itself', { timeout: 60_000 }, async () => {
  const { place, ask, teams, end } = await scene();
  const nobody = { code: NOBODY, out: '', err: '' };
  for (const argv of [
    ['send', 'login', 'ada', 'hello'],
    ['take', 'login', 'ada'],
    ['task', 'claim', 'login', 'build'],
    ['inbox', 'login', 'ada', '--follow'],
    ['log', 'login', '--follow'],
    ['log', '--session', 'TLS-login-2026-02-27', '--from', 'writer', '--type', 'draft_ready', '--summary', 'x'],
    ['status', '--store', 'postgres://u@127.0.0.1:1/d'],
    ['status', '-h'],
    ['status', '--root', join(place.root, 'nowhere')],
  ])
    expect(await ask(argv), argv.join(' ')).toEqual(nobody);
  for (const more of [
    OTHER,
    { TZ: 'Asia/Tokyo' },
    { HOME: '/nonexistent' },
    { TEAMS_STORE: 'postgres://u@127.0.0.1:1/d' },
    { TEAMS_ROOT: '/nonexistent' },
  ])
    expect(await ask(['status'], more), JSON.stringify(more)).toEqual(nobody);
  const other = join(place.root, 'other');
  mkdirSync(other);
  cpSync(join(place.root, '.teams'), join(other, '.teams'), { recursive: true });
  rmSync(join(other, '.teams/login/lead.lock'), { recursive: true });
  expect(await ask(['status'], {}, other)).toEqual(nobody);
  appendFileSync(join(place.root, '.tasks/login/log.jsonl'), '\n'.repeat(5 * 1024 * 1024));
  expect(await ask(['status'])).toEqual(nobody);
  expect(await teams(['status'])).toMatchObject({ code: 0 });
  await end();
});

it('a member that asks has its own rights only', { timeout: 60_000 }, async () => {
  const { ask, teams, end } = await scene();
  const guessed = { TEAMS_MEMBER: 'ada', TEAMS_TEAM: 'login', TEAMS_TOKEN: 'guessed' };
  for (const argv of [['inbox'], ['inbox', 'login', 'bob'], ['task', 'get', 'login', 'build'], ['status']])
    expect(await ask(argv, guessed), argv.join(' ')).toEqual(await teams(argv, { ...guessed, ...OTHER }));
  await end();
});

it(
  'a process that a teammate started without its token asks nobody, and speaks for nobody',
  {
    timeout: 60_000,
  },
  async () => {
    const { place, end } = await scene();
    const asked = async (limit: string): Promise<number | null> => {
      const line = `ulimit -x ${limit}; exec "$0" -e "$ASK" -- inbox login lead`;
      const env = { ...place.environment, ASK };
      const child = spawn('/bin/bash', ['-c', line, process.execPath], { cwd: place.root, env, stdio: 'ignore' });
      await once(child, 'exit');
      return child.exitCode;
    };
    expect(await asked('unlimited')).toBe(0);
    expect(await asked('1000000')).toBe(NOBODY);
    await end();
  },
);

it(
  'a lead that is stopped or killed keeps nobody from looking, and the next one removes what it left',
  {
    timeout: 60_000,
  },
  async () => {
    const { place, leads, lead, ask, teams } = await scene();
    const pid = lead.child.pid ?? 0;
    process.kill(pid, 'SIGSTOP');
    expect(await ask(['status'])).toMatchObject({ code: NOBODY, out: '' });
    expect(await teams(['task', 'list', 'login'])).toMatchObject({ code: 0, err: '' });
    process.kill(pid, 'SIGKILL');
    await lead.ended;
    const left = readdirSync(leads);
    expect(left).toHaveLength(1);
    expect(await ask(['status'])).toMatchObject({ code: NOBODY, out: '' });
    expect(await teams(['task', 'list', 'login'])).toMatchObject({ code: 0, err: '' });
    const next = place.start('lead', 'login', '--quiet');
    await until(() => readdirSync(leads).some((name) => !left.includes(name)), 'the folder of the next lead');
    expect(readdirSync(leads)).toHaveLength(1);
    next.child.kill('SIGINT');
    await next.ended;
    expect(readdirSync(leads)).toEqual([]);
  },
);

it(
  'nobody else reaches the folder of a lead, and a folder that others could reach is not believed',
  {
    timeout: 60_000,
  },
  async () => {
    const { leads, ask, end } = await scene();
    expect(statSync(leads).mode & 0o077).toBe(0);
    const [name = ''] = readdirSync(leads);
    expect(statSync(join(leads, name)).mode & 0o077).toBe(0);
    chmodSync(leads, 0o755);
    expect(await ask(['status'])).toMatchObject({ code: NOBODY });
    chmodSync(leads, 0o700);
    expect(await ask(['status'])).toMatchObject({ code: 0 });
    await end();
  },
);
