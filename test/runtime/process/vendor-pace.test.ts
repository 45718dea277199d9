/** A vendor's pause, and a clock that jumps. */
import { expect, test } from 'vitest';
import { VendorPace } from '../../../src/runtime/process/vendor-pace.ts';
import { ToldTeam } from '../../support/told-team.ts';

test('a clock that is set back after a refusal makes no pause longer', async () => {
  const { store, clock } = new ToldTeam({ ada: 'executor/exec' });
  let shift = 0;
  const now = clock.now.bind(clock);
  clock.now = () => now() + shift;
  const pace = new VendorPace(store, 'acme', 'ada');
  expect(await pace.begin()).toBe(0);
  const pause = await pace.refused(30_000);
  shift = -3_600_000;
  const other = new VendorPace(store, 'acme', 'bob');
  for (const one of [pace, other]) expect(one.left()).toBeLessThanOrEqual(pause);
  clock.advance(pause + 1);
  for (const one of [pace, other]) expect(one.left()).toBe(0);
});

test('a third member waits for a slot until one of two calls was answered; then nobody writes the file', async () => {
  const { store } = new ToldTeam({ ada: 'executor/exec' });
  const [ada, bob, cy] = ['ada', 'bob', 'cy'].map((caller) => new VendorPace(store, 'acme', caller));
  if (!ada || !bob || !cy) throw new Error('three');
  expect([await ada.begin(), await bob.begin()]).toEqual([0, 0]);
  expect(await cy.begin()).toBeGreaterThan(0);
  await ada.answered();
  expect(await cy.begin()).toBe(0);
  for (let n = 0; n < 3; n += 1) {
    await cy.answered();
    await cy.begin();
  }
  const before = store.vendors.read();
  expect(before).toMatchObject({ vendors: { acme: { slots: 32 } } });
  expect(await cy.begin()).toBe(0);
  await cy.end();
  await cy.answered();
  expect(store.vendors.read()).toEqual(before);
});
