/** The user's own `git gc --prune=now` runs between any two of our git processes: nothing of ours is garbage to it. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { until } from '../support/cli.ts';
import { collectingGit } from '../support/collecting-git.ts';
import { EXEC, git, scene } from '../support/tree-scene.ts';

const TWO = [
  { subject: 'Say one', run: 'echo ada >ada.txt; printf "one\\ntwo\\nTHREE\\n" >a.txt' },
  { subject: 'Say two', run: 'echo bob >bob.txt', blockedBy: [1] },
];

// Each of our git processes waits for a gc.
const SLOW = { timeout: 240_000 };

const gc = (at: string): string => git(at, 'gc', '--quiet', '--prune=now');

it('an apply beside it keeps both ends, so that it is taken back and brought back after a gc', SLOW, async () => {
  const { place, at, teams } = scene({ tasks: TWO });
  expect((await teams('run', 'p.json', '--quiet')).code).toBe(0);
  writeFileSync(join(at, 'a.txt'), 'ONE\ntwo\nthree\n');
  const collecting = await collectingGit(place, at);
  vi.stubEnv('PATH', collecting.path);
  const { code, out, err } = await teams('apply', 'p');
  vi.stubEnv('PATH', place.environment['PATH']);
  expect(code, `${out}${err}`).toBe(0);
  expect(readFileSync(join(at, 'a.txt'), 'utf8')).toBe('ONE\ntwo\nTHREE\n');
  gc(at);
  expect((await teams('undo', 'p', '--yes')).code).toBe(0);
  expect(readFileSync(join(at, 'a.txt'), 'utf8')).toBe('ONE\ntwo\nthree\n');
  expect((await teams('undo', 'p', '--redo', '--yes')).code).toBe(0);
  expect(readFileSync(join(at, 'a.txt'), 'utf8')).toBe('ONE\ntwo\nTHREE\n');
  expect([collecting.trouble(), collecting.runs() > 10]).toEqual(['', true]);
});

it('an apply and a branch beside it stand on nothing that lay in the project as garbage', SLOW, async () => {
  const { place, at, teams } = scene({ tasks: TWO });
  git(at, 'config', 'user.name', 'Me');
  git(at, 'config', 'user.email', 'me@here');
  expect((await teams('run', 'p.json', '--quiet')).code).toBe(0);
  // Git writes no object that the project has, also where nothing names it.
  const litter = (): void => {
    writeFileSync(join(at, '.git/merged'), 'ONE\ntwo\nTHREE\n');
    git(at, 'hash-object', '-w', '.git/merged');
    rmSync(join(at, '.git/merged'));
  };
  git(at, 'commit', '-qam', 'One', '--allow-empty');
  writeFileSync(join(at, 'a.txt'), 'ONE\ntwo\nthree\n');
  git(at, 'commit', '-qam', 'ONE');
  const collecting = await collectingGit(place, at, 'update-ref', 'fetch');
  vi.stubEnv('PATH', collecting.path);
  litter();
  const branch = await teams('apply', 'p', '--branch', 'work');
  expect(branch.code, `${branch.out}${branch.err}`).toBe(0);
  expect(git(at, 'show', 'work:a.txt')).toBe('ONE\ntwo\nTHREE\n');
  git(at, 'branch', '-D', 'work');
  litter();
  const applied = await teams('apply', 'p');
  expect(applied.code, `${applied.out}${applied.err}`).toBe(0);
  gc(at);
  expect((await teams('undo', 'p', '--yes')).code).toBe(0);
  expect([collecting.trouble(), collecting.runs() > 0]).toEqual(['', true]);
});

it('an undo of a killed run, whose end was not kept, can be brought back after a gc', SLOW, async () => {
  const run = 'echo 1 >>a.txt; echo made >made.txt; exec sleep 60';
  const { place, at, teams } = scene({});
  const plan = { name: 'p', cwd: at, members: EXEC.slice(0, 1), tasks: [{ subject: 'Once', run }] };
  place.put('p.json', JSON.stringify(plan));
  const { child, ended } = place.start('run', 'p.json', '--root', at);
  await until(() => existsSync(join(at, 'made.txt')), 'the task runs');
  child.kill('SIGKILL');
  await ended;
  const after = readFileSync(join(at, 'a.txt'), 'utf8');
  const collecting = await collectingGit(place, at);
  vi.stubEnv('PATH', collecting.path);
  await until(async () => (await teams('status', 'p', '--json')).out.includes('"interrupted"'), 'the lead is gone');
  const ends = (): string[] => git(at, 'for-each-ref', '--format=%(refname)', 'refs/teams').match(/end.*/g) ?? [];
  // Nobody says yes: what it kept serves the next one.
  for (const _ of [1, 2]) expect((await teams('undo', 'p')).code).toBe(2);
  expect(ends()).toEqual(['end']);
  const undone = await teams('undo', 'p', '--yes');
  expect(undone.code, undone.err).toBe(0);
  expect(ends()).toEqual(['end']);
  expect([readFileSync(join(at, 'a.txt'), 'utf8'), existsSync(join(at, 'made.txt'))]).toEqual([
    'one\ntwo\nthree\n',
    false,
  ]);
  gc(at);
  const redone = await teams('undo', 'p', '--redo', '--yes');
  expect(redone.code, redone.err).toBe(0);
  expect([readFileSync(join(at, 'a.txt'), 'utf8'), existsSync(join(at, 'made.txt'))]).toEqual([after, true]);
  expect(collecting.trouble()).toBe('');
  // A killed lead leaves its leases.
  expect((await teams('delete', 'p')).code).toBe(0);
});
