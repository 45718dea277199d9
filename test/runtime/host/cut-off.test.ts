/** Machines that do not hear their store: members there start nothing, end their turns, and end at last. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { hasPostgres } from '../../support/postgres.ts';
import { countIn, ended, membersOf, useStore } from '../../support/store-scene.ts';
import { StoreUser } from '../../support/store-user.ts';

const statusShape = z.object({ cutOffSince: z.iso.datetime().optional() });

/** `npm run test:engine`. */
const IS_LONG = process.env['CUT_OFF_LONG'] !== undefined;
const LONGER_THAN_A_VERB_MS = 75_000;

describe.skipIf(!hasPostgres)('a machine that is cut off from its store', { timeout: 180_000 }, () => {
  const store = useStore();

  const planOf = (run: string, tasks = 1): string =>
    JSON.stringify({
      name: 'login',
      members: [{ name: 'ada', agent: 'exec' }],
      tasks: Array.from({ length: tasks }, (_, n) => ({ subject: `t${String(n)}`, run })),
      gates: { build: false, test: false, lint: false },
    });

  const isCutOff = async (user: StoreUser): Promise<boolean> => {
    const { out } = await user.ok('status', 'login', '--json', '--root', user.root ?? '');
    return statusShape.parse(JSON.parse(out)).cutOffSince !== undefined;
  };

  it('says since when, also if the server only stands still, and reads on', async () => {
    const own = await store.ownEngine();
    const [a] = StoreUser.two(store.place);
    await a.ok('create', 'login', '--member', 'ada', '--store', store.url);
    expect(await isCutOff(a)).toBe(false);
    const before = Date.now();
    await own.kill();
    await expect.poll(() => isCutOff(a), { timeout: 20_000 }).toBe(true);
    const { out } = await a.ok('status', 'login', '--root', a.root ?? '');
    expect(out).toMatch(/^Cut off from its store since \d\d:\d\d/m);
    const since = statusShape.parse(JSON.parse((await a.ok('status', 'login', '--json', '--root', a.root ?? '')).out));
    expect(Date.parse(since.cutOffSince ?? '')).toBeGreaterThanOrEqual(before);
    await own.run();
    await expect.poll(() => isCutOff(a), { timeout: 20_000 }).toBe(false);
    own.signal('SIGSTOP');
    await expect.poll(() => isCutOff(a), { timeout: 20_000 }).toBe(true);
    own.signal('SIGCONT');
    await expect.poll(() => isCutOff(a), { timeout: 20_000 }).toBe(false);
  });

  it('ends its turn after lease and thirty seconds, starts none, and does the task when the store is back', async () => {
    const own = await store.ownEngine();
    const [a, b] = StoreUser.two(store.place);
    await store.host(b, 'one', '--slots', '1');
    const turns = join(store.place.root, 'turns');
    writeFileSync(
      join(a.project, 'plan.json'),
      planOf(`echo begun >> ${turns}; test -e ${turns}.go || exec sleep 600`),
    );
    const run = store.serving(a, 'run', 'plan.json');
    await expect.poll(() => countIn(b.log, 'task.claimed'), { timeout: 30_000 }).toBe(1);
    await own.kill();
    const begun = performance.now();
    const isTold = (): boolean => b.file('.teams', 'login', 'events.jsonl').includes('so the turn was ended');
    await expect.poll(isTold, { timeout: 60_000 }).toBe(true);
    expect(performance.now() - begun).toBeGreaterThan(35_000);
    expect(membersOf(b)).toEqual(['ada']);
    writeFileSync(`${turns}.go`, '');
    await own.run();
    expect(await ended(run.child), run.said()).toBe(0);
    expect(countIn(a.log, 'task.completed')).toBe(1);
  });

  it.runIf(IS_LONG)('keeps what a member hands in for longer than a verb waits, and goes on', async () => {
    const own = await store.ownEngine();
    const [a, b] = StoreUser.two(store.place);
    await store.host(b, 'one', '--slots', '1');
    const go = join(store.place.root, 'go');
    writeFileSync(join(a.project, 'plan.json'), planOf(`until test -e ${go}; do sleep 0.1; done; echo done`, 2));
    const run = store.serving(a, 'run', 'plan.json');
    await expect.poll(() => countIn(b.log, 'task.claimed'), { timeout: 30_000 }).toBe(1);
    await own.kill();
    writeFileSync(go, '');
    // Nothing tells that a verb would have given up by now: that is what is waited for.
    await new Promise((resolve) => setTimeout(resolve, LONGER_THAN_A_VERB_MS));
    expect(membersOf(b)).toEqual(['ada']);
    expect(run.child.exitCode, run.said()).toBeNull();
    await own.run();
    expect(await ended(run.child), run.said()).toBe(0);
    expect(countIn(a.log, 'task.completed')).toBe(2);
    expect(countIn(a.log, 'member.started')).toBe(1);
  });

  it('ends its members after --cut-off-after; the host goes on, and has them again when the store is back', async () => {
    const own = await store.ownEngine();
    const [a, b] = StoreUser.two(store.place);
    const host = await store.host(b, 'one', '--slots', '1', '--cut-off-after', '15s');
    const go = join(store.place.root, 'go');
    writeFileSync(join(a.project, 'plan.json'), planOf(`test -e ${go} || exec sleep 600`));
    const run = store.serving(a, 'run', 'plan.json');
    await expect.poll(() => countIn(b.log, 'task.claimed'), { timeout: 30_000 }).toBe(1);
    await own.kill();
    await expect.poll(() => membersOf(b), { timeout: 40_000 }).toEqual([]);
    expect(host.child.exitCode, host.said()).toBeNull();
    writeFileSync(go, '');
    await own.run();
    expect(await ended(run.child), run.said()).toBe(0);
    expect(countIn(a.log, 'task.completed')).toBe(1);
  });

  it('ends its lead after --cut-off-after, and the members with it; the run goes on when the store is back', async () => {
    const own = await store.ownEngine();
    const [a, b] = StoreUser.two(store.place);
    const go = join(store.place.root, 'go');
    writeFileSync(join(a.project, 'plan.json'), planOf(`test -e ${go} || exec sleep 600`));
    const run = store.serving(a, 'run', 'plan.json', '--cut-off-after', '12s');
    await expect.poll(() => countIn(a.log, 'task.claimed'), { timeout: 30_000 }).toBe(1);
    await own.kill();
    expect(await ended(run.child), run.said()).toBe(4);
    expect(run.said()).toContain(
      'The store of team login was not heard for 12s, so its lead and its members here end; `teams resume login` goes on when it is back.',
    );
    expect(membersOf(a)).toEqual([]);
    await own.run();
    writeFileSync(go, '');
    await expect.poll(() => isCutOff(a), { timeout: 20_000 }).toBe(false);
    const next = store.serving(b, 'resume', 'login');
    expect(await ended(next.child), next.said()).toBe(0);
    expect(countIn(b.log, 'task.completed')).toBe(1);
  });

  it('is told how long that may be', async () => {
    const [a] = StoreUser.two(store.place);
    expect(await a.teams(['host', '--store', store.url, '--cut-off-after', '5s'])).toMatchObject({
      code: 2,
      err: 'teams: --cut-off-after: Expected at least 10s.\n',
    });
  });
});
