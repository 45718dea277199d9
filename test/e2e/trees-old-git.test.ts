/** A git before 2.38, as Ubuntu 22.04 and Debian 11 have it: it has no `merge-tree --write-tree`. Simulated by a git that refuses the option as these do. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { scene } from '../support/tree-scene.ts';

const TASKS = ['ada', 'bob', 'cy'].map((owner, at) => ({
  subject: `Task ${at}`,
  owner,
  run: `echo ${owner} >>a.txt; echo ${owner} >${owner}.txt`,
}));

it('members land, conflicts go back, and an apply keeps edits of the user', { timeout: 240_000 }, async () => {
  const { place, at, teams, landed } = scene({ tasks: TASKS });
  const real = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const [bin, asked] = [join(place.root, 'bin'), join(place.root, 'asked')];
  mkdirSync(bin);
  const shim = `#!/bin/sh
for word in "$@"; do
  case $word in --write-tree) echo >>'${asked}'; echo 'usage: git merge-tree <base-tree> <branch1> <branch2>' >&2; exit 129;; esac
done
exec '${real}' "$@"
`;
  writeFileSync(join(bin, 'git'), shim, { mode: 0o755 });
  const PATH = `${bin}:${process.env['PATH'] ?? ''}`;
  vi.stubEnv('PATH', PATH);
  place.environment['PATH'] = PATH;
  const { code, out, err } = await teams('run', 'p.json', '--quiet');
  expect(code, `${out}${err}`).toBe(0);
  expect(landed('a.txt').trim().split('\n').slice(3).sort()).toEqual(['ada', 'bob', 'cy']);
  writeFileSync(join(at, 'a.txt'), `mine\n${readFileSync(join(at, 'a.txt'), 'utf8')}`);
  const applied = await teams('apply', 'p');
  expect(applied.code, `${applied.out}${applied.err}`).toBe(0);
  const lines = readFileSync(join(at, 'a.txt'), 'utf8').trim().split('\n');
  expect([lines.slice(0, 4), lines.slice(4).sort()]).toEqual([
    ['mine', 'one', 'two', 'three'],
    ['ada', 'bob', 'cy'],
  ]);
  expect(readFileSync(asked, 'utf8').length).toBeGreaterThan(3);
});
