/** Where a member starts when hosts refuse it: what a replica says of hosts may be some seconds old. */
import { expect, it, onTestFinished } from 'vitest';
import { realClock } from '../../../src/os/system-clock.ts';
import { PlacedProcesses } from '../../../src/runtime/placement/placed-processes.ts';
import { Placements } from '../../../src/runtime/placement/placements.ts';
import type { MemberProcess } from '../../../src/runtime/placement/member-process.ts';
import { makeTeam } from '../../../src/runtime/team/team-handle.ts';
import { openStore } from '../../../src/store/team/team-store.ts';
import { name } from '../../support/team.ts';
import { tempDir } from '../../support/temp.ts';

const ada = name('ada');

/** Hosts of which the replica tells; those in `taking` are there. */
class Hosts extends Placements {
  readonly asked: string[] = [];
  readonly #known: readonly string[];
  readonly #taking: readonly string[];

  constructor(store: ConstructorParameters<typeof Placements>[0], known: readonly string[], taking: readonly string[]) {
    super(store);
    [this.#known, this.#taking] = [known, taking];
  }

  override choose(_needed: readonly string[], except: readonly string[] = []): string | undefined {
    return this.#known.find((host) => !except.includes(host));
  }

  override place(_member: typeof ada, host: string): Promise<boolean> {
    this.asked.push(host);
    return Promise.resolve(this.#taking.includes(host));
  }
}

it.each([
  [['one', 'two'], ['two'], 'two'],
  [['one', 'two', 'three'], ['three'], 'three'],
  [['one', 'two'], [], 'here'],
])('of %j only %j take it: it starts on %s', async (known, taking, where) => {
  const root = tempDir();
  const team = makeTeam('login', { members: [{ name: 'ada' }] }, { root, environment: { XDG_STATE_HOME: root } });
  const store = openStore(team.paths, { clock: realClock });
  onTestFinished(async () => {
    await store.close();
    await team[Symbol.asyncDispose]();
  });
  let life: MemberProcess | undefined;
  let isHere = false;
  const hosts = new Hosts(store, known, taking);
  const processes = new PlacedProcesses(
    { store, placements: hosts, onExit: () => {} },
    {
      current: () => life,
      put: (one) => (life = one),
      start: () => {},
      startHere: () => (isHere = true),
      adoptHere: () => undefined,
    },
  );
  expect(processes.place(ada)).toBe(true);
  const startedOn = (): unknown => (isHere ? 'here' : life?.where === 'elsewhere' && life.isPlaced && life.host);
  await expect.poll(startedOn).toBe(where);
  expect(hosts.asked).toEqual(where === 'here' ? known : known.slice(0, known.indexOf(where) + 1));
});
