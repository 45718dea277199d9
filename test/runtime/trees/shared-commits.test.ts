/** Commits that go from one machine to another through what a store keeps: only what git accepts arrives. */
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import type { SharedCommit } from '../../../src/model/board/shared-commit.ts';
import { parseName } from '../../../src/model/text/names.ts';
import { realClock } from '../../../src/os/system-clock.ts';
import { fetchCommit, shareCommit } from '../../../src/runtime/trees/shared-commits.ts';
import { inVault } from '../../../src/runtime/trees/vault.ts';
import { realDisk } from '../../../src/store/files/disk.ts';
import { teamPaths } from '../../../src/store/files/paths.ts';
import { packRefusal } from '../../../src/store/trees/pack-sizes.ts';
import { makeVault } from '../../../src/store/trees/vault.ts';
import { tempDir } from '../../support/temp.ts';

type Sharing = Parameters<typeof fetchCommit>[0];
const how = { signal: new AbortController().signal };
const TEAM = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

/** What the store has: text by hash. */
let kept: Map<string, string>;
let here: Sharing;
let there: Sharing;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
function put(text: string): string {
  kept.set(hashOf(text), text);
  return hashOf(text);
}

function machine(): Sharing {
  const project = tempDir();
  mkdirSync(join(project, '.teams/p'), { recursive: true });
  return {
    disk: realDisk,
    paths: teamPaths(project, parseName('team', 'p')),
    clock: realClock,
    board: { fold: () => ({ team: { id: TEAM } }) },
    relay: {
      keep: (text: string) => Promise.resolve(put(text)),
      kept: (hash: string) => Promise.resolve(kept.get(hash)),
    },
  } as unknown as Sharing;
}

function git({ paths }: Sharing, args: readonly string[], input?: string | Buffer): string {
  const who = ['-c', 'user.name=u', '-c', 'user.email=u@x'];
  const { status, stdout, stderr } = spawnSync('git', ['--git-dir', paths.vault, ...who, ...args], { input });
  expect(status, stderr.toString()).toBe(0);
  return stdout.toString().trim();
}

/** A commit of these files, by path; made without git's own look at names. */
function commit(of: Sharing, files: Readonly<Record<string, string | Buffer>>, parent?: string): string {
  const rows = Object.entries(files).map(([name, text]) => {
    const blob = git(of, ['hash-object', '-w', '--stdin'], Buffer.from(text));
    return { name, row: Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.from(blob, 'hex')]) };
  });
  const body = Buffer.concat(rows.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(({ row }) => row));
  const tree = git(of, ['hash-object', '-w', '-t', 'tree', '--literally', '--stdin'], body);
  return git(of, ['commit-tree', tree, '-m', 'one', ...(parent === undefined ? [] : ['-p', parent])]);
}

const share = (made: string, on?: SharedCommit): Promise<SharedCommit> =>
  shareCommit(here, { commit: made, on }, inVault(here.paths, how));
const packOf = (made: string): Buffer =>
  spawnSync('git', ['--git-dir', here.paths.vault, 'pack-objects', '--revs', '--stdout', '-q'], {
    input: `${made}\n`,
    maxBuffer: 2 ** 27,
  }).stdout;
/** A list with this pack, as a store may have it. */
const forged = (made: string, pack: Buffer): SharedCommit => ({
  commit: made,
  bundle: put(JSON.stringify({ commit: made, on: null, pieces: [put(pack.toString('base64'))] })),
});
const has = (of: Sharing, made: string): boolean =>
  existsSync(of.paths.vault) &&
  spawnSync('git', ['--git-dir', of.paths.vault, 'rev-list', '--objects', '--quiet', made]).status === 0;

beforeEach(() => {
  kept = new Map();
  here = machine();
  there = machine();
  makeVault(here.paths, { format: 'sha1', settings: [], exclude: 'notes/' }, 0);
});

describe('a commit that a store keeps', () => {
  it('arrives with what it stands on, and the list of ignored files', async () => {
    const first = await share(commit(here, { a: 'one' }));
    const second = await share(commit(here, { a: 'one', b: 'two' }, first.commit), first);
    const third = await share(commit(here, { b: 'two' }, second.commit), second);
    await fetchCommit(there, third, how);
    for (const made of [first, second, third]) expect(has(there, made.commit)).toBe(true);
    expect(git(there, ['show', `${third.commit}:b`])).toBe('two');
    expect(git(there, ['rev-parse', `refs/teams/${TEAM}/root`])).toBe(first.commit);
    expect(git(there, ['--work-tree', tempDir(), 'check-ignore', '--no-index', 'notes/x'])).toBe('notes/x');
  });

  it('has only what is new in it, and is not asked for again', async () => {
    const first = await share(commit(here, { great: randomBytes(3 * 2 ** 20), a: 'one' }));
    const before = [...kept.values()].join('').length;
    const second = await share(commit(here, { a: 'two' }, first.commit), first);
    expect([...kept.values()].join('').length - before).toBeLessThan(2_000);
    await fetchCommit(there, second, how);
    kept.clear();
    await fetchCommit(there, second, how);
    await fetchCommit(there, first, how);
    expect(has(there, first.commit)).toBe(true);
  });

  it('of many pieces is put together', async () => {
    const made = await share(commit(here, { great: randomBytes(9 * 2 ** 20) }));
    expect(kept.size).toBe(4);
    await fetchCommit(there, made, how);
    expect(has(there, made.commit)).toBe(true);
  });

  it('is refused if it is too large, with its size', async () => {
    const made = commit(here, { great: randomBytes(65 * 2 ** 20) });
    await expect(share(made)).rejects.toThrow('it is 66 MiB, and the store of a team takes 64 MiB of files at once');
    expect(kept.size).toBe(0);
  });

  it('goes on after a machine that got half of it', async () => {
    const made = await share(commit(here, { a: 'one', b: 'two' }));
    const second = await share(commit(here, { a: 'one', c: 'three' }, made.commit), made);
    await fetchCommit(there, made, how);
    // The objects of the second, but for one: as after a kill.
    const pack = spawnSync('git', ['--git-dir', here.paths.vault, 'pack-objects', '--stdout', '-q'], {
      input: `${second.commit}\n`,
    });
    git(there, ['unpack-objects', '-q'], pack.stdout);
    expect(has(there, second.commit)).toBe(false);
    await fetchCommit(there, second, how);
    expect(has(there, second.commit)).toBe(true);
  });

  it('is not taken from a store that has none, or another one, or only a part', async () => {
    const made = await share(commit(here, { a: 'one' }));
    const other = await share(commit(here, { a: 'two' }));
    const nowhere = { commit: made.commit, bundle: 'a'.repeat(64) };
    await expect(fetchCommit(there, nowhere, how)).rejects.toThrow('does not have the commit');
    const lies = { commit: made.commit, bundle: other.bundle };
    await expect(fetchCommit(there, lies, how)).rejects.toThrow('does not have the commit');
    const { pieces } = JSON.parse(kept.get(made.bundle) ?? '') as { pieces: string[] };
    for (const piece of pieces) kept.delete(piece);
    await expect(fetchCommit(there, made, how)).rejects.toThrow('does not have all of the commit');
  });

  it('is not taken if its list names the pack of another commit', async () => {
    const made = commit(here, { a: 'one' });
    const other = await share(commit(here, { a: 'two' }));
    const list = { ...(JSON.parse(kept.get(other.bundle) ?? '') as object), commit: made };
    await expect(fetchCommit(there, { commit: made, bundle: put(JSON.stringify(list)) }, how)).rejects.toThrow();
    expect(has(there, made)).toBe(false);
  });

  it('is neither given nor taken if a small pack becomes an object of 200 MB', async () => {
    const made = commit(here, { great: Buffer.alloc(200_000_000) });
    const why = 'an object of it is 191 MiB, more than 128 MiB';
    await expect(share(made)).rejects.toThrow(why);
    const pack = packOf(made);
    expect(pack.length).toBeLessThan(300_000);
    await expect(fetchCommit(there, forged(made, pack), how)).rejects.toThrow(why);
    expect(has(there, made)).toBe(false);
  });

  it('is not taken if the objects of its pack are too much together', () => {
    const pack = packOf(commit(here, { a: 'x'.repeat(3_000_000), b: 'y'.repeat(3_000_000) }));
    expect(packRefusal(pack, 20, { object: 4_000_000, whole: 5_000_000 })).toBe(
      'its objects are more than 5 MiB together',
    );
    expect(packRefusal(pack, 20, { object: 4_000_000, whole: 7_000_000 })).toBeUndefined();
  });

  it('is not taken if a delta in its pack becomes gigabytes', async () => {
    const base = git(here, ['hash-object', '-w', '--stdin'], Buffer.alloc(1_000, 'x'));
    const made = commit(here, { a: 'one' });
    const delta = Buffer.concat([Buffer.from([0xe8, 7, 0x80, 0x80, 0x80, 0x80, 16]), Buffer.alloc(1_000, 0x80)]);
    const head = Buffer.from([0x80 | (7 << 4) | (delta.length & 15), delta.length >> 4]);
    const start = Buffer.from('PACK\0\0\0\x02\0\0\0\x01', 'latin1');
    const body = Buffer.concat([start, head, Buffer.from(base, 'hex'), deflateSync(delta)]);
    const pack = Buffer.concat([body, createHash('sha1').update(body).digest()]);
    await expect(fetchCommit(there, forged(made, pack), how)).rejects.toThrow('MiB, more than 128 MiB');
  });

  it.each([0, 5, 12, 40])('is not taken if its pack ends after %i bytes', async (length) => {
    const made = commit(here, { a: 'one' });
    const pack = packOf(made).subarray(0, length);
    await expect(fetchCommit(there, forged(made, pack), how)).rejects.toThrow(/no pack of git|damaged/);
  });

  const names = ['.git', '.GIT', 'git~1', '..', '.', 'a/b', '.git\u200c'];
  it.each(names)('is not taken if a tree of it names %j', async (name) => {
    const made = await share(commit(here, { [name]: 'evil' }));
    await expect(fetchCommit(there, made, how)).rejects.toThrow('unpack-objects');
    expect(
      spawnSync('git', ['--git-dir', there.paths.vault, 'cat-file', '-e', `refs/shared/${made.commit}`]).status,
    ).not.toBe(0);
  });

  it.each(names)('is not taken if a tree of a large one names %j', async (name) => {
    const made = await share(commit(here, { [name]: 'evil', great: randomBytes(3 * 2 ** 20) }));
    await expect(fetchCommit(there, made, how)).rejects.toThrow('index-pack');
  });

  it('is not taken if it lacks a file', async () => {
    const made = commit(here, { a: 'one', b: 'two' });
    const blob = git(here, ['rev-parse', `${made}:b`]);
    const input = git(here, ['rev-list', '--objects', '--no-object-names', made]).replace(blob, '').trim();
    const pack = spawnSync('git', ['--git-dir', here.paths.vault, 'pack-objects', '--stdout', '-q'], { input });
    const list = { commit: made, on: null, pieces: [put(pack.stdout.toString('base64'))] };
    await expect(fetchCommit(there, { commit: made, bundle: put(JSON.stringify(list)) }, how)).rejects.toThrow();
  });

  it('is not taken if a piece of it, or the lists that lead to it, are longer than any that is made', async () => {
    const made = await share(commit(here, { a: 'one' }));
    const list = JSON.parse(kept.get(made.bundle) ?? '') as { pieces: string[] };
    const great = { ...list, pieces: [put('A'.repeat(6 * 2 ** 20))] };
    const bundle = put(JSON.stringify(great));
    await expect(fetchCommit(there, { ...made, bundle }, how)).rejects.toThrow('does not have all of the commit');
    let on: SharedCommit = made;
    for (let count = 0; count < 5; count += 1) {
      const exclude = 'x'.repeat(16 * 2 ** 20) + String(count);
      on = { commit: made.commit, bundle: put(JSON.stringify({ ...list, on, exclude })) };
    }
    await expect(fetchCommit(there, on, how)).rejects.toThrow('the lists of its commits in the store are too long');
  });

  it.each<[string, readonly [string, string][]]>([
    [
      'a submodule, a link out, and names that differ in their case',
      [
        ['160000', 'module'],
        ['120000', 'link'],
        ['100644', 'A'],
        ['100644', 'a'],
      ],
    ],
    ['a link named .gitmodules', [['120000', '.gitmodules']]],
  ])('%s: what is taken is what git accepts, and nothing of it is followed', async (_, entries) => {
    const blob = git(here, ['hash-object', '-w', '--stdin'], '/etc/passwd');
    const rows = entries.map(([mode, name]) => {
      const id = mode === '160000' ? 'a'.repeat(40) : blob;
      return Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]);
    });
    const sorted = rows.toSorted(Buffer.compare.bind(Buffer));
    const tree = git(here, ['hash-object', '-w', '-t', 'tree', '--literally', '--stdin'], Buffer.concat(sorted));
    const made = await share(git(here, ['commit-tree', tree, '-m', 'one']));
    const answer = await fetchCommit(there, made, how).then(
      () => 'taken',
      (error: unknown) => String(error),
    );
    expect(answer).toMatch(entries.length === 1 ? /gitmodules/i : /^taken$/);
  });

  it('is not taken if it is no pack', async () => {
    const made = commit(here, { a: 'one' });
    const list = { commit: made, on: null, pieces: [put(Buffer.from('PACK nonsense').toString('base64'))] };
    await expect(fetchCommit(there, { commit: made, bundle: put(JSON.stringify(list)) }, how)).rejects.toThrow('git');
  });

  it('is fetched by several members of a machine at once', async () => {
    const first = await share(commit(here, { a: 'one' }));
    const second = await share(commit(here, { a: 'one', b: 'two' }, first.commit), first);
    await Promise.all(Array.from({ length: 8 }, () => fetchCommit(there, second, how)));
    expect(has(there, second.commit)).toBe(true);
  });
});
