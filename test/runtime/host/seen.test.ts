/** What a person at the lead sees of members on hosts, and answers to them. */
import { existsSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { ModelServer } from '../../fixtures/model-server/server.ts';
import { bash } from '../../support/asking-crew.ts';
import { hasPostgres } from '../../support/postgres.ts';
import { ended, useStore } from '../../support/store-scene.ts';
import { StoreUser } from '../../support/store-user.ts';

const asked = z.object({ asked: z.array(z.object({ id: z.string(), outcome: z.string() })) });
const status = z.object({
  members: z.array(
    z.object({
      name: z.string(),
      pid: z.number().nullable(),
      machine: z.string().optional(),
      host: z.string().optional(),
    }),
  ),
});

describe.skipIf(!hasPostgres)('a member on a host', { timeout: 120_000 }, () => {
  const store = useStore();

  it('is shown with its host, asks a person at the lead, and goes on with the answer; what it spends counts', async () => {
    const [a, b] = StoreUser.two(store.place);
    const script = [bash('echo one > one.txt'), { text: 'Done.', times: 'always' as const }];
    const server = await ModelServer.start({ script, titles: true });
    onTestFinished(() => server.close());
    await store.host(b, 'build-7', '--slots', '1');
    const env = { ANTHROPIC_API_KEY: 'none' };
    const agent = { kind: 'anthropic', model: 'claude-sonnet-5-5', baseUrl: server.url, env };
    const plan = {
      name: 'login',
      approvals: 'ask',
      members: [
        { name: 'ada', agent },
        { name: 'bob', agent: 'exec' },
      ],
      tasks: [{ subject: 'Work', owner: 'ada' }],
      gates: { build: false, test: false, lint: false },
    };
    writeFileSync(join(a.project, 'plan.json'), JSON.stringify(plan));
    const run = store.serving(a, 'run', 'plan.json', '--yes', '--budget', 'cost=1');
    const there = ['--store', store.url];
    let id = '';
    const isAsked = async (): Promise<string> => {
      const { code, out } = await a.teams(['approvals', 'login', '--json', ...there]);
      if (code === 0) id = asked.parse(JSON.parse(out)).asked.find(({ outcome }) => outcome === 'open')?.id ?? '';
      return id;
    };
    await expect.poll(isAsked, { timeout: 30_000 }).not.toBe('');
    const seenBy = async (user: StoreUser) =>
      status.parse(JSON.parse((await user.ok('status', 'login', '--json', ...there)).out)).members;
    const pid = expect.any(Number) as number;
    expect(await seenBy(a)).toEqual([
      { name: 'ada', pid: null, machine: hostname(), host: 'build-7' },
      { name: 'bob', pid },
    ]);
    expect(await seenBy(b)).toEqual([
      { name: 'ada', pid, host: 'build-7' },
      { name: 'bob', pid: null, machine: hostname() },
    ]);
    expect((await a.ok('status', 'login', ...there)).out).toMatch(/^ *ada .*#1 +on build-7 .*asks for permission/m);
    expect(existsSync(join(b.project, 'one.txt'))).toBe(false);
    await a.ok('answer', 'login', id, 'yes', ...there);
    expect(await ended(run.child), run.said()).toBe(0);
    expect([a, b].map(({ project }) => existsSync(join(project, 'one.txt')))).toEqual([false, true]);
    expect((await a.ok('budget', 'login', ...there)).out).toMatch(/\$0\.000[1-9] of \$1\.0000 spent/);
  });
});
