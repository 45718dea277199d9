/** Processes that stay connected to a relay which is killed, replaced, stopped, or not needed any more. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parseEngineAddress } from '../../../src/model/config/engine-address.ts';
import type { Clock } from '../../../src/model/text/clock.ts';
import { LEAD, parseName } from '../../../src/model/text/names.ts';
import { LastingConnection } from '../../../src/os/connection/lasting-connection.ts';
import { realClock } from '../../../src/os/system-clock.ts';
import { serveReplica } from '../../../src/runtime/relay/relay.ts';
import { teamPaths } from '../../../src/store/files/paths.ts';
import { openStore, type TeamStore } from '../../../src/store/team/team-store.ts';
import { Machine, storePlace } from '../../support/machine.ts';
import { hasPostgres, Postgres } from '../../support/postgres.ts';
import { name, PERSON, task } from '../../support/team.ts';

/** The campaign has 50 (`RELAY_ROUNDS=50`). */
const ROUNDS = Number(process.env['RELAY_ROUNDS'] ?? 4);
const WRITERS = 4;
/** Between two relays: some of what is asked finds none. */
const AWAY_MS = 20;

describe.skipIf(!hasPostgres)(
  'a process that stays connected to its relay',
  { timeout: 40_000 + ROUNDS * 5_000 },
  () => {
    let engine: Postgres;
    beforeAll(async () => {
      engine = await Postgres.start();
    });
    afterAll(() => engine.stop());

    async function two() {
      const { place, database } = await storePlace(engine);
      const machines = await Machine.two(place, 'ada');
      return { machines, database };
    }

    function storeOf({ root }: Machine): TeamStore {
      const store = openStore(teamPaths(root, parseName('team', 'login')), { clock: realClock });
      onTestFinished(() => store.close());
      return store;
    }

    const create = (store: TeamStore, subject: string) =>
      store.board.append(PERSON, ({ lastTaskId }) => ({
        type: 'task.created',
        task: String(lastTaskId + 1),
        fields: task(subject),
      }));

    it('loses nothing that was acknowledged, and has nothing twice, when that is killed or replaced', async () => {
      const { machines, database } = await two();
      const [a] = machines;
      const store = storeOf(a);
      const [made, sent]: [string[], string[]] = [[], []];
      const over = new AbortController();
      const write = async (writer: number): Promise<void> => {
        for (let at = 0; !over.signal.aborted; at += 1) {
          const label = `${String(writer)}-${String(at)}`;
          const { outcome } = await create(store, label);
          if (outcome.ok) made.push(label);
          await store.sender.send({ sender: LEAD, recipient: name('ada'), draft: { type: 'message', content: label } });
          sent.push(label);
        }
      };
      const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
      for (let round = 0; round < ROUNDS; round += 1) {
        const before = sent.length;
        await expect.poll(() => sent.length, { timeout: 20_000, interval: 5 }).toBeGreaterThan(before + WRITERS);
        await a.stop(round % 2 === 0 ? 'SIGKILL' : 'SIGTERM');
        await realClock.sleep(AWAY_MS);
        expect(await a.start(), a.said).toBeNull();
      }
      over.abort();
      await writing;
      const client = await engine.session('owner', database);
      const { rows } = await client.query<{ line: string }>('select line from teams.mail');
      await client.end();
      const mail = rows.map(({ line }) => /"content":"([^"]*)"/.exec(line)?.[1]);
      // A record that came after another one of the same number is in the log, and counts for nothing.
      const subjects = [...store.board.fold().tasks.values()].map(({ subject }) => subject);
      expect(subjects.toSorted()).toEqual(made.toSorted());
      expect(mail.toSorted()).toEqual(sent.toSorted());
      expect(sent.length).toBeGreaterThan(ROUNDS * WRITERS);
    });

    it('waits for one that stands still, and does nothing twice when that goes on', async () => {
      const { machines, database } = await two();
      const [a] = machines;
      const store = storeOf(a);
      await create(store, 'before');
      a.relay?.kill('SIGSTOP');
      const created = create(store, 'during');
      const late = await Promise.race([created, realClock.sleep(500)]);
      a.relay?.kill('SIGCONT');
      expect([late, (await created).outcome.ok]).toEqual([undefined, true]);
      const client = await engine.session('owner', database);
      const { rows } = await client.query(`select from teams.log where line like '%"subject":"during"%'`);
      await client.end();
      expect(rows).toHaveLength(1);
    });

    it('keeps one that would end by itself, and asks nothing for that', async () => {
      const { place } = await storePlace(engine);
      const root = join(place.root, 'idle');
      const relay = place.start('store', 'relay', '--root', root, '--idle', '2s');
      const connection = LastingConnection.to(join(root, '.teams', '.relay'));
      await expect.poll(() => connection.isServed(), { timeout: 20_000 }).toBe(true);
      await realClock.sleep(5_000);
      expect(relay.child.exitCode).toBeNull();
      expect(statSync(join(root, '.teams', '.relay')).isSocket()).toBe(true);
      connection.leave();
      expect((await relay.ended).code).toBe(0);
    });

    it('finds one whose start took longer than it may be idle', async () => {
      const { place, database } = await storePlace(engine);
      const root = join(place.root, 'slow');
      const address = parseEngineAddress(engine.url('owner', database), 'environment');
      const over = new AbortController();
      let passed = 0;
      const clock: Clock = {
        now: () => realClock.now(),
        monotonic: () => realClock.monotonic() + passed,
        sleep: (ms, signal) => realClock.sleep(ms, signal),
      };
      let isOver = false;
      let ended: Promise<void> = Promise.resolve();
      await new Promise<void>((serves, fails) => {
        const onServing = (): void => {
          passed = 3_600_000;
          serves();
        };
        const options = { clock, idleMs: 60_000, signal: over.signal, onServing, tell: () => {} };
        ended = serveReplica(root, address, options).finally(() => (isOver = true));
        ended.catch(fails);
      });
      const connection = LastingConnection.to(join(root, '.teams', '.relay'));
      expect([await connection.isServed(), isOver]).toEqual([true, false]);
      connection.leave();
      over.abort();
      await ended;
    });
  },
);
