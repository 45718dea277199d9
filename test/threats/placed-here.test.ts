/** What a store can have a host start. The signed configuration says who is a member, the host how many run there. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasPostgres } from '../support/postgres.ts';
import { ended, membersOf, useStore } from '../support/store-scene.ts';
import { StoreUser } from '../support/store-user.ts';

const SLOTS = 2;
const SOON = { timeout: 60_000 };

describe.skipIf(!hasPostgres)('a host whose store places what it likes', { timeout: 120_000 }, () => {
  const store = useStore();

  /** As the owner of the tables, past all functions. */
  const change = async (text: string): Promise<void> => {
    const client = await store.engine.session('owner', store.database);
    await client.query(`${text}; notify teams, 'news'`);
    await client.end();
  };
  /** The members whose processes ended and were not taken away: their host says so in a moment. */
  const endedHere = async (): Promise<string[]> => {
    const client = await store.engine.session('owner', store.database);
    const { rows } = await client.query<{ member: string }>(
      'select member from teams.placement where ended is not null',
    );
    await client.end();
    return rows.map(({ member }) => member);
  };
  const place = (names: string): Promise<void> =>
    change(`insert into teams.placement select team.id, placed.name, nextval('teams.placement_number'), 'build-7'
      from teams.team, ${names} placed(name)`);

  /** Of which members processes were started on the machine of a user, by name. */
  const startedOf = (user: StoreUser): string[] => {
    const folder = join(user.root ?? '/none', '.teams/login/processes');
    return existsSync(folder) ? readdirSync(folder).map((file) => file.replace('.json', '')) : [];
  };

  it('starts no more members at once than it has slots, and starts each later', async () => {
    const [a, b] = StoreUser.two(store.place);
    const names = Array.from({ length: 9 }, (_, n) => `m${String(n + 1)}`);
    const members = names.flatMap((name) => ['--member', name]);
    await a.ok('create', 'login', ...members, '--store', store.url);
    await store.host(b, 'build-7', '--slots', String(SLOTS));
    await place(`(select unnest(array['${names.join("','")}']))`);
    // Each that is taken away, or has ended by itself, leaves its slot to the next one.
    const over = new Set<string>();
    const atOnce = async (): Promise<number> => {
      const started = startedOf(b).length;
      for (const name of await endedHere()) over.add(name);
      return started - over.size;
    };
    for (const name of names) {
      await expect.poll(() => startedOf(b), SOON).toContain(name);
      await expect.poll(atOnce, SOON).toBeLessThanOrEqual(SLOTS);
      over.add(name);
      await change(`delete from teams.placement where member = '${name}'`);
    }
    await expect.poll(() => membersOf(b), SOON).toEqual([]);
  });

  it('starts no process for a name that is no member, and none in place of the lead', async () => {
    const [a, b] = StoreUser.two(store.place);
    await a.ok('create', 'login', '--member', 'zoe', '--store', store.url);
    await store.host(b, 'build-7', '--slots', '50');
    await place(`(select 'x' || n from generate_series(1, 40) n union all select 'lead' union all select 'zoe')`);
    // Processes are started in this order, so that this one is the last.
    await expect.poll(() => startedOf(b), SOON).toContain('zoe');
    expect(startedOf(b)).toEqual(['zoe']);
  });

  it('starts no member that needs a label which this host does not have, whatever the store says', async () => {
    const [a, b] = StoreUser.two(store.place);
    const plan = {
      name: 'login',
      members: [
        { name: 'ada', agent: 'exec', where: ['vault'] },
        { name: 'bob', agent: 'exec' },
      ],
      tasks: [{ subject: 't1', run: 'echo ran >> ran', owner: 'ada' }],
      gates: { build: false, test: false, lint: false },
    };
    writeFileSync(join(a.project, 'plan.json'), JSON.stringify(plan));
    await store.host(b, 'build-7', '--slots', '8');
    // The store gives the host the label for so long as it takes to have the run begin and the member placed.
    const client = await store.engine.session('owner', store.database);
    await client.query(
      `create function teams.lie() returns trigger language plpgsql as $$ begin new.labels := array['vault']; return new; end $$;
       create trigger lie before insert or update on teams.host for each row execute function teams.lie();
       update teams.host set labels = array['vault']; notify teams, 'news'`,
    );
    await client.end();
    const run = store.serving(a, 'run', 'plan.json');
    await expect
      .poll(() => readFileSync(join(b.root ?? '/none', '.teams/login/hosts.json'), 'utf8'), SOON)
      .toContain('"member":"ada"');
    await expect.poll(() => startedOf(b), SOON).toContain('bob');
    expect(startedOf(b)).not.toContain('ada');
    run.child.kill('SIGTERM');
    await ended(run.child);
    expect(existsSync(join(b.project, 'ran'))).toBe(false);
  });

  it('tells how a placed process ended in one short line, whatever the store says', async () => {
    const [a, b] = StoreUser.two(store.place);
    await store.host(b, 'build-7', '--slots', '1');
    const plan = {
      name: 'login',
      members: [{ name: 'ada', agent: 'exec' }],
      tasks: [{ subject: 't1', run: 'sleep 60' }],
      gates: { build: false, test: false, lint: false },
    };
    writeFileSync(join(a.project, 'plan.json'), JSON.stringify(plan));
    const run = store.serving(a, 'run', 'plan.json');
    await expect.poll(() => startedOf(b), SOON).toEqual(['ada']);
    await change(`update teams.placement set ended = repeat(E'said \\u001b[2J\\n', 200000)`);
    const exits = (): string[] =>
      a
        .file('.teams', 'login', 'events.jsonl')
        .split('\n')
        .filter((line) => line.includes('"member.exited"'));
    await expect.poll(() => exits().length, SOON).toBeGreaterThan(0);
    for (const line of exits()) {
      expect(line.length).toBeLessThan(1_000);
      expect(line).not.toMatch(/\\u001b|\\n/);
    }
    run.child.kill('SIGTERM');
    await ended(run.child);
    expect(run.said()).not.toContain('\u001b[2J');
  });
});
