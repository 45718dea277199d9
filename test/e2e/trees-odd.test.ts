/** Repositories of odd kinds: members work in them, and what they make lands and is applied by hash; or one sentence says why not, before anything is started. */
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Workplace, type Answer } from '../support/cli.ts';
import { git } from '../support/tree-scene.ts';

const ALLOW = ['-c', 'protocol.file.allow=always'];
const TASK = {
  subject: 'One',
  owner: 'ada',
  run: 'printf "new\\n" >new.txt; printf "more\\n" >>a.txt; git log --oneline >/dev/null',
};

/** Makes the repository at `work`, with `a.txt` in it. */
type Make = (root: string, work: string) => void;

function begin(work: string, ...init: string[]): void {
  mkdirSync(work, { recursive: true });
  git(work, 'init', '-q', '-b', 'trunk', ...init);
  writeFileSync(join(work, 'a.txt'), 'one\n');
  git(work, 'add', '-A');
  git(work, 'commit', '-qm', 'begin');
}

function withFolder(work: string): void {
  begin(work);
  mkdirSync(join(work, 'folder'));
  writeFileSync(join(work, 'folder/f.txt'), 'folder\n');
  git(work, 'add', '-A');
  git(work, 'commit', '-qm', 'folder');
}

function conflicting(work: string): void {
  begin(work);
  writeFileSync(join(work, 'c.txt'), 'base\n');
  git(work, 'add', '-A');
  git(work, 'commit', '-qm', 'base');
  git(work, 'switch', '-qc', 'side');
  writeFileSync(join(work, 'c.txt'), 'side\n');
  git(work, 'commit', '-qam', 'side');
  git(work, 'switch', '-q', 'trunk');
  writeFileSync(join(work, 'c.txt'), 'trunk\n');
  git(work, 'commit', '-qam', 'trunk');
}

const attempt = (work: string, ...args: string[]): void => {
  try {
    git(work, ...args);
  } catch {
    // A conflict, which is what is wanted.
  }
};

const LAND: [string, Make][] = [
  [
    'a detached HEAD',
    (_, work) => {
      begin(work);
      git(work, 'checkout', '-q', '--detach');
    },
  ],
  [
    'no commits yet',
    (_, work) => {
      mkdirSync(work);
      git(work, 'init', '-q');
      writeFileSync(join(work, 'a.txt'), 'one\n');
    },
  ],
  ['the object format sha256', (_, work) => begin(work, '--object-format=sha256')],
  [
    'a shallow clone',
    (root, work) => {
      begin(join(root, 'from'));
      appendFileSync(join(root, 'from/a.txt'), 'two\n');
      git(join(root, 'from'), 'commit', '-qam', 'two');
      git(root, ...ALLOW, 'clone', '-q', '--depth=1', `file://${join(root, 'from')}`, work);
    },
  ],
  [
    'a partial clone that has all present files',
    (root, work) => {
      withFolder(join(root, 'from'));
      git(join(root, 'from'), 'config', 'uploadpack.allowFilter', 'true');
      git(root, ...ALLOW, 'clone', '-q', '--filter=blob:none', `file://${join(root, 'from')}`, work);
    },
  ],
  [
    'a linked worktree of another repository',
    (root, work) => {
      begin(join(root, 'main'));
      git(join(root, 'main'), 'worktree', 'add', '-q', work);
    },
  ],
  [
    'a sparse checkout',
    (_, work) => {
      begin(work);
      for (const folder of ['in', 'out']) {
        mkdirSync(join(work, folder));
        writeFileSync(join(work, folder, 'f.txt'), `${folder}\n`);
      }
      git(work, 'add', '-A');
      git(work, 'commit', '-qm', 'folders');
      git(work, 'sparse-checkout', 'set', 'in');
    },
  ],
  [
    'a submodule',
    (root, work) => {
      begin(join(root, 'sub'));
      begin(work);
      git(work, ...ALLOW, 'submodule', 'add', '-q', join(root, 'sub'), 'sub');
      git(work, 'commit', '-qm', 'with a submodule');
      writeFileSync(join(work, 'sub/mine.txt'), 'mine\n');
    },
  ],
  [
    'a merge in the middle',
    (_, work) => {
      conflicting(work);
      attempt(work, 'merge', '-q', 'side');
    },
  ],
  [
    'a rebase in the middle',
    (_, work) => {
      conflicting(work);
      attempt(work, 'rebase', '-q', 'side');
    },
  ],
  [
    'links, also to nowhere and to the outside',
    (root, work) => {
      begin(work);
      writeFileSync(join(root, 'outside'), 'outside\n');
      for (const [name, to] of [
        ['to-a', 'a.txt'],
        ['nowhere', 'missing'],
        ['outside', '../outside'],
      ] as const)
        symlinkSync(to, join(work, name));
      git(work, 'add', '-A');
      git(work, 'commit', '-qm', 'links');
    },
  ],
  [
    'names in no UTF-8, with quotes, newlines and other cases of one letter',
    (_, work) => {
      begin(work);
      writeFileSync(
        Buffer.concat([Buffer.from(`${work}/`), Buffer.from([0xe9, 0xff]), Buffer.from('.txt')]),
        'latin\n',
      );
      for (const name of ['"q"', 'two\nlines', 'A.txt', 'é', 'e\u0301', ' ', '-x', ':(top)'])
        writeFileSync(join(work, name), `${name}\n`);
      git(work, 'add', '-A');
      git(work, 'commit', '-qm', 'names');
    },
  ],
  [
    'line ends that git converts, in a file too whose name is not UTF-8',
    (_, work) => {
      begin(work);
      writeFileSync(join(work, '.gitattributes'), '*.txt text eol=crlf\n*.raw -text\n* text=auto\n');
      writeFileSync(join(work, 'crlf.txt'), 'one\r\ntwo\r\n');
      writeFileSync(join(work, 'mixed.md'), 'one\r\ntwo\n');
      writeFileSync(Buffer.from(`${work}/\xff.txt`, 'latin1'), 'one\r\ntwo\r\n');
      git(work, 'add', '-A');
      git(work, 'commit', '-qm', 'line ends');
      git(work, 'config', 'core.autocrlf', 'true');
    },
  ],
  [
    'modes, a file without a byte, and one of 60 MB',
    (_, work) => {
      begin(work);
      writeFileSync(join(work, 'run.sh'), '#!/bin/sh\n');
      chmodSync(join(work, 'run.sh'), 0o755);
      writeFileSync(join(work, 'empty'), '');
      writeFileSync(join(work, 'large.bin'), Buffer.alloc(60_000_000, 7));
      git(work, 'add', '-A');
      git(work, 'commit', '-qm', 'modes');
    },
  ],
  [
    'a repository of the user within it',
    (_, work) => {
      begin(work);
      begin(join(work, 'inner'));
    },
  ],
  [
    'an edit of a file whose changes git does not look for',
    (_, work) => {
      begin(work);
      git(work, 'update-index', '--skip-worktree', 'a.txt');
      writeFileSync(join(work, 'a.txt'), 'as only I have it\n');
    },
  ],
  [
    'attributes of the user that convert line ends',
    (_, work) => {
      begin(work);
      writeFileSync(join(work, '.git/info/attributes'), '* text=auto\n');
      writeFileSync(join(work, 'a.txt'), 'one\r\n');
      writeFileSync(join(work, 'untracked.txt'), 'two\r\n');
    },
  ],
  [
    'a refusal to convert line ends',
    (_, work) => {
      begin(work);
      git(work, 'config', 'core.autocrlf', 'input');
      git(work, 'config', 'core.safecrlf', 'true');
      writeFileSync(join(work, 'a.txt'), 'one\r\n');
    },
  ],
  [
    'the setting of a disk on which case does not count',
    (_, work) => {
      begin(work);
      git(work, 'config', 'core.ignoreCase', 'true');
      for (const name of ['A.txt', 'New.txt']) writeFileSync(join(work, name), name);
    },
  ],
];

const REFUSED: [string, Make, string, string?][] = [
  [
    'a bare repository',
    (root, work) => {
      begin(join(root, 'from'));
      git(root, 'clone', '-q', '--bare', 'from', work);
    },
    'is a bare git repository',
  ],
  [
    'a folder of a repository',
    (_, work) => {
      begin(work);
      mkdirSync(join(work, 'folder'));
    },
    'the working directory is not the root of its repository',
    'folder',
  ],
  [
    'a partial clone without some files',
    (root, work) => {
      withFolder(join(root, 'from'));
      git(join(root, 'from'), 'config', 'uploadpack.allowFilter', 'true');
      git(root, ...ALLOW, 'clone', '-q', '--filter=blob:none', '--sparse', `file://${join(root, 'from')}`, work);
    },
    'partial clone',
  ],
  [
    'a filter such as LFS',
    (_, work) => {
      begin(work);
      writeFileSync(join(work, '.gitattributes'), '*.bin filter=lfs -text\n');
      writeFileSync(join(work, 'x.bin'), 'version https://git-lfs.github.com/spec/v1\n');
      git(work, 'add', '-A');
      git(work, 'commit', '-qm', 'lfs');
    },
    'a filter of git (such as LFS) stands between x.bin and its content',
  ],
];

function prepared(
  make: Make,
  folder = '',
  name = 'work',
): { at: string; file: string; teams: (...argv: string[]) => Promise<Answer> } {
  const place = new Workplace();
  const work = join(place.root, name);
  make(place.root, work);
  const at = join(work, folder);
  const plan = { name: 'p', isolation: 'trees', members: [{ name: 'ada', agent: { kind: 'exec' } }], tasks: [TASK] };
  const file = place.put('p.json', JSON.stringify(plan));
  return { at, file, teams: (...argv) => place.say(argv, { cwd: at }) };
}

/** Every file, by its bytes; names as bytes, too. */
function filesOf(at: string): Record<string, string> {
  const found: Record<string, string> = {};
  const left: Buffer[] = [Buffer.from(at)];
  for (let folder = left.pop(); folder !== undefined; folder = left.pop())
    for (const name of readdirSync(folder, { encoding: 'buffer' })) {
      const text = name.toString('latin1');
      const path = Buffer.concat([folder, Buffer.from('/'), name]);
      if (folder.toString() === at && ['.git', '.teams', '.tasks', '.gitignore'].includes(text)) continue;
      const stat = lstatSync(path);
      const key = path.subarray(at.length + 1).toString('latin1');
      if (stat.isDirectory()) left.push(path);
      else if (stat.isSymbolicLink()) found[key] = `-> ${readlinkSync(path)}`;
      else found[key] = `${(stat.mode & 0o111) !== 0} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`;
    }
  return found;
}

const facts = (at: string): object => ({
  head: readFileSync(join(git(at, 'rev-parse', '--absolute-git-dir').trim(), 'HEAD'), 'utf8'),
  heads: git(at, 'for-each-ref', 'refs/heads', 'refs/stash'),
  index: git(at, 'ls-files', '--stage'),
  config: git(at, 'config', '--local', '--list'),
});

describe('a change lands, is applied and is taken back in a repository with', () => {
  it.each(LAND)('%s', { timeout: 240_000 }, async (_, make) => {
    const { at, file, teams } = prepared(make);
    const [files, before] = [filesOf(at), facts(at)];
    const run = await teams('run', file, '--quiet');
    expect(run.code, `${run.out}${run.err}`).toBe(0);
    expect(filesOf(at)).toEqual(files);
    expect(facts(at)).toEqual(before);
    const { code, out, err } = await teams('apply', 'p');
    expect(code, `${out}${err}`).toBe(0);
    const sum = (text: string): string => `false ${createHash('sha256').update(text).digest('hex')}`;
    const a = readFileSync(join(at, 'a.txt'), 'utf8');
    expect(a.endsWith('more\n')).toBe(true);
    expect(filesOf(at)).toEqual({ ...files, 'new.txt': sum('new\n'), 'a.txt': sum(a) });
    expect(facts(at)).toEqual(before);
    expect((await teams('undo', 'p', '--yes')).code).toBe(0);
    expect(filesOf(at)).toEqual(files);
  });
});

describe('one sentence refuses, before anything is started,', () => {
  it.each(REFUSED)('%s', { timeout: 120_000 }, async (_, make, said, folder) => {
    const { at, file, teams } = prepared(make, folder);
    const { code, err } = await teams('run', file, '--quiet');
    expect([code, err.trim().split('\n')]).toEqual([5, [expect.stringContaining(said)]]);
    expect(existsSync(join(at, '.teams/p'))).toBe(false);
  });
});

it('a change of a file that a sparse checkout leaves out is applied once the file is there', async () => {
  const { at, file, teams } = prepared((_, work) => {
    withFolder(work);
    git(work, 'mv', 'a.txt', 'folder/a.txt');
    mkdirSync(join(work, 'in'));
    writeFileSync(join(work, 'in/i.txt'), 'in\n');
    git(work, 'add', '-A');
    git(work, 'commit', '-qm', 'moved');
    git(work, 'sparse-checkout', 'set', 'in');
  });
  const plan = { name: 'p', isolation: 'trees', members: [{ name: 'ada', agent: { kind: 'exec' } }] };
  const tasks = [{ subject: 'One', run: 'echo more >>folder/a.txt' }];
  writeFileSync(file, JSON.stringify({ ...plan, tasks }));
  expect((await teams('run', file, '--quiet')).code).toBe(0);
  const { code, err } = await teams('apply', 'p');
  expect(code).toBe(3);
  expect(err).toContain('Nothing was changed: folder/a.txt would change, and git is told to leave that out');
  expect(existsSync(join(at, 'folder'))).toBe(false);
  git(at, 'sparse-checkout', 'add', 'folder');
  expect((await teams('apply', 'p')).code).toBe(0);
  expect(readFileSync(join(at, 'folder/a.txt'), 'utf8')).toBe('one\nmore\n');
});

it('trees are made, land and are applied in a folder whose name git reads as several', async () => {
  const { at, file, teams } = prepared((_, work) => begin(work), '', 'a:b "c" \\d \x1b[31mé');
  expect(await teams('run', file, '--quiet', '--apply')).toMatchObject({ code: 0 });
  expect(readFileSync(join(at, 'a.txt'), 'utf8')).toBe('one\nmore\n');
  expect((await teams('undo', 'p', '--yes')).code).toBe(0);
  expect(readFileSync(join(at, 'a.txt'), 'utf8')).toBe('one\n');
});
