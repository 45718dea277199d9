/** Commits and refs that are written without git: byte for byte what git writes, and never a half of one. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { realDisk, type Disk } from '../../../src/store/files/disk.ts';
import { readCommit, setRef, writeCommit } from '../../../src/store/trees/vault-objects.ts';
import { freeRef, makeRepository } from '../../../src/store/trees/vault.ts';
import { failingAt } from '../../support/faults.ts';
import { tempDir } from '../../support/temp.ts';

const WHO = 'teams <teams@localhost>';
const DATE = '1700000000 +0530';
const MAIN = 'refs/teams/T/main';
const ENV = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((as) => [
    [`GIT_${as}_NAME`, 'teams'],
    [`GIT_${as}_EMAIL`, 'teams@localhost'],
    [`GIT_${as}_DATE`, DATE],
  ]),
);

function repository(format: 'sha1' | 'sha256') {
  const vault = join(tempDir(), 'vault.git');
  makeRepository(vault, { format, settings: [], exclude: '' }, 0);
  const git = (...argv: string[]): string =>
    execFileSync('git', argv, {
      cwd: vault,
      env: { ...process.env, ...ENV, GIT_DIR: vault },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  const tree = git('hash-object', '-w', '-t', 'tree', '/dev/null');
  const commit = (message: string, parents: readonly string[] = [], disk: Disk = realDisk): string =>
    writeCommit(disk, { vault }, { tree, parents, message, author: WHO, committer: WHO, date: DATE });
  return { vault: { vault }, git, tree, commit };
}

describe.each(['sha1', 'sha256'] as const)('a repository of %s', (format) => {
  it('has the commit that git makes of the same words', () => {
    const { vault, git, tree, commit } = repository(format);
    const [root, other] = [commit('First'), commit('Other')];
    const messages = [
      'One line',
      'A subject\n\nTeams-Task: 1\nTeams-Attempt: 1.2',
      'ends with its own\n',
      'größer "$(x)" \\n 🙂',
    ];
    for (const message of messages) {
      const found = commit(message, [root, other, root]);
      const path = join(vault.vault, 'objects', found.slice(0, 2), found.slice(2));
      const bytes = readFileSync(path);
      expect(statSync(path).mode & 0o777).toBe(0o444);
      expect(git('commit-tree', tree, '-p', root, '-p', other, '-m', message)).toBe(found);
      // Git found it there, and did not write it again.
      expect(readFileSync(path)).toEqual(bytes);
      expect(readCommit(realDisk, vault, found)).toEqual({ tree, parents: [root, other] });
    }
    expect(git('fsck', '--strict', '--no-dangling')).toBe('');
  });

  it('is given no commit whose parents are said otherwise than by name', () => {
    const { tree, commit } = repository(format);
    for (const parent of ['HEAD', `${commit('One')}^1`, tree.slice(1), ''])
      expect(() => commit('Two', [parent])).toThrow('no name of an object');
  });

  it('moves a ref only from where it is said to be, and not under the lock of another', () => {
    const { vault, git, commit } = repository(format);
    const [one, two] = [commit('One'), commit('Two')];
    expect(setRef(realDisk, vault, MAIN, { to: one })).toBe(true);
    expect(git('rev-parse', MAIN)).toBe(one);
    expect(setRef(realDisk, vault, MAIN, { from: two, to: two })).toBe(false);
    const lock = join(vault.vault, `${MAIN}.lock`);
    expect([git('rev-parse', MAIN), existsSync(lock)]).toEqual([one, false]);
    expect(setRef(realDisk, vault, MAIN, { from: one, to: two })).toBe(true);
    writeFileSync(lock, '');
    expect(setRef(realDisk, vault, MAIN, { to: one })).toBe(false);
    expect([git('rev-parse', MAIN), existsSync(lock)]).toEqual([two, true]);
    freeRef(vault, MAIN);
  });

  it('leaves a ref that git packed to git', () => {
    const { vault, git, commit } = repository(format);
    const [one, two] = [commit('One'), commit('Two')];
    setRef(realDisk, vault, MAIN, { to: one });
    git('pack-refs', '--all');
    expect(setRef(realDisk, vault, MAIN, { from: one, to: two })).toBe(false);
    expect(git('rev-parse', MAIN)).toBe(one);
  });

  it('reads nothing that is damaged, of another kind, or not there', () => {
    const { vault, git, tree, commit } = repository(format);
    const [one, other] = [commit('One'), commit('Other')];
    const path = (object: string): string => join(vault.vault, 'objects', object.slice(0, 2), object.slice(2));
    execFileSync('chmod', ['u+w', path(one)]);
    writeFileSync(path(one), readFileSync(path(other)));
    expect(readCommit(realDisk, vault, one)).toBeUndefined();
    writeFileSync(path(one), 'x');
    expect(readCommit(realDisk, vault, one)).toBeUndefined();
    expect(readCommit(realDisk, vault, tree)).toBeUndefined();
    expect(readCommit(realDisk, vault, '0'.repeat(one.length))).toBeUndefined();
    expect(git('cat-file', '-t', other)).toBe('commit');
  });
});

it.each(['before', 'after'] as const)('fails %s any of its calls without half a commit or half a ref', (when) => {
  for (let n = 1; ; n += 1) {
    const { vault, git, commit } = repository('sha1');
    const one = commit('One');
    setRef(realDisk, vault, MAIN, { to: one });
    const { disk, fault } = failingAt(n, when, 'ENOSPC');
    fault.isArmed = true;
    try {
      const two = commit('Two', [one], disk);
      setRef(disk, vault, MAIN, { from: one, to: two });
    } catch {
      // Told to whoever lands.
    }
    expect(git('fsck', '--strict', '--no-dangling'), `${fault.fired ?? ''} ${n}`).toBe('');
    expect(['One', 'Two']).toContain(git('log', '-1', '--format=%s', MAIN));
    // As of a process that was killed there.
    freeRef(vault, MAIN);
    if (fault.fired === undefined) return expect(n).toBeGreaterThan(8);
  }
});
