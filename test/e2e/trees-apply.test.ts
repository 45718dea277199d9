/** `teams apply`: branches, single tasks, the team that ended last, and what happens to work that nobody applied. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { git, scene, userState } from '../support/tree-scene.ts';

const TWO = [
  { subject: 'Say one', run: 'echo ada >ada.txt; printf "one\\ntwo\\nTHREE\\n" >a.txt' },
  { subject: 'Say two', run: 'echo bob >bob.txt', blockedBy: [1] },
];

it('a branch has one commit a task, the author is the user, and no edit that is not committed is in it', async () => {
  const { at, teams } = scene({ tasks: TWO });
  git(at, 'config', 'user.name', 'Me');
  git(at, 'config', 'user.email', 'me@here');
  writeFileSync(join(at, 'count.txt'), 'not committed\n');
  expect((await teams('run', 'p.json', '--quiet')).code).toBe(0);
  const before = userState(at);
  const { code, out, err } = await teams('apply', '--branch', 'work');
  expect(code, `${out}${err}`).toBe(0);
  expect(out).toContain('Branch work has 2 commits of team p on HEAD');
  expect({ ...before, refs: '' }).toEqual({ ...userState(at), refs: '' });
  expect(git(at, 'log', '--format=%s|%an|%ae|%cn', 'HEAD..work')).toBe(
    'Say two|Me|me@here|Me\nSay one|Me|me@here|Me\n',
  );
  const message = git(at, 'log', '-1', '--format=%B', 'work');
  expect(message).toMatch(/^Teams-Task: 2$/m);
  expect(message).toMatch(/^Teams-Attempt: 2\.1$/m);
  expect(message).toMatch(/^Co-authored-by: (?:ada|bob|cy) </m);
  expect(git(at, 'show', 'work:a.txt')).toBe('one\ntwo\nTHREE\n');
  expect(git(at, 'diff', '--name-only', 'HEAD', 'work')).toBe('a.txt\nada.txt\nbob.txt\n');
  const again = await teams('apply', 'p', '--branch', 'work');
  expect([again.code, again.err]).toEqual([3, expect.stringContaining('Branch work exists already')]);
  expect((await teams('apply', 'p', '--branch', 'no..name')).code).toBe(2);
});

it('a name that is not UTF-8 is written as it is on a branch, and never as another one into the files', async () => {
  const run = `echo odd >"$(printf 'n\\377')"; echo even >"$(printf 'n\\376')"; echo ok >ok.txt`;
  const { at, teams } = scene({ tasks: [{ subject: 'One', run }] });
  git(at, 'config', 'user.name', 'Me');
  git(at, 'config', 'user.email', 'me@here');
  expect((await teams('run', 'p.json', '--quiet')).code).toBe(0);
  const before = userState(at);
  const { code, err } = await teams('apply', 'p');
  expect([code, err]).toEqual([3, expect.stringContaining('is not UTF-8')]);
  expect(userState(at)).toEqual(before);
  expect((await teams('apply', 'p', '--branch', 'work')).code).toBe(0);
  expect(git(at, '-c', 'core.quotePath=on', 'diff', '--name-only', 'HEAD', 'work')).toBe(
    '"n\\376"\n"n\\377"\nok.txt\n',
  );
});

it.each([
  [
    'a folder with an ignored file',
    'mkdir made; echo mine >made/mine.log; echo "*.log" >.git/info/exclude',
    'made/mine.log',
  ],
  ['an empty folder', 'mkdir -p made/empty', undefined],
])('%s of the user in the place of a file that landed', async (_, edit, named) => {
  const { at, teams } = scene({ tasks: [{ subject: 'One', run: 'echo x >made; echo y >other' }] });
  expect((await teams('run', 'p.json', '--quiet')).code).toBe(0);
  execFileSync('sh', ['-c', edit], { cwd: at });
  const before = userState(at);
  const { code, err } = await teams('apply', 'p');
  if (named === undefined) {
    expect([code, readFileSync(join(at, 'made'), 'utf8')]).toEqual([0, 'x\n']);
    return;
  }
  expect([code, err]).toEqual([3, expect.stringContaining(named)]);
  expect([userState(at), existsSync(join(at, named))]).toEqual([before, true]);
});

it('a change that needs an edit of the user is refused as a branch, with its files', async () => {
  const { at, teams } = scene({ tasks: [{ subject: 'One', run: 'echo more >>mine.txt' }] });
  git(at, 'config', 'user.name', 'Me');
  git(at, 'config', 'user.email', 'me@here');
  expect((await teams('run', 'p.json', '--quiet')).code).toBe(0);
  const { code, err } = await teams('apply', 'p', '--branch', 'work');
  expect([code, err]).toEqual([3, expect.stringContaining('mine.txt')]);
  expect(git(at, 'branch', '--list', 'work')).toBe('');
});

it('one task is applied alone, and the next apply brings the rest', async () => {
  const { at, teams } = scene({ tasks: TWO });
  expect((await teams('run', 'p.json', '--quiet')).code).toBe(0);
  expect((await teams('apply', 'p', '--task', '2')).out).toContain('Applied 1 task, 1 file.');
  expect([existsSync(join(at, 'bob.txt')), existsSync(join(at, 'ada.txt'))]).toEqual([true, false]);
  expect((await teams('apply', 'p', '--task', '2')).out).toContain('Nothing to apply');
  expect((await teams('apply', 'p')).out).toContain('Applied 2 tasks, 2 files.');
  expect(existsSync(join(at, 'ada.txt'))).toBe(true);
  expect((await teams('apply', 'p', '--task', '9')).code).toBe(2);
});

it('what landed of a run that partly failed is applied at its end, if that was asked for', async () => {
  const tasks = [
    { subject: 'Good', run: 'echo good >good.txt' },
    { subject: 'Bad', run: 'echo bad >bad.txt; exit 1' },
  ];
  const { at, teams } = scene({ tasks });
  const { code } = await teams('run', 'p.json', '--apply', '--quiet');
  expect(code).toBe(1);
  expect(readFileSync(join(at, 'good.txt'), 'utf8')).toBe('good\n');
  expect(existsSync(join(at, 'bad.txt'))).toBe(false);
  expect((await teams('delete', 'p')).code).toBe(0);
});

it('--yes applies nothing, and work that is not applied is not archived by a next run or a delete', async () => {
  const { at, teams } = scene({ tasks: TWO });
  expect((await teams('run', 'p.json', '--yes', '--quiet')).code).toBe(0);
  expect(existsSync(join(at, 'ada.txt'))).toBe(false);
  const next = await teams('run', 'p.json', '--quiet');
  expect([next.code, next.err]).toEqual([3, expect.stringContaining('2 tasks of team p has landed')]);
  expect((await teams('delete', 'p')).code).toBe(3);
  expect((await teams('delete', 'p', '--force')).code).toBe(0);
  const seen = await teams('prune', '--all', '--dry-run');
  expect(seen.out).toContain('the work of 2 tasks landed and was never applied');
  const applied = await teams('apply', 'p');
  expect(applied.out, applied.err).toContain('Applied 2 tasks');
  expect((await teams('prune', '--all', '--dry-run')).out).not.toContain('never applied');
});

it('work that the files have already counts as applied', async () => {
  const { at, teams } = scene({ tasks: TWO });
  expect((await teams('run', 'p.json', '--quiet')).code).toBe(0);
  writeFileSync(join(at, 'ada.txt'), 'ada\n');
  writeFileSync(join(at, 'bob.txt'), 'bob\n');
  writeFileSync(join(at, 'a.txt'), 'one\ntwo\nTHREE\n');
  expect((await teams('delete', 'p')).code).toBe(3);
  expect((await teams('apply', 'p')).out).toContain('Nothing to apply: your files have all that landed.');
  expect((await teams('undo', 'p', '--yes')).code).toBe(0);
  expect(readFileSync(join(at, 'ada.txt'), 'utf8')).toBe('ada\n');
  expect((await teams('apply', 'p')).code).toBe(0);
  const { code, err } = await teams('delete', 'p');
  expect(code, err).toBe(0);
});
