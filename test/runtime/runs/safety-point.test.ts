/**
 * The safety point of a run, with the installed git: what it keeps, what `teams diff` shows, and that the undo restores
 * it.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { BIN, until, Workplace } from '../../support/cli.ts';
import { collectingGit } from '../../support/collecting-git.ts';
import { changes } from '../../../src/surfaces/cli/shapes/view-shapes.ts';

/** Git without the configuration of this machine. */
const git = (cwd: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=me', '-c', 'user.email=me@here', '-c', 'protocol.file.allow=always', ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], HOME: cwd, GIT_CONFIG_NOSYSTEM: '1' },
  });

/** Every file that is neither git's nor ours, the index, and the branches. */
function stateOf(directory: string) {
  const paths = readdirSync(directory, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)))
    .filter((path) => !/(?:^|\/)(?:\.git|\.teams|\.tasks)(?:\/|$)/.test(path));
  return {
    files: Object.fromEntries(paths.sort().map((path) => [path, readFileSync(join(directory, path), 'utf8')])),
    staged: git(directory, 'ls-files', '--stage'),
    branches: git(directory, 'for-each-ref', 'refs/heads', 'refs/tags'),
  };
}

const DEED =
  'echo new >made.txt; echo changed >kept.txt; rm -f gone.txt; mkdir -p deep/er; echo x >deep/er/x; echo no >out.log';
const PLAN = {
  name: 'tidy',
  members: [{ name: 'ada', agent: { kind: 'exec' } }],
  tasks: [
    { subject: 'Do it', run: DEED, files: ['kept.txt', 'gone.txt'] },
    { subject: 'Go deep', run: 'echo y >deep/y', files: ['deep'], blockedBy: [1] },
  ],
};

/** A repository with staged, changed, untracked and ignored files, and a plan. */
function dirty(place: Workplace): string {
  const at = join(place.root, 'work');
  mkdirSync(at);
  git(at, 'init', '-q');
  const files = { 'kept.txt': 'old', 'gone.txt': 'there', '.gitignore': '*.log\n', 'plan.json': JSON.stringify(PLAN) };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(at, name), text);
  git(at, 'add', '-A');
  git(at, 'commit', '-qm', 'begin');
  writeFileSync(join(at, 'staged.txt'), 'staged');
  git(at, 'add', 'staged.txt');
  writeFileSync(join(at, 'staged.txt'), 'staged, then changed');
  writeFileSync(join(at, 'new here.txt'), 'untracked');
  writeFileSync(join(at, 'out.log'), 'ignored');
  return at;
}

const kinds: Record<string, (place: Workplace) => string> = {
  'with staged, changed, untracked and ignored files': dirty,
  'without a commit'(place) {
    const at = dirty(place);
    git(at, 'update-ref', '-d', 'HEAD');
    return at;
  },
  'that is a linked worktree'(place) {
    const at = join(place.root, 'linked');
    git(dirty(place), 'worktree', 'add', '-q', at);
    writeFileSync(join(at, 'kept.txt'), 'changed before');
    return at;
  },
  'with a submodule'(place) {
    const at = dirty(place);
    const other = join(place.root, 'other');
    mkdirSync(other);
    git(other, 'init', '-q');
    git(other, 'commit', '-qm', 'other', '--allow-empty');
    git(at, 'submodule', '--quiet', 'add', other, 'sub');
    return at;
  },
  'in the middle of a merge, with an empty repository inside'(place) {
    const at = dirty(place);
    git(at, 'commit', '-qam', 'ours');
    git(at, 'checkout', '-q', '-b', 'theirs', 'HEAD~1');
    writeFileSync(join(at, 'kept.txt'), 'theirs');
    git(at, 'commit', '-qam', 'theirs');
    git(at, 'checkout', '-q', '-');
    writeFileSync(join(at, 'kept.txt'), 'ours');
    git(at, 'commit', '-qam', 'ours again');
    expect(() => git(at, 'merge', 'theirs')).toThrow();
    mkdirSync(join(at, 'inner'));
    git(join(at, 'inner'), 'init', '-q');
    return at;
  },
  'that looks at no change of some files'(place) {
    const at = dirty(place);
    git(at, 'update-index', '--skip-worktree', 'kept.txt');
    git(at, 'update-index', '--assume-unchanged', 'gone.txt');
    for (const name of ['kept.txt', 'gone.txt']) writeFileSync(join(at, name), `${name} as only I have it`);
    return at;
  },
  'with a sparse checkout'(place) {
    const at = dirty(place);
    for (const folder of ['in', 'deep']) {
      mkdirSync(join(at, folder));
      writeFileSync(join(at, folder, 'y'), 'of the repository');
    }
    git(at, 'add', 'in', 'deep');
    git(at, 'commit', '-qm', 'folders');
    git(at, 'sparse-checkout', 'set', 'in');
    // Outside, on the disk nevertheless.
    mkdirSync(join(at, 'deep'));
    writeFileSync(join(at, 'deep', 'y'), 'as only I have it');
    return at;
  },
  'whose line ends are converted by attributes that are no file of the project'(place) {
    const at = dirty(place);
    writeFileSync(join(at, '.git/info/attributes'), '* text=auto');
    for (const name of ['kept.txt', 'ends.txt']) writeFileSync(join(at, name), 'one\r\ntwo\r\n');
    return at;
  },
  'that refuses to convert line ends'(place) {
    const at = dirty(place);
    git(at, 'config', 'core.autocrlf', 'input');
    git(at, 'config', 'core.safecrlf', 'true');
    writeFileSync(join(at, 'kept.txt'), 'one\r\ntwo\r\n');
    return at;
  },
  'in which modes do not count'(place) {
    const at = dirty(place);
    git(at, 'config', 'core.fileMode', 'false');
    for (const name of ['kept.txt', 'gone.txt', 'new here.txt']) chmodSync(join(at, name), 0o755);
    return at;
  },
  'in a folder whose name git reads as several'(place) {
    const at = join(place.root, 'a:b "c" \\d \x1b[31m\x85é');
    renameSync(dirty(place), at);
    return at;
  },
  'in which case does not count, on a disk where it does'(place) {
    const at = dirty(place);
    mkdirSync(join(at, 'deep'));
    for (const name of ['KEPT.txt', 'deep/Y']) writeFileSync(join(at, name), name);
    git(at, 'add', '-A');
    git(at, 'config', 'core.ignoreCase', 'true');
    return at;
  },
};

const undone = z.looseObject({
  undo: z.looseObject({ command: z.string(), directory: z.string() }),
  notes: z.array(z.string()),
});

/** The commits under the refs of the only team: `1/start` and so on. */
const refs = (at: string): Record<string, string> =>
  Object.fromEntries(
    git(at, 'for-each-ref', '--format=%(refname) %(objectname)', 'refs/teams')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.replace(/^refs\/teams\/[0-9A-Z]{26}\//, '').split(' ') as [string, string]),
  );

const runIn = async (place: Workplace, at: string) => {
  const { code, out, err } = await place.say(['run', 'plan.json', '--json'], { cwd: at });
  expect(code, err).toBe(0);
  return undone.parse(JSON.parse(out));
};

describe('the safety point', () => {
  it.each(Object.keys(kinds))(
    'the safety point of a repository %s keeps everything, and its undo restores it',
    async (kind) => {
      const place = new Workplace();
      const at = kinds[kind]?.(place) ?? '';
      const before = stateOf(at);
      const { undo } = await runIn(place, at);
      const after = stateOf(at);
      expect(after).toMatchObject({ staged: before.staged, branches: before.branches });
      expect(after.files).toMatchObject({ 'made.txt': 'new\n', 'kept.txt': 'changed\n', 'deep/y': 'y\n' });

      expect(undo.command).toBe('teams undo tidy');
      expect((await place.say(['undo', 'tidy', '--yes'], { cwd: at })).code).toBe(0);
      // Ignored files are not kept. No task named made.txt, so it may be a person's.
      const files = { ...before.files, 'out.log': 'no\n', 'made.txt': 'new\n' };
      expect(stateOf(at)).toEqual({ ...before, files });
      expect((await place.say(['undo', 'tidy', '--redo', '--yes'], { cwd: at })).code).toBe(0);
      expect(stateOf(at)).toEqual(after);
    },
  );

  it('the safety point shows what changed since, in total and of one task, also for an archived team', async () => {
    const place = new Workplace();
    const at = dirty(place);
    await runIn(place, at);
    const objects = git(at, 'count-objects');
    const diff = async (...words: string[]) => {
      const { code, out, err } = await place.say(['diff', ...words, '--json'], { cwd: at });
      expect(code, err).toBe(0);
      return changes.parse(JSON.parse(out));
    };
    const all = await diff('tidy');
    expect(all.files).toEqual([
      { path: 'deep/er/x', change: 'added' },
      { path: 'deep/y', change: 'added' },
      { path: 'gone.txt', change: 'deleted' },
      { path: 'kept.txt', change: 'modified' },
      { path: 'made.txt', change: 'added' },
    ]);
    expect(all.diff).toMatch(/-old\n[^]*\+changed\n/);
    expect((await diff('tidy', '1')).files.map(({ path }) => path)).toEqual(['gone.txt', 'kept.txt']);
    expect((await place.say(['delete', 'tidy'], { cwd: at })).code).toBe(0);
    expect((await diff('tidy', 'Go deep')).files.map(({ path }) => path)).toEqual(['deep/er/x', 'deep/y']);
    expect(git(at, 'count-objects')).toBe(objects);
    // A pruned team leaves no ref.
    const { out: pruned } = await place.say(['prune', '--older-than', '1ms', '--yes'], { cwd: at });
    expect(pruned).toContain('tidy');
    expect(git(at, 'for-each-ref', 'refs/teams')).toBe('');
  });

  it('a change of the same length in the second in which the user called git is seen', async () => {
    const place = new Workplace();
    const at = dirty(place);
    // Git compares the whole seconds of two times; here only that of the file's content, so that a test can set both.
    git(at, 'config', 'core.trustctime', 'false');
    const second = 1_700_000_000;
    utimesSync(join(at, 'kept.txt'), second, second);
    git(at, 'add', 'kept.txt');
    utimesSync(join(at, '.git/index'), second, second);
    const run = `printf new >kept.txt; touch -d @${second} kept.txt`;
    place.put('work/plan.json', JSON.stringify({ ...PLAN, tasks: [{ subject: 'At once', run }] }));
    await runIn(place, at);
    const { out } = await place.say(['diff', 'tidy', '--json'], { cwd: at });
    expect(changes.parse(JSON.parse(out)).files).toContainEqual({ path: 'kept.txt', change: 'modified' });
    expect((await place.say(['undo', 'tidy', '--yes'], { cwd: at })).code).toBe(0);
    expect(readFileSync(join(at, 'kept.txt'), 'utf8')).toBe('old');
  });

  it('untracked files over the limit are named and not kept, and the undo leaves them', async () => {
    const place = new Workplace({ TEAMS_SAFETY_POINT_MAX_FILE_BYTES: '100000' });
    const at = dirty(place);
    const large = ["it's $(big)*.bin", 'deep/line\nbreak.bin', '-rf.bin'];
    mkdirSync(join(at, 'deep'));
    for (const name of large) writeFileSync(join(at, name), 'x'.repeat(100_001));
    writeFileSync(join(at, 'small.bin'), 'x'.repeat(100_000));
    const before = stateOf(at);
    const { notes } = await runIn(place, at);
    for (const name of large) expect(notes.join('\n')).toContain(JSON.stringify(name));
    expect(notes.join('\n')).not.toContain('small.bin');
    const kept = git(at, 'ls-tree', '-r', '--name-only', refs(at)['1/start'] ?? '');
    expect(kept).toContain('small.bin');
    expect(kept.match(/\.bin/g)).toHaveLength(1);
    const { out } = await place.say(['diff', 'tidy', '--json'], { cwd: at });
    expect(changes.parse(JSON.parse(out)).files.map(({ path }) => path)).not.toContain(large[2]);
    // Also what a member put into the index since.
    git(at, 'add', '--', './-rf.bin');
    expect((await place.say(['undo', 'tidy', '--yes'], { cwd: at })).code).toBe(0);
    expect(stateOf(at).files).toEqual({ ...before.files, 'out.log': 'no\n', 'made.txt': 'new\n' });
  });

  it('copying that takes longer than two seconds is told once, with its size', async () => {
    const place = new Workplace();
    const at = dirty(place);
    writeFileSync(join(at, 'data.bin'), 'x'.repeat(3 * 2 ** 20));
    // A git that takes its time to add.
    const slow = join(place.root, 'bin');
    mkdirSync(slow);
    const real = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    const script = `#!/bin/sh\ncase " $* " in *" add "*) sleep 3;; esac\nexec ${real} "$@"\n`;
    writeFileSync(join(slow, 'git'), script, { mode: 0o755 });
    vi.stubEnv('PATH', `${slow}:${process.env['PATH'] ?? ''}`);
    const { code, err } = await place.say(['run', 'plan.json'], { cwd: at });
    expect(code, err).toBe(0);
    expect(err.match(/git still copies untracked files \([34] MiB\) before the work begins/g)).toHaveLength(1);
  });

  it('a link that leads nowhere and that git does not look at is put back', async () => {
    const place = new Workplace();
    const at = dirty(place);
    const link = join(at, 'link');
    symlinkSync('nowhere', link);
    git(at, 'add', 'link');
    git(at, 'update-index', '--skip-worktree', 'link');
    rmSync(link);
    symlinkSync('as only I have it', link);
    writeFileSync(
      join(at, 'plan.json'),
      JSON.stringify({ ...PLAN, tasks: [{ subject: 'Link', run: 'ln -sfn by-the-run link', files: ['link'] }] }),
    );
    await runIn(place, at);
    expect(readlinkSync(link)).toBe('by-the-run');
    expect((await place.say(['undo', 'tidy', '--yes'], { cwd: at })).code).toBe(0);
    expect(readlinkSync(link)).toBe('as only I have it');
  });

  it.each([['nowhere'], ['.'], ['other']])('a folder for which a run put a link to %s is put back', async (to) => {
    const place = new Workplace();
    const at = dirty(place);
    for (const folder of ['folder', 'other']) {
      mkdirSync(join(at, folder, 'deep'), { recursive: true });
      writeFileSync(join(at, folder, 'deep/x'), folder);
    }
    git(at, 'add', 'folder', 'other');
    const tasks = [{ subject: 'Link', run: `rm -r folder; ln -s ${to} folder`, files: ['folder', 'folder/**'] }];
    writeFileSync(join(at, 'plan.json'), JSON.stringify({ ...PLAN, tasks }));
    const before = stateOf(at);
    await runIn(place, at);
    expect(readlinkSync(join(at, 'folder'))).toBe(to);
    const { code, err } = await place.say(['undo', 'tidy', '--yes'], { cwd: at });
    expect(code, err).toBe(0);
    expect(stateOf(at)).toEqual(before);
    expect((await place.say(['undo', 'tidy', '--redo', '--yes'], { cwd: at })).code).toBe(0);
    expect(readlinkSync(join(at, 'folder'))).toBe(to);
    expect(readFileSync(join(at, 'other/deep/x'), 'utf8')).toBe('other');
  });

  it('there is no safety point without git, and `teams diff` says so', async () => {
    const place = new Workplace();
    place.put('plan.json', JSON.stringify(PLAN));
    expect((await place.teams('run', 'plan.json')).out).not.toContain('Undo');
    const { code, err } = await place.teams('diff', 'tidy');
    expect(code).toBe(2);
    expect(err).toContain('no safety point');
  });

  it('a resumed run keeps its first safety point, and each life has its own', async () => {
    const place = new Workplace();
    const at = dirty(place);
    const run = 'echo 1 >>kept.txt; [ -e go ] || exec sleep 60';
    place.put('plan.json', JSON.stringify({ ...PLAN, cwd: at, tasks: [{ subject: 'Once', run }] }));
    const { child, ended } = place.start('run', 'plan.json', '--root', at);
    await until(() => readFileSync(join(at, 'kept.txt'), 'utf8') === 'old1\n', 'the task runs');
    const first = refs(at);
    expect(Object.keys(first)).toEqual(['1/start']);
    child.kill('SIGKILL');
    await ended;
    writeFileSync(join(at, 'go'), '');
    expect((await place.say(['resume', 'tidy'], { cwd: at })).code).toBe(0);
    expect(refs(at)).toMatchObject({
      ...first,
      '2/start': expect.any(String) as string,
      '2/end': expect.any(String) as string,
    });
    expect(git(at, 'show', `${first['1/start'] ?? ''}:kept.txt`)).toBe('old');
    // The first life was killed: its end is where the second began.
    const undo = await place.say(['undo', 'tidy', '--yes'], { cwd: at });
    expect(undo.code, undo.err).toBe(0);
    expect(readFileSync(join(at, 'kept.txt'), 'utf8')).toBe('old');
  });
});

it("the user's own git collects garbage before each step, and the safety point is whole", async () => {
  const place = new Workplace();
  const at = dirty(place);
  const collecting = await collectingGit(place, at);
  const { status, stderr } = spawnSync(process.execPath, [BIN, 'run', 'plan.json'], {
    cwd: at,
    encoding: 'utf8',
    env: { ...place.environment, PATH: collecting.path },
  });
  expect(status, stderr).toBe(0);
  expect(stderr).not.toContain('No safety point');
  expect([collecting.trouble(), collecting.runs() > 10]).toEqual(['', true]);
  for (const end of ['start', 'end']) {
    const ref = git(at, 'for-each-ref', '--format=%(refname)', 'refs/teams')
      .split('\n')
      .find((one) => one.endsWith(`/1/${end}`));
    git(at, 'rev-list', '--objects', '--quiet', ref ?? 'missing');
    expect(git(at, 'ls-tree', '-r', '--name-only', ref ?? 'missing')).toContain(
      end === 'start' ? 'gone.txt' : 'made.txt',
    );
  }
});
