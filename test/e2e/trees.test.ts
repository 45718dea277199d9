/** `isolation: trees`: members work in trees of their own, and what they make lands through the queue of the lead. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Workplace } from '../support/cli.ts';
import { tempDir } from '../support/temp.ts';
import { EXEC, git, scene, userState } from '../support/tree-scene.ts';

it('members write into trees of their own, and all of it lands in the common state', async () => {
  const tasks = [
    { subject: 'One', run: 'echo ada >ada.txt; cat mine.txt; test "$TEAMS_PORT_BASE" -ge 10000' },
    { subject: 'Two', run: 'echo bob >bob.txt; rm mine.txt' },
    { subject: 'Three', run: 'test -f ada.txt && test -f bob.txt && pwd', blockedBy: [1, 2] },
  ];
  const { at, teams, landed } = scene({ tasks });
  const before = userState(at);
  const { code, out, err } = await teams('run', 'p.json', '--quiet');
  expect(code, `${out}${err}`).toBe(0);
  expect(userState(at)).toEqual(before);
  expect([landed('ada.txt'), landed('bob.txt'), landed('a.txt')]).toEqual(['ada\n', 'bob\n', 'one\ntwo\nthree\n']);
  expect(() => landed('mine.txt')).toThrow();
  expect(existsSync(join(at, 'ada.txt'))).toBe(false);
});

it(
  'sixteen trees are made at once; each change lands at its first attempt, and the repository of the user is as it was',
  { timeout: 180_000 },
  async () => {
    const names = Array.from({ length: 16 }, (_, n) => `m${n}`);
    const members = names.map((name) => ({ name, agent: { kind: 'exec' } }));
    const meeting = tempDir();
    // No member ends before all have a tree.
    const met = `until [ "$(ls ${meeting} | wc -l)" = 16 ]; do sleep 0.1; done`;
    const tasks = names.map((name) => ({
      subject: name,
      owner: name,
      run: `touch ${meeting}/${name}; ${met}; echo ${name} >${name}.txt`,
    }));
    const { at, teams, landed } = scene({ members, tasks });
    git(at, 'stash', 'push', '-q', '--include-untracked', '--', 'mine.txt');
    const repository = (): object => [
      userState(at),
      readFileSync(join(at, '.git/config'), 'utf8'),
      git(at, 'worktree', 'list'),
    ];
    const before = repository();
    const { code, out, err } = await teams('run', 'p.json', '--quiet');
    expect(code, `${out}${err}`).toBe(0);
    expect(repository()).toEqual(before);
    expect(names.map((name) => landed(`${name}.txt`))).toEqual(names.map((name) => `${name}\n`));
    const { out: log } = await teams('log', 'p', '--json');
    expect(log.match(/"type":"task\.claimed"/g)).toHaveLength(16);
  },
);

it('changes at one place conflict, go back to their authors, and land one after the other', async () => {
  const tasks = Array.from({ length: 4 }, (_, at) => ({
    subject: `Add ${at}`,
    run: `n=$(cat count.txt); sleep 0.3; echo $((n + 1)) >count.txt; echo ${at} >>a.txt`,
    files: ['count.txt'],
  }));
  const { teams, landed } = scene({ tasks });
  const { code, out, err } = await teams('run', 'p.json', '--quiet');
  expect(code, `${out}${err}`).toBe(0);
  expect(landed('count.txt')).toBe('4\n');
  expect(landed('a.txt').trim().split('\n').slice(3).sort()).toEqual(['0', '1', '2', '3']);
  const { out: log } = await teams('log', 'p', '--json');
  expect(log).toContain('task.bounced');
}, 60_000);

it('a change that makes a gate red goes back, and the common state stays green', async () => {
  const tasks = [
    { subject: 'Good', run: 'echo good >good.txt' },
    { subject: 'Bad', run: 'test -f once.log && exit 0; echo bad >bad.txt; touch once.log' },
  ];
  const { teams, landed } = scene({ tasks, gates: { test: 'test ! -f bad.txt' } });
  const { code, out, err } = await teams('run', 'p.json', '--quiet');
  expect(code, `${out}${err}`).toBe(0);
  expect(landed('good.txt')).toBe('good\n');
  expect(() => landed('bad.txt')).toThrow();
}, 60_000);

it('what landed is applied to the files as they are now, shown by diff, and taken back exactly', async () => {
  const tasks = [
    {
      subject: 'One',
      run: 'echo ada >ada.txt; mkdir -p sub; echo deep >sub/deep.txt; printf "one\\ntwo\\nTHREE\\n" >a.txt',
    },
    { subject: 'Two', run: 'rm count.txt' },
  ];
  const { at, teams } = scene({ tasks });
  const { code, out } = await teams('run', 'p.json', '--quiet');
  expect(code).toBe(0);
  expect(out).toContain('Apply: teams apply p');
  expect(out).not.toContain('Undo:');
  const { out: diff } = await teams('diff', 'p', '1');
  expect(diff).toContain('+THREE');
  expect(diff).not.toContain('count.txt');
  expect((await teams('diff', 'p')).out).toContain('count.txt');
  // The user goes on meanwhile, in the same file at another place.
  writeFileSync(join(at, 'a.txt'), 'ONE\ntwo\nthree\n');
  writeFileSync(join(at, 'new.txt'), 'mine\n');
  git(at, 'add', 'new.txt');
  const before = userState(at);
  const applied = await teams('apply', 'p');
  expect(applied.code, applied.err).toBe(0);
  expect(applied.out).toContain('Applied 2 tasks, 4 files.');
  expect(readFileSync(join(at, 'a.txt'), 'utf8')).toBe('ONE\ntwo\nTHREE\n');
  expect(readFileSync(join(at, 'sub/deep.txt'), 'utf8')).toBe('deep\n');
  expect(existsSync(join(at, 'count.txt'))).toBe(false);
  expect(git(at, 'ls-files', '--stage')).toContain('new.txt');
  expect((await teams('apply', 'p')).out).toContain('Nothing to apply');
  expect((await teams('undo', 'p', '--yes')).code).toBe(0);
  expect(userState(at)).toEqual(before);
  expect((await teams('undo', 'p', '--redo', '--yes')).code).toBe(0);
  expect(readFileSync(join(at, 'a.txt'), 'utf8')).toBe('ONE\ntwo\nTHREE\n');
});

it('an edit of the user at the same place changes nothing, and is named', async () => {
  const { at, teams } = scene({ tasks: [{ subject: 'One', run: 'echo ada >>a.txt; echo x >x.txt' }] });
  expect((await teams('run', 'p.json', '--quiet')).code).toBe(0);
  writeFileSync(join(at, 'a.txt'), 'one\ntwo\nthree\nfour\n');
  const before = userState(at);
  const { code, err } = await teams('apply', 'p');
  expect(code).toBe(3);
  expect(err).toContain('a.txt');
  expect(userState(at)).toEqual(before);
});

it('in no git repository and not in the folder of the team nothing is started', async () => {
  const place = new Workplace();
  place.put('sub/a.txt', 'one');
  place.put(
    'p.json',
    JSON.stringify({ isolation: 'trees', cwd: 'sub', members: EXEC, tasks: [{ subject: 'One', run: 'touch ran' }] }),
  );
  const { code, err } = await place.teams('run', 'p.json', '--quiet');
  expect(code).toBe(5);
  expect(err).toMatch(/in no git repository, and \.teams is not in it but in .*--root \./);
  expect(existsSync(join(place.root, 'sub/ran'))).toBe(false);
});

it('what a member made lands also if the project had it as garbage, which its own git removes meanwhile', async () => {
  const tasks = [
    { subject: 'One', owner: 'ada', run: 'echo garbage >ada.txt' },
    { subject: 'Two', owner: 'bob', run: 'cat ada.txt', blockedBy: [1] },
  ];
  const gc = 'cd "${PWD%/.teams/*}" && git gc --prune=now --quiet';
  const { at, teams, landed } = scene({ tasks, gates: { test: gc } });
  // Git finds it in the project's objects and would not write it again.
  execFileSync('git', ['hash-object', '-w', '--stdin'], { cwd: at, input: 'garbage\n' });
  const { code, out, err } = await teams('run', 'p.json', '--quiet');
  expect(code, `${out}${err}`).toBe(0);
  expect(landed('ada.txt')).toBe('garbage\n');
});
