/** The library as a program uses it: the README's example, with agents that need no key. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
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

  it('the public API refuses a wrong field before anything is written, and names it', async () => {
    const root = tempDir();
    vi.stubEnv('XDG_STATE_HOME', join(root, 'state'));
    const make = (options: object) => createTeam('wrong', { root, ...options });
    for (const [options, message] of [
      [
        { members: [{ name: 'ada', agent: { kind: 'exce' } }] },
        /^members\.0\.agent\.kind: Expected "kind" to be one of .*; did you mean "exec"\?$/,
      ],
      [{ members: [{ name: 'ada', agent: 'exec' }] }, /"agent" to be a map, got "exec"\. `agents` makes one/],
      [{ members: [{ name: 'ada', sandbox: 'none' }] }, /^members\.0\.sandbox: Expected "sandbox" to be one of/],
      [{ members: [{ name: 'ada', rol: 'executor' }] }, /^members\.0\.rol: Unknown key "rol"; did you mean "role"\?$/],
      [{ members: ['ada'] }, /^members\.0: Expected an entry of "members" to be a map, got "ada"\.$/],
      [{ profile: 'v9' }, /^Expected "profile" to be one of/],
    ] as const)
      await expect(make(options)).rejects.toMatchObject({
        code: 'USAGE',
        message: expect.stringMatching(message) as unknown,
      });
    expect(readdirSync(root)).toEqual([]);
    await using team = await createTeam('right', { root, members: [{ name: 'ada' }] });
    const call = (work: object) => team.board.add({ subject: 'x', ...work });
    await expect(call({ run: 'true' })).rejects.toMatchObject({ message: 'Unknown key "run"; use "work.run".' });
    await expect(call({ timeout: '5m' })).rejects.toMatchObject({
      message: 'Unknown key "timeout"; use "work.timeoutMs".',
    });
    await expect(call({ blockedBy: 1 })).rejects.toMatchObject({ code: 'USAGE' });
    // As JavaScript sees it.
    const board: { get(reference: unknown): unknown } = team.board;
    const untyped: { send(to: unknown, text: unknown): unknown; spawn(member: unknown): unknown } = team;
    expect(() => board.get(1)).toThrow('as a text, got 1.');
    await expect(untyped.send('ada', 5)).rejects.toMatchObject({ message: 'Expected "text" to be a text, got 5.' });
    await expect(untyped.spawn({ name: 'bob', sandbox: 'none' })).rejects.toMatchObject({ code: 'USAGE' });
    expect(team.board.list()).toEqual([]);
  });

  it('an error that a program does not catch is printed without the rest of the bundle', () => {
    const chunks = join('dist', 'chunks');
    const longest = readdirSync(chunks).flatMap((name) => readFileSync(join(chunks, name), 'utf8').split('\n'));
    expect(Math.max(...longest.map(({ length }) => length))).toBeLessThan(4_000);
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
