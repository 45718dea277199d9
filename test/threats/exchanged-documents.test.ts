/**
 * Documents of a team that another program replaces while its lead and its members work: nothing is done by what it
 * wrote, the run goes on, and one line says what became of them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeDoor } from '../../src/runtime/agents/write-door.ts';
import { openHandle } from '../../src/runtime/team/team-handle.ts';
import { Workplace } from '../support/cli.ts';
import { lead, team } from '../support/session.ts';
import { name } from '../support/team.ts';

const FOREIGN = {
  'no JSON': '{',
  empty: '',
  'of another shape': '{"version":1}',
  'no object': 'null',
  'of a newer version': '{"version":99}',
};

describe.each(Object.entries(FOREIGN))('a state.json that is %s', (_, text) => {
  it('ends no run, also if bad lines in the log are to be noted in it', { timeout: 60_000 }, async () => {
    const place = new Workplace();
    place.put('foreign', text);
    const exchange = 'cat foreign > .teams/crew/state.json; echo x >> .tasks/crew/log.jsonl';
    const members = ['ada', 'bob'].map((member) => ({ name: member, agent: { kind: 'exec' } }));
    const tasks = [
      { subject: 'Exchange', owner: 'ada', run: exchange, files: ['a'] },
      { subject: 'Work', owner: 'bob', run: 'true', files: ['b'], blockedBy: [1] },
      { subject: 'Exchange at the end', owner: 'ada', run: exchange, files: ['a'], blockedBy: [2] },
    ];
    const gates = { ownership: true };
    place.put('plan.json', JSON.stringify({ name: 'crew', members, tasks, gates, sharedFiles: ['c'] }));
    const { code, err } = await place.start('run', 'plan.json').ended;
    expect(code, err).toBe(0);
    const state = JSON.parse(readFileSync(join(place.root, '.teams/crew/state.json'), 'utf8')) as object;
    expect(state).toMatchObject({ phase: 'complete', sharedFiles: ['c'], noiseOffset: expect.any(Number) as number });
  });

  it('is written anew by a lead that has nothing else to write, and gives nobody a file meanwhile', async () => {
    const tasks = [{ subject: 'A', owner: 'ada', work: { files: ['a'] } }];
    const on = await team({ members: ['ada'], tasks });
    const session = await lead(on, { endsWhenDone: false });
    await session.note({ phase: 'executing', sharedFiles: ['shared/**'] });
    await using ada = openHandle('crew', { root: on.root, as: 'ada', environment: {} });
    await ada.board.claim('1');
    const refused = (): string | undefined => writeDoor(on.handle.store, name('ada'), on.root)('shared/x');
    expect(refused()).toContain('is a shared file');
    writeFileSync(on.paths.state, text);
    expect(refused()).toContain('was replaced by another program');
    const stopped = new AbortController();
    const led = session.run(stopped.signal);
    await on.until('it is put aside', () => on.events('state.set_aside').length === 1);
    await expect.poll(refused, { timeout: 10_000 }).toContain('is a shared file');
    stopped.abort();
    await led;
  });

  it('gives nobody a shared file by mail to the lead', async () => {
    const on = await team({ members: ['ada'], tasks: [{ subject: 'A', owner: 'ada', work: { files: ['a'] } }] });
    const session = await lead(on, { endsWhenDone: false });
    await session.note({ phase: 'executing', sharedFiles: ['shared/**'] });
    writeFileSync(on.paths.state, text);
    const stopped = new AbortController();
    const led = session.run(stopped.signal);
    await using ada = openHandle('crew', { root: on.root, as: 'ada', environment: {} });
    await ada.send('lead', 'shared/x: it is needed', { kind: 'boundary' });
    await on.until('it is answered', () => on.events('shared.wished').length > 0);
    expect(on.events('boundary.granted')).toEqual([]);
    stopped.abort();
    await led;
  });
});
