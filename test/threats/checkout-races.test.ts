/**
 * A member without a tree of its own exchanges folders of the project for links, and back, while teams look at its files:
 * for the safety point, `teams diff`, `--include-diff`. Nothing of elsewhere is in what they keep or show.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { gitDiff } from '../../src/runtime/process/git-diff.ts';
import { git } from '../../src/runtime/process/git.ts';
import { repositoryAt, type Repository } from '../../src/runtime/process/git-place.ts';
import { withTrees } from '../../src/runtime/process/working-tree.ts';
import { exchanging, fill, repeating } from '../support/exchanging.ts';
import { tempDir } from '../support/temp.ts';

const { signal } = new AbortController();
let outside: string;
let project: string;
let repository: Repository;

const at = (...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: project, encoding: 'utf8' });

beforeEach(async () => {
  const root = tempDir();
  outside = join(root, 'outside');
  fill(outside, 'secret');
  project = join(root, 'project');
  mkdirSync(project);
  at('init', '-q');
  for (let file = 0; file < 200; file += 1) writeFileSync(join(project, `a${file}`), `${file}\n`);
  fill(join(project, 'd'), 'first');
  at('add', '-A');
  at('commit', '-qm', 'one');
  fill(join(project, 'd'), 'mine');
  const found = await repositoryAt({ cwd: project, signal });
  if (typeof found === 'string') throw new Error(found);
  repository = found;
});

/** All texts of the present files, as a safety point keeps them. */
const kept = (): Promise<string> =>
  withTrees(repository, { signal }, {}, async ({ files, where }) => {
    const empty = execFileSync('git', ['hash-object', '-t', 'tree', '/dev/null'], { cwd: project, encoding: 'utf8' });
    return (await git(['diff', empty.trim(), files], where)).text;
  });

describe('while a program exchanges a folder of the project for a link', { timeout: 60_000 }, () => {
  it('nothing of elsewhere is in a safety point', async () => {
    expect(await kept()).toContain('+mine');
    await exchanging(join(project, 'd'), outside);
    const texts = await repeating(kept);
    expect(texts).not.toHaveLength(0);
    expect(texts.join('')).not.toContain('secret');
  });

  it('nothing of elsewhere is in the diff for an agent', async () => {
    const shown = async (): Promise<string> => {
      const diff = await gitDiff(project, signal);
      return diff.ok ? diff.text : '';
    };
    expect(await shown()).toContain('+mine');
    await exchanging(join(project, 'd'), outside);
    const texts = await repeating(shown);
    expect(texts).not.toHaveLength(0);
    expect(texts.join('')).not.toContain('secret');
  });
});

it('a file that a filter of the user changes is kept as it is, and shown to an agent as the filter gives it', async () => {
  const home = tempDir();
  vi.stubEnv('HOME', home);
  onTestFinished(() => void vi.unstubAllEnvs());
  writeFileSync(join(home, '.gitconfig'), '[filter "up"]\n\tclean = tr a-z A-Z\n');
  writeFileSync(join(project, '.gitattributes'), 'a1 filter=up\n');
  writeFileSync(join(project, 'a1'), 'small\n');
  expect(await kept()).toContain('+small');
  const shown = await gitDiff(project, signal);
  expect(shown).toEqual(expect.objectContaining({ ok: true, text: expect.stringContaining('+SMALL') as string }));
});
