/** The merge for a git before 2.38, against the one of a newer git: the same results, where there are no renames. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { GitFailure } from '../../../src/runtime/process/git-tree.ts';
import { mergeByIndex } from '../../../src/runtime/trees/merge-by-index.ts';
import { mergeCommit, mergeTrees } from '../../../src/runtime/trees/merge.ts';
import { commitTree } from '../../../src/runtime/trees/vault-commits.ts';
import { tempDir } from '../../support/temp.ts';
import { git } from '../../support/tree-scene.ts';

type Files = Map<string, { readonly text: string; readonly isProgram: boolean }>;

const NAMES = ['a.txt', 'b c.txt', 'd/e.txt', 'd/f,g.txt', 'ü"x"', 'two\nlines', 'h'];

/** A small generator, so that a seed draws the same numbers again. */
function draws(seed: number): (below: number) => number {
  let state = seed * 7_919;
  return (below) => Math.floor(((state = (state * 48_271) % 2_147_483_647) / 2_147_483_647) * below);
}

const linesOf = (name: string): string[] => Array.from({ length: 12 }, (_, at) => `${name} line ${at}`);

function changed(files: Files, who: string, draw: (below: number) => number): Files {
  const next: Files = new Map(files);
  for (const name of NAMES) {
    if (draw(10) < 6) continue;
    const file = next.get(name);
    const what = draw(8);
    if (file === undefined) {
      if (what === 0) next.set(name, { text: `${linesOf(`${name} of ${who}`).join('\n')}\n`, isProgram: false });
      if (what === 1) next.set(name, { text: `${linesOf(`${name} of both`).join('\n')}\n`, isProgram: false });
      continue;
    }
    const lines = file.text.split('\n');
    if (what === 0) next.delete(name);
    else if (what === 1) next.set(name, { ...file, isProgram: !file.isProgram });
    else if (what < 5) {
      lines[draw(12)] = `changed by ${who}`;
      next.set(name, { ...file, text: lines.join('\n') });
    } else if (what === 5) next.set(name, { ...file, text: `\0binary of ${who}` });
  }
  if (draw(6) === 0) next.set('h/inner', { text: `${who}\n`, isProgram: false });
  if (next.has('h/inner')) next.delete('h');
  return next;
}

const SEEDS = Array.from({ length: 40 }, (_, at) => at + 1);

it('merges as a newer git does, conflicts in the same files, and leaves marks', { timeout: 300_000 }, async () => {
  const at = tempDir();
  git(at, 'init', '-q');
  const commit = (files: Files, ...parents: string[]): string => {
    execFileSync('find', ['.', '-mindepth', '1', '-not', '-path', './.git*', '-delete'], { cwd: at });
    for (const [name, { text, isProgram }] of files) {
      mkdirSync(dirname(join(at, name)), { recursive: true });
      writeFileSync(join(at, name), text);
      chmodSync(join(at, name), isProgram ? 0o755 : 0o644);
    }
    rmSync(join(at, '.git/index'), { force: true });
    git(at, 'add', '-A');
    const tree = git(at, 'write-tree').trim();
    return git(at, 'commit-tree', tree, ...parents.flatMap((one) => ['-p', one]), '-m', 'x').trim();
  };
  const env = {
    GIT_DIR: join(at, '.git'),
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'merge.renames',
    GIT_CONFIG_VALUE_0: 'false',
  };
  const where = { cwd: at, isOurs: true, signal: new AbortController().signal, env };
  let [clean, torn] = [0, 0];
  for (const seed of SEEDS) {
    const draw = draws(seed);
    const first: Files = new Map(
      NAMES.slice(0, 5).map((name) => [name, { text: `${linesOf(name).join('\n')}\n`, isProgram: false }]),
    );
    const base = commit(first);
    const [ours, theirs] = ['ada', 'bob'].map((who) => commit(changed(first, who, draw), base));
    const expected = await mergeTrees(ours ?? '', theirs ?? '', where);
    const found = await mergeByIndex(ours ?? '', theirs ?? '', where);
    const words = { message: 'Of both\n\nTeams-Task: 1', date: '1700000000' };
    const inOne = await mergeCommit(ours ?? '', theirs ?? '', words, where);
    // Of a file that is a folder on the other side, a newer git keeps the file beside it, under another name.
    const named = expected.conflicts.map((path) => path.replace(/~[0-9a-f]{40}$/, ''));
    expect([seed, [...found.conflicts].sort()]).toEqual([seed, [...new Set(named)].sort()]);
    if (expected.conflicts.length === 0) {
      expect([seed, found.tree]).toEqual([seed, expected.tree]);
      const parents = [ours ?? '', theirs ?? ''];
      const commit = commitTree({ tree: expected.tree, parents, ...words }, where);
      const listed = git(
        at,
        'rev-list',
        '--objects',
        '--no-object-names',
        commit,
        '--not',
        ours ?? '',
        `${ours}^{tree}`,
      );
      const objects = listed.trim().split('\n').sort();
      const sorted = 'objects' in inOne && { ...inOne, objects: [...(inOne.objects ?? [])].sort() };
      expect([seed, sorted]).toEqual([seed, { tree: expected.tree, commit, objects }]);
      clean += 1;
      continue;
    }
    expect([seed, inOne]).toEqual([seed, expected]);
    torn += 1;
    for (const path of found.conflicts.filter((one) =>
      expected.said.some((line) => line.includes('content') && line.includes(one)),
    ))
      expect(git(at, 'show', `${found.tree}:${path}`)).toBe(git(at, 'show', `${expected.tree}:${path}`));
  }
  expect(Math.min(clean, torn)).toBeGreaterThan(5);
});

it('fails where one side cannot be read, which git takes for unchanged', async () => {
  const at = tempDir();
  git(at, 'init', '-q');
  const commit = (name: string, ...parents: string[]): string => {
    writeFileSync(join(at, name), `${name}\n`);
    git(at, 'add', '-A');
    const tree = git(at, 'write-tree').trim();
    rmSync(join(at, name));
    return git(at, 'commit-tree', tree, ...parents.flatMap((one) => ['-p', one]), '-m', name).trim();
  };
  const base = commit('base');
  const [ours, theirs] = [commit('ours', base), commit('theirs', base)];
  const where = { cwd: at, isOurs: true, signal: new AbortController().signal, env: { GIT_DIR: join(at, '.git') } };
  const tree = git(at, 'rev-parse', `${theirs}^{tree}`).trim();
  rmSync(join(at, '.git/objects', tree.slice(0, 2), tree.slice(2)));
  const words = { message: 'Both', date: '1700000000' };
  await expect(mergeTrees(ours, theirs, where)).rejects.toThrow(`Could not read ${tree}`);
  await expect(mergeCommit(ours, theirs, words, where)).rejects.toThrow(GitFailure);
});
