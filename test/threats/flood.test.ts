/** Floods (threat 20 of docs/reliability.md): control mail passes, whoever fills an inbox. */
import { appendFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DEFAULT_QUOTA } from '../../src/store/team/team-store.ts';
import { lead, scripted, team } from '../support/session.ts';
import { name } from '../support/team.ts';

const foreign = (content: string): string =>
  `${JSON.stringify({ type: 'message', sender: 'eve', content, timestamp: 1 })}\n`;

describe('a teammate whose inbox is flooded', () => {
  it('a teammate whose inbox is flooded gets the order to stop within two seconds', async () => {
    const on = await team({ members: [{ name: 'ada', agent: scripted({ repeat: true }) }] });
    const session = await lead(on, { endsWhenDone: false });
    await session.start(session.startable());
    const loop = session.run();
    const flood = Array.from({ length: 20 * DEFAULT_QUOTA.inboxMaxMessages }, (_, n) => foreign(`flood ${n}`)).join('');
    appendFileSync(on.paths.inbox(name('ada')).inbox, flood);
    session.halt();
    await loop;
    const before = performance.now();
    expect(await session.shutDown({ force: true })).toEqual(['ada']);
    expect(performance.now() - before).toBeLessThan(2_000);
  });
});
