/** Files in the place of git's own that never end, or at which git waits: our git goes on, or says which it is. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdirSync, openSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { awaitedPipe } from '../../src/os/process-files.ts';
import { gitDiff } from '../../src/runtime/process/git-diff.ts';
import { git } from '../../src/runtime/process/git.ts';
import { repositoryAt, within } from '../../src/runtime/process/git-place.ts';
import { bytesOf, treeChanges } from '../../src/runtime/process/git-tree.ts';
import { withTrees } from '../../src/runtime/process/working-tree.ts';
import { until } from '../support/cli.ts';
import { tempDir } from '../support/temp.ts';

const { signal } = new AbortController();
let root: string;
const at = (...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
    cwd: root,
    encoding: 'utf8',
    stdio: 'pipe',
  });
const pipe = (path: string): string => {
  const full = join(root, path);
  mkdirSync(dirname(full), { recursive: true });
  rmSync(full, { force: true });
  execFileSync('mkfifo', [full]);
  return full;
};

beforeEach(() => {
  root = tempDir();
  at('init', '-q');
  mkdirSync(join(root, 'sub'));
  writeFileSync(join(root, 'sub/file.txt'), 'one\n');
  writeFileSync(join(root, 'a.txt'), 'one\n');
  at('add', '-A');
  at('commit', '-qm', 'one');
  writeFileSync(join(root, 'sub/file.txt'), 'two\n');
  writeFileSync(join(root, 'sub/new.txt'), 'new\n');
});

/** What a safety point, undo and a diff do. */
async function used(): Promise<{ changes: string[]; diff: string }> {
  const found = await repositoryAt({ cwd: root, signal });
  if (typeof found === 'string') throw new Error(found);
  const changes = await withTrees(found, { signal }, {}, ({ files, where }) => treeChanges('HEAD', files, where));
  const diff = await gitDiff(root, signal);
  return { changes: changes.map(({ path }) => path), diff: diff.ok ? diff.text : '' };
}

// The proof is read from /proc; elsewhere the time limit of a call holds.
describe.runIf(process.platform === 'linux')('a named pipe', () => {
  it.each([
    '.gitignore',
    'sub/.gitignore',
    '.gitattributes',
    'sub/.gitattributes',
    '.gitmodules',
    '.git/info/exclude',
    '.git/info/attributes',
    '.git/info/grafts',
    '.git/shallow',
    '.git/config.worktree',
    '.git/objects/info/alternates',
  ])('in the place of %s reads as an empty file', async (path) => {
    if (path.endsWith('config.worktree')) at('config', 'extensions.worktreeConfig', 'true');
    pipe(path);
    const began = performance.now();
    const { changes, diff } = await used();
    expect(changes).toEqual(['sub/file.txt', 'sub/new.txt']);
    expect(diff).toContain('+two');
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  it.each(['.git/commondir', '.git/HEAD', '.git/config', '.git/index', '.git/packed-refs'])(
    'in the place of %s holds nothing up, whatever git says of it',
    async (path) => {
      pipe(path);
      const began = performance.now();
      await used().catch(() => undefined);
      expect(performance.now() - began).toBeLessThan(20_000);
    },
  );

  it.each(['/dev/zero', '/dev/random', '.'])('%s in the place of the index is refused', async (target) => {
    rmSync(join(root, '.git/index'));
    symlinkSync(target, join(root, '.git/index'));
    await expect(used()).rejects.toThrow();
  });

  it('in three hundred directories holds nothing up', async () => {
    for (let one = 0; one < 300; one += 1) pipe(`many/${one}/.gitignore`);
    const began = performance.now();
    const { text } = await git(['ls-files', '--others', '--exclude-standard'], { cwd: root, signal });
    expect(text).toBe('sub/new.txt\n');
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  it('behind a link in the git directory is one, too', async () => {
    pipe('apart');
    rmSync(join(root, '.git/info/exclude'));
    symlinkSync(join(root, 'apart'), join(root, '.git/info/exclude'));
    expect((await used()).changes).toEqual(['sub/file.txt', 'sub/new.txt']);
  });

  it('whose other end is held open ends git, with its name', async () => {
    const path = pipe('sub/.gitattributes');
    const held = openSync(path, constants.O_RDWR);
    onTestFinished(() => {
      closeSync(held);
    });
    const began = performance.now();
    const answer = await git(['add', '-A'], { cwd: root, signal });
    expect(answer.code).toBe(-1);
    expect(answer.said).toBe(`${path} is a pipe, and git waits for it: remove it`);
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  it('is found for a process that waits, and not for one that sleeps', async () => {
    const path = pipe('waited');
    const [reader, sleeper] = [spawn('cat', [path]), spawn('sleep', ['60'])];
    await until(() => awaitedPipe(reader.pid ?? 0) !== undefined, 'cat waits');
    expect(awaitedPipe(reader.pid ?? 0)).toEqual({ path, isOpen: false });
    expect(awaitedPipe(sleeper.pid ?? 0)).toBeUndefined();
    for (const child of [reader, sleeper]) {
      child.kill('SIGKILL');
      await once(child, 'close');
    }
    expect(awaitedPipe(reader.pid ?? 0)).toBeUndefined();
  });
});

it.each(['.gitignore', 'sub/.gitignore', '.git/info/exclude'])(
  'a %s of 60 GiB ends git, and takes no memory',
  async (path) => {
    writeFileSync(join(root, path), '');
    truncateSync(join(root, path), 60 * 2 ** 30);
    const { code, said } = await git(['ls-files', '--others', '--exclude-standard'], { cwd: root, signal });
    expect(code).not.toBe(0);
    expect(said).toMatch(/out of memory/i);
  },
);

describe('what stands for another object is not believed', () => {
  it('refs/replace', async () => {
    const found = await repositoryAt({ cwd: root, signal });
    if (typeof found === 'string') throw new Error(found);
    const where = within(found, { signal });
    const [blob, tree] = [at('rev-parse', 'HEAD:a.txt').trim(), at('rev-parse', 'HEAD^{tree}').trim()];
    writeFileSync(join(root, 'evil'), 'evil\n');
    at('replace', blob, at('hash-object', '-w', 'evil').trim());
    rmSync(join(root, 'evil'));
    expect(at('cat-file', 'blob', blob)).toBe('evil\n');
    expect((await bytesOf({ mode: '100644', hash: blob }, where)).toString()).toBe('one\n');
    at('replace', tree, execFileSync('git', ['mktree'], { cwd: root, encoding: 'utf8', input: '' }).trim());
    expect((await used()).changes).toEqual(['sub/file.txt', 'sub/new.txt']);
    expect((await used()).diff).not.toContain('evil');
  });

  it.each(['bad', ''])('a shallow file (%s)', async (text) => {
    at('commit', '-qam', 'two');
    writeFileSync(join(root, '.git/shallow'), `${text === '' ? at('rev-parse', 'HEAD').trim() : text}\n`);
    const { code, text: count } = await git(['rev-list', '--count', 'HEAD'], { cwd: root, signal });
    expect([code, count]).toEqual([0, '2\n']);
    expect((await used()).changes).toEqual(['sub/new.txt']);
  });

  it('grafts', async () => {
    writeFileSync(join(root, '.git/info/grafts'), `${at('rev-parse', 'HEAD').trim()} ${'1'.repeat(40)}\n`);
    const { code, text } = await git(['rev-list', '--count', 'HEAD'], { cwd: root, signal });
    expect([code, text]).toEqual([0, '1\n']);
  });
});
