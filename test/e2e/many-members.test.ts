/**
 * Many members on four hosts, one of which is killed (`ENGINE_MEMBERS=100`, part of `npm run test:engine`): every
 * task is done once, and a host has few connections to the store.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { parseEngineAddress } from '../../src/model/config/engine-address.ts';
import { realClock } from '../../src/os/system-clock.ts';
import { initEngine } from '../../src/store/engine/engine-setup.ts';
import { CampaignHost } from '../support/campaign-host.ts';
import { Workplace } from '../support/cli.ts';
import { DATABASE, handedIn, HOSTS, loadNow, newKey, twice } from '../support/engine-campaign.ts';
import { allowLeft } from '../support/leftovers.ts';
import { Networks } from '../support/networks.ts';
import { freePort, hasPostgres, Postgres } from '../support/postgres.ts';

const MEMBERS = Number(process.env['ENGINE_MEMBERS'] ?? '0');
const TASKS = MEMBERS * 10;
const MOST_CONNECTIONS = 4;
const PATIENCE_MS = 1_800_000;

describe.skipIf(!hasPostgres || MEMBERS === 0)('many members on four hosts', { timeout: 2 * PATIENCE_MS }, () => {
  it('do every task once, also if one host is killed', async () => {
    allowLeft();
    const network = Networks.open(['e1', ...HOSTS]);
    const place = new Workplace({ TEAMS_MAX_MEMBERS: String(MEMBERS) });
    const port = await freePort();
    const engine = await Postgres.start([], 'trust', { network, name: 'e1', port });
    const hosts: CampaignHost[] = [];
    try {
      const ask = async <Row extends object>(text: string, database = 'postgres'): Promise<Row[]> => {
        const client = await engine.session('owner', database, engine.home);
        const { rows } = await client.query<Row>(text).finally(() => client.end());
        return rows;
      };
      await ask(`create database ${DATABASE}`);
      const socket = `postgres://owner@/${DATABASE}?host=${engine.home}:${String(port)}`;
      await initEngine(parseEngineAddress(socket, 'environment'), [], realClock);
      const url = `${engine.url('owner', DATABASE)}?sslmode=disable`;
      const team = { network, place, url, key: newKey(place), stop: join(place.root, 'stop') };
      for (const name of HOSTS) hosts.push(new CampaignHost(team, name));
      const [first, second] = hosts;
      if (first === undefined || second === undefined) throw new Error('There are hosts.');
      // Three hosts have room for all.
      await Promise.all(hosts.map((host) => host.begin(Math.ceil(MEMBERS / 3), 'crew')));
      const plan = {
        name: 'crew',
        members: Array.from({ length: MEMBERS }, (_, n) => ({ name: `m${String(n)}`, agent: 'exec' })),
        tasks: Array.from({ length: TASKS }, (_, n) => ({ subject: `t${String(n + 1)}`, run: 'true' })),
        gates: { build: false, test: false, lint: false },
      };
      writeFileSync(join(first.dir, 'plan.json'), JSON.stringify(plan));
      const begun = realClock.now();
      const lead = first.verb('run', join(first.dir, 'plan.json'));
      let isKilled = false;
      let most = 0;
      let atOnce = 0;
      while (lead.exitCode === null && lead.signalCode === null) {
        const rows = await ask<{ count: number }>(
          `select count(*)::int as count from pg_stat_activity where datname = '${DATABASE}' and client_addr is not null
           group by client_addr`,
        );
        most = Math.max(most, ...rows.map(({ count }) => count));
        const members = hosts.map((host) => host.members().length);
        atOnce = Math.max(
          atOnce,
          members.reduce((all, one) => all + one, 0),
        );
        const done = first.log('crew').match(/"type":"task\.completed"/g)?.length ?? 0;
        process.stderr.write(`${String(done)} done, members ${members.join(' ')}, ${loadNow()}\n`);
        if (!isKilled && done > TASKS / 4) {
          isKilled = true;
          await second.kill();
        }
        await setTimeout(5_000);
      }
      expect(lead.exitCode, first.said).toBe(0);
      expect(isKilled).toBe(true);
      const done = handedIn(first.log('crew'));
      expect(new Set(done).size).toBe(TASKS);
      expect(twice(done)).toEqual([]);
      // Each host has an address of its own only in a network of its own.
      if (network.canCut) expect(most).toBeLessThanOrEqual(MOST_CONNECTIONS);
      const seconds = Math.round((realClock.now() - begun) / 1_000);
      process.stderr.write(
        `${String(TASKS)} tasks in ${String(seconds)} s; at most ${String(atOnce)} members at once, ${String(most)} connections of a host; ${loadNow()}\n`,
      );
      await expect.poll(() => hosts.flatMap((host) => host.members()), { timeout: 60_000 }).toEqual([]);
    } finally {
      for (const host of hosts) await host.kill();
      await engine.stop();
      network.close();
    }
  });
});
