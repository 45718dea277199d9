import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { lead, team } from '../../support/session.ts';

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
