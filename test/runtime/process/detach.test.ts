/** A lead in the background: how long its start is waited for. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { detachLead } from '../../../src/runtime/process/detach.ts';
import { fastClock } from '../../support/clock-fast.ts';
import { heldStart } from '../../support/held-start.ts';
import { allowLeft } from '../../support/leftovers.ts';
import { isRunning, team } from '../../support/session.ts';
import { tempDir } from '../../support/temp.ts';

/** A lead whose start is held. */
async function starting() {
  allowLeft();
  const { paths, root } = await team({ members: ['ada'] });
  const [clock, held] = [fastClock(), heldStart(tempDir())];
  const environment = { ...process.env, ...held.environment };
  const start = detachLead(paths, ['lead', paths.name, '--root', root], { cwd: root, environment }, clock);
  let pid = 0;
  const early = start.then(
    (led) => (pid = led),
    (error: unknown) => error,
  );
  onTestFinished(async () => {
    held.goOn();
    await early;
    if (pid === 0) return;
    process.kill(pid, 'SIGKILL');
    await vi.waitUntil(() => !isRunning(pid), { timeout: 10_000, interval: 5 });
  });
  await held.begun();
  return { clock, held, start, early };
}

it('is waited for as long as its process lives', async () => {
  const { clock, held, start, early } = await starting();
  clock.jump(60_000);
  // It looks at the clock each 10 ms.
  await Promise.race([early, clock.sleep(50)]);
  held.goOn();
  expect(isRunning(await start)).toBe(true);
});

it('is ended when it does not lead after five minutes', async () => {
  const { clock, early } = await starting();
  clock.jump(300_000);
  expect(String(await early)).toMatch(/The lead of team crew did not start \(not ready in time\); .* says why\./);
});
