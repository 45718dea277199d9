/** Writing to the event log while it goes on in new files. */
import { expect } from 'vitest';
import { openStore, type TeamStore } from '../../../../src/store/team/team-store.ts';
import type { World, Work } from '../trial.ts';

/** Three or four events fill a file. */
const BYTES = 400;

const opened = (world: World, disk?: TeamStore['disk']): TeamStore =>
  openStore(world.paths, { ...world.options(disk), eventFileBytes: BYTES, lockTimeoutMs: 20 });

function say(store: TeamStore, world: World, texts: readonly string[]): void {
  for (const text of texts) if (!store.events.append({ type: 'member.said', text })) world.told.add(text);
}

export const events: Work = {
  name: 'events',
  prepare(store, world) {
    say(store, world, ['one', 'two']);
  },
  async run(world, disk) {
    const store = opened(world, disk);
    say(store, world, ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
    await store.close();
  },
  open: (world) => opened(world),
  check(store, world, time) {
    const later = ['i', 'j', 'k', 'l', 'm'].map((text) => `${text}${time}`);
    say(store, world, later);
    const seen = [...store.events.read()].flatMap(({ event }) => (event.type === 'member.said' ? [event.text] : []));
    expect(new Set(seen).size).toBe(seen.length);
    // Events are not flushed: a power loss may take the last ones.
    const kept = world.fault === 'power loss after' ? ['one', 'two', ...later] : world.told;
    expect(seen).toEqual(expect.arrayContaining([...kept]));
    expect([...store.events.read(store.events.end())]).toEqual([]);
  },
};
