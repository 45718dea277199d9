/** `teams undo` takes back exactly what a run did: every byte of the user's is compared before and after. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { Workplace, type Answer } from '../support/cli.ts';
import { git } from '../support/tree-scene.ts';

/** Every file and link that is neither git's nor ours with its mode and bytes, and the index. */
function stateOf(at: string) {
  const entries = readdirSync(at, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/\/(?:\.git|\.teams|\.tasks)(?:\/|$)/.test(path))
    .sort();
  const shown = (path: string): string => {
    const { mode } = lstatSync(path);
    if (path.endsWith('big.bin')) return 'big';
    const text = lstatSync(path).isSymbolicLink() ? readlinkSync(path) : readFileSync(path, 'base64');
    return `${mode.toString(8)} ${text}`;
  };
  return {
    files: Object.fromEntries(entries.map((path) => [relative(at, path), shown(path)])),
    index: git(at, 'ls-files', '--stage'),
    branches: git(at, 'for-each-ref', 'refs/heads'),
  };
}

interface Scene {
  readonly place: Workplace;
  readonly at: string;
  readonly before: ReturnType<typeof stateOf>;
  readonly teams: (...argv: string[]) => Promise<Answer>;
}

/** A repository, made ready, and a run of one command in it. */
async function ran(command: string, ready: (at: string) => void = () => {}, commits = true): Promise<Scene> {
  const place = new Workplace();
  const at = join(place.root, 'work');
  mkdirSync(at);
  git(at, 'init', '-q');
  const plan = {
    name: 'p',
    members: [{ name: 'ada', agent: { kind: 'exec' } }],
    tasks: [{ subject: 'Do', run: command }],
  };
  const files = {
    'a.txt': 'one\ntwo\n',
    'b.txt': 'bee\n',
    'dir/c.txt': 'sea\n',
    '.gitignore': '*.log\n',
    'p.json': JSON.stringify(plan),
  };
  mkdirSync(join(at, 'dir'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(at, name), text);
  if (commits) {
    git(at, 'add', '-A');
    git(at, 'commit', '-qm', 'begin');
  }
  ready(at);
  const before = stateOf(at);
  const teams = (...argv: string[]) => place.say(argv, { cwd: at });
  const { code, out, err } = await teams('run', 'p.json', '--quiet');
  expect(code, `${out}${err}`).toBe(0);
  expect(out).toContain('Undo: teams undo p');
  expect(out).not.toContain('git ');
  return { place, at, before, teams };
}

const DEED = 'echo three >>a.txt; rm b.txt; mkdir -p new/er; echo n >new/er/n.txt';

it.each<[string, string, ((at: string) => void)?, false?]>([
  ['changed, removed and new files', DEED],
  ['renamed files', 'mv a.txt z.txt; mv dir other'],
  ['modes and links', 'chmod +x a.txt; ln -s a.txt link; rm b.txt; ln -s dir/c.txt b.txt'],
  ['a file in place of a directory, and the reverse', 'rm -r dir; echo f >dir; rm a.txt; mkdir a.txt; echo x >a.txt/x'],
  [
    'a private file',
    'echo x >>secret',
    (at) => {
      writeFileSync(join(at, 'secret'), 's');
      chmodSync(join(at, 'secret'), 0o600);
    },
  ],
  [
    'a dirty index and unsaved work',
    DEED,
    (at) => {
      writeFileSync(join(at, 'a.txt'), 'staged\n');
      git(at, 'add', 'a.txt');
      writeFileSync(join(at, 'a.txt'), 'staged, then changed\n');
      writeFileSync(join(at, 'mine.txt'), 'untracked\n');
    },
  ],
  ['ignored files', `${DEED}; echo more >>out.log`, (at) => writeFileSync(join(at, 'out.log'), '')],
  [
    'Windows line ends and attributes',
    'printf "x\\r\\n" >>w.txt; echo y >>u.txt',
    (at) => {
      writeFileSync(join(at, '.gitattributes'), '* text=auto\nu.txt eol=crlf\n');
      writeFileSync(join(at, 'w.txt'), 'a\r\nb\n');
      writeFileSync(join(at, 'u.txt'), 'a\nb\r\n');
    },
  ],
  [
    'a filter of the repository',
    DEED,
    (at) => {
      writeFileSync(join(at, '.gitattributes'), '*.txt filter=up\n');
      git(at, 'config', 'filter.up.clean', 'tr a-z A-Z');
      git(at, 'config', 'filter.up.smudge', 'tr A-Z a-z');
      git(at, 'add', '-A');
      git(at, 'commit', '-qm', 'filtered');
    },
  ],
  [
    'a filter of the user that is not installed',
    DEED,
    (at) => {
      writeFileSync(join(at, '.gitattributes'), '*.txt filter=gone\n');
      writeFileSync(join(at, '../home/.gitconfig'), '[filter "gone"]\nclean = not-installed\nrequired = true\n');
    },
  ],
  [
    'encodings that files have, and have not, and `$Id$`',
    'printf "h\\366\\n" >latin.txt; printf "h\\0" >wide.txt; echo more >>unknown.txt; echo more >>id.txt; echo more >>a.txt',
    (at) => {
      const attributes = [
        'latin.txt text working-tree-encoding=ISO-8859-1',
        'wide.txt text working-tree-encoding=UTF-16',
        'unknown.txt text working-tree-encoding=NO-SUCH',
        'id.txt ident',
      ];
      writeFileSync(join(at, 'latin.txt'), Buffer.from('h\u00e4\n', 'latin1'));
      writeFileSync(join(at, 'wide.txt'), Buffer.from('\ufeffhi\n', 'utf16le'));
      writeFileSync(join(at, 'unknown.txt'), 'hi\n');
      writeFileSync(join(at, 'id.txt'), '$Id: 123 $\n');
      git(at, 'add', '-A');
      git(at, 'commit', '-qm', 'encoded');
      writeFileSync(join(at, '.gitattributes'), `${attributes.join('\n')}\n`);
    },
  ],
  [
    'a sparse checkout',
    'echo x >>a.txt; echo y >made',
    (at) => {
      git(at, 'sparse-checkout', 'set', '--no-cone', '/*.txt', '/p.json', '/.gitignore');
    },
  ],
  ['a repository without commits', DEED, () => {}, false],
  ['odd names', 'printf x >"-rf \'q\' \\"d\\" é"; printf y >"new\nline"; rm b.txt'],
])('%s are taken back and brought back, byte for byte', async (_, command, ready, commits) => {
  const { at, before, teams } = await ran(command, ready, commits);
  const after = stateOf(at);
  const undone = await teams('undo', 'p', '--yes');
  expect(undone.code, undone.err).toBe(0);
  // What git ignores is not kept.
  const ignored = 'out.log' in before.files ? { 'out.log': after.files['out.log'] ?? '' } : {};
  expect(stateOf(at)).toEqual({ ...before, files: { ...before.files, ...ignored } });
  expect((await teams('undo', 'p', '--yes')).out).toContain('Nothing to do');
  expect((await teams('undo', 'p', '--redo', '--yes')).code).toBe(0);
  expect(stateOf(at)).toEqual(after);
});

it('files of a filter that are too large in all are left, with the reason, and the rest is taken back', async () => {
  const { at, before, teams } = await ran('echo three >>a.txt; rm b.txt; echo n >new.md', (root) => {
    truncateSync(join(root, 'a.txt'), 70 * 2 ** 20);
    writeFileSync(join(root, '.gitattributes'), '*.txt filter=up\n');
    git(root, 'config', 'filter.up.clean', 'tr a-z A-Z');
    git(root, 'add', '-A');
    git(root, 'commit', '-qm', 'filtered');
  });
  const { code, out, err } = await teams('undo', 'p', '--yes');
  expect(code, err).toBe(0);
  for (const path of ['a.txt', 'b.txt'])
    expect(out).toContain(
      `left, as a filter of git (such as LFS) stands between it and its content, and such files are too large in all: ${path}`,
    );
  expect(Object.keys(stateOf(at).files)).toEqual(Object.keys(before.files).filter((path) => path !== 'b.txt'));
});

it('a project whose path has a line break can be undone', async () => {
  const place = new Workplace();
  const at = join(place.root, 'two\nlines\n');
  mkdirSync(at);
  git(at, 'init', '-q');
  const plan = {
    name: 'p',
    members: [{ name: 'ada', agent: { kind: 'exec' } }],
    tasks: [{ subject: 'Do', run: 'echo new >a.txt; echo new >b.txt' }],
  };
  writeFileSync(join(at, 'p.json'), JSON.stringify(plan));
  writeFileSync(join(at, 'a.txt'), 'old\n');
  const before = stateOf(at);
  const teams = (...argv: string[]) => place.say(argv, { cwd: at });
  expect((await teams('run', 'p.json', '--quiet')).out).toContain('Undo: teams undo p');
  expect((await teams('undo', 'p', '--yes')).code).toBe(0);
  expect(stateOf(at)).toEqual(before);
  const trees = await teams('run', 'p.json', '--isolation', 'trees', '--fresh', '--quiet');
  expect([trees.code, trees.err]).toEqual([5, expect.stringContaining('the path of the project has a line break')]);
});

it('later edits of other files stay; a file that was edited since is named, and nothing is done', async () => {
  const { at, before, teams } = await ran(DEED);
  writeFileSync(join(at, 'later.txt'), 'mine');
  writeFileSync(join(at, 'dir/c.txt'), 'mine too');
  writeFileSync(join(at, 'a.txt'), 'edited since');
  const edited = stateOf(at);
  const refused = await teams('undo', 'p', '--yes');
  expect(refused.code).toBe(3);
  expect(refused.err).toContain('a.txt was changed since');
  expect(stateOf(at)).toEqual(edited);
  renameSync(join(at, 'a.txt'), join(at, 'kept.txt'));
  writeFileSync(join(at, 'a.txt'), 'one\ntwo\nthree\n');
  expect((await teams('undo', 'p', '--yes')).code).toBe(0);
  const { files } = stateOf(at);
  expect(Object.keys(files)).toEqual(expect.arrayContaining(['kept.txt', 'later.txt']) as string[]);
  for (const name of ['a.txt', 'b.txt']) expect(files[name]).toBe(before.files[name]);
  expect(readFileSync(join(at, 'dir/c.txt'), 'utf8')).toBe('mine too');
  expect(existsSync(join(at, 'new'))).toBe(false);
});

it("an ignored file that a run made visible is not the run's to remove", async () => {
  const { at, teams } = await ran('echo >.gitignore; echo x >>a.txt', (root) =>
    writeFileSync(join(root, 'env.log'), 'KEY'),
  );
  const { code, out, err } = await teams('undo', 'p', '--yes');
  expect(code, err).toBe(0);
  expect(out).toContain('left, as it is older than the run: env.log');
  expect(readFileSync(join(at, 'env.log'), 'utf8')).toBe('KEY');
  expect(readFileSync(join(at, '.gitignore'), 'utf8')).toBe('*.log\n');
});

it('an untracked file of 300 MB is not kept: it is named and left, and the rest is taken back', async () => {
  const { at, before, teams } = await ran('echo x >>big.bin; echo y >>a.txt', (root) => {
    writeFileSync(join(root, 'big.bin'), '');
    truncateSync(join(root, 'big.bin'), 300_000_000);
  });
  const { code, err } = await teams('undo', 'p', '--yes');
  expect(code, err).toBe(0);
  expect(stateOf(at)).toEqual(before);
  expect(lstatSync(join(at, 'big.bin')).size).toBe(300_000_002);
});

it('files whose names are not UTF-8 are named and left, and the rest is taken back', async () => {
  const command = `echo odd >"$(printf 'n\\377')"; echo even >"$(printf 'n\\376')"; echo three >>a.txt`;
  const { at, teams } = await ran(command);
  const { code, out, err } = await teams('undo', 'p', '--yes');
  expect(code, err).toBe(0);
  expect(out + err).toContain('its name is not UTF-8 or has U+FFFD in it');
  expect(readFileSync(join(at, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
  expect(git(at, '-c', 'core.quotePath=on', 'ls-files', '--others', '--exclude-standard')).toBe('"n\\376"\n"n\\377"\n');
});

it('nothing is written through a link that was put in the place of a directory', async () => {
  const { place, at, teams } = await ran('echo x >dir/new.txt; echo y >>dir/c.txt');
  const outside = join(place.root, 'outside');
  renameSync(join(at, 'dir'), outside);
  symlinkSync(outside, join(at, 'dir'));
  const { code, err } = await teams('undo', 'p', '--yes');
  expect(code).toBe(3);
  expect(err).toContain('dir/c.txt');
  expect(readFileSync(join(outside, 'new.txt'), 'utf8')).toBe('x\n');
});

it.each<[string, string, string, string | undefined]>([
  [
    'an empty directory',
    'rm a.txt; mkdir -p a.txt/x/y; echo x >a.txt/x/y/z',
    'rm a.txt/x/y/z; mkdir a.txt/w',
    undefined,
  ],
  ['a directory with a file of hers', 'rm a.txt; mkdir a.txt; echo x >a.txt/x', 'echo mine >a.txt/mine', 'a.txt/mine'],
  ['a directory with an ignored file', 'rm a.txt; mkdir a.txt; echo x >a.txt/x', 'echo m >a.txt/m.log', 'a.txt/m.log'],
  ['a file of hers', 'rm -r dir', 'echo mine >dir', 'dir'],
  ['a pipe', 'rm -r dir', 'mkfifo dir', 'dir'],
])('in the place of a file that it brings back, %s of a person', async (_, command, edit, named) => {
  const { at, before, teams } = await ran(command);
  execFileSync('sh', ['-c', edit], { cwd: at });
  const pipe = (path: string) => lstatSync(join(at, path), { throwIfNoEntry: false })?.isFIFO() === true;
  const isPipe = pipe('dir');
  const edited = isPipe ? undefined : stateOf(at);
  const { code, err } = await teams('undo', 'p', '--yes');
  if (named === undefined) {
    expect([code, stateOf(at)]).toEqual([0, before]);
    return;
  }
  expect([code, err]).toEqual([3, expect.stringContaining(`Nothing was taken back: ${named} was changed since.`)]);
  if (isPipe) expect(pipe('dir')).toBe(true);
  else expect(stateOf(at)).toEqual(edited);
});

it('a second run of the same name is undone by itself, and one that is running not at all', async () => {
  const { at, before, teams } = await ran('echo run >>a.txt');
  expect((await teams('run', 'p.json', '--quiet', '--fresh')).code).toBe(0);
  expect((await teams('undo', 'p', '--yes')).code).toBe(0);
  expect(readFileSync(join(at, 'a.txt'), 'utf8')).toBe('one\ntwo\nrun\n');
  expect(stateOf(at).index).toBe(before.index);
});

it('without git it says that it cannot, and without a terminal that it wants a word', async () => {
  const place = new Workplace();
  place.put(
    'p.yaml',
    'name: p\nmembers: [{name: ada, agent: {kind: exec}}]\ntasks: [{subject: Do, run: echo x >made}]\n',
  );
  expect((await place.teams('run', 'p.yaml', '--quiet')).code).toBe(0);
  const { code, err } = await place.teams('undo', 'p', '--yes');
  expect([code, err]).toEqual([2, expect.stringContaining('has no safety point, so nothing can be taken back')]);
  expect(existsSync(join(place.root, 'made'))).toBe(true);

  const { at, teams } = await ran(DEED);
  const after = stateOf(at);
  const asked = await teams('undo', 'p');
  expect(asked.code).toBe(2);
  expect(asked.err).toContain('restored: a.txt');
  expect(asked.err).toContain('confirm with --yes');
  expect(stateOf(at)).toEqual(after);
});
