/** A paused team: present turns end, nothing begins, and everybody is told; `unpause` and `resume` end a pause. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { until, Workplace } from '../support/cli.ts';

const PLAN = `name: crew
members: [{name: ada, agent: {kind: exec}}]
tasks:
  - {subject: First, run: "echo > began1; until test -e go; do sleep 0.02; done"}
  - {subject: Second, run: "echo > began2", blockedBy: [First]}
`;
const answer = z.object({ paused: z.boolean(), changed: z.boolean(), working: z.number() });
const status = z.object({ outcome: z.string(), tasks: z.record(z.string(), z.number()) });

function setting() {
  const place = new Workplace({ TEAMS_SHUTDOWN_TIMEOUT_MS: '100' });
  place.put('crew.yaml', PLAN);
  const has = (file: string): boolean => existsSync(join(place.root, file));
  const go = (): void => writeFileSync(join(place.root, 'go'), '');
  const done = async (): Promise<number> => (await place.json(status, 'status', 'crew')).tasks['completed'] ?? 0;
  return { place, has, go, done };
}

describe('a paused team', () => {
  it('the present turn ends, nothing begins, status and why say so, and unpause goes on', async () => {
    const { place, has, go, done } = setting();
    const run = place.start('run', 'crew.yaml');
    await until(() => has('began1'), 'the first task works');
    const told = await place.teams('pause', 'crew');
    expect(told.out).toBe(
      'Team crew is paused: nothing begins. 1 task may end the present turn. `teams unpause crew` lets it go on.\n',
    );
    expect(await place.json(answer, 'pause', 'crew')).toMatchObject({ paused: true, changed: false, working: 1 });
    go();
    await until(async () => (await done()) === 1, 'the first task is done');
    expect((await place.json(status, 'status', 'crew')).outcome).toBe('waiting');
    const why = await place.teams('why', 'crew');
    expect(why.out).toContain('the end of a pause');
    expect(why.out).toContain('teams unpause crew');
    const claimed = await place.teams('task', 'claim', '2', '--as', 'ada');
    expect(claimed).toMatchObject({ code: 3 });
    expect(claimed.err).toContain('paused');
    expect(has('began2')).toBe(false);
    expect((await place.teams('unpause', 'crew')).out).toBe('Team crew goes on.\n');
    expect(await run.ended).toMatchObject({ code: 0 });
    expect(has('began2')).toBe(true);
    expect((await place.teams('pause', 'crew')).code).not.toBe(0);
  });

  it('a run whose lead was killed in a pause goes on with resume', async () => {
    const { place, has, go } = setting();
    const run = place.start('run', 'crew.yaml');
    await until(() => has('began1'), 'the first task works');
    await place.teams('pause', 'crew');
    run.child.kill('SIGKILL');
    await run.ended;
    go();
    expect((await place.start('resume', 'crew').ended).code).toBe(0);
    expect((await place.teams('log', 'crew')).out).toContain('ended the pause of the team');
    expect(has('began2')).toBe(true);
  });
});
