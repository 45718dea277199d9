/** Artifacts of tasks with trees that git ignores: they are kept, and whoever waited for them finds them. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { EXEC, git, scene } from '../support/tree-scene.ts';

it('an artifact that git ignores is kept, named, and in the tree of the task that waited for it; it does not land', async () => {
  const members = EXEC.slice(0, 2);
  const tasks = [
    { subject: 'Build', owner: 'ada', run: 'mkdir -p out && printf "a\\0b" >out/app.log', artifact: 'out/app.log' },
    { subject: 'Use', owner: 'bob', run: 'cp out/app.log used.bin', blockedBy: [1] },
    { subject: 'Again', owner: 'bob', run: 'cmp out/app.log used.bin', blockedBy: [2] },
  ];
  const { at, teams, landed } = scene({ members, tasks });
  const { code, out, err } = await teams('run', 'p.json', '--quiet');
  expect(code, `${out}${err}`).toBe(0);
  expect(landed('used.bin')).toBe('a\0b');
  expect(() => landed('out/app.log')).toThrow();
  const ref = /refs\/teams\/\S+\/outputs\/1\.1/.exec(out)?.[0] ?? '';
  expect(git(at, 'show', `${ref}:out/app.log`)).toBe('a\0b');
  expect((await teams('why', 'p', '1')).out).toContain(ref);
  expect(existsSync(join(at, 'out'))).toBe(false);
}, 120_000);
