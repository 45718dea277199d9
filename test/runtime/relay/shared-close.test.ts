/** The end of a team in a store: from any machine, and on all of them. */
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Workplace } from '../../support/cli.ts';
import { storePlace } from '../../support/machine.ts';
import { hasPostgres, Postgres } from '../../support/postgres.ts';
import { StoreUser } from '../../support/store-user.ts';

const PLAN = `name: login
members: [{name: ada, agent: exec}]
tasks: [{subject: one, run: "echo first"}]
gates: {build: false, test: false, lint: false}
`;

describe.skipIf(!hasPostgres)('the end of a team in a store', { timeout: 90_000 }, () => {
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

  const archivesOf = (user: StoreUser): number =>
    readdirSync(join(user.root ?? '/none', '.teams', '.archive')).filter((name) => name.startsWith('login-')).length;

  it('comes by `delete` of another machine than its run, is seen on both, and its name is free', async () => {
    const [a, b] = StoreUser.two(place);
    writeFileSync(join(a.project, 'plan.yaml'), PLAN);
    await a.ok('run', 'plan.yaml', '--store', url);
    const log = a.file('.tasks', 'login', 'log.jsonl');
    await b.ok('list', '--store', url);
    // Its relay is away meanwhile.
    await a.endRelays();
    expect((await b.ok('delete', 'login', '--yes', '--store', url)).out).toContain('archived');
    expect(b.file('.tasks', 'login', 'log.jsonl')).toBe('');
    expect(archivesOf(b)).toBe(1);
    expect((await b.ok('report', 'login', '--store', url)).out).toContain('one');
    await a.ok('run', 'plan.yaml', '--store', url);
    expect(archivesOf(a)).toBe(1);
    expect(a.file('.tasks', 'login', 'log.jsonl')).not.toContain(log.split('\n')[1] ?? 'none');
    await expect.poll(() => b.file('.tasks', 'login', 'log.jsonl')).toBe(a.file('.tasks', 'login', 'log.jsonl'));
  });

  it('comes by `cancel` here, and ends the lead and the workers there', async () => {
    const [a, b] = StoreUser.two(place);
    await a.ok('create', 'login', '--member', 'ada', '--member', 'bob', '--store', url);
    const children = [
      a.process(['lead', 'login', '--store', url]),
      a.process(['worker', 'login', 'ada', '--agent', 'exec', '--store', url]),
      b.process(['worker', 'login', 'bob', '--agent', 'exec', '--store', url]),
    ];
    for (const child of children) {
      child.stdout?.resume();
      child.stderr?.resume();
      onTestFinished(() => void child.kill('SIGKILL'));
    }
    const ended = Promise.all(children.map(async (child) => once(child, 'exit')));
    await expect
      .poll(async () => (await b.ok('status', 'login', '--store', url)).out, { timeout: 30_000 })
      .toMatch(/led on [^]*ada .* on [^]*bob .* pid/);
    expect((await b.ok('cancel', 'login', '--store', url)).out).toContain('login');
    await ended;
    for (const one of [a, b]) await expect.poll(() => archivesOf(one), { timeout: 10_000 }).toBe(1);
    expect((await a.ok('list', '--store', url)).out).not.toMatch(/login +running/);
  });
});
