/** A member with a tree of its own in an isolation: it sees its tree where the project lies, and reaches nothing else. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { Workplace } from '../support/cli.ts';
import { git } from '../support/tree-scene.ts';

const reportSchema = z.looseObject({ exitCode: z.number(), notEnforced: z.array(z.string()) });

/** A repository that is not below /tmp, which is empty inside anyway. */
function project(files: Record<string, string>): { at: string; place: Workplace } {
  const at = mkdtempSync(join(realpathSync(homedir()), '.trees-'));
  onTestFinished(() => rmSync(at, { recursive: true, force: true }));
  git(at, 'init', '-q');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(at, name), text, { mode: 0o755 });
  git(at, 'add', '-A');
  git(at, 'commit', '-qm', 'begin');
  return { at, place: new Workplace() };
}

async function run(at: string, place: Workplace, plan: object) {
  writeFileSync(join(at, 'p.json'), JSON.stringify({ name: 'p', isolation: 'trees', ...plan }));
  const { out, err } = await place.say(['run', 'p.json', '--json', '--fresh'], { cwd: at });
  return { ...reportSchema.parse(JSON.parse(out)), out, err };
}
const mainOf = (at: string): string =>
  git(at, 'for-each-ref', '--format=%(refname)', 'refs/teams')
    .split('\n')
    .filter((ref) => ref.endsWith('/main'))
    .at(-1) ?? '';
const landed = (at: string, path: string): string => git(at, 'show', `${mainOf(at)}:${path}`);

const LOOK = `#!/bin/bash
{
  echo "pwd $(pwd)"
  echo "teams $(ls -A .teams | tr '\\n' ' ')"
  echo "others $(ls -d "$1"/.teams/p/trees 2>/dev/null)"
  echo "log $(git log --oneline | wc -l)"
  echo "status $(git status --porcelain | tr '\\n' ' ')"
  echo "old $(git show HEAD:look.sh | head -1)"
  git stash >/dev/null 2>&1 && echo "stashed"
  git -C "$1" config core.fsmonitor "touch $1/ran" 2>/dev/null && echo "configured"
  mount -o remount,rw / 2>/dev/null && echo "remounted"
  umount -l "$1" 2>/dev/null && echo "unmounted"
  ln -s /etc/hostname link
} >seen.txt 2>/dev/null
echo absolute >"$1/absolute.txt"
echo "* merge=evil filter=evil" >.gitattributes
`;

it('its isolated program sees the tree at the path of the project, and nothing of the checkout or of the team', async () => {
  const { at, place } = project({ 'look.sh': LOOK, 'a.txt': 'one\n' });
  git(at, 'config', 'filter.evil.clean', `touch ${at}/ran; cat`);
  git(at, 'config', 'merge.evil.driver', `touch ${at}/ran; true`);
  const members = [{ name: 'ada', agent: { kind: 'exec' }, sandbox: 'workspace-write' }];
  const tasks = [
    { subject: 'Look', run: `./look.sh ${at}`, verify: [`test "$(pwd)" = ${at}`, 'test -f absolute.txt'] },
  ];
  const gates = { test: `test "$(pwd)" = ${at} && test -f absolute.txt && test ! -e .teams/p/config.json` };
  const { exitCode, notEnforced, out } = await run(at, place, { members, tasks, gates });
  expect(exitCode, out).toBe(0);
  expect(notEnforced).toEqual([]);
  const seen = landed(at, 'seen.txt').split('\n');
  expect(seen.filter((line) => !line.startsWith('teams') && !line.startsWith('status'))).toEqual([
    `pwd ${at}`,
    'others ',
    'log 1',
    'old #!/bin/bash',
    '',
  ]);
  expect(seen.find((line) => line.startsWith('teams'))).not.toMatch(/config|inbox|vault/);
  expect(landed(at, 'absolute.txt')).toBe('absolute\n');
  for (const name of ['absolute.txt', 'seen.txt', 'ran', '.gitattributes', 'link'])
    expect(existsSync(join(at, name)), name).toBe(false);
  // The link lands as a link, and is applied as one.
  expect((await place.say(['apply', 'p'], { cwd: at })).code).toBe(0);
  expect(readFileSync(join(at, 'absolute.txt'), 'utf8')).toBe('absolute\n');
  expect(existsSync(join(at, 'ran'))).toBe(false);
});

const AGENT = `#!/bin/bash
cat >/dev/null
mail=$(cat "$TEAMS_MAIL_FILE" 2>/dev/null)
if grep -q '<<<<<<<' list.txt; then
  grep -q 'SENT BACK' <<<"$mail" || exit 3
  sed -i '/^<<<<<<<\\|^=======\\|^>>>>>>>/d' list.txt
  exit 0
fi
sleep 0.4
echo "$TEAMS_TASK_ID" >>list.txt
`;

it('an agent whose change came back finds it with marks on what landed, and mail that says why', async () => {
  const { at, place } = project({ 'agent.sh': AGENT, 'list.txt': '0\n' });
  const members = ['ada', 'bob', 'cy'].map((name) => ({
    name,
    agent: { kind: 'exec', command: './agent.sh' },
    sandbox: 'workspace-write',
  }));
  const tasks = ['One', 'Two', 'Three'].map((subject) => ({ subject, prompt: `${subject}: add your line` }));
  const { exitCode, out } = await run(at, place, { members, tasks });
  expect(exitCode, out).toBe(0);
  expect(landed(at, 'list.txt').trim().split('\n').sort()).toEqual(['0', '1', '2', '3']);
});

it('a repository within a tree does not land, and what its task wrote is kept', async () => {
  const { at, place } = project({ 'a.txt': 'one\n' });
  mkdirSync(join(at, 'sub'));
  const members = [{ name: 'ada', agent: { kind: 'exec' } }];
  const inner =
    'git init -q in && cd in && echo deep >deep.txt && git add . && git -c user.name=a -c user.email=a@a commit -qm x';
  const tasks = [
    { subject: 'Inner', run: inner, required: false },
    { subject: 'After', run: 'test ! -e in && echo after >after.txt' },
  ];
  const { exitCode, out } = await run(at, place, { members, tasks });
  expect(exitCode, out).toBe(0);
  expect(out).toContain('in is a git repository of its own');
  expect(landed(at, 'after.txt')).toBe('after\n');
  const aside = execFileSync('find', [join(at, '.teams/p/trees'), '-name', 'deep.txt'], { encoding: 'utf8' });
  expect(aside).toContain('.left-ada-');
});

const PLANT = `#!/bin/sh
git init -q "$1" && cd "$1" && echo deep >deep.txt && git add . || exit 1
test -n "$2" && git update-ref HEAD "$2" || git -c user.name=a -c user.email=a@a commit -qm x || exit 1
mkdir -p .git/info && echo '* filter=x' >.git/info/attributes
git config filter.x.clean "touch $3; cat"
echo peed >deep.txt
`;

it('no filter of a repository that a member made in its tree runs outside of the isolation', async () => {
  const { at, place } = project({ 'plant.sh': PLANT });
  const head = git(at, 'rev-parse', 'HEAD').trim();
  // A submodule, as git keeps it in a tree: the name of a commit, and an empty folder.
  git(at, 'update-index', '--add', '--cacheinfo', `160000,${head},sub`);
  mkdirSync(join(at, 'sub'));
  git(at, 'commit', '-qm', 'with a submodule');
  const members = [{ name: 'ada', agent: { kind: 'exec' }, sandbox: 'workspace-write' }];
  // The objects of the tree's own repository, so that the commit of the submodule is there.
  const lent = 'export GIT_ALTERNATE_OBJECT_DIRECTORIES="$(pwd)/.git/objects"';
  const plant = (folder: string, known: string): string => `(./plant.sh ${folder} "${known}" ${at}/ran-${folder})`;
  const tasks = [
    { subject: 'Plant', run: `${lent}; ${plant('sub', head)} && ${plant('in', '')}`, required: false },
    { subject: 'After', run: 'echo after >after.txt' },
  ];
  const { exitCode, out } = await run(at, place, { members, tasks });
  expect(exitCode, out).toBe(0);
  expect(out).toContain('in is a git repository of its own');
  expect(['sub', 'in'].filter((folder) => existsSync(join(at, `ran-${folder}`)))).toEqual([]);
  expect(landed(at, 'after.txt')).toBe('after\n');
  expect(git(at, 'ls-tree', mainOf(at), 'sub')).toContain(head);
});

it('an isolated member of a project whose git ignores .env, a name that the isolation covers, lands its change', async () => {
  const { at, place } = project({ '.gitignore': '.env\n' });
  const members = [{ name: 'ada', agent: { kind: 'exec' }, sandbox: 'workspace-write' }];
  const { exitCode, out } = await run(at, place, { members, tasks: [{ subject: 'One', run: 'echo one >one.txt' }] });
  expect(exitCode, out).toBe(0);
  expect(landed(at, 'one.txt')).toBe('one\n');
});

/** Each entry of a folder with its kind, mode and bytes, without what is ours. */
function bytesOf(at: string): Record<string, string> {
  const paths = readdirSync(at, { recursive: true, encoding: 'utf8' }).filter(
    (path) => !/^\.t(?:eams|asks)/.test(path),
  );
  return Object.fromEntries(
    paths.map((path) => {
      const found = lstatSync(join(at, path));
      const bytes = found.isSymbolicLink()
        ? readlinkSync(join(at, path))
        : found.isFile() && readFileSync(join(at, path)).toString('base64');
      return [path, `${found.mode.toString(8)} ${bytes}`];
    }),
  );
}

/** Tries to reach the folder, the trees of others and the repository of ours, by every path that it can name. */
const REACH = `#!/bin/bash
for at in "$1/.teams/p/trees/bob/in.txt" "$1/.teams/.files.git/config" "$1/.teams/p/config.json" "$1/.tasks/p/log.jsonl" "$1/../out.txt"; do
  ( echo reached >>"$at" ) 2>/dev/null && echo "wrote $at"
done
mount -o remount,rw / 2>/dev/null && echo "remounted"
umount -l "$1" 2>/dev/null && echo "unmounted"
for link in /proc/[0-9]*/root /proc/[0-9]*/cwd; do
  ( echo reached >"$link$1/../out.txt" ) 2>/dev/null && echo "wrote by $link"
done
ls "$1/.teams/p/trees" 2>/dev/null
exit 0
`;

it('an isolated member in a folder without git writes its own tree only; its change lands, and undo gives every byte back', async () => {
  const base = mkdtempSync(join(realpathSync(homedir()), '.trees-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const at = join(base, 'work');
  mkdirSync(join(at, 'sub/deep'), { recursive: true });
  const files = { 'reach.sh': REACH, 'a.txt': 'one\r\ntwo\n', 'sub/deep/b.bin': '\0\u00ff\0', 'sub/empty': '' };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(at, name), text, { mode: 0o644 });
  chmodSync(join(at, 'reach.sh'), 0o755);
  symlinkSync('sub/deep', join(at, 'link'));
  const place = new Workplace();
  const members = ['ada', 'bob'].map((name) => ({ name, agent: { kind: 'exec' }, sandbox: 'workspace-write' }));
  const tasks = [
    { subject: 'First', owner: 'bob', run: `echo in >in.txt; echo absolute >${at}/absolute.txt` },
    {
      subject: 'Reach',
      owner: 'ada',
      run: `./reach.sh ${at} >seen.txt; printf "ONE\\r\\ntwo\\n" >a.txt; rm sub/empty link; chmod -x reach.sh; printf "\\1" >>sub/deep/b.bin`,
      blockedBy: [1],
    },
  ];
  const gates = { test: `test "$(pwd)" = ${at} && test -f absolute.txt` };
  writeFileSync(join(at, 'p.json'), JSON.stringify({ name: 'p', isolation: 'trees', members, tasks, gates }));
  const before = bytesOf(at);
  const { out, err } = await place.say(['run', 'p.json', '--json'], { cwd: at });
  const { exitCode, notEnforced } = reportSchema.parse(JSON.parse(out));
  expect([exitCode, notEnforced], `${out}${err}`).toEqual([0, []]);
  expect(bytesOf(at)).toEqual(before);
  expect(readdirSync(base)).toEqual(['work']);
  const applied = await place.say(['apply', 'p'], { cwd: at });
  expect(applied.code, applied.err).toBe(0);
  expect(readFileSync(join(at, 'seen.txt'), 'utf8')).toBe('');
  expect(readFileSync(join(at, 'in.txt'), 'utf8')).toBe('in\n');
  expect(readFileSync(join(at, 'a.txt'), 'utf8')).toBe('ONE\r\ntwo\n');
  expect(readFileSync(join(at, 'sub/deep/b.bin'), 'latin1').endsWith('\u0001')).toBe(true);
  expect(['link', 'sub/empty'].filter((path) => existsSync(join(at, path)))).toEqual([]);
  expect(lstatSync(join(at, 'reach.sh')).mode & 0o111).toBe(0);
  expect((await place.say(['undo', 'p', '--yes'], { cwd: at })).code).toBe(0);
  expect(bytesOf(at)).toEqual(before);
});
