/** `teams prune`: what is removed with archived teams, and which git refs of removed teams are. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { failureSchema, Workplace } from '../../support/cli.ts';
import { git } from '../../support/tree-scene.ts';
import { isRoot } from '../../support/user.ts';
import { pruned } from '../../../src/surfaces/cli/shapes/team-shapes.ts';

interface Project {
  readonly place: Workplace;
  readonly at: string;
}

function project(): Project {
  const place = new Workplace();
  const at = join(place.root, 'work');
  mkdirSync(join(at, 'part'), { recursive: true });
  git(at, 'init', '-q');
  writeFileSync(join(at, 'a.txt'), 'one\n');
  git(at, 'add', '-A');
  git(at, 'commit', '-qm', 'begin');
  git(at, 'tag', 'v1');
  git(at, 'update-ref', 'refs/teams-of-mine/x', 'HEAD');
  return { place, at };
}

/** A run of one command, in a directory that is its team's root. */
async function ran({ place }: Project, cwd: string, name: string, ...more: string[]): Promise<void> {
  const tasks = [{ subject: 'Do', run: `echo ${name} >>a.txt` }];
  writeFileSync(join(cwd, `${name}.json`), JSON.stringify({ name, members: [{ name: 'ada', agent: 'exec' }], tasks }));
  mkdirSync(join(cwd, '.teams'), { recursive: true, mode: 0o700 });
  const { code, out, err } = await place.say(['run', `${name}.json`, '--quiet', ...more], { cwd });
  expect(code, `${out}${err}`).toBe(0);
}

const teamRefs = (at: string): string[] =>
  git(at, 'for-each-ref', '--format=%(refname)', 'refs/teams')
    .split('\n')
    .filter((line) => line !== '');

const otherRefs = (at: string): string =>
  git(at, 'for-each-ref', 'refs/heads', 'refs/tags', 'refs/teams-of-mine', 'refs/stash');

const removeTeam = (at: string): void => {
  for (const folder of ['.teams', '.tasks']) rmSync(join(at, folder), { recursive: true });
};

async function prune({ place, at }: Project, ...options: string[]) {
  const { code, out, err } = await place.say(['prune', '--json', ...options], { cwd: at });
  expect(code, err).toBe(0);
  return { ...pruned.parse(JSON.parse(out)), err };
}

describe('prune --all', () => {
  it('removes archived teams of any age with their refs, and leaves active teams, whose undo still works', async () => {
    const here = project();
    const { place, at } = here;
    await ran(here, at, 'old');
    expect((await place.say(['delete', 'old'], { cwd: at })).code).toBe(0);
    await ran(here, at, 'new');
    const before = otherRefs(at);
    expect(teamRefs(at)).toHaveLength(4);
    expect((await prune(here, '--all', '--dry-run')).teams.map(({ name }) => name)).toEqual(['old']);
    expect(teamRefs(at)).toHaveLength(4);
    expect(await prune(here, '--all', '--yes')).toMatchObject({ removed: true, refs: [], left: [] });
    expect(teamRefs(at)).toHaveLength(2);
    expect(readdirSync(join(at, '.teams', '.archive'))).toEqual([]);
    expect(otherRefs(at)).toBe(before);
    const undone = await place.say(['undo', 'new', '--yes'], { cwd: at });
    expect(undone.code, undone.err).toBe(0);
    expect(await prune(here, '--all', '--yes')).toMatchObject({ teams: [], removed: false });
  });

  it('lists, asks about and removes the refs of a team whose folders a person removed', async () => {
    const here = project();
    const { place, at } = here;
    await ran(here, at, 'lost');
    removeTeam(at);
    const [first = ''] = teamRefs(at);
    const id = first.split('/')[2] ?? '';
    const before = otherRefs(at);
    expect(await prune(here, '--yes')).toMatchObject({ teams: [], refs: [], removed: false });
    const listed = await prune(here, '--all', '--dry-run');
    expect(listed).toMatchObject({ teams: [], removed: false, refs: [{ id, name: 'lost', count: 2 }], left: [] });
    const shown = await place.say(['prune', '--all', '--dry-run'], { cwd: at });
    expect(shown.out).toContain(`refs/teams/${id}/`);
    const asked = await place.say(['prune', '--all', '--json'], { cwd: at });
    expect([asked.code, failureSchema.parse(JSON.parse(asked.out)).error.code]).toEqual([2, 'USAGE']);
    expect(teamRefs(at)).toHaveLength(2);
    expect(await prune(here, '--all', '--yes')).toMatchObject({ removed: true });
    expect([teamRefs(at), otherRefs(at)]).toEqual([[], before]);
  });

  it('leaves the refs of teams in other roots of the repository: a part, a linked worktree, a place outside', async () => {
    const here = project();
    const { place, at } = here;
    const [linked, part, outside] = [join(place.root, 'linked'), join(at, 'part'), join(place.root, 'outside')];
    git(at, 'worktree', 'add', '-q', linked);
    mkdirSync(outside);
    await ran(here, linked, 'in-linked');
    await ran(here, part, 'in-part');
    await ran(here, at, 'from-outside', '--root', outside);
    await ran(here, at, 'here');
    const refs = teamRefs(at);
    expect(refs).toHaveLength(8);
    for (const from of [at, part, linked]) {
      expect(await prune({ place, at: from }, '--all', '--yes'), from).toMatchObject({ refs: [], left: [] });
      expect(teamRefs(at)).toEqual(refs);
    }
    // Each is found as soon as its team is gone.
    for (const root of [linked, part, outside]) removeTeam(root);
    const { refs: found } = await prune(here, '--all', '--yes');
    expect(found.map(({ name }) => name).sort()).toEqual(['from-outside', 'in-linked', 'in-part']);
    expect(teamRefs(at)).toHaveLength(2);
  });

  it('leaves refs while a worktree cannot be looked at, and removes them when git has forgotten it', async () => {
    const here = project();
    const { place, at } = here;
    const linked = join(place.root, 'linked');
    git(at, 'worktree', 'add', '-q', linked);
    await ran(here, linked, 'far');
    renameSync(linked, `${linked}-away`);
    const { refs, left } = await prune(here, '--all', '--yes');
    expect(refs).toEqual([]);
    expect(left).toMatchObject([{ name: 'far', count: 2 }]);
    expect(left[0]?.why).toContain(linked);
    const told = await place.say(['prune', '--all', '--dry-run'], { cwd: at });
    expect(told.err).toContain('git worktree prune');
    expect(teamRefs(at)).toHaveLength(2);
    git(at, 'worktree', 'prune');
    expect((await prune(here, '--all', '--yes')).refs).toMatchObject([{ name: 'far' }]);
    expect(teamRefs(at)).toEqual([]);
  });

  it('leaves refs whose team may be one that cannot be read, or whose root is not here', async () => {
    const here = project();
    const { place, at } = here;
    const outside = join(place.root, 'outside');
    mkdirSync(outside);
    await ran(here, at, 'broken');
    await ran(here, at, 'boardless');
    await ran(here, at, 'from-outside', '--root', outside);
    writeFileSync(join(at, '.tasks', 'broken', 'log.jsonl'), 'not a log\n');
    rmSync(join(at, '.tasks', 'boardless'), { recursive: true });
    renameSync(outside, `${outside}-away`);
    const { refs, left } = await prune(here, '--all', '--yes');
    expect(refs).toEqual([]);
    expect(left.map(({ name }) => name).sort()).toEqual(['boardless', 'broken', 'from-outside']);
    expect(teamRefs(at)).toHaveLength(6);
  });

  it('leaves refs of an earlier version, which do not say where their team lies', async () => {
    const here = project();
    const { at } = here;
    const tree = git(at, 'rev-parse', 'HEAD^{tree}').trim();
    const commit = git(at, 'commit-tree', tree, '-m', 'All files when team gone began').trim();
    const refs = ['refs/teams/01J8ZQ4YB5T0000000000000AA/1/start', 'refs/teams/gone/start'];
    // Not made by us.
    refs.push('refs/teams/readme');
    for (const ref of refs) git(at, 'update-ref', ref, commit);
    const { left } = await prune(here, '--all', '--yes');
    expect(left).toMatchObject([{ name: 'gone' }, { name: 'gone' }]);
    expect(teamRefs(at).sort()).toEqual(refs.sort());
  });

  it('finds the refs of a project that was moved, and of one without a working tree of its own at .git', async () => {
    const here = project();
    const { place, at } = here;
    await ran(here, at, 'stays');
    await ran(here, join(at, 'part'), 'goes');
    removeTeam(join(at, 'part'));
    const moved = join(place.root, 'moved');
    renameSync(at, moved);
    expect((await prune({ place, at: moved }, '--all', '--yes')).refs).toMatchObject([{ name: 'goes' }]);
    expect(teamRefs(moved)).toHaveLength(2);
    // The git directory apart: git lists it in place of the working tree.
    git(moved, 'init', '-q', '--separate-git-dir', join(place.root, 'apart'));
    git(moved, 'worktree', 'add', '-q', join(place.root, 'linked'));
    mkdirSync(join(place.root, 'linked', '.teams'), { mode: 0o700 });
    const { refs, left } = await prune({ place, at: join(place.root, 'linked') }, '--all', '--yes');
    expect([refs, left]).toMatchObject([[], [{ name: 'stays' }]]);
    expect(await prune({ place, at: moved }, '--all', '--yes')).toMatchObject({ refs: [], left: [] });
    removeTeam(moved);
    expect((await prune({ place, at: moved }, '--all', '--yes')).refs).toMatchObject([{ name: 'stays' }]);
    expect(teamRefs(moved)).toEqual([]);
  });

  it('works without git, and refuses an age', async () => {
    const place = new Workplace();
    await place.teams('create', 'login');
    await place.teams('delete', 'login');
    const both = await place.teams('prune', '--all', '--older-than', '1h', '--json');
    expect([both.code, failureSchema.parse(JSON.parse(both.out)).error.code]).toEqual([2, 'USAGE']);
    expect(await prune({ place, at: place.root }, '--all', '--yes')).toMatchObject({
      teams: [{ name: 'login' }],
      refs: [],
      left: [],
      removed: true,
    });
  });
});

describe('prune', () => {
  it('tells of refs that git does not let go, and removes the team and the other refs', async () => {
    const here = project();
    const { place, at } = here;
    await ran(here, at, 'held');
    expect((await place.say(['delete', 'held'], { cwd: at })).code).toBe(0);
    const [first = ''] = teamRefs(at);
    const lock = join(at, '.git', `${first}.lock`);
    writeFileSync(lock, '');
    const { code, out } = await place.say(['prune', '--all', '--yes', '--json'], { cwd: at });
    expect(code).toBe(1);
    const { teams, stays } = pruned.parse(JSON.parse(out));
    expect(teams).toMatchObject([{ name: 'held' }]);
    expect(stays).toHaveLength(1);
    expect(stays[0]).toContain(first);
    expect(stays[0]).toContain('teams prune --all');
    rmSync(lock);
    expect((await prune(here, '--all', '--yes')).refs).toMatchObject([{ name: 'held', count: 1 }]);
    expect(teamRefs(at)).toEqual([]);
  });

  it('names a team whose undo did not end', async () => {
    const here = project();
    const { place, at } = here;
    await ran(here, at, 'half');
    expect((await place.say(['delete', 'half'], { cwd: at })).code).toBe(0);
    const [folder = ''] = readdirSync(join(at, '.teams', '.archive'));
    const file = join(at, '.teams', '.archive', folder, 'state.json');
    const state = JSON.parse(execFileSync('cat', [file], { encoding: 'utf8' })) as object;
    const undoing = { redo: false, token: '01J8ZQ4YB5T0000000000000AA', lives: 1 };
    writeFileSync(file, JSON.stringify({ ...state, undoing }));
    const { out } = await place.say(['prune', '--all', '--dry-run'], { cwd: at });
    expect(out).toContain('an undo of it did not end');
    expect((await prune(here, '--all', '--dry-run')).teams).toMatchObject([{ undoBegun: true }]);
  });

  it('finishes a removal that was killed', async () => {
    const here = project();
    const { place, at } = here;
    await ran(here, at, 'cut');
    expect((await place.say(['delete', 'cut'], { cwd: at })).code).toBe(0);
    const shelf = join(at, '.teams', '.archive');
    const [folder = ''] = readdirSync(shelf);
    renameSync(join(shelf, folder), join(shelf, `.removed-${folder}`));
    expect(await prune(here, '--dry-run')).toMatchObject({ teams: [] });
    expect(existsSync(join(shelf, `.removed-${folder}`))).toBe(true);
    expect(await prune(here)).toMatchObject({ teams: [], removed: false });
    expect(readdirSync(shelf)).toEqual([]);
  });

  it.skipIf(isRoot)('removes what a program made read-only', async () => {
    const place = new Workplace();
    await place.teams('create', 'login');
    const cache = join(place.root, '.teams', 'login', 'homes', 'ada', 'go', 'mod');
    mkdirSync(cache, { recursive: true });
    writeFileSync(join(cache, 'x.go'), '');
    chmodSync(cache, 0o555);
    await place.teams('delete', 'login');
    expect(await prune({ place, at: place.root }, '--all', '--yes')).toMatchObject({ removed: true, stays: [] });
    expect(readdirSync(join(place.root, '.teams', '.archive'))).toEqual([]);
  });
});
