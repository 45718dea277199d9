/** Artifacts of tasks with trees that git ignores: they are kept, and whoever waited for them finds them. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { EXEC, git, scene } from '../support/tree-scene.ts';

it('an artifact that git ignores is kept, named, and in the tree of the task that waited for it; it does not land', async () => {
  const members = EXEC.slice(0, 2);
  const tasks = [
    { subject: 'Build', owner: 'ada', run: 'mkdir -p out && printf "a\\0b" >out/app.log', artifact: 'out/app.log' },
    { subject: 'Use', owner: 'bob', run: 'cp out/app.log used.bin', blockedBy: [1] },
    { subject: 'Again', owner: 'bob', run: 'cmp out/app.log used.bin', blockedBy: [2] },
  ];
  const { at, teams, landed } = scene({ members, tasks });
  const { code, out, err } = await teams('run', 'p.json', '--quiet');
  expect(code, `${out}${err}`).toBe(0);
  expect(landed('used.bin')).toBe('a\0b');
  expect(() => landed('out/app.log')).toThrow();
  const ref = /refs\/teams\/\S+\/outputs\/1\.1/.exec(out)?.[0] ?? '';
  expect(git(at, 'show', `${ref}:out/app.log`)).toBe('a\0b');
  expect((await teams('why', 'p', '1')).out).toContain(ref);
  expect(existsSync(join(at, 'out'))).toBe(false);
}, 120_000);

/** A git that keeps one more change in the team's repository, as a member does, while refs are copied into the project. */
const SHIM = `#!/bin/sh
"$REAL" "$@"; code=$?
more() { env -i "$REAL" --git-dir="$VAULT" -c user.name=me -c user.email=me@here "$@" 2>/dev/null; }
case " $* " in *" fetch "*" --dry-run "*)
  main=$(more for-each-ref --format='%(refname)' refs/teams | grep '/main$')
  more update-ref "\${main%main}attempts/99.$$" "$(more commit-tree -p "$main" -m "$$" "$main^{tree}")" && echo >>"$TOLD";;
esac
exit $code
`;

it('what is kept comes once into the project, though more is kept meanwhile', async () => {
  const make = 'mkdir -p out && head -c 3000000 /dev/urandom >out/app.log && cp a.txt b.txt';
  const { place, at, teams } = scene({ tasks: [{ subject: 'Build', run: make, artifact: 'out/app.log' }] });
  const real = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const [bin, told] = [join(place.root, 'bin'), join(place.root, 'told')];
  mkdirSync(bin);
  const known = { REAL: real, VAULT: join(at, '.teams/p/vault.git'), TOLD: told };
  const lines = Object.entries(known).map(([name, value]) => `${name}='${value}'`);
  writeFileSync(join(bin, 'git'), SHIM.replace('\n', `\n${lines.join('\n')}\n`), { mode: 0o755 });
  const PATH = `${bin}:${process.env['PATH'] ?? ''}`;
  vi.stubEnv('PATH', PATH);
  place.environment['PATH'] = PATH;
  const { code, out, err } = await teams('run', 'p.json', '--quiet');
  expect(code, `${out}${err}`).toBe(0);
  expect(readFileSync(told, 'utf8').length).toBeGreaterThan(0);
  const ref = /refs\/teams\/\S+\/outputs\/1\.1/.exec(out)?.[0] ?? '';
  const blob = git(at, 'rev-parse', `${ref}:out/app.log`).trim();
  const packs = readdirSync(join(at, '.git/objects/pack')).filter((name) => name.endsWith('.idx'));
  const having = packs.filter((name) => git(at, 'verify-pack', '-v', join('.git/objects/pack', name)).includes(blob));
  expect(having).toHaveLength(1);
  expect(readdirSync(join(at, '.teams/p/vault.git')).filter((name) => /^(?:incoming|refs\.git)$/.test(name))).toEqual(
    [],
  );
});

it('an artifact of 100 MiB is kept whole, a larger one is left and named, and other ignored files stay in their tree', async () => {
  const made = (bytes: number, file: string): string => `mkdir -p out && truncate -s ${bytes} out/${file}.log`;
  const tasks = [
    { subject: 'Most', owner: 'ada', run: made(100 * 2 ** 20, 'most'), artifact: 'out/most.log' },
    { subject: 'More', owner: 'ada', run: made(100 * 2 ** 20 + 1, 'more'), artifact: 'out/more.log', blockedBy: [1] },
    { subject: 'Own', owner: 'ada', run: 'ls out >own.txt', blockedBy: [2] },
    { subject: 'Other', owner: 'bob', run: 'ls out >other.txt; stat -c %s out/most.log >>other.txt', blockedBy: [2] },
  ];
  const { at, teams, landed } = scene({ members: EXEC.slice(0, 2), tasks });
  const { code, out, err } = await teams('run', 'p.json', '--quiet');
  expect(code, `${out}${err}`).toBe(0);
  expect(out).toContain('the artifact out/more.log is not kept: git ignores it, and it is over 100 MiB');
  expect(landed('own.txt')).toBe('more.log\nmost.log\n');
  expect(landed('other.txt')).toBe(`most.log\n${100 * 2 ** 20}\n`);
  const ref = /refs\/teams\/\S+\/outputs\/1\.1/.exec(out)?.[0] ?? '';
  expect(git(at, 'cat-file', '-s', `${ref}:out/most.log`).trim()).toBe(String(100 * 2 ** 20));
}, 120_000);
