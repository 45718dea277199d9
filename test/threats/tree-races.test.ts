/**
 * A program that exchanges folders of its tree for links, and back, while teams keep, show and clean that tree: nothing
 * outside is read into the team's repository, and nothing outside is written or removed.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { parseName } from '../../src/model/text/names.ts';
import { snapshot } from '../../src/runtime/trees/tree-snapshot.ts';
import { inTree } from '../../src/runtime/trees/vault.ts';
import { commitTree } from '../../src/runtime/trees/vault-commits.ts';
import { git } from '../../src/runtime/process/git.ts';
import { findProgram } from '../../src/os/program-path.ts';
import { realDisk } from '../../src/store/files/disk.ts';
import { teamPaths, type TeamPaths } from '../../src/store/files/paths.ts';
import { removeTree } from '../../src/store/files/remove-tree.ts';
import { makeOwnGit, makeVault, readyTree } from '../../src/store/trees/vault.ts';
import { exchanging, FILES, fill, repeating } from '../support/exchanging.ts';
import { tempDir } from '../support/temp.ts';

const { signal } = new AbortController();
const ada = parseName('member', 'ada');

let paths: TeamPaths;
let outside: string;
let tree: string;

const contentsOf = (folder: string): Record<string, string> =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));

beforeEach(() => {
  const root = tempDir();
  outside = join(root, 'outside');
  fill(outside, 'secret');
  const project = join(root, 'project');
  mkdirSync(join(project, '.teams/p'), { recursive: true });
  execFileSync('git', ['init', '-q', '--bare', join(root, 'objects.git')]);
  paths = teamPaths(project, parseName('team', 'p'));
  const objects = join(root, 'objects.git/objects');
  makeVault(paths, { objects, format: 'sha1', settings: [], exclude: '' }, 0);
  readyTree(paths, ada);
  tree = paths.tree(ada);
  for (let file = 0; file < 200; file += 1) writeFileSync(join(tree, `a${file}`), `${file}\n`);
  fill(join(tree, 'd'), 'mine');
});

const blobsOfVault = (): string => {
  const all = ['--git-dir', paths.vault, 'cat-file', '--batch-all-objects'];
  const listed = execFileSync('git', [...all, '--batch-check=%(objecttype) %(objectname)'], { encoding: 'utf8' });
  const blobs = listed.split('\n').flatMap((line) => (line.startsWith('blob ') ? [line.slice(5)] : []));
  const input = blobs.join('\n');
  return execFileSync('git', ['--git-dir', paths.vault, 'cat-file', '--batch'], { input, encoding: 'utf8' });
};

// Without bubblewrap no member is held by anything.
const isIsolating = findProgram('bwrap', process.env['PATH'] ?? '') !== undefined;

describe('while a program exchanges a folder of its tree for a link', { timeout: 60_000 }, () => {
  it.runIf(isIsolating)('nothing of elsewhere is kept in the repository', async () => {
    await exchanging(join(tree, 'd'), outside);
    const where = inTree(paths, ada, { signal });
    const kept = await repeating(async () => {
      await snapshot(where, { lend: [] });
    });
    expect(kept).not.toHaveLength(0);
    const blobs = blobsOfVault();
    expect(blobs).toContain('mine');
    expect(blobs).not.toContain('secret');
  });

  it.runIf(isIsolating)('no file of a state that is shown is written or removed elsewhere', async () => {
    const where = inTree(paths, ada, { signal });
    const full = await snapshot(where, { lend: [] });
    removeTree(realDisk, join(tree, 'd'));
    const bare = await snapshot(where, { lend: [] });
    const before = contentsOf(outside);
    await exchanging(join(tree, 'd'), outside);
    const shown = await repeating(async () => {
      for (const state of [full, bare]) {
        const { code, said } = await git(['read-tree', '--reset', '-u', state], where);
        if (code !== 0) throw new Error(said);
      }
    });
    expect(shown).not.toHaveLength(0);
    expect(contentsOf(outside)).toEqual(before);
  });

  it('its own repository is made anew, and nothing elsewhere is written or removed', async () => {
    const where = inTree(paths, ada, { signal });
    const commit = commitTree({ tree: await snapshot(where, { lend: [] }), parents: [], message: 'one' }, where);
    const before = contentsOf(outside);
    await exchanging(join(tree, '.git/objects'), outside);
    const made = await repeating(() => {
      makeOwnGit(realDisk, paths, ada, { commit, sha256: false });
    });
    expect(made).not.toHaveLength(0);
    expect(contentsOf(outside)).toEqual(before);
  });

  it('its removal removes nothing elsewhere', async () => {
    const before = contentsOf(outside);
    await exchanging(join(tree, 'd/deep/er'), outside);
    await repeating(() => {
      removeTree(realDisk, join(tree, 'd'));
    });
    expect(contentsOf(outside)).toEqual(before);
  });
});

describe('git in a tree', () => {
  it('ignores what the user ignores everywhere', async () => {
    const home = tempDir();
    mkdirSync(join(home, '.config/git'), { recursive: true });
    writeFileSync(join(home, '.config/git/ignore'), '*.log\n');
    vi.stubEnv('HOME', home);
    vi.stubEnv('XDG_CONFIG_HOME', undefined);
    onTestFinished(() => void vi.unstubAllEnvs());
    writeFileSync(join(tree, 'x.log'), 'x\n');
    const where = inTree(paths, ada, { signal });
    const listed = await git(['ls-tree', '--name-only', await snapshot(where, { lend: [] })], where);
    expect(listed.text.split('\n')).toContain('a0');
    expect(listed.text).not.toContain('x.log');
  });

  it('does not wait for a pipe in the place of its files', async () => {
    execFileSync('mkfifo', [join(tree, '.gitignore')]);
    const where = inTree(paths, ada, { signal });
    const listed = await git(['ls-tree', '--name-only', await snapshot(where, { lend: [] })], where);
    expect(listed.text.split('\n')).toContain('a0');
  });
});

it('a folder of any depth is removed, with a link in it that stays a link', () => {
  const deep = join(tree, 'deep');
  const script = `for (let at = 0; at < 3_000; at += 1) { require('fs').mkdirSync('a'); process.chdir('a'); }
    require('fs').symlinkSync(process.argv[1], 'link');`;
  mkdirSync(deep);
  execFileSync(process.execPath, ['-e', script, outside], { cwd: deep });
  symlinkSync(outside, join(deep, 'link'));
  removeTree(realDisk, deep);
  expect(readdirSync(tree)).not.toContain('deep');
  expect(readdirSync(outside)).toHaveLength(FILES);
});
