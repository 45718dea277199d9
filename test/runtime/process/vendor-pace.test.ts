/** A vendor's pause, and a clock that jumps. */
import { expect, test } from 'vitest';
import { VendorPace } from '../../../src/runtime/process/vendor-pace.ts';
import { ToldTeam } from '../../support/told-team.ts';

test('a clock that is set back after a refusal makes no pause longer', async () => {
  const { store, clock } = new ToldTeam({ ada: 'executor/exec' });
  let shift = 0;
  const now = clock.now.bind(clock);
  clock.now = () => now() + shift;
  const pace = new VendorPace(store, 'acme');
  pace.calls();
  const pause = await pace.refused(30_000);
  shift = -3_600_000;
  const other = new VendorPace(store, 'acme');
  for (const one of [pace, other]) expect(one.left()).toBeLessThanOrEqual(pause);
  clock.advance(pause + 1);
  for (const one of [pace, other]) expect(one.left()).toBe(0);
});
