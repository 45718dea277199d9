/** `isolation`: who asks for trees (option, plan, configuration), and what the lead's agent and a verifier see of them. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { git, scene } from '../support/tree-scene.ts';

const ONE = [{ subject: 'One', run: 'echo ada >ada.txt' }];

it('the option goes before the plan, and the plan before the configuration', async () => {
  const { at, place, teams, landed } = scene({ tasks: ONE, isolation: undefined });
  place.environment['TEAMS_ISOLATION'] = 'trees';
  expect((await teams('run', 'p.json', '--name', 'a', '--quiet')).code).toBe(0);
  expect(landed('ada.txt')).toBe('ada\n');
  expect(existsSync(join(at, 'ada.txt'))).toBe(false);
  expect((await teams('run', 'p.json', '--name', 'b', '--isolation', 'off', '--quiet')).code).toBe(0);
  expect(readFileSync(join(at, 'ada.txt'), 'utf8')).toBe('ada\n');
});

it('a plan that says nothing shares the files of the project, also under the default auto', async () => {
  const { at, teams } = scene({ tasks: ONE, isolation: undefined });
  expect((await teams('run', 'p.json', '--quiet')).code).toBe(0);
  expect(existsSync(join(at, 'ada.txt'))).toBe(true);
  expect(git(at, 'for-each-ref', 'refs/teams')).not.toContain('/main');
});

it('auto takes trees for several writers in a repository, and says why not elsewhere', async () => {
  const { at, teams, landed } = scene({ tasks: ONE, isolation: 'auto' });
  expect((await teams('run', 'p.json', '--quiet')).code).toBe(0);
  expect(landed('ada.txt')).toBe('ada\n');
  const alone = { name: 'alone', isolation: 'auto', members: [{ name: 'ada', agent: { kind: 'exec' } }], tasks: ONE };
  writeFileSync(join(at, 'alone.json'), JSON.stringify(alone));
  const { code, err } = await teams('run', 'alone.json');
  expect(code, err).toBe(0);
  expect(err).toContain('without trees of their own: fewer than two members may write');
  expect(existsSync(join(at, 'ada.txt'))).toBe(true);
});

it('trees that were asked for and are not possible are refused, and no team is made', async () => {
  const { at, teams } = scene({ tasks: ONE, isolation: undefined });
  mkdirSync(join(at, 'sub'));
  writeFileSync(join(at, 'sub/p.json'), readFileSync(join(at, 'p.json')));
  const { code, err } = await teams('run', 'sub/p.json', '--isolation', 'trees', '--quiet', '--root', at);
  expect([code, err]).toEqual([0, '']);
  const below = { name: 'below', cwd: 'sub', members: [{ name: 'ada', agent: { kind: 'exec' } }], tasks: ONE };
  writeFileSync(join(at, 'below.json'), JSON.stringify(below));
  const refused = await teams('run', 'below.json', '--isolation', 'trees', '--quiet');
  expect(refused.code).toBe(5);
  expect(refused.err).toContain('the working directory is not the root of its repository');
  expect((await teams('list')).out).not.toContain('below');
  const wrong = await teams('run', 'below.json', '--isolation', 'tree');
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('--isolation to be auto, trees, off')]);
});

it("the lead's agent changes shared files in a tree of its own, and what it makes lands after the gates", async () => {
  const lead = { kind: 'exec', command: 'echo more >>shared.txt; echo "DONE 1"' };
  const tasks = [{ subject: 'One', run: 'echo ada >ada.txt; echo "SHARED shared.txt: more"' }];
  const plan = { tasks, lead, sharedFiles: ['shared.txt'], gates: { test: 'test -f ada.txt' } };
  const { at, teams, landed } = scene(plan, { 'shared.txt': 'first\n' });
  const { code, out, err } = await teams('run', 'p.json', '--quiet');
  expect(code, `${out}${err}`).toBe(0);
  expect(landed('shared.txt')).toBe('first\nmore\n');
  expect(readFileSync(join(at, 'shared.txt'), 'utf8')).toBe('first\n');
});

it("what the lead's agent makes does not land if a gate is red then", async () => {
  const lead = { kind: 'exec', command: 'echo more >>shared.txt; echo "DONE 1"' };
  const tasks = [{ subject: 'One', run: 'echo ada >ada.txt; echo "SHARED shared.txt: more"' }];
  const plan = { tasks, lead, sharedFiles: ['shared.txt'], gates: { test: '! grep more shared.txt' } };
  const { at, teams, landed } = scene(plan, { 'shared.txt': 'first\n' });
  const { code, out } = await teams('run', 'p.json', '--quiet');
  expect(code, out).toBe(1);
  expect(out).toContain('did not land');
  expect([landed('shared.txt'), landed('ada.txt')]).toEqual(['first\n', 'ada\n']);
  expect(git(at, 'for-each-ref', '--format=%(refname)', 'refs/teams')).toContain('/lead/');
});

it('a verifier reads what landed, where the files of the project have none of it', async () => {
  const { at, teams } = scene({ tasks: ONE });
  const reviewer = 'exec:test -f ada.txt && echo PASS || echo "FAIL: no ada.txt"';
  const { code, out, err } = await teams('run', 'p.json', '--reviewer', reviewer, '--quiet');
  expect(code, `${out}${err}`).toBe(0);
  expect(out).toContain('Cross-CLI: pass');
  expect(existsSync(join(at, 'ada.txt'))).toBe(false);
});
