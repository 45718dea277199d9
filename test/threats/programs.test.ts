/**
 * Programs that we start outside of an isolation (git, prlimit, bwrap, a shell) are never those of the project: a clone
 * brings them, and members write them. `npx teams` and `npm run` put the project's `node_modules/.bin` in front of PATH.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Workplace } from '../support/cli.ts';
import { tempDir } from '../support/temp.ts';

const NAMES = [
  'git',
  'prlimit',
  'bwrap',
  'bash',
  'sh',
  'env',
  'node',
  'ps',
  'git-lfs',
  'unshare',
  'setsid',
  'claude',
  'codex',
  'gemini',
  'opencode',
];

it.each([
  ['an absolute entry in the project', (bin: string) => `${bin}:`],
  ['the working directory', () => '.:'],
  ['an empty entry', () => ':'],
  ['a relative entry', () => 'node_modules/.bin:'],
])(
  'with %s in PATH no program of the project runs',
  async (_, front) => {
    const place = new Workplace();
    const at = place.root;
    const owned = tempDir();
    // A home in the project would make it no project.
    const home = tempDir();
    Object.assign(place.environment, { HOME: home, XDG_STATE_HOME: join(home, 'state') });
    const bin = join(at, 'node_modules/.bin');
    mkdirSync(bin, { recursive: true });
    const path = place.environment['PATH'] ?? '';
    for (const name of NAMES) {
      const file = join(bin, name);
      writeFileSync(file, `#!/bin/sh\n: > ${owned}/${name}\nPATH=${path} exec ${name} "$@"\n`);
      chmodSync(file, 0o755);
      cpSync(file, join(at, name));
    }
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=me', '-c', 'user.email=me@here', ...args], { cwd: at });
    git('init', '-q');
    // The user's own filter, whose program is found by PATH.
    writeFileSync(join(home, '.gitconfig'), '[filter "lfs"]\n\tclean = git-lfs clean\n\tsmudge = git-lfs smudge\n');
    writeFileSync(join(at, '.gitattributes'), '*.bin filter=lfs\n');
    writeFileSync(join(at, 'a.bin'), 'a\n');
    const members = [{ name: 'ada', agent: 'exec', sandbox: 'workspace-write' }];
    // The command of a task is the user's, and finds what the user's shell finds.
    const tasks = [{ subject: 'Work', run: ['/bin/touch', 'made'] }];
    for (const name of ['plain', 'trees'])
      writeFileSync(join(at, `${name}.json`), JSON.stringify({ name, members, tasks, gates: { ownership: true } }));
    place.environment['PATH'] = `${front(bin)}${path}`;
    const verbs = [
      ['run', 'plain.json'],
      ['diff', 'plain'],
      ['undo', 'plain', '--yes'],
      ['run', 'trees.json', '--isolation', 'trees'],
      ['apply', 'trees'],
      ['doctor'],
      ['prune', '--all', '--yes'],
    ];
    for (const verb of verbs) {
      const { ended } = place.start(...verb);
      const { code, err } = await ended;
      expect([verb[0], code === 0 || verb[0] === 'doctor', err]).toEqual([verb[0], true, expect.anything()]);
    }
    expect(readdirSync(owned)).toEqual([]);
  },
  180_000,
);
