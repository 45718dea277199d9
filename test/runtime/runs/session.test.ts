import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { requestSpawn } from '../../../src/runtime/runs/living-lead.ts';
import { lead, team } from '../../support/session.ts';
import { name } from '../../support/team.ts';

it.each(['{', '', '{"version":1}'])(
  'a state.json that becomes %j while the lead waits to write it is put aside',
  async (text) => {
    const on = await team({ members: ['ada'] });
    const session = await lead(on);
    await session.note({ phase: 'executing' });
    let noted: Promise<void> | undefined;
    await on.handle.store.locks.withLock(on.paths.stateLock, () => {
      // It looks at once, and then waits for the lock.
      noted = session.note({ phase: 'shutdown' });
      writeFileSync(on.paths.state, text);
    });
    await noted;
    expect(readFileSync(on.paths.state, 'utf8')).toContain('"phase": "shutdown"');
    expect(readFileSync(on.paths.events, 'utf8')).toContain('"state.set_aside"');
  },
);

it('a member that a person asked for while its run begins is started once', async () => {
  const on = await team({ members: ['ada'], tasks: [{ subject: 'Work', work: { run: 'true' } }] });
  const session = await lead(on);
  await requestSpawn(on.handle, name('ada'));
  await expect.poll(() => on.events('message.received').length).toBe(1);
  await session.start(session.startable());
  expect((await session.run()).why).toBe('finished');
  expect([on.events('spawn.rolled_back'), on.events('member.exited')]).toEqual([[], []]);
  await session.shutDown({ force: true });
});
