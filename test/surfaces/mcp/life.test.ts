/** A whole life of a team over MCP; if the host disconnects at any step, nothing is left running. */
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { until, Workplace } from '../../support/cli.ts';
import { figure } from '../../support/figures.ts';
import { allowLeft } from '../../support/leftovers.ts';
import { Host, type Server } from '../../support/mcp-host.ts';
import { STEPS, TeamLife, type Step } from '../../support/mcp-life.ts';
import { running } from '../../support/processes.ts';
import { SIZES } from '../../support/sizes.ts';

let place: Workplace;
beforeEach(() => {
  place = new Workplace({ TEAMS_SHUTDOWN_TIMEOUT_MS: '500' });
});

const lives = (): string[] =>
  running().flatMap(({ pid, command, cwd }) =>
    pid !== process.pid && command !== '' && (cwd ?? '').startsWith(place.root) ? [command] : [],
  );

describe('a lead and two members over stdio', () => {
  test('a lead and two members over stdio take a team through its whole life', async () => {
    const life = await TeamLife.begin(place);
    await life.until('the team was deleted by force');
    await life.end();
    expect(readdirSync(join(place.root, '.teams/.archive'))).toEqual([expect.stringMatching(/^login-\d{8}T/)]);
    life.server.stdin.end();
    if (life.server.exitCode === null) await once(life.server, 'exit');
    expect(life.server.exitCode).toBe(0);
  });
});

/** How a host disconnects: it closes our input; it is killed, and both pipes are gone; it signals us; it kills us. */
const WAYS = {
  'closes our input': ({ server }: { server: Server }) => void server.stdin.end(),
  'is killed'({ server }: { server: Server }) {
    server.stdin.destroy();
    server.stdout.destroy();
  },
  'sends SIGTERM': ({ server }: { server: Server }) => void server.kill('SIGTERM'),
  'sends SIGKILL': ({ server }: { server: Server }) => void server.kill('SIGKILL'),
} as const;
const ways = Object.entries(WAYS);

/** Every step; on a commit each with one of the ways in turn, in the long runs with all of them. */
const deaths = STEPS.flatMap((step, at) =>
  ways
    .filter((_, way) => SIZES.hostDeaths === 'all' || way === at % ways.length)
    .map(([how, go]): [string, Step, (life: TeamLife) => void] => [how, step, go]),
);

describe('a host that goes away', () => {
  test.each(deaths)('a host that %s when %s leaves nothing running', async (how, step, go) => {
    // A killed process leaves its leases for the next one to find.
    if (how === 'sends SIGKILL') allowLeft();
    const life = await TeamLife.begin(place);
    await life.until(step);
    const exited = once(life.server, 'exit');
    go(life);
    await exited;
    await until(() => lives().length === 0, 'nothing runs any more');
    await life.end();
  });
});

describe('a host that goes away while members work', () => {
  // The ordinary wait is 15 s; hosts kill a server 4 s after they closed its input.
  test.each(['closes our input', 'sends SIGTERM'] as const)(
    'a host that %s interrupts the turns of its members and ends in 3 s, and the team can be resumed',
    { timeout: 14_000 },
    async (how) => {
      place = new Workplace({});
      place.put('stubborn', "#!/bin/sh\ntrap '' TERM INT\ntouch begun\nwhile :; do sleep 1; done\n");
      chmodSync(join(place.root, 'stubborn'), 0o755);
      place.put('home/config/teams/config.yaml', 'agents: { stubborn: { kind: exec, command: [./stubborn] } }');
      const { host, server } = await Host.with(place);
      await host.say('TeamCreate', { team_name: 'login' });
      await host.say('Task', { prompt: 'begin', team_name: 'login', name: 'ada', agent: 'stubborn' });
      await host.say('TaskCreate', { subject: 'Work', description: 'x', owner: 'ada' });
      await until(() => existsSync(join(place.root, 'begun')), 'the command works');
      const exited = once(server, 'exit');
      const begun = performance.now();
      WAYS[how]({ server });
      await exited;
      figure({
        area: `a host that ${how}: the server's end`,
        count: 1,
        violations: 0,
        times: [performance.now() - begun],
      });
      await until(() => lives().length === 0, 'nothing runs any more');
      await host.client.close();
      const ended = z.object({ outcome: z.string(), lead: z.object({ alive: z.boolean() }) });
      expect(await place.json(ended, 'status', 'login')).toMatchObject({
        outcome: 'interrupted',
        lead: { alive: false },
      });
    },
  );
});

describe('a host that starts with --detach', () => {
  const quiet = "agents: { quiet: { kind: scripted, options: { turns: [{ answers: 'done', repeat: true }] } } }";
  const team_name = 'login';
  beforeEach(() => {
    place.put('home/config/teams/config.yaml', quiet);
  });

  /** A host that has created a team with a member, and its server. */
  async function host() {
    const made = await Host.with(place, '--detach');
    await made.host.say('TeamCreate', { team_name });
    await made.host.say('Task', { prompt: 'begin', team_name, name: 'ada', agent: 'quiet' });
    return made;
  }

  /** The next host leads the team again, and ends it. */
  async function takesUp(board: RegExp): Promise<void> {
    await using next = await Host.on(place, '--detach');
    expect(next.client.getInstructions()).toContain('You lead team login, which is already running.');
    await until(async () => board.test(await next.say('TaskList')), `the board reads ${board.source}`);
    const again = await next.call('Task', { prompt: 'x', team_name, name: 'ada', agent: 'quiet' });
    expect(again.text).toMatch(/^MEMBER_ALIVE: ada is running already/);
    expect(await next.mail(/Completed task #1/)).toContain('from "ada"');
    expect(await next.say('TeamDelete', { name: team_name })).toContain('put into the archive');
  }

  test.each(['closes our input', 'is killed', 'sends SIGTERM'] as const)(
    'a host with --detach that %s leaves a working team, which the next host takes up',
    async (how) => {
      const { host: first, server } = await host();
      const exited = once(server, 'exit');
      WAYS[how]({ server });
      await exited;
      await first.client.close();
      const status = z.object({ lead: z.object({ alive: z.boolean() }) });
      expect(await place.json(status, 'status', team_name)).toMatchObject({ lead: { alive: true } });
      await place.teams('task', 'create', team_name, 'Alone', '--owner', 'ada');
      const isDone = async () => (await place.teams('task', 'list', team_name)).out.includes('completed');
      await until(isDone, 'a task is done without any host');
      await takesUp(/#1 \[completed\] Alone/);
      await until(() => lives().length === 0, 'nothing runs any more');
    },
  );

  test('a host with --detach that sends SIGKILL leaves a team that the next host takes up', async () => {
    allowLeft();
    const { host: first, server } = await host();
    const exited = once(server, 'exit');
    server.kill('SIGKILL');
    await exited;
    await first.client.close();
    await until(() => lives().length === 0, 'nothing runs any more');
    await place.teams('task', 'create', team_name, 'Later', '--owner', 'ada');
    await takesUp(/#1 \[completed\] Later/);
  });

  test('a new host does not take the team of a running host', async () => {
    const { host: first, server } = await host();
    await using second = await Host.on(place, '--detach');
    expect((await second.call('TaskList')).text).toMatch(/^UNKNOWN_TEAM: /);
    // The notice of an idle member may have come by now, and is announced behind the answer.
    expect(await first.say('TaskList')).toMatch(/^There are no such tasks\./);
    await first.say('TeamDelete', { name: team_name });
    const exited = once(server, 'exit');
    server.stdin.end();
    await exited;
    await first.client.close();
  });
});
