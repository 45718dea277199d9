/** Which host is asked for one more member while the answer about another one is on its way. */
import { expect, it, onTestFinished } from 'vitest';
import { realClock } from '../../../src/os/system-clock.ts';
import { Placements } from '../../../src/runtime/placement/placements.ts';
import { makeTeam } from '../../../src/runtime/team/team-handle.ts';
import { realDisk } from '../../../src/store/files/disk.ts';
import { markReplica } from '../../../src/store/replica/replica-root.ts';
import { noteTeamHosts } from '../../../src/store/replica/team-hosts.ts';
import { openStore } from '../../../src/store/team/team-store.ts';
import { name } from '../../support/team.ts';
import { tempDir } from '../../support/temp.ts';

const ada = name('ada');

it.each([
  ['is not in the replica yet', 0, [], 'two'],
  ['is in the replica already: it counts once', 1, [{ member: ada, number: 1, host: 'two', owner: 'x' }], 'two'],
  ['is not in the replica yet, and the other slot is used', 1, [], undefined],
])('a place that %s', async (_, used, placements, chosen) => {
  const root = tempDir();
  const team = makeTeam('login', { members: [{ name: 'ada' }] }, { root, environment: { XDG_STATE_HOME: root } });
  markReplica(realDisk, root, 'postgres://nowhere/teams');
  const store = openStore(team.paths, { clock: realClock });
  let answer: (isPlaced: boolean) => void = () => {};
  store.relay.askForPlacement = () => new Promise((resolve) => (answer = resolve));
  onTestFinished(() => team[Symbol.asyncDispose]());
  const host = { name: 'two', machine: 'vm', slots: 2, used, labels: [] };
  noteTeamHosts(realDisk, team.paths, { hosts: [host], placements });
  const places = new Placements(store);
  const placed = places.place(ada, 'two');
  expect(places.choose([])).toBe(chosen);
  answer(true);
  expect(await placed).toBe(true);
  const events = [...store.events.read()].map(({ event }) => event);
  expect(events).toContainEqual(expect.objectContaining({ type: 'member.placed', member: ada, text: 'two' }));
});

it('a member that a host did not take is not told as placed there', async () => {
  const root = tempDir();
  const team = makeTeam('login', { members: [{ name: 'ada' }] }, { root, environment: { XDG_STATE_HOME: root } });
  markReplica(realDisk, root, 'postgres://nowhere/teams');
  const store = openStore(team.paths, { clock: realClock });
  onTestFinished(() => team[Symbol.asyncDispose]());
  store.relay.askForPlacement = () => Promise.resolve(false);
  expect(await new Placements(store).place(ada, 'two')).toBe(false);
  expect([...store.events.read()].map(({ event }) => event.type)).not.toContain('member.placed');
});
