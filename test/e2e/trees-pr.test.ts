/** `teams pr` and `teams apply --push`: a branch of what landed, pushed with the user's own git, and a pull request. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { EXEC, git, scene, userState, type Scene } from '../support/tree-scene.ts';

const TASKS = [
  { subject: 'Say one', owner: 'ada', run: 'echo ada >ada.txt' },
  { subject: "Say 'two'", owner: 'ada', run: 'echo bob >bob.txt', blockedBy: [1] },
];

async function landed(): Promise<Scene> {
  const made = scene({ members: EXEC.slice(0, 1), tasks: TASKS, gates: { test: 'true' } });
  git(made.at, 'config', 'user.name', 'Me');
  git(made.at, 'config', 'user.email', 'me@here');
  const { code, out, err } = await made.teams('run', 'p.json', '--quiet');
  expect(code, `${out}${err}`).toBe(0);
  return made;
}

function withRemote({ at, place }: Scene, name = 'origin'): string {
  const remote = join(place.root, `${name}.git`);
  git(at, 'init', '-q', '--bare', remote);
  git(at, 'remote', 'add', name, remote);
  return remote;
}

/** A program on PATH that writes its arguments down. */
function onPath({ place }: Scene, name: string, script: string): string {
  const bin = join(place.root, 'bin');
  mkdirSync(bin, { recursive: true });
  const log = join(place.root, `${name}.args`);
  writeFileSync(join(bin, name), `#!/bin/sh\nprintf '%s\\n' "$@" >'${log}'\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
  place.environment['PATH'] = `${bin}:${place.environment['PATH'] ?? ''}`;
  return log;
}

describe('what landed', () => {
  let made: Scene;
  beforeEach(async () => {
    made = await landed();
  });

  it('is pushed as one commit a task; without gh the text and the command are printed, and all of it works again', async () => {
    const remote = withRemote(made);
    const { at, teams } = made;
    const before = userState(at);
    writeFileSync(join(at, '.git/hooks/pre-push'), `#!/bin/sh\ntouch '${join(at, '.git/pushed')}'\n`, { mode: 0o755 });
    const { code, out, err } = await teams('pr', 'p');
    expect(code, `${out}${err}`).toBe(0);
    expect(git(remote, 'log', '--format=%s', 'p').split('\n').slice(0, 3)).toEqual(["Say 'two'", 'Say one', 'begin']);
    expect(readFileSync(join(at, '.git/pushed'), 'utf8')).toBe('');
    expect({ ...userState(at), refs: '' }).toEqual({ ...before, refs: '' });
    for (const part of ['No pull request was opened: gh is not on PATH', 'p: 2 changes', '- `Say one`', '- test: pass'])
      expect(out).toContain(part);
    expect(out).toContain("Open it: gh pr create --head p --title 'p: 2 changes' --body '## Changes");
    const again = await teams('apply', 'p', '--push', 'origin');
    expect([again.code, again.err]).toEqual([0, '']);
  });

  it("is pushed with the person's git, and never with one of the project, whatever PATH says", async () => {
    const { at, teams, place } = made;
    withRemote(made);
    const bin = join(at, 'node_modules/.bin');
    mkdirSync(bin, { recursive: true });
    for (const name of ['git', 'gh'])
      writeFileSync(join(bin, name), `#!/bin/sh\ntouch '${join(place.root, 'taken')}'\n`, { mode: 0o755 });
    place.environment['PATH'] = `${bin}:${place.environment['PATH'] ?? ''}`;
    const { code, out, err } = await teams('pr', 'p');
    expect(code, `${out}${err}`).toBe(0);
    expect(out).toContain('No pull request was opened: gh is not on PATH');
    expect(existsSync(join(place.root, 'taken'))).toBe(false);
  });

  it('is proposed with the program of the host, and its address is printed', async () => {
    withRemote(made, 'gitlab');
    const log = onPath(made, 'glab', 'echo https://gitlab.invalid/me/p/-/merge_requests/1');
    const { code, out, err } = await made.teams('pr', 'p', '--branch', 'work', '--task', '1', '--json');
    expect(code, `${out}${err}`).toBe(0);
    expect(out).toContain('"url":"https://gitlab.invalid/me/p/-/merge_requests/1"');
    const args = readFileSync(log, 'utf8');
    expect(args).toContain('mr\ncreate\n--source-branch\nwork\n--title\nSay one\n--description\n');
  });

  it('is pushed and not proposed where the program fails: its text is printed, exit 1', async () => {
    const remote = withRemote(made);
    onPath(made, 'gh', 'echo "error: you are not logged in" >&2; exit 4');
    const { code, out } = await made.teams('pr', 'p');
    expect(code).toBe(1);
    expect(out).toContain('No pull request was opened: gh: you are not logged in. Its text:');
    expect(git(remote, 'branch', '--list', 'p')).toContain('p');
  });

  it('is pushed from an archived team, and while files are edited, which stay as they are', async () => {
    const remote = withRemote(made);
    const { at, teams } = made;
    writeFileSync(join(at, 'a.txt'), 'edited\n');
    writeFileSync(join(at, 'new.txt'), 'staged\n');
    git(at, 'add', 'new.txt');
    const before = userState(at);
    expect((await teams('delete', 'p', '--force')).code).toBe(0);
    expect(existsSync(join(at, '.teams/p'))).toBe(false);
    const { code, out, err } = await teams('pr', 'p');
    expect(code, `${out}${err}`).toBe(0);
    expect(git(remote, 'diff', '--name-only', 'p~2', 'p')).toBe('ada.txt\nbob.txt\n');
    expect({ ...userState(at), refs: '' }).toEqual({ ...before, refs: '' });
  });

  it.each([
    ['no remote', () => {}, ['pr', 'p'], 2, 'the repository has no remote'],
    [
      'an unknown remote',
      withRemote,
      ['pr', 'p', '--remote', 'fork'],
      2,
      'there is no remote "fork"; the repository has origin',
    ],
    [
      'a remote that refuses',
      (one: Scene) => writeFileSync(join(withRemote(one), 'hooks/pre-receive'), '#!/bin/sh\nexit 1\n', { mode: 0o755 }),
      ['pr', 'p'],
      3,
      'Branch p was made and not pushed to origin',
    ],
    [
      'a remote that is gone',
      (one: Scene) => git(one.at, 'remote', 'add', 'origin', join(one.place.root, 'gone')),
      ['pr', 'p'],
      3,
      'not pushed to origin',
    ],
    [
      'a branch of the user',
      (one: Scene) => [withRemote(one), git(one.at, 'branch', 'p')],
      ['pr', 'p'],
      3,
      'Branch p exists already',
    ],
  ])('%s is one sentence', async (_, prepare, argv, code, said) => {
    prepare(made);
    const answer = await made.teams(...argv);
    expect([answer.code, answer.err]).toEqual([code, expect.stringContaining(said)]);
    expect(answer.err.trim().split('\n')).toHaveLength(1);
  });
}, 120_000);

it('without a name for git is one sentence, with the cure', { timeout: 120_000 }, async () => {
  const made = scene({ members: EXEC.slice(0, 1), tasks: TASKS });
  withRemote(made);
  expect((await made.teams('run', 'p.json', '--quiet')).code).toBe(0);
  const { code, err } = await made.teams('pr', 'p');
  expect([code, err.trim().split('\n')]).toEqual([2, [expect.stringContaining('git config --global user.name')]]);
  expect(git(made.at, 'branch', '--list', 'p')).toBe('');
});

it('of which nothing landed is one sentence, and no branch is made', { timeout: 120_000 }, async () => {
  const made = scene({ members: EXEC.slice(0, 1), tasks: [{ subject: 'One', owner: 'ada', run: 'exit 3' }] });
  withRemote(made);
  expect((await made.teams('run', 'p.json', '--quiet')).code).toBe(1);
  const { code, err } = await made.teams('pr', 'p');
  expect(code, err).not.toBe(0);
  expect(err.trim().split('\n')).toHaveLength(1);
  expect(err).toContain('nothing of team p has landed');
  expect(git(made.at, 'branch', '--list', 'p')).toBe('');
});
