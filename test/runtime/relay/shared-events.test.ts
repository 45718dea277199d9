/** Events of a team on two machines: each is once in the log of each, whatever ends in between. */
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { TeamEvent } from '../../../src/model/team/team-event.ts';
import { parseName } from '../../../src/model/text/names.ts';
import { realClock } from '../../../src/os/system-clock.ts';
import { teamPaths } from '../../../src/store/files/paths.ts';
import { openStore, type TeamStore } from '../../../src/store/team/team-store.ts';
import type { Workplace } from '../../support/cli.ts';
import { allowLeft } from '../../support/leftovers.ts';
import { Machine, storePlace } from '../../support/machine.ts';
import { hasPostgres, Postgres } from '../../support/postgres.ts';

const PATIENCE = { timeout: 20_000, interval: 50 };

describe.skipIf(!hasPostgres)('events on two machines', { timeout: 90_000 }, () => {
  let engine: Postgres;
  let place: Workplace;
  beforeAll(async () => {
    engine = await Postgres.start();
  });
  afterAll(() => engine.stop());
  beforeEach(async () => {
    ({ place } = await storePlace(engine));
  });

  function storeOn({ root }: Pick<Machine, 'root'>): TeamStore {
    const store = openStore(teamPaths(root, parseName('team', 'login')), { clock: realClock });
    onTestFinished(() => store.close());
    return store;
  }
  const told = (store: TeamStore, type = 'agent.said'): TeamEvent[] =>
    [...store.events.read()].map(({ event }) => event).filter((event) => event.type === type);
  const textsOf = (store: TeamStore): string[] => told(store).map(({ text = '' }) => text);

  it('shows what happens on one machine on the other, in its words and at its time', async () => {
    const [here, there] = (await Machine.two(place, 'ada')).map(storeOn) as [TeamStore, TeamStore];
    // What no line of text holds, and what PostgreSQL does not take as a value of JSON.
    const text = 'a\0b — line\nnext';
    here.events.append({ type: 'agent.said', member: 'ada', text, tool: { name: 'sh', count: 3 } });
    await expect.poll(() => textsOf(there), PATIENCE).toEqual([text]);
    const [mine] = told(here);
    const [theirs] = told(there);
    expect(theirs).toEqual({
      ...mine,
      elsewhere: { machine: expect.any(String) as string, number: expect.any(Number) as number },
    });
    there.events.append({ type: 'agent.said', member: 'bob', text: 'heard' });
    await expect.poll(() => textsOf(here), PATIENCE).toEqual([text, 'heard']);
    expect(textsOf(there)).toEqual([text, 'heard']);
  });

  it('tells each event once, over relays that are killed and a store that is away', async () => {
    const own = await Postgres.start();
    try {
      const { place: ownPlace, database } = await storePlace(own);
      await killAll(own, database, await Machine.two(ownPlace, 'ada'));
    } finally {
      await own.stop();
    }
  });

  async function killAll(own: Postgres, database: string, machines: readonly Machine[]): Promise<void> {
    const [here, there] = machines.map(storeOn) as [TeamStore, TeamStore];
    allowLeft();
    const said: string[][] = [[], []];
    const say = (): void => {
      for (const [at, store] of [here, there].entries())
        for (let n = 0; n < 50; n += 1) {
          const text = `${String(at)}:${String(said[at]?.length)}`;
          expect(store.events.append({ type: 'agent.said', member: 'ada', text })).toBeUndefined();
          said[at]?.push(text);
        }
    };
    for (let round = 0; round < 4; round += 1) {
      say();
      const killed = machines[round % 2];
      await killed?.stop('SIGKILL');
      say();
      expect(await killed?.start(), killed?.said).toBeNull();
    }
    say();
    await own.kill();
    say();
    await own.run();
    const all = said.flat().sort();
    for (const store of [here, there]) await expect.poll(() => textsOf(store).sort(), PATIENCE).toEqual(all);
    // Each machine has those of the other in the order of the other.
    for (const [at, store] of [here, there].entries())
      for (const whose of [0, 1])
        expect(
          textsOf(store).filter((text) => text.startsWith(`${String(whose)}:`)),
          `machine ${String(at)}`,
        ).toEqual(said[whose]);
    const session = await own.session('owner', database);
    const { rows } = await session.query(`select line from teams.event where line like '%agent.said%'`);
    await session.end();
    expect(rows).toHaveLength(all.length);
    for (const machine of machines) await machine.stop();
  }

  it('tells nothing that a copy of the folder has from before', async () => {
    const [a, b] = await Machine.two(place, 'ada');
    const [here, there] = [storeOn(a), storeOn(b)];
    here.events.append({ type: 'agent.said', member: 'ada', text: 'first' });
    await expect.poll(() => textsOf(there), PATIENCE).toEqual(['first']);
    const copy = new Machine(place, 'c');
    cpSync(join(a.root, '.teams'), join(copy.root, '.teams'), {
      recursive: true,
      filter: (path) => !path.endsWith('.relay'),
    });
    cpSync(join(a.root, '.tasks'), join(copy.root, '.tasks'), { recursive: true });
    expect(await copy.start(), copy.said).toBeNull();
    const copied = storeOn(copy);
    copied.events.append({ type: 'agent.said', member: 'ada', text: 'of the copy' });
    await expect.poll(() => textsOf(there), PATIENCE).toEqual(['first', 'of the copy']);
    await expect.poll(() => textsOf(here), PATIENCE).toEqual(['first', 'of the copy']);
    expect(readFileSync(a.log(), 'utf8')).toBe(readFileSync(copy.log(), 'utf8'));
  });
});
