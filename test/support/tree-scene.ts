/**
 * A project in git and a plan whose members have trees of their own: `const { teams, landed } = scene({ tasks })`. For
 * tests that run such a plan and look at what landed, and at what is the user's.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Workplace, type Answer } from './cli.ts';
import { filesIn } from './project-files.ts';

export const git = (cwd: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=me', '-c', 'user.email=me@here', ...args], {
    cwd,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], HOME: cwd, GIT_CONFIG_NOSYSTEM: '1' },
  });

export interface Scene {
  readonly place: Workplace;
  readonly at: string;
  readonly teams: (...argv: string[]) => Promise<Answer>;
  /** What a ref of the team in the user's own repository has at a path. */
  readonly landed: (path: string) => string;
}

export const EXEC = ['ada', 'bob', 'cy'].map((name) => ({ name, agent: { kind: 'exec' } }));

export function scene(plan: object, files: Record<string, string> = {}): Scene {
  const place = new Workplace();
  const at = join(place.root, 'work');
  mkdirSync(at);
  git(at, 'init', '-q');
  const all = { 'a.txt': 'one\ntwo\nthree\n', 'count.txt': '0\n', '.gitignore': '*.log\n', ...files };
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(at, name)), { recursive: true });
    writeFileSync(join(at, name), text);
  }
  git(at, 'add', '-A');
  git(at, 'commit', '-qm', 'begin');
  writeFileSync(join(at, 'p.json'), JSON.stringify({ name: 'p', isolation: 'trees', members: EXEC, ...plan }));
  writeFileSync(join(at, 'mine.txt'), 'not committed\n');
  const main = (): string =>
    git(at, 'for-each-ref', '--format=%(refname)', 'refs/teams')
      .split('\n')
      .find((ref) => ref.endsWith('/main')) ?? '';
  return {
    place,
    at,
    teams: (...argv) => place.say(argv, { cwd: at }),
    landed: (path) => git(at, 'show', `${main()}:${path}`),
  };
}

/** With dependencies and a file of secrets, both of which git ignores, and two members unless the plan has others. */
export function withDependencies(plan: object): Scene {
  const made = scene({ members: EXEC.slice(0, 2), ...plan }, { '.gitignore': '*.log\nnode_modules\n.env\n' });
  const { at } = made;
  mkdirSync(join(at, 'node_modules/left'), { recursive: true });
  writeFileSync(join(at, 'node_modules/left/index.js'), 'module.exports = 1;\n');
  writeFileSync(join(at, '.env'), 'KEY=value\n');
  return made;
}

export const userState = (at: string): object => ({
  files: filesIn(at),
  index: git(at, 'ls-files', '--stage'),
  refs: git(at, 'for-each-ref', 'refs/heads', 'refs/stash'),
  status: git(at, 'status', '--porcelain'),
});
