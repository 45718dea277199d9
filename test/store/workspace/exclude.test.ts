/** What git leaves out after `excludeFromGit`: the folders of teams, and nothing of a project's own files. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { excludeFromGit, missingExclusion } from '../../../src/store/workspace/exclude.ts';
import { tempDir } from '../../support/temp.ts';

const OURS = ['.teams/duo/config.json', '.teams/.archive/old/state.json', '.teams/.tokens/ada', '.tasks/duo/log.jsonl'];
const THEIRS = [
  '.teams/config.yaml',
  '.teams/roles/analyst.md',
  '.teams/pipelines/quick.yaml',
  '.teams/templates/duo.yaml',
  '.teams/skills/audit.md',
];

/** A repository with each of these files below `folder`. */
function repository(
  folder = '.',
  exclude = '# mine\n*.log',
): { root: string; file: string; untracked: () => string[] } {
  const top = tempDir();
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: top, encoding: 'utf8' });
  git('init', '-q', '.');
  const file = join(top, '.git/info/exclude');
  writeFileSync(file, exclude);
  const root = join(top, folder);
  for (const path of [...OURS, ...THEIRS]) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), '');
  }
  const prefix = folder === '.' ? '' : `${folder}/`;
  const untracked = (): string[] =>
    git('ls-files', '--others', '--exclude-standard')
      .trim()
      .split('\n')
      .map((path) => path.slice(prefix.length));
  return { root, file, untracked };
}

describe('git leaves out the folders of teams only', () => {
  it.each(['.', 'packages/a b'])('for a project in %s of its repository', (folder) => {
    const { root, untracked } = repository(folder);
    expect(excludeFromGit(root).isAdded).toBe(true);
    expect(untracked().sort()).toEqual([...THEIRS].sort());
    expect(missingExclusion(root)?.missing).toEqual([]);
    expect(excludeFromGit(root).isAdded).toBe(false);
  });

  it('and lines that an earlier version wrote are replaced, the rest stays', () => {
    const { root, file, untracked } = repository('.', '# mine\n.teams/\n.tasks/\n*.log\n');
    excludeFromGit(root);
    expect(untracked().sort()).toEqual([...THEIRS].sort());
    expect(readFileSync(file, 'utf8')).toMatch(/^# mine\n\.tasks\/\n\*\.log\n/);
  });

  it('also where an earlier version wrote them again', () => {
    const { root, file, untracked } = repository();
    excludeFromGit(root);
    const after = readFileSync(file, 'utf8');
    writeFileSync(file, `${after}.teams/\n`);
    expect(excludeFromGit(root).isAdded).toBe(true);
    expect(untracked().sort()).toEqual([...THEIRS].sort());
    excludeFromGit(root);
    expect(readFileSync(file, 'utf8').split('\n').sort()).toEqual(after.split('\n').sort());
  });

  it.each(['/.teams/', '.teams'])('but a line %s of the person is kept', (line) => {
    const before = `${line}\n/.tasks/\n`;
    const { root, file } = repository('.', before);
    expect(excludeFromGit(root).isAdded).toBe(false);
    expect(readFileSync(file, 'utf8')).toBe(before);
  });
});

it.each(['info', 'info/exclude'])('a link in the place of .git/%s is not written through', (place) => {
  const root = tempDir();
  const elsewhere = tempDir();
  execFileSync('git', ['init', '-q'], { cwd: root });
  const path = join(root, '.git', place);
  rmSync(path, { recursive: true, force: true });
  writeFileSync(join(elsewhere, 'exclude'), 'mine\n');
  symlinkSync(place === 'info' ? elsewhere : join(elsewhere, 'exclude'), path);
  expect(excludeFromGit(root)).toMatchObject({
    isAdded: false,
    warning: expect.stringContaining('is a link') as string,
  });
  expect(readFileSync(join(elsewhere, 'exclude'), 'utf8')).toBe('mine\n');
});

it('a folder .git that is no repository is left as it is, and the repository above it counts, as for git', () => {
  const { root, file } = repository('packages/one');
  mkdirSync(join(root, '.git/info'), { recursive: true });
  expect(excludeFromGit(root).isAdded).toBe(true);
  expect(readFileSync(file, 'utf8')).toContain('.tasks/');
  expect(readdirSync(join(root, '.git/info'))).toEqual([]);
  const bare = tempDir();
  mkdirSync(join(bare, '.git'));
  expect(missingExclusion(bare)).toBeUndefined();
});
