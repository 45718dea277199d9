/** A project whose members have trees, copied elsewhere or moved: what landed is there, and the work goes on there. */
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scene } from '../support/tree-scene.ts';

it('a copied project needs nothing of the original: it is looked at, applied and worked on after that is gone', async () => {
  const tasks = [
    { subject: 'One', owner: 'ada', run: 'echo ada >ada.txt' },
    {
      subject: 'Two',
      owner: 'bob',
      run: 'test -e ../../../../go && git log --oneline | wc -l >bob.txt',
      blockedBy: [1],
    },
  ];
  const { place, at, teams } = scene({ tasks });
  expect((await teams('run', 'p.json', '--quiet')).code).toBe(1);
  const copy = join(place.root, 'copy');
  cpSync(at, copy, { recursive: true, preserveTimestamps: true });
  rmSync(at, { recursive: true });
  const there = (...argv: string[]) => place.say(argv, { cwd: copy });

  expect((await there('diff', 'p')).out).toContain('+ada');
  // As an earlier version wrote it.
  const objects = join(copy, '.teams/p/vault.git/objects/info/alternates');
  writeFileSync(objects, `${at}/.git/objects\n${at}/.teams/p/vault.git/base\n`);
  writeFileSync(join(copy, 'go'), '');
  expect((await there('task', 'retry', 'p', '2')).code).toBe(0);
  const resumed = await there('resume', 'p', '--quiet');
  expect(resumed.code, `${resumed.out}${resumed.err}`).toBe(0);
  const applied = await there('apply', 'p');
  expect(applied.code, `${applied.out}${applied.err}`).toBe(0);
  expect(readFileSync(join(copy, 'ada.txt'), 'utf8')).toBe('ada\n');
  expect(readFileSync(join(copy, 'bob.txt'), 'utf8').trim()).toMatch(/^[1-9]/);
  expect(readFileSync(objects, 'utf8')).not.toContain(at);
  expect(existsSync(at)).toBe(false);
});
