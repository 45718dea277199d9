/** Runs of a team in a store: the lead starts its members on its own machine, whatever their agents are. */
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { ModelServer } from '../../fixtures/model-server/server.ts';
import { like } from '../../agents/like.ts';
import type { Workplace } from '../../support/cli.ts';
import { storePlace } from '../../support/machine.ts';
import { hasPostgres, Postgres } from '../../support/postgres.ts';
import { running } from '../../support/processes.ts';
import { StoreUser } from '../../support/store-user.ts';

const PLAN = `name: login
members:
  - {name: ada, agent: exec}
  - {name: bob, agent: exec}
tasks:
  - {key: one, subject: one, run: "pwd > one.txt; echo first"}
  - {subject: two, run: "cat one.txt", blockedBy: [one]}
  - {subject: three, run: "echo third"}
gates: {build: false, test: false, lint: false}
`;

describe.skipIf(!hasPostgres)('a run of a team in a store', { timeout: 90_000 }, () => {
  let engine: Postgres;
  let place: Workplace;
  let url = '';
  beforeAll(async () => {
    engine = await Postgres.start();
  });
  afterAll(() => engine.stop());
  beforeEach(async () => {
    const made = await storePlace(engine);
    ({ place } = made);
    url = engine.url('owner', made.database);
  });

  it('does its plan in the project, and the other machine shows it', async () => {
    const [a, b] = StoreUser.two(place);
    writeFileSync(join(a.project, 'plan.yaml'), PLAN);
    const run = await a.ok('run', 'plan.yaml', '--store', url);
    expect(run.out).toContain('3');
    expect(readFileSync(join(a.project, 'one.txt'), 'utf8').trim()).toBe(a.project);
    expect(readdirSync(a.project).toSorted()).toEqual(['one.txt', 'plan.yaml']);
    const there = await b.ok('task', 'list', 'login', '--store', url);
    expect(there.out.match(/completed/g)).toHaveLength(3);
    expect((await b.ok('task', 'get', 'login', '2', '--store', url)).out).toContain(a.project);
  });

  it('goes on with a changed plan that has one member and one task more', async () => {
    const [a, b] = StoreUser.two(place);
    writeFileSync(join(a.project, 'plan.yaml'), PLAN);
    await a.ok('run', 'plan.yaml', '--store', url);
    const more = PLAN.replace('tasks:', '  - {name: cy, agent: exec}\ntasks:').replace(
      'gates:',
      '  - {subject: four, run: "echo fourth", owner: cy}\ngates:',
    );
    writeFileSync(join(a.project, 'plan.yaml'), more);
    expect((await a.ok('up', 'plan.yaml', '--yes', '--store', url)).out).toContain('is changed');
    await a.ok('resume', 'login', '--store', url);
    expect((await b.ok('task', 'list', 'login', '--store', url)).out).toMatch(/#4 +completed +cy/);
  });

  it('has programs and a model as members, whose events and use of the budget are counted', async () => {
    const [a, b] = StoreUser.two(place);
    const server = await ModelServer.start({
      script: ({ results }) =>
        results.length === 0
          ? { calls: [{ tool: 'SendMessage', input: { recipient: 'lead', content: 'Begun.' } }] }
          : { text: 'Done, and told.' },
    });
    onTestFinished(() => server.close());
    const kinds = ['claude', 'codex', 'acp'] as const;
    const plan = {
      name: 'login',
      members: kinds.map((kind) => ({
        name: kind,
        agent: {
          kind,
          command: like(kind),
          baseUrl: kind === 'codex' ? `${server.url}/v1` : server.url,
          env: { LIKE_URL: server.url },
        },
      })),
      tasks: kinds.map((kind) => ({ subject: `Work of ${kind}`, owner: kind })),
      budget: { tokens: 1_000_000 },
      gates: { build: false, test: false, lint: false, crossVerify: false },
    };
    writeFileSync(join(a.project, 'plan.json'), JSON.stringify(plan));
    const run = await a.ok('run', 'plan.json', '--store', url, '--json');
    expect(run.out).toContain('"spending":{"tokens":102,');
    const events = a.file('.teams', 'login', 'events.jsonl');
    expect(events.match(/"type":"agent.spent"/g)?.length).toBeGreaterThanOrEqual(1);
    expect(a.file('.teams', 'login', 'ledger.jsonl').match(/"do":"settle"/g)).toHaveLength(3);
    // What came to the lead is one mail of the store, on both machines.
    for (const one of [a, b])
      await expect
        .poll(async () => (await one.ok('task', 'list', 'login', '--store', url)).out.match(/completed/g)?.length)
        .toBe(3);
  });

  it('has its password in no file, argument, log or environment but that of people and the relay', async () => {
    const secret = 'pLanted-s3cret';
    const [a] = StoreUser.two(place);
    const withPassword = { TEAMS_STORE: url.replace('owner@', `owner:${secret}@`) };
    const plan = PLAN.replace('name: login', 'name: login\nenvPass: [TEAMS_STORE]').replace(
      'echo third',
      'env > env.txt; cat /proc/$PPID/environ > parent.txt; touch here; while test -e here; do sleep 0.1; done',
    );
    writeFileSync(join(a.project, 'plan.yaml'), plan);
    const run = a.process(['run', 'plan.yaml', '--yes'], withPassword);
    let said = '';
    for (const stream of [run.stdout, run.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (said += text));
    const ended = once(run, 'exit');
    onTestFinished(() => void run.kill('SIGKILL'));
    await expect.poll(() => readdirSync(a.project), { timeout: 30_000 }).toContain('here');
    const having = running().filter(({ pid }) => environmentOf(pid).includes(secret) && pid !== process.pid);
    const known = having.map(({ command }) => / (run|store relay) /.exec(`${command} `)?.[1]);
    expect(known.toSorted(), having.map(({ command }) => command).join('\n')).toEqual(['run', 'store relay']);
    expect(running().filter(({ command }) => command.includes(secret))).toEqual([]);
    rmSync(join(a.project, 'here'));
    await ended;
    expect(run.exitCode, said).toBe(0);
    expect(said).not.toContain(secret);
    const env = readFileSync(join(a.project, 'env.txt'), 'utf8');
    expect(env).toContain('TEAMS_MEMBER=');
    expect(env).not.toContain('TEAMS_STORE');
    const files = readdirSync(place.root, { recursive: true, encoding: 'utf8' }).filter((file) =>
      statSync(join(place.root, file)).isFile(),
    );
    expect(files.length).toBeGreaterThan(20);
    expect(files.filter((file) => readFileSync(join(place.root, file), 'utf8').includes(secret))).toEqual([]);
  });
});

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${String(pid)}/environ`, 'utf8');
  } catch {
    return '';
  }
}
