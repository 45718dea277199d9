/** A member cannot move our git into another repository, nor write the repository of a linked worktree inside. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { gitDiff } from '../../src/runtime/process/git-diff.ts';
import { repositoryAt, type KnownPlace } from '../../src/runtime/process/git-place.ts';
import { Workplace } from '../support/cli.ts';
import { fencePlace, openFence, runInside } from '../support/fence.ts';
import { tempDir } from '../support/temp.ts';

const { signal } = new AbortController();
const SECRET = 'words of another repository';

const at = (cwd: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd, encoding: 'utf8', stdio: 'pipe' });
function repository(cwd: string, text: string): void {
  mkdirSync(cwd, { recursive: true });
  at(cwd, 'init', '-q');
  writeFileSync(join(cwd, 'file.txt'), `${text}\n`);
  at(cwd, 'add', '-A');
  at(cwd, 'commit', '-qm', 'one');
}

let base: string;
let work: string;
let other: string;
beforeEach(() => {
  base = tempDir();
  [work, other] = [join(base, 'work'), join(base, 'other')];
  repository(work, 'ours');
  repository(other, SECRET);
  writeFileSync(join(other, 'file.txt'), `${SECRET}, changed\n`);
});

/** What a member may write into a workspace, as shell commands; OTHER is the path of another repository. */
const MOVES: readonly (readonly [string, string])[] = [
  ['a .git file', 'mv .git was; echo "gitdir: $OTHER/.git" > .git'],
  ['a .git that is a link', 'mv .git was; ln -s "$OTHER/.git" .git'],
  ['commondir', 'echo "$OTHER/.git" > .git/commondir'],
  ['core.worktree', 'git config core.worktree "$OTHER"'],
  ['core.worktree beside its section', 'echo "[core] worktree = $OTHER" >> .git/config'],
  ['objects that are a link', 'mv .git/objects .git/was; ln -s "$OTHER/.git/objects" .git/objects'],
  ['refs that are a link', 'mv .git/refs .git/was; ln -s "$OTHER/.git/refs" .git/refs'],
  ['refs of ours that are a link', 'rm -rf .git/refs/teams; ln -s "$OTHER/.git/refs/heads" .git/refs/teams'],
  [
    'objects of another repository as well',
    'echo "$OTHER/.git/objects" > .git/objects/info/alternates; git update-ref HEAD $(git -C "$OTHER" rev-parse HEAD)',
  ],
  ['no .git, below another repository', 'mv .git was; cp -r "$OTHER/.git" ../.git'],
];

const moved = (script: string): void =>
  void execFileSync('/bin/sh', ['-ec', script], { cwd: work, env: { ...process.env, OTHER: other } });

async function known(): Promise<KnownPlace> {
  const found = await repositoryAt({ cwd: work, signal });
  if (typeof found === 'string') throw new Error(found);
  return { top: found.top, git: found.place };
}

describe('a place that was changed is refused', () => {
  it.each(MOVES)('%s', async (_, script) => {
    const before = await known();
    moved(script);
    expect(await repositoryAt({ cwd: work, signal }, before)).toMatch(/since agents began|is a link/);
    await expect(gitDiff(work, signal, before)).rejects.toThrow(/since agents began|is a link/);
  });

  it('a linked worktree and a subdirectory are places like others', async () => {
    at(work, 'worktree', 'add', '-q', join(base, 'linked'));
    mkdirSync(join(base, 'linked/sub'));
    const found = await repositoryAt({ cwd: join(base, 'linked/sub'), signal });
    if (typeof found === 'string') throw new Error(found);
    expect(found).toMatchObject({ top: join(base, 'linked'), prefix: 'sub/', place: { common: join(work, '.git') } });
    const again = { top: found.top, git: found.place };
    expect(await repositoryAt({ cwd: join(base, 'linked/sub'), signal }, again)).toEqual(found);
  });

  it('objects that were borrowed from the beginning are no change, and may be borrowed no more', async () => {
    writeFileSync(join(work, '.git/objects/info/alternates'), `# a comment\n../../../other/.git/objects\n`);
    const before = await known();
    expect(before.git?.alternates).toEqual([join(other, '.git/objects')]);
    expect(await repositoryAt({ cwd: work, signal }, before)).toMatchObject({ top: work });
    rmSync(join(work, '.git/objects/info/alternates'));
    expect(await repositoryAt({ cwd: work, signal }, before)).toMatchObject({ top: work });
  });

  it('objects that borrowed objects borrow since are a change', async () => {
    writeFileSync(join(work, '.git/objects/info/alternates'), `${other}/.git/objects\n`);
    const before = await known();
    repository(join(base, 'third'), SECRET);
    writeFileSync(join(other, '.git/objects/info/alternates'), `${base}/third/.git/objects\n`);
    expect(await repositoryAt({ cwd: work, signal }, before)).toContain(`${base}/third/.git/objects`);
  });

  it('a moved project is its own place again', async () => {
    const before = await known();
    renameSync(work, join(base, 'moved'));
    const there = { ...before, top: join(base, 'moved') };
    expect(await repositoryAt({ cwd: join(base, 'moved'), signal }, there)).toMatchObject({ top: there.top });
  });
});

describe('a run', () => {
  it.each(MOVES)('%s: nothing is read from or written to the other repository', async (_, script) => {
    const place = new Workplace();
    const cwd = join(place.root, 'work');
    repository(cwd, 'ours');
    const plan = {
      name: 'crew',
      members: [{ name: 'ada', agent: { kind: 'exec' } }],
      tasks: [{ subject: 'Move', run: `OTHER=${other}; ${script}; echo new > made.txt`, files: ['made.txt'] }],
      gates: { ownership: true },
    };
    writeFileSync(join(cwd, 'plan.json'), JSON.stringify(plan));
    const seen = (): string => at(other, 'for-each-ref') + at(other, 'count-objects') + at(other, 'status', '--short');
    const before = seen();
    const answers = [];
    for (const words of [
      ['run', 'plan.json'],
      ['diff', 'crew'],
      ['undo', 'crew', '--yes'],
      ['resume', 'crew'],
    ])
      answers.push(await place.say(words, { cwd }));
    expect(seen()).toBe(before);
    const said = answers.map(({ out, err }) => out + err).join('');
    expect(said).not.toContain(SECRET);
    expect(answers.map(({ code }) => code)).toEqual([0, 2, 2, 0]);
    expect(answers[1]?.err).toMatch(/since agents began|is a link/);
    expect((await place.say(['log', 'crew'], { cwd })).out).toContain('leads elsewhere');
  });
});

describe('a linked worktree as the workspace of an isolated program', () => {
  it('git reads there; neither the repository nor where it is can be changed', async () => {
    const place = fencePlace();
    repository(join(place.base, 'main'), 'ours');
    rmSync(place.work, { recursive: true });
    at(join(place.base, 'main'), 'worktree', 'add', '-q', place.work);
    const held = await openFence(place);
    const inside = (script: string): Promise<string> => runInside(held, place, `{ ${script}; } 2>&1`);
    expect(await inside('git log --format=%s; echo new > file.txt; git status --short -uno')).toBe(
      'one\n M file.txt\n',
    );
    const main = join(place.base, 'main');
    const tries = [
      'git add file.txt',
      'git commit -qam two',
      'git config core.fsmonitor evil',
      'git config --worktree core.fsmonitor evil',
      'git worktree add ../more',
      `echo evil > ${main}/.git/hooks/pre-commit`,
      `echo evil > ${main}/.git/worktrees/work/commondir`,
      `echo evil > ${main}/.git/config.worktree`,
      `echo evil > ${main}/file.txt`,
      'echo gitdir: /tmp > .git',
      'rm .git',
      'mv .git was',
      'ln -sf /tmp .git',
    ];
    const worked = await inside(tries.map((one) => `( ${one} ) >/dev/null 2>&1 && echo '${one}'`).join('; '));
    expect(worked).toBe('');
    await held.close();
    expect(at(place.work, 'status', '--short')).toBe(' M file.txt\n');
    expect(readFileSync(join(place.work, '.git'), 'utf8')).toBe(`gitdir: ${main}/.git/worktrees/work\n`);
  });

  it('a .git file that names a worktree of another repository shows nothing of that one', async () => {
    const place = fencePlace();
    const main = join(place.base, 'main');
    repository(main, SECRET);
    at(main, 'config', 'remote.origin.url', 'https://token@host/x.git');
    at(main, 'worktree', 'add', '-q', join(place.base, 'tree'));
    writeFileSync(join(place.work, '.git'), `gitdir: ${main}/.git/worktrees/tree\n`);
    const held = await openFence(place);
    const seen = await runInside(held, place, `git show HEAD:file.txt; cat ${main}/.git/config; echo ran`);
    expect(seen).toBe('ran\n');
  });
});
