/** What `teams undo` and `--redo` say and do, after whatever a person did to the files before, in between and afterwards. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Workplace, type Answer } from '../support/cli.ts';
import { filesIn } from '../support/project-files.ts';
import { EXEC, git, scene } from '../support/tree-scene.ts';

/** What a person does. */
const BY_HAND: Readonly<Record<string, string>> = {
  'edit a': 'echo mine >>a.txt',
  'remove a': 'rm a.txt',
  'folder a': 'rm a.txt; mkdir a.txt; echo mine >a.txt/m',
  'put a back': 'git show HEAD:a.txt >a.txt',
  'bring a': 'git show HEAD:a.txt >a.txt; echo three >>a.txt',
  'make b': 'echo mine >b.txt',
  'edit new': 'echo mine >>new.txt',
  'remove new': 'rm new.txt',
  'put all back': 'git checkout -q a.txt b.txt c.txt; rm new.txt',
};

const TAKEN = 'The changes of 4 files were taken back. `teams undo p --redo` brings them back.';
const BROUGHT = 'The changes of 4 files were brought back.';
const BEFORE = 'Nothing to do: what team p changed was taken back before.';
const NO_UNDO = 'Nothing to do: there is no undo of team p to take back.';
const EXPLAINED = 'and repeat the command; `teams diff p` shows what the run did.';
const restore = (as: string): string =>
  `Put a.txt back ${as} (\`git restore --source=COMMIT --worktree -- ':(top,literal)a.txt'\`; keep a copy of your own first), ${EXPLAINED}`;
const AS_RUN = restore('as the run left it');
const AS_BEFORE = restore('as it was before the run');

/** What is done, and what each command says. */
const ROWS: readonly (readonly [string, ...string[]])[] = [
  ['undo, undo', TAKEN, BEFORE],
  ['undo, edit a, undo', TAKEN, `left, as it was changed since: a.txt ${BEFORE}`],
  ['undo, remove a, undo', TAKEN, `left, as it was removed since: a.txt ${BEFORE}`],
  ['undo, folder a, undo', TAKEN, `left, as it was changed since: a.txt ${BEFORE}`],
  ['undo, edit a, redo', TAKEN, `Nothing was brought back: a.txt was changed since. ${AS_BEFORE}`],
  ['undo, remove a, redo', TAKEN, `Nothing was brought back: a.txt was removed since. ${AS_BEFORE}`],
  [
    'undo, bring a, edit new, undo',
    TAKEN,
    'left, as it was changed since: new.txt The changes of 1 file were taken back. `teams undo p --redo` brings them back.',
  ],
  ['undo, bring a, redo, undo', TAKEN, 'The changes of 3 files were brought back.', TAKEN],
  ['undo, redo, redo', TAKEN, BROUGHT, NO_UNDO],
  ['undo, redo, edit a, redo', TAKEN, BROUGHT, `left, as it was changed since: a.txt ${NO_UNDO}`],
  ['redo', NO_UNDO],
  ['edit a, undo', `Nothing was taken back: a.txt was changed since. ${AS_RUN}`],
  ['remove a, undo', `Nothing was taken back: a.txt was removed since. ${AS_RUN}`],
  [
    'folder a, undo',
    `Nothing was taken back: a.txt was changed since. Move a.txt away, and put a.txt${AS_RUN.slice('Put a.txt'.length)}`,
  ],
  [
    'remove a, make b, edit new, undo',
    `Nothing was taken back: b.txt, new.txt were changed since, and a.txt was removed since. Move b.txt, new.txt away, and put a.txt${AS_RUN.slice('Put a.txt'.length)}`,
  ],
  [
    'put a back, undo, redo, undo',
    'The changes of 3 files were taken back. `teams undo p --redo` brings them back.',
    'left, as you had taken its change back before the undo: a.txt The changes of 3 files were brought back.',
    'The changes of 3 files were taken back. `teams undo p --redo` brings them back.',
  ],
  [
    'remove new, undo, redo',
    'The changes of 3 files were taken back. `teams undo p --redo` brings them back.',
    'left, as you had taken its change back before the undo: new.txt The changes of 3 files were brought back.',
  ],
  [
    'put all back, undo, redo',
    'Nothing to do: every file that team p changed is as it was before.',
    `${['a.txt', 'b.txt', 'c.txt', 'new.txt'].map((path) => `left, as no undo took its change back: ${path} `).join('')}${NO_UNDO}`,
  ],
];

/** Without trees a task's change is known by the files that it names. */
const TASK_ROWS: typeof ROWS = [
  [
    'undo 1, undo 1, redo 1, redo 1',
    'The changes of 3 files were taken back. `teams undo p 1 --redo` brings them back.',
    'Nothing to do: every file that task #1 of team p changed is as it was before.',
    'The changes of 3 files were brought back.',
    'Nothing to do: every file is as task #1 of team p left it.',
  ],
  [
    'undo 1, undo, redo, redo 1',
    'The changes of 3 files were taken back. `teams undo p 1 --redo` brings them back.',
    'The changes of 1 file were taken back. `teams undo p --redo` brings them back.',
    `${['a.txt', 'b.txt', 'new.txt'].map((path) => `left, as you had taken its change back before the undo: ${path} `).join('')}The changes of 1 file were brought back.`,
    'The changes of 3 files were brought back.',
  ],
  [
    'undo, redo 1, undo, redo',
    TAKEN,
    'The changes of 3 files were brought back.',
    'The changes of 3 files were taken back. `teams undo p --redo` brings them back.',
    BROUGHT,
  ],
];

/** The same with trees, where an apply brings the changes. */
const TREE_ROWS: typeof ROWS = [
  ['apply', 'Nothing to apply: nothing landed that was not applied before.'],
  ['put all back, apply', 'Nothing to apply: nothing landed that was not applied before.'],
  [
    'put all back, undo 1, apply 1, apply 1',
    'Nothing to do: your files do not have the change of task #1.',
    'Applied 1 task, 3 files. `teams undo p` takes them back.',
    'Nothing to apply: your files have the change of task #1.',
  ],
  [
    'edit a, undo 1',
    'The change of task #1 was not taken back: a.txt was changed at the same place since. Take your own edits there out (keep a copy of the file), and repeat the command.',
  ],
];

const TASKS = [
  { subject: 'Do', run: 'echo three >>a.txt; rm b.txt; echo n >new.txt', files: ['a.txt', 'b.txt', 'new.txt'] },
  { subject: 'Two', run: 'echo y >>c.txt', files: ['c.txt'] },
];

it.each<[string, object, typeof ROWS]>([
  ['shared files', {}, [...ROWS, ...TASK_ROWS]],
  ['trees', { isolation: 'trees' }, [...ROWS, ...TREE_ROWS]],
])('each sentence of an undo and a redo is true: %s', { timeout: 300_000 }, async (_, kind, rows) => {
  const place = new Workplace();
  const first = join(place.root, 'first');
  mkdirSync(first);
  git(first, 'init', '-q');
  for (const [name, text] of Object.entries({ 'a.txt': 'one\ntwo\n', 'b.txt': 'bee\n', 'c.txt': 'c\n' }))
    writeFileSync(join(first, name), text);
  const plan = { name: 'p', ...kind, members: [{ name: 'ada', agent: { kind: 'exec' } }], tasks: TASKS };
  writeFileSync(join(first, 'p.json'), JSON.stringify(plan));
  git(first, 'add', '-A');
  git(first, 'commit', '-qm', 'begin');
  const ran = await place.say(['run', 'p.json', '--quiet', ...('isolation' in kind ? ['--apply'] : [])], {
    cwd: first,
  });
  expect(ran.code, ran.err).toBe(0);
  for (const [at, [words, ...expected]] of rows.entries()) {
    const copy = join(place.root, String(at));
    cpSync(first, copy, { recursive: true, preserveTimestamps: true });
    const said: string[] = [];
    for (const step of words.split(', ')) {
      const edit = BY_HAND[step];
      const files = filesIn(copy);
      if (edit !== undefined) execFileSync('sh', ['-c', edit], { cwd: copy });
      else {
        const answer = await place.say(argumentsOf(step), { cwd: copy });
        said.push(sentences(answer));
        // What is refused, or has nothing to do, changes nothing.
        if (/Nothing|was not/.test(answer.out + answer.err)) expect(filesIn(copy), words).toEqual(files);
      }
    }
    expect([words, ...said]).toEqual([words, ...expected]);
  }
});

/** The command in what it says, which a person copies. */
const commandIn = (said: string): string => /`(git .*?restore .*?)`/.exec(said)?.[1] ?? 'false';

it.each([true, false])('what it says to do makes the next undo go (git: %s)', async (isGit) => {
  const place = new Workplace();
  const at = join(place.root, 'work');
  mkdirSync(at);
  if (isGit) git(at, 'init', '-q');
  writeFileSync(join(at, 'a.txt'), 'one\ntwo\n');
  const plan = { name: 'p', isolation: 'trees', members: [{ name: 'ada', agent: { kind: 'exec' } }], tasks: TASKS };
  const tasks = [{ subject: 'Do', run: 'echo three >>a.txt; echo n >new.txt' }];
  writeFileSync(join(at, 'p.json'), JSON.stringify({ ...plan, tasks }));
  const teams = (...argv: string[]): Promise<Answer> => place.say(argv, { cwd: at });
  const ran = await teams('run', 'p.json', '--quiet', '--apply');
  expect(ran.code, ran.err).toBe(0);
  writeFileSync(join(at, 'a.txt'), 'mine\n');
  const { code, err } = await teams('undo', 'p', '--yes');
  expect(code).toBe(3);
  execFileSync('sh', ['-c', commandIn(err)], { cwd: at });
  expect(readFileSync(join(at, 'a.txt'), 'utf8')).toBe('one\ntwo\nthree\n');
  expect((await teams('undo', 'p', '--yes')).code).toBe(0);
  expect(Object.keys(filesIn(at)).sort()).toEqual(['a.txt', 'p.json']);
  expect(readFileSync(join(at, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
});

it('a file that was edited between two lives of a run is named with what makes the undo go', async () => {
  const { at, teams } = scene({
    isolation: 'off',
    members: EXEC.slice(0, 1),
    tasks: [{ subject: 'Do', run: 'echo 1 >>a.txt; test -e go' }],
  });
  expect((await teams('run', 'p.json', '--quiet')).code).toBe(1);
  const text = readFileSync(join(at, 'a.txt'), 'utf8');
  writeFileSync(join(at, 'a.txt'), `mine\n${text}`);
  writeFileSync(join(at, 'go'), '');
  const again = await teams('resume', 'p', '--retry-failed', '--quiet');
  expect(again.code, again.err).toBe(0);
  const { code, err } = await teams('undo', 'p', '--yes');
  expect([code, err]).toEqual([
    3,
    expect.stringContaining('Nothing was taken back: a.txt was changed since. Put a.txt back as it was before the run'),
  ]);
  execFileSync('sh', ['-c', commandIn(err)], { cwd: at });
  const undone = await teams('undo', 'p', '--yes');
  expect([undone.code, undone.out]).toEqual([
    0,
    expect.stringContaining('every file that team p changed is as it was before'),
  ]);
  expect(readFileSync(join(at, 'a.txt'), 'utf8')).toBe('one\ntwo\nthree\n');
});

function argumentsOf(step: string): string[] {
  const [verb, ...task] = step.split(' ');
  if (verb === 'apply') return ['apply', 'p', ...(task.length === 0 ? [] : ['--task', ...task])];
  return ['undo', 'p', ...task, ...(verb === 'redo' ? ['--redo'] : []), '--yes'];
}

/** All that it says, but for the files that it changes and what differs in each run. */
const sentences = ({ out, err }: Answer): string =>
  `${err}${out}`
    .replaceAll(/^(?:teams: )? *(?:(?:restored|removed|made again|added|modified|deleted): .*\n|)/gm, '')
    .replaceAll(/--source=[0-9a-f]{16}/g, '--source=COMMIT')
    .trim()
    .replaceAll('\n', ' ');
