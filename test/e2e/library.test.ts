/** The library as a program uses it: the README's example, with agents that need no key. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { agents, createTeam, openTeam } from '../../src/index.ts';
import { parseMemberName } from '../../src/model/text/names.ts';
import { tempDir } from '../support/temp.ts';
import { example } from './api-example.ts';
import { refusing } from '../support/refusing.ts';

const scripted = (answers: string) => agents.scripted({ options: { turns: [{ answers, repeat: true }] } });

describe('the public API', () => {
  it('the public API creates a team, runs it to the end, reports and leaves an archive', async () => {
    const root = tempDir();
    vi.stubEnv('XDG_STATE_HOME', join(root, 'state'));
    const told: string[] = [];
    const cast = { ada: scripted('profiled'), bob: scripted('fixed'), cy: agents.exec('echo tested') };
    const report = await example(root, (line) => told.push(line), cast);
    expect(told).toEqual(['Profile the login route', 'Fix the slowest call', 'Test it']);
    expect(report).toContain('TEAM RUNNING: 3 of 3 tasks done');
    expect(report).toContain('Tasks: 3/3');
    expect(existsSync(join(root, '.teams', 'login'))).toBe(false);
    expect(readdirSync(join(root, '.teams', '.archive'))).toHaveLength(1);
    await expect(openTeam('login', { root })).rejects.toMatchObject({ code: 'UNKNOWN_TEAM' });
  });

  it('the public API accepts the refusal of a member to stop, leads on, and stops it by force', async () => {
    const root = tempDir();
    vi.stubEnv('XDG_STATE_HOME', join(root, 'state'));
    const stubborn = refusing('I am not done.');
    await using team = await createTeam('login', {
      root,
      members: [{ name: 'ada', agent: stubborn }],
    });
    await team.start();
    for (const end of [() => team.stop({ force: false }), () => team.delete()])
      await expect(end()).rejects.toMatchObject({
        code: 'STILL_RUNNING',
        exitCode: 3,
        message: 'ada refuses to stop (I am not done.); `--force` stops it anyway.',
      });
    expect([team.isLed(), team.status().outcome]).toEqual([true, 'running']);
    await team.spawn({ name: 'bob', agent: agents.exec('echo done') });
    await team.board.add({ subject: 'One more', owner: parseMemberName('bob') });
    await team.done();
    expect(team.board.get('1').status).toBe('completed');
    expect((await team.delete({ force: true })).stopped).toBeDefined();
    expect(existsSync(join(root, '.teams', 'login'))).toBe(false);
  });
});
