/** The library as a program uses it: the README's example, run with agents that need no key. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { agents, openTeam } from '../../src/index.ts';
import { tempDir } from '../support/temp.ts';
import { example } from './api-example.ts';

const scripted = (answers: string) => agents.scripted({ options: { turns: [{ answers, repeat: true }] } });

describe('the public API', () => {
  it('makes a team, runs it to the end, reports and leaves an archive', async () => {
    const root = tempDir();
    vi.stubEnv('XDG_STATE_HOME', join(root, 'state'));
    const told: string[] = [];
    const cast = { ada: scripted('profiled'), bob: scripted('fixed'), cy: agents.exec('echo tested') };
    const report = await example(root, (line) => told.push(line), cast);
    expect(told).toEqual(['Profile the login route', 'Fix the slowest call', 'Test it']);
    expect(report).toContain('TEAM COMPLETE');
    expect(report).toContain('Tasks: 3/3');
    expect(existsSync(join(root, '.teams', 'login'))).toBe(false);
    expect(readdirSync(join(root, '.teams', '.archive'))).toHaveLength(1);
    await expect(openTeam('login', { root })).rejects.toMatchObject({ code: 'UNKNOWN_TEAM' });
  });
});
