/** What a tree gets besides the files that git knows, where its programs are isolated, and where they are not. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXEC as ALL, scene, userState, withDependencies } from '../support/tree-scene.ts';

const EXEC = ALL.slice(0, 2);
const FENCED = EXEC.map((member) => ({ ...member, sandbox: 'workspace-write' }));

const isolation = (needs: object): object => ({ isolation: { mode: 'trees', ...needs } });

describe.each([
  ['in an isolation', FENCED, 'can be read'],
  ['without one', EXEC, 'is a copy'],
])('what is lent to trees, %s', (_, members, what) => {
  it(`${what}, never changed in the project, and no change of the member`, async () => {
    const tasks = [
      { subject: 'Use', run: 'cat node_modules/left/index.js .env >seen.txt; rm -f .gitignore', owner: 'ada' },
      {
        subject: 'Break',
        run: 'echo broken >node_modules/left/index.js; echo more >node_modules/more.js; echo KEY=other >.env; echo x >x.txt',
        owner: 'bob',
      },
    ];
    const gates = { test: 'grep -q exports node_modules/left/index.js' };
    const needs = isolation({ lend: ['node_modules', '.env', 'absent'] });
    const { at, teams, landed } = withDependencies({ ...needs, members, tasks, gates });
    const { code, out, err } = await teams('run', 'p.json');
    expect(code, `${out}${err}`).toBe(0);
    expect(err).toContain('No tree has absent');
    expect(landed('seen.txt')).toBe('module.exports = 1;\nKEY=value\n');
    expect(landed('x.txt')).toBe('x\n');
    expect(() => landed('node_modules/more.js')).toThrow();
    expect(() => landed('.env')).toThrow();
    expect(readFileSync(join(at, 'node_modules/left/index.js'), 'utf8')).toBe('module.exports = 1;\n');
    expect(readFileSync(join(at, '.env'), 'utf8')).toBe('KEY=value\n');
    expect(existsSync(join(at, 'node_modules/more.js'))).toBe(false);
  });
});

describe.each([
  ['in an isolation', FENCED],
  ['without one', EXEC],
])('setup and teardown, %s', (_, members) => {
  it('run once in each tree that works, before its first task and after the last; no change of theirs lands', async () => {
    const setup = ['echo "$TEAMS_MEMBER" >>ready.log', 'echo generated >generated.txt; echo changed >>a.txt'];
    const tasks = [
      { subject: 'One', owner: 'ada', run: 'cp ready.log ada.txt' },
      { subject: 'Two', owner: 'ada', run: 'cp ready.log again.txt', blockedBy: [1] },
      { subject: 'Three', owner: 'bob', run: 'cp ready.log bob.txt' },
    ];
    const { at, teams, landed } = scene({
      ...isolation({ setup, teardown: 'mv ready.log down.log' }),
      members,
      tasks,
      gates: { test: 'test -f ready.log' },
    });
    const before = userState(at);
    const { code, out, err } = await teams('run', 'p.json', '--quiet');
    expect(code, `${out}${err}`).toBe(0);
    expect([landed('ada.txt'), landed('again.txt'), landed('bob.txt')]).toEqual(['ada\n', 'ada\n', 'bob\n']);
    expect(landed('a.txt')).toBe('one\ntwo\nthree\n');
    expect(() => landed('generated.txt')).toThrow();
    const down = (of: string): boolean => existsSync(join(at, '.teams/p/trees', of, 'down.log'));
    expect([down('ada'), down('bob'), down('.queue')]).toEqual([true, true, true]);
    expect(userState(at)).toEqual(before);
  });

  it('a setup that fails fails the attempt, with its reason, and runs again for the next one', async () => {
    const setup = 'echo more >>tries.log; test "$(wc -l <tries.log)" -gt 1 || { echo "no such package"; exit 7; }';
    const tasks = [{ subject: 'One', owner: 'ada', run: 'cp tries.log tries.txt', retries: 1 }];
    const { teams, landed } = scene({ ...isolation({ setup }), members, tasks });
    const { code, out, err } = await teams('run', 'p.json', '--quiet');
    expect(code, `${out}${err}`).toBe(0);
    expect(landed('tries.txt')).toBe('more\nmore\n');
    const { out: why } = await teams('why', 'p', '1');
    expect(why).toContain('setup of its tree: echo more');
    expect(why).toContain('7');
  });
});

it('the configuration of the user lends to a plan that says nothing about it', async () => {
  const { place, teams, landed } = withDependencies({
    members: FENCED,
    tasks: [{ subject: 'Use', run: 'cat node_modules/left/index.js >seen.txt', owner: 'ada' }],
  });
  place.put('home/config/teams/config.yaml', 'isolation: {lend: [node_modules]}\n');
  const { code, out, err } = await teams('run', 'p.json', '--quiet');
  expect(code, `${out}${err}`).toBe(0);
  expect(landed('seen.txt')).toBe('module.exports = 1;\n');
});
