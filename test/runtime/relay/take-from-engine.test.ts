/** A failover that loses acknowledged records: a person lets a machine take what the store has, and nothing is dropped. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { parseEngineAddress } from '../../../src/model/config/engine-address.ts';
import { realClock } from '../../../src/os/system-clock.ts';
import { initEngine } from '../../../src/store/engine/engine-setup.ts';
import { Workplace } from '../../support/cli.ts';
import { hasPostgres, Postgres } from '../../support/postgres.ts';
import { countIn, ended, membersOf, servingAt } from '../../support/store-scene.ts';
import { StoreUser } from '../../support/store-user.ts';

const DATABASE = 'pair';

describe.skipIf(!hasPostgres)('a machine that has read what a failover lost', { timeout: 120_000 }, () => {
  let primary: Postgres;
  let standby: Postgres;
  let url = '';
  let a: StoreUser;
  let b: StoreUser;

  beforeEach(async () => {
    primary = await Postgres.start();
    onTestFinished(() => primary.stop());
    await primary.query(`create database ${DATABASE}`);
    const one = primary.url('owner', DATABASE);
    await initEngine(parseEngineAddress(one, 'environment'), [], realClock);
    standby = await primary.standby();
    onTestFinished(() => standby.stop());
    url = one.replace(`/${DATABASE}`, `,127.0.0.1:${String(standby.port)}/${DATABASE}`);
    [a, b] = StoreUser.two(new Workplace());
  });

  const ask = async (server: Postgres, text: string): Promise<number> => {
    const client = await server.session('owner', DATABASE);
    const { rows } = await client.query<{ count: string }>(text).finally(() => client.end());
    return Number(rows[0]?.count);
  };

  /** From now on the standby gets nothing of the primary. */
  async function cutStandbyOff(): Promise<void> {
    const all = 'select count(*) from teams.log';
    await expect.poll(async () => (await ask(standby, all)) === (await ask(primary, all))).toBe(true);
    await standby.query(`alter system set primary_conninfo = ''`);
    await standby.query('select pg_reload_conf()');
    await expect.poll(() => ask(standby, 'select count(*) from pg_stat_wal_receiver')).toBe(0);
  }

  async function failOver(): Promise<void> {
    await primary.kill();
    await standby.query('select pg_promote()');
  }

  it('goes on with what the store has, and names where the rest is', async () => {
    await a.ok('create', 'login', '--member', 'ada', '--store', url);
    await a.ok('create', 'other', '--member', 'ada', '--store', url);
    await a.ok('task', 'create', 'login', 'Before', '--store', url);
    await b.ok('status', 'login', '--store', url);
    await cutStandbyOff();
    await a.ok('task', 'create', 'login', 'Lost', '--store', url);
    await a.ok('send', 'login', 'ada', 'lost as well', '--store', url);
    await expect.poll(() => b.log).toContain('Lost');
    await failOver();
    for (const user of [a, b]) {
      await expect.poll(() => user.file('.teams', '.diverged'), { timeout: 30_000 }).not.toBe('');
      expect(await user.teams(['task', 'create', 'login', 'Two', '--store', url])).toMatchObject({
        code: 4,
        err: expect.stringContaining('teams resume --from-engine') as string,
      });
      const before = user.log;
      const { code, err } = await user.teams(['resume', '--from-engine', '--store', url]);
      expect(code, err).toBe(0);
      const [, file = ''] = /1 record that only this machine had is in (\S+only-here\.jsonl);/.exec(err) ?? [];
      expect(readFileSync(file, 'utf8')).toContain('"subject":"Lost"');
      expect(readFileSync(join(file, '..', 'tasks', 'log.jsonl'), 'utf8')).toBe(before);
      expect(err).not.toContain('other');
      await expect.poll(() => user.log).toContain('Before');
      expect(user.log).not.toContain('Lost');
      expect(existsSync(join(user.root ?? '', '.teams', '.diverged'))).toBe(false);
    }
    await a.ok('task', 'create', 'login', 'After', '--store', url);
    await expect.poll(() => b.log).toBe(a.log);
    expect(a.log).toContain('After');
    expect(await a.teams(['resume', '--from-engine', '--store', url])).toMatchObject({
      code: 2,
      err: expect.stringContaining('there is nothing to take') as string,
    });
  });

  it('takes nothing while a process of the machine may go on in the team', async () => {
    await a.ok('create', 'login', '--member', 'ada', '--store', url);
    await cutStandbyOff();
    const worker = servingAt(url, a, 'worker', 'login', 'ada', '--agent', 'exec');
    await expect.poll(() => a.log, { timeout: 30_000 }).toContain('"type":"member.started"');
    worker.child.kill('SIGSTOP');
    await failOver();
    await expect.poll(() => a.file('.teams', '.diverged'), { timeout: 30_000 }).not.toBe('');
    const before = a.log;
    expect(await a.teams(['resume', '--from-engine', '--store', url])).toMatchObject({
      code: 3,
      err: expect.stringMatching(/only while nobody works in it here: end ada \(pid \d+\) first/) as string,
    });
    expect(a.log).toBe(before);
    worker.child.kill('SIGCONT');
    expect(await ended(worker.child), worker.said()).not.toBe(0);
    expect(await a.teams(['resume', '--from-engine', '--store', url])).toMatchObject({ code: 0 });
  });

  it('goes on with a run, whose lost tasks are done again, also after a kill in the middle of that', async () => {
    const go = join(a.project, 'go');
    const task = (n: number): object => ({
      subject: `t${String(n)}`,
      run: `until test -e ${go}-${String(n)}; do sleep 0.1; done`,
    });
    writeFileSync(
      join(a.project, 'plan.json'),
      JSON.stringify({
        name: 'login',
        members: [{ name: 'ada', agent: 'exec' }],
        tasks: [task(1), task(2), task(3)],
        gates: { build: false, test: false, lint: false },
      }),
    );
    const run = servingAt(url, a, 'run', 'plan.json');
    await expect.poll(() => countIn(a.log, 'task.claimed'), { timeout: 30_000 }).toBe(1);
    writeFileSync(`${go}-1`, '');
    await expect.poll(() => countIn(a.log, 'task.claimed'), { timeout: 30_000 }).toBe(2);
    await cutStandbyOff();
    writeFileSync(`${go}-2`, '');
    await expect.poll(() => countIn(a.log, 'task.claimed'), { timeout: 30_000 }).toBe(3);
    await failOver();
    expect(await ended(run.child), run.said()).not.toBe(0);
    await expect.poll(() => membersOf(a)).toEqual([]);
    const state = a.file('.teams', 'login', 'state.json');
    const { code, err } = await a.teams(['resume', '--from-engine', '--store', url]);
    expect(code, err).toBe(0);
    // As a kill leaves it that comes when the team is put away and not made anew.
    await a.endRelays();
    for (const folder of ['.teams', '.tasks']) rmSync(join(a.root ?? '', folder, 'login'), { recursive: true });
    writeFileSync(join(a.root ?? '', '.teams', '.diverged'), 'record 9\n');
    expect(state).toContain('planHash');
    writeFileSync(`${go}-3`, '');
    const next = await a.teams(['resume', 'login', '--from-engine', '--store', url]);
    expect(next.code, next.out + next.err).toBe(0);
    expect(next.err).toMatch(/2 records that only this machine had are in /);
    expect(countIn(a.log, 'task.completed')).toBe(3);
    expect((await a.ok('task', 'get', 'login', '2', '--store', url)).out).toContain('completed');
  });
});
