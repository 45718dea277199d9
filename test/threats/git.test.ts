/**
 * Our own git in a hostile repository: whatever its configuration names, none of it runs (threat 15 of
 * docs/reliability.md).
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { gitDiff } from '../../src/runtime/process/git-diff.ts';
import { git } from '../../src/runtime/process/git.ts';
import { repositoryAt } from '../../src/runtime/process/git-place.ts';
import { withTrees } from '../../src/runtime/process/working-tree.ts';
import { tempDir } from '../support/temp.ts';

const { signal } = new AbortController();

let root: string;
let trap: string;
const ran = (): boolean => existsSync(join(root, '..ran'));
const at = (cwd: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd, encoding: 'utf8', stdio: 'pipe' });
const repository = (cwd: string): void => {
  mkdirSync(cwd, { recursive: true });
  at(cwd, 'init', '-q');
  writeFileSync(join(cwd, 'file.txt'), 'one\n');
  at(cwd, 'add', '-A');
  at(cwd, 'commit', '-qm', 'one');
};
const attribute = (line: string): void => {
  mkdirSync(join(root, '.git/info'), { recursive: true });
  writeFileSync(join(root, '.git/info/attributes'), `${line}\n`);
};

/** Everything that a run does with git: the safety point, the comparison with it, diffs, the list of files. */
async function used(): Promise<void> {
  const found = await repositoryAt({ cwd: root, signal });
  if (typeof found === 'string') throw new Error(found);
  await withTrees(found, { signal }, {}, async ({ files, where }) => {
    await git(['diff', '--no-ext-diff', '--no-textconv', '--name-status', 'HEAD', files], where);
    await git(['update-ref', 'refs/teams/x/start', at(root, 'rev-parse', 'HEAD').trim()], where);
  }).catch(() => undefined);
  await gitDiff(root, signal).catch(() => undefined);
  await git(['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root, signal });
}

beforeEach(() => {
  root = tempDir();
  repository(root);
  trap = join(tempDir(), 'trap');
  writeFileSync(trap, `#!/bin/sh\ntouch '${join(root, '..ran')}'\ncat\n`);
  chmodSync(trap, 0o755);
  writeFileSync(join(root, 'file.txt'), 'two\n');
});

const TRAPS: [string, () => void][] = [
  ['core.fsmonitor', () => void at(root, 'config', 'core.fsmonitor', trap)],
  ['a clean filter', () => (attribute('* filter=x'), void at(root, 'config', 'filter.x.clean', trap))],
  ['a process filter', () => (attribute('* filter=x'), void at(root, 'config', 'filter.x.process', trap))],
  [
    'a filter that is required',
    () => {
      attribute('* filter=x');
      at(root, 'config', 'filter.x.clean', trap);
      at(root, 'config', 'filter.x.required', 'true');
    },
  ],
  [
    'a filter whose name has signs in it',
    () => {
      attribute('* filter=a=b.c');
      at(root, 'config', 'filter.a=b.c.clean', trap);
    },
  ],
  [
    'a filter of an included file',
    () => {
      attribute('* filter=x');
      writeFileSync(join(root, 'more'), `[filter "x"]\n\tclean = ${trap}\n`);
      at(root, 'config', 'include.path', '../more');
    },
  ],
  [
    'a filter of the working tree’s own configuration',
    () => {
      attribute('* filter=x');
      at(root, 'config', 'extensions.worktreeConfig', 'true');
      writeFileSync(join(root, '.git/config.worktree'), `[filter "x"]\n\tclean = ${trap}\n`);
    },
  ],
  [
    'a filter by .gitattributes',
    () => {
      writeFileSync(join(root, '.gitattributes'), '* filter=x\n');
      at(root, 'config', 'filter.x.clean', trap);
    },
  ],
  [
    'a filter of another git directory',
    () => {
      repository(join(root, 'other'));
      at(join(root, 'other'), 'config', 'filter.x.clean', trap);
      at(join(root, 'other'), 'config', 'core.fsmonitor', trap);
      attribute('* filter=x');
      writeFileSync(join(root, '.git/commondir'), '../other/.git\n');
    },
  ],
  [
    'hooks',
    () => {
      for (const name of ['post-index-change', 'reference-transaction', 'pre-commit'])
        writeFileSync(join(root, '.git/hooks', name), `#!/bin/sh\nexec '${trap}'\n`, { mode: 0o755 });
    },
  ],
  [
    'core.hooksPath',
    () => {
      mkdirSync(join(root, 'hooks'));
      for (const name of ['post-index-change', 'reference-transaction'])
        writeFileSync(join(root, 'hooks', name), `#!/bin/sh\nexec '${trap}'\n`, { mode: 0o755 });
      at(root, 'config', 'core.hooksPath', 'hooks');
    },
  ],
  ['diff.external', () => void at(root, 'config', 'diff.external', trap)],
  ['a diff command of an attribute', () => (attribute('* diff=x'), void at(root, 'config', 'diff.x.command', trap))],
  ['textconv', () => (attribute('* diff=x'), void at(root, 'config', 'diff.x.textconv', trap))],
  ['a pager', () => void at(root, 'config', 'core.pager', trap)],
  ['an alias', () => void at(root, 'config', 'alias.diff', `!${trap}`)],
  [
    'a repository in a submodule entry',
    () => {
      repository(join(root, 'sub'));
      at(root, 'add', 'sub');
      at(join(root, 'sub'), 'config', 'core.fsmonitor', trap);
      mkdirSync(join(root, 'sub/.git/info'), { recursive: true });
      writeFileSync(join(root, 'sub/.git/info/attributes'), '* filter=x\n');
      at(join(root, 'sub'), 'config', 'filter.x.clean', trap);
      writeFileSync(join(root, 'sub/file.txt'), 'six\n');
    },
  ],
  [
    'a program that fetches missing objects',
    () => {
      repository(join(root, 'far'));
      at(root, 'config', 'remote.origin.url', join(root, 'far'));
      at(root, 'config', 'remote.origin.uploadpack', trap);
      at(root, 'config', 'remote.origin.promisor', 'true');
      at(root, 'config', 'extensions.partialClone', 'origin');
      at(root, 'config', 'core.sshCommand', trap);
      const blob = at(root, 'rev-parse', 'HEAD:file.txt').trim();
      rmSync(join(root, '.git/objects', blob.slice(0, 2), blob.slice(2)), { force: true });
    },
  ],
];

describe('our git runs nothing that a repository names', () => {
  it.each(TRAPS)('%s does not run', async (_, set) => {
    set();
    await used();
    expect(ran()).toBe(false);
  });

  it('a trap of this kind would run: plain git runs the filter', () => {
    attribute('* filter=x');
    at(root, 'config', 'filter.x.clean', trap);
    at(root, 'add', '-A');
    expect(ran()).toBe(true);
  });

  it('a filter of the user’s own configuration works, also where the repository names another', async () => {
    attribute('* filter=x');
    const home = tempDir();
    writeFileSync(join(home, '.gitconfig'), '[filter "x"]\n\tclean = tr a-z A-Z\n');
    at(root, 'config', 'filter.x.clean', trap);
    appendFileSync(join(root, 'file.txt'), 'more\n');
    const { text } = await git(['diff', '--no-color', 'HEAD'], { cwd: root, signal, env: { HOME: home } });
    expect(text).toContain('+MORE');
    expect(ran()).toBe(false);
  });
});

describe('our git takes no order from variables of the environment', () => {
  const config = (key: string): Record<string, string> => ({
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: key,
    GIT_CONFIG_VALUE_0: trap,
  });
  const elsewhere = (): string => {
    const other = join(tempDir(), 'other');
    repository(other);
    return other;
  };
  it.each<[string, () => Record<string, string>]>([
    ['GIT_CONFIG_COUNT with a monitor', () => config('core.fsmonitor')],
    ['GIT_CONFIG_COUNT with an external diff', () => config('diff.external')],
    ['GIT_CONFIG_PARAMETERS', () => ({ GIT_CONFIG_PARAMETERS: `'core.fsmonitor'='${trap}'` })],
    [
      'GIT_CONFIG_GLOBAL',
      () => {
        const path = join(tempDir(), 'config');
        writeFileSync(path, `[core]\n\tfsmonitor = ${trap}\n[diff]\n\texternal = ${trap}\n`);
        return { GIT_CONFIG_GLOBAL: path, GIT_CONFIG_SYSTEM: path, XDG_CONFIG_HOME: tempDir() };
      },
    ],
    ['GIT_EXTERNAL_DIFF', () => ({ GIT_EXTERNAL_DIFF: trap })],
    [
      'programs that ask or show',
      () => ({
        GIT_ASKPASS: trap,
        SSH_ASKPASS: trap,
        GIT_PAGER: trap,
        PAGER: trap,
        GIT_EDITOR: trap,
        EDITOR: trap,
        VISUAL: trap,
        LESSOPEN: `|${trap} %s`,
      }),
    ],
    ['programs that connect', () => ({ GIT_SSH: trap, GIT_SSH_COMMAND: trap, GIT_PROXY_COMMAND: trap })],
    ['GIT_EXEC_PATH', () => ({ GIT_EXEC_PATH: join(trap, '..') })],
    [
      'files that a shell or Node reads',
      () => ({
        BASH_ENV: trap,
        ENV: trap,
        PROMPT_COMMAND: trap,
        NODE_OPTIONS: `--require ${trap}`,
        NODE_PATH: join(trap, '..'),
        npm_config_git: trap,
        TAR_OPTIONS: `--to-command=${trap}`,
      }),
    ],
    ['GIT_TRACE', () => ({ GIT_TRACE: join(root, '..ran'), GIT_TRACE2_EVENT: join(root, '..ran') })],
    [
      'another repository',
      () => ({
        GIT_DIR: join(elsewhere(), '.git'),
        GIT_WORK_TREE: elsewhere(),
        GIT_INDEX_FILE: join(root, '..ran'),
        GIT_OBJECT_DIRECTORY: join(root, '..ran'),
        GIT_COMMON_DIR: join(elsewhere(), '.git'),
        GIT_NAMESPACE: 'x',
      }),
    ],
  ])('%s', async (_, variables) => {
    const before = await gitDiff(root, signal);
    for (const [name, value] of Object.entries(variables())) vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { text } = await git(['rev-parse', '--show-toplevel'], { cwd: root, signal });
    expect(text.trim()).toBe(root);
    const after = await gitDiff(root, signal);
    const found = await repositoryAt({ cwd: root, signal });
    expect(typeof found).not.toBe('string');
    expect(ran()).toBe(false);
    expect(after).toEqual(before);
  });
});
