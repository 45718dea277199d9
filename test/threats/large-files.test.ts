/** A member makes a file of a terabyte, which takes no space and no time: nothing waits for git, and its name is told. */
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { git } from '../../src/runtime/process/git.ts';
import { repositoryAt, within, type Repository } from '../../src/runtime/process/git-place.ts';
import { treeChanges } from '../../src/runtime/process/git-tree.ts';
import { changedBetween, withTrees } from '../../src/runtime/process/working-tree.ts';
import { tempDir } from '../support/temp.ts';
import { scene } from '../support/tree-scene.ts';

const { signal } = new AbortController();
const TERABYTE = 2 ** 40;
/** Git needs its whole minute for one. */
const SOON_MS = 25_000;

const truncated = (path: string): void => {
  writeFileSync(path, '', { flag: 'a' });
  truncateSync(path, TERABYTE);
};

let root: string;
let repository: Repository;

beforeEach(async () => {
  root = tempDir();
  const at = (...args: string[]): void => {
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: root, stdio: 'pipe' });
  };
  at('init', '-q');
  mkdirSync(join(root, 'sub'));
  for (const path of ['.gitattributes', 'package.json', 'sub/a.txt']) writeFileSync(join(root, path), 'one\n');
  writeFileSync(join(root, '.gitattributes'), '* text=auto\n');
  at('add', '-A');
  at('commit', '-qm', 'one');
  const found = await repositoryAt({ cwd: root, signal });
  if (typeof found === 'string') throw new Error(found);
  repository = found;
});

describe('a working tree with files of a terabyte', { timeout: 90_000 }, () => {
  it('is read without them, tracked or not, and says which they are', async () => {
    truncated(join(root, 'package.json'));
    truncated(join(root, 'sub/new'));
    writeFileSync(join(root, 'sub/a.txt'), 'two\n');
    const began = performance.now();
    const found = await withTrees(repository, { signal }, {}, async (trees) => ({
      kept: (await treeChanges('HEAD', trees.files, trees.where)).map(({ path }) => path),
      changed: await changedBetween('HEAD', trees),
    }));
    expect(performance.now() - began).toBeLessThan(SOON_MS);
    expect(found).toEqual({
      kept: ['sub/a.txt'],
      changed: [
        { path: 'sub/a.txt', change: 'modified' },
        { path: 'package.json', change: 'modified' },
        { path: 'sub/new', change: 'added' },
      ],
    });
  });

  it.runIf(process.platform === 'linux').each(['package.json', 'sub/new', '.gitattributes'])(
    'of which git reads %s ends git with its name',
    async (path) => {
      truncated(join(root, path));
      const began = performance.now();
      const env = { GIT_INDEX_FILE: join(root, '.git/other') };
      const { code, said, isLate } = await git(['add', '-A'], { ...within(repository, { signal }), env });
      expect(performance.now() - began).toBeLessThan(SOON_MS);
      expect({ code, said, isLate }).toEqual({
        code: -1,
        said: `${join(root, path)} has 1024 GiB, and git may read no file over 2 GiB: remove it, or have git ignore it`,
        isLate: true,
      });
    },
  );

  it.runIf(process.platform === 'linux')('is no matter of a large pack', async () => {
    rmSync(join(root, 'sub'), { recursive: true });
    mkdirSync(join(root, '.git/objects/pack'), { recursive: true });
    truncated(join(root, '.git/objects/pack/pack-1.pack'));
    expect((await git(['add', '-A'], within(repository, { signal }))).code).toBe(0);
  });
});

describe('a member that makes a file of a terabyte', { timeout: 120_000 }, () => {
  it.each([
    ['tracked', 'a.txt'],
    ['new', 'new.bin'],
  ])('in its tree (%s) fails soon, and its name is told', async (_, path) => {
    const { teams } = scene({ tasks: [{ subject: 'Grow', run: `truncate -s 1T ${path}` }] });
    const began = performance.now();
    const { out, code } = await teams('run', 'p.json', '--quiet', '--json');
    expect(performance.now() - began).toBeLessThan(SOON_MS);
    expect(code).not.toBe(0);
    expect(out).toContain(`${path} has 1024 GiB`);
  });

  it('in the checkout is named in the report, and the rest of its work is kept', async () => {
    const { at, teams } = scene({
      isolation: 'off',
      tasks: [{ subject: 'Grow', run: 'truncate -s 1T a.txt; echo x >b.txt' }],
    });
    const began = performance.now();
    const { out } = await teams('run', 'p.json', '--quiet', '--json');
    expect(performance.now() - began).toBeLessThan(SOON_MS);
    expect(out).toContain('no changed files over 2 GiB: \\"a.txt\\"');
    const undone = await teams('undo', 'p', '--yes');
    expect(undone.code, undone.err).toBe(0);
    expect(existsSync(join(at, 'b.txt'))).toBe(false);
    expect(lstatSync(join(at, 'a.txt')).size).toBe(TERABYTE);
  });
});
