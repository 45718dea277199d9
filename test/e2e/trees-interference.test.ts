/** Another process of the user's works in the repository while the team does: nothing is lost, on either side. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { git, scene, type Scene } from '../support/tree-scene.ts';

/** Two tasks; the second one waits until the user has done something. */
const TASKS = [
  { subject: 'One', owner: 'ada', run: 'echo ada >ada.txt' },
  { subject: 'Two', owner: 'bob', run: 'test -e ../../../../../go && echo bob >bob.txt', blockedBy: [1], retries: 100 },
];

it.each<[string, (at: string) => void, string[]]>([
  [
    'commits, and goes to another branch',
    (at) => {
      git(at, 'add', 'mine.txt');
      git(at, 'commit', '-qm', 'mine');
      git(at, 'switch', '-qc', 'other', 'HEAD~1');
      writeFileSync(join(at, 'mine.txt'), 'again\n');
    },
    ['1 file of the project changed since the team began, by you', 'mine.txt'],
  ],
  [
    'stashes its edits',
    (at) => {
      writeFileSync(join(at, 'a.txt'), 'edited\n');
      git(at, 'stash', '-q');
    },
    [],
  ],
  [
    'rebases',
    (at) => {
      git(at, 'switch', '-qc', 'side');
      writeFileSync(join(at, 'side.txt'), 'side\n');
      git(at, 'add', 'side.txt');
      git(at, 'commit', '-qm', 'side');
      git(at, 'switch', '-q', '-');
      writeFileSync(join(at, 'count.txt'), '1\n');
      git(at, 'commit', '-qam', 'count');
      git(at, 'rebase', '-q', 'side');
    },
    ['2 files of the project', 'count.txt, side.txt', 'HEAD of the repository is another commit'],
  ],
  [
    'removes all that nothing refers to',
    (at) => {
      git(at, 'commit', '-q', '--amend', '-m', 'again');
      git(at, 'reflog', 'expire', '--expire=now', '--all');
      git(at, 'gc', '-q', '--prune=now');
    },
    ['HEAD of the repository is another commit'],
  ],
  [
    'begins a new history, and throws the old one away',
    (at) => {
      git(at, 'checkout', '-q', '--orphan', 'fresh');
      git(at, 'commit', '-qm', 'fresh');
      const branches = git(at, 'for-each-ref', '--format=%(refname)', 'refs/heads').trim().split('\n');
      for (const one of branches.filter((name) => !name.endsWith('/fresh'))) git(at, 'update-ref', '-d', one);
      git(at, 'reflog', 'expire', '--expire=now', '--all');
      git(at, 'gc', '-q', '--prune=now');
    },
    ['HEAD of the repository is another commit'],
  ],
])('the user %s', { timeout: 240_000 }, async (_, act, said) => {
  const made: Scene = scene({ tasks: TASKS });
  const { at, teams, landed } = made;
  const running = teams('run', 'p.json', '--quiet');
  const log = join(at, '.tasks/p/log.jsonl');
  await vi.waitFor(() => expect(existsSync(log) && readFileSync(log, 'utf8')).toContain('task.landed'), {
    timeout: 120_000,
  });
  act(at);
  const facts = (): object => ({
    status: git(at, 'status', '--porcelain', '--branch'),
    refs: git(at, 'for-each-ref', 'refs/heads', 'refs/stash'),
  });
  writeFileSync(join(made.place.root, 'go'), '');
  const before = facts();
  const { code, out, err } = await running;
  expect(code, `${out}${err}`).toBe(0);
  expect(facts()).toEqual(before);
  const report = readFileSync(join(at, '.teams/p/report.json'), 'utf8');
  for (const part of said) expect(report).toContain(part);
  if (said.length === 0) expect(report).not.toContain('since the team began');
  expect([landed('ada.txt'), landed('bob.txt')]).toEqual(['ada\n', 'bob\n']);
  expect(git(at, 'fsck', '--no-dangling').trim()).toBe('');
  const applied = await teams('apply', 'p');
  expect(applied.code, `${applied.out}${applied.err}`).toBe(0);
  expect([readFileSync(join(at, 'ada.txt'), 'utf8'), readFileSync(join(at, 'bob.txt'), 'utf8')]).toEqual([
    'ada\n',
    'bob\n',
  ]);
  git(at, 'gc', '-q', '--prune=now');
});
