/**
 * Shell isolation of a model's commands. Each forbidden act is tried with isolation, where it fails, and without it,
 * where it works, so that no case passes for another reason.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { CallAnswer } from '../../src/agents/agent-contract.ts';
import type { Lend } from '../../src/model/team/lend.ts';
import type { Sandbox } from '../../src/model/agent/agent.ts';
import { openShellIsolation } from '../../src/runtime/isolation/open-shell-isolation.ts';
import { openWorkspace, type Workspace } from '../../src/runtime/tools/tool-workspace.ts';
import { tempDir } from '../support/temp.ts';

const walls = await openShellIsolation({ setting: 'auto', root: process.cwd(), environment: process.env });
if (walls.isolation !== 'up')
  console.warn(`SKIPPED: the wall around commands is not tried, for ${walls.why ?? 'it is off'}.`);

/** Not below /tmp, where everything is hidden anyway. */
let base: string;
let root: string;
let home: string;
let facts: Record<string, string>;

beforeEach(async () => {
  base = mkdtempSync(join(process.cwd(), '.wall-test-'));
  onTestFinished(() => rmSync(base, { recursive: true }));
  [root, home] = [join(base, 'work'), join(base, 'home')];
  const files = {
    [`${root}/src/a.ts`]: 'let a;\n',
    [`${root}/.teams/login/config.json`]: 'a secret',
    [`${root}/.git/hooks/sample`]: '',
    [`${root}/.git/config`]: '[core]\n',
    [`${root}/.env`]: 'KEY=secret',
    [`${home}/.ssh/id_ed25519`]: 'a secret',
    [`${home}/.netrc`]: 'a secret',
    [`${home}/notes`]: 'mine',
    [`${home}/state/teams/key`]: 'a secret',
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, text);
  }
  const others = tempDir();
  writeFileSync(join(others, 'secret'), 'a secret');
  const socket = join(others, 'socket');
  const lead = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1e6)'], {
    env: { SECRET: 'canary' },
    stdio: 'ignore',
  });
  const gone = once(lead, 'exit');
  onTestFinished(async () => {
    lead.kill('SIGKILL');
    await gone;
  });
  facts = {
    NODE: process.execPath,
    OTHERS: others,
    SOCKET: socket,
    LEAD: String(lead.pid),
    PORT: await listen(0),
    STATE: join(home, 'state'),
  };
  await listen(socket);
});

/** @returns the port, for a server that listens on one */
async function listen(at: number | string): Promise<string> {
  const server: Server = createServer((client) => client.end('hello'));
  await new Promise<void>((done) =>
    typeof at === 'number' ? server.listen(at, '127.0.0.1', done) : server.listen(at, done),
  );
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === 'object' && address !== null ? String(address.port) : '';
}

let workspace: Workspace | undefined;
let sandbox: Sandbox;
let lend: Lend | undefined;
let team: string[];
let handed: string[];
let path: string;
beforeEach(() => {
  lend = undefined;
  handed = [];
  team = [join(root, '.teams')];
  path = process.env['PATH'] ?? '';
});

async function run(command: string): Promise<CallAnswer> {
  const environment = { PATH: path, HOME: home, XDG_STATE_HOME: join(home, 'state') };
  workspace ??= await openWorkspace({
    root,
    environment,
    permissions: () => ({ sandbox, planPending: false }),
    isolation: 'required',
    lend,
    team,
    handed,
    named: { env: facts },
    onWarning: () => {},
  });
  return workspace.call('bash', { command }, { signal: new AbortController().signal });
}
afterEach(async () => {
  await workspace?.[Symbol.asyncDispose]();
  workspace = undefined;
});

async function isDone(within: Sandbox, act: string): Promise<boolean> {
  sandbox = within;
  const answer = await run(`( ${act} ) 2>/dev/null && echo it was DONE`);
  return answer.ok && answer.text.includes('it was DONE');
}

const connect = (to: string): string =>
  `"$NODE" -e 'const c = require("net").connect(process.env.${to}); c.on("data", () => process.exit(0)); c.on("error", () => process.exit(1))'`;
const isRoot = process.getuid?.() === 0;

/** The attempt, and whether it works without isolation. */
const FORBIDDEN: readonly (readonly [string, string, boolean])[] = [
  ['write below /etc', 'touch "/etc/.teams-wall-test"', false],
  ['write into the home', 'echo x > "$HOME/new"', true],
  ['change a file of the home through a link', 'ln -sf "$HOME/notes" l && echo x > l', true],
  ['give a file of the home a name in the workspace', 'ln "$HOME/notes" mine', true],
  ['read ~/.ssh', 'cat "$HOME/.ssh/id_ed25519"', true],
  ['read ~/.netrc', 'grep -q secret "$HOME/.netrc"', true],
  ['read the key that seals teams', 'cat "$STATE/teams/key"', true],
  ['see temporary files of others', 'cat "$OTHERS/secret"', true],
  ['connect to 127.0.0.1', connect('PORT'), true],
  ['connect to a socket of another program', connect('SOCKET'), true],
  ['signal the lead', 'kill -0 "$LEAD"', true],
  ['end the lead', 'kill -KILL "$LEAD"', true],
  ['read the environment of the lead', 'tr "\\0" "\\n" < "/proc/$LEAD/environ" | grep -q canary', true],
  ['reach files by the root of the lead', 'cat "/proc/$LEAD/root$OTHERS/secret"', true],
  ['read .teams', 'cat .teams/login/config.json', true],
  ['write .teams', 'mkdir -p .teams/x && touch .teams/x/y', true],
  ['move .teams away', 'mv .teams away', true],
  ['put a hook into git', 'echo x > .git/hooks/pre-commit', true],
  ['change what git runs', 'echo x >> .git/config', true],
  ['name another git directory', 'echo ../elsewhere > .git/commondir', true],
  ['change the index, which can name a repository', 'touch .git/index', true],
  ['put another .git in its place', 'mv .git away', true],
  ['read .env', 'grep -q KEY .env', true],
  ['change .env', 'echo x > .env && grep -q x .env', true],
  ['change the kernel', ': >> /proc/sys/kernel/core_pattern', isRoot],
  ['mount', 'mkdir m && mount -t tmpfs none m', false],
  [
    'mount in its own namespaces',
    'mkdir p && unshare -U -m -p -f sh -c "mount -t proc proc p && : >> p/sys/vm/swappiness"',
    false,
  ],
  ['make the system writable again', 'mount -o remount,rw,bind / && touch "/etc/.teams-wall-test"', false],
];

describe.skipIf(walls.isolation !== 'up')('in shell isolation', () => {
  test('the corpus of forbidden acts is large enough', () => {
    expect(FORBIDDEN.length).toBeGreaterThanOrEqual(20);
  });

  test.each(FORBIDDEN)('an isolated command cannot %s', async (_what, act, worksWithout) => {
    expect(await isDone('workspace-write', act)).toBe(false);
    expect(await isDone('read-only', act)).toBe(false);
    if (worksWithout) expect(await isDone('full', act)).toBe(true);
  });

  test('an isolated command can work in the workspace', async () => {
    expect(await isDone('workspace-write', 'echo x >> src/a.ts && mkdir new && touch new/b && "$NODE" -e 0')).toBe(
      true,
    );
    expect(readFileSync(join(root, 'src/a.ts'), 'utf8')).toBe('let a;\nx\n');
    expect(await isDone('workspace-write', 'touch other && rm other && echo y > "$TMPDIR/y"')).toBe(true);
  });

  test('an isolated command in a read-only workspace can read it, and nothing else', async () => {
    expect(await isDone('read-only', 'cat src/a.ts')).toBe(true);
    for (const act of ['echo x >> src/a.ts', 'touch new', 'rm src/a.ts', 'touch .git/index'])
      expect([act, await isDone('read-only', act)]).toEqual([act, false]);
  });

  test('an isolated command reads what a role is handed of its team, and nothing beside it', async () => {
    const crew = join(root, '.teams/login');
    mkdirSync(join(crew, 'spec'));
    for (const file of ['spec/plan.md', 'role.md']) writeFileSync(join(crew, file), 'of the session\n');
    symlinkSync('../config.json', join(crew, 'spec/link.md'));
    handed = [join(crew, 'spec'), join(crew, 'role.md'), join(crew, 'gone')];
    const isRead = (file: string): Promise<boolean> => isDone('workspace-write', `cat .teams/login/${file}`);
    expect([await isRead('spec/plan.md'), await isRead('role.md')]).toEqual([true, true]);
    for (const file of ['config.json', 'spec/link.md', 'spec/../config.json'])
      expect([file, await isRead(file)]).toEqual([file, false]);
    for (const act of ['echo x >> spec/plan.md', 'touch spec/new', 'rm role.md', 'mv spec away', 'touch new'])
      expect([act, await isDone('workspace-write', `cd .teams/login && ${act}`)]).toEqual([act, false]);
    expect(await isDone('read-only', 'grep -r "of the session" .teams/login')).toBe(true);
  });

  test('an isolated command gets what the user lends: below a hidden directory, by a link, over a socket', async () => {
    mkdirSync(join(home, '.aws'));
    mkdirSync(join(home, 'cache'));
    writeFileSync(join(home, '.aws/config'), 'of aws\n');
    writeFileSync(join(home, '.aws/credentials'), 'a secret');
    symlinkSync(join(home, '.aws/config'), join(home, 'linked'));
    const over = dirname(root);
    writeFileSync(join(over, 'beside'), 'mine\n');
    const acts = [
      'grep -q "of aws" ~/.aws/config',
      'grep -q "of aws" ~/linked',
      'echo x > ~/cache/x',
      connect('SOCKET'),
      'grep -q mine "$PWD/../beside" && echo mine > "$PWD/../beside"',
    ];
    const tried = async (): Promise<boolean[]> => {
      const done: boolean[] = [];
      for (const act of [...acts, 'cat ~/.aws/credentials', 'cat .teams/login/config.json', 'echo x > .git/config'])
        done.push(await isDone('workspace-write', act));
      return done;
    };
    expect(await tried()).toEqual([false, false, false, false, false, false, false, false]);
    await workspace?.[Symbol.asyncDispose]();
    workspace = undefined;
    lend = {
      read: [join(home, 'linked'), '~/.aws/config'],
      write: ['~/cache', join(over, 'beside')],
      sockets: [facts['SOCKET'] ?? ''],
    };
    expect(await tried()).toEqual([true, true, true, true, true, false, false, false]);
  });

  test('a directory around the workspace that is lent opens nothing in it', async () => {
    lend = { read: [], write: [join(base, 'around')], sockets: [] };
    team = [];
    const inner = join(base, 'around/work');
    mkdirSync(join(base, 'around'));
    renameSync(root, inner);
    root = inner;
    expect(await isDone('workspace-write', 'echo x > ../beside')).toBe(true);
    expect(await isDone('workspace-write', 'cat .teams/login/config.json')).toBe(false);
    expect(await isDone('workspace-write', 'echo x > .git/config')).toBe(false);
    expect(await isDone('read-only', 'echo x > src/a.ts')).toBe(false);
  });

  test.each([
    ['~/state/teams/key', /has to do with your key or the team/],
    ['HOME', /is your home directory/],
    ['/proc/1', /belongs to the system/],
  ])('lending %s is refused, and no command runs', async (path, why) => {
    lend = { read: [path.replace('HOME', home)], write: [], sockets: [] };
    sandbox = 'workspace-write';
    await expect(run('true')).rejects.toThrow(why);
  });

  test('no program of the workspace takes part in the proof of the mounts, also if PATH begins there', async () => {
    const bin = join(root, 'bin');
    mkdirSync(bin);
    for (const name of ['cut', 'stat'])
      writeFileSync(join(bin, name), '#!/bin/sh\necho "$0" >> "${0%/*}/ran"\n', { mode: 0o755 });
    path = `${bin}:${path}`;
    expect(await isDone('workspace-write', 'test ! -e bin/ran && stat . && test -e bin/ran')).toBe(true);
  });

  test('all processes of the isolation end with the process that started it, and with its command', async () => {
    sandbox = 'workspace-write';
    const answer = await run('setsid sleep 305 & setsid -f sleep 306; echo on');
    expect(answer).toMatchObject({ ok: true, text: 'on\n' });
    expect(await isDone('workspace-write', 'ps ax | grep -q "[s]leep 30[56]"')).toBe(false);
  });

  test('isolation that does not isolate counts as none', async () => {
    const bin = tempDir();
    writeFileSync(join(bin, 'bwrap'), '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done; shift; exec "$@"\n', {
      mode: 0o755,
    });
    // Where isolation has worked once, it is needed.
    const fresh = { HOME: home, XDG_STATE_HOME: tempDir() };
    const environment = { PATH: `${bin}:${process.env['PATH'] ?? ''}`, ...fresh };
    // With names to protect, the proof of the mounts would be the first to fail.
    const empty = tempDir();
    const leaky = await openShellIsolation({ setting: 'auto', root: empty, environment });
    expect(leaky).toMatchObject({ isolation: 'missing', why: 'it sees the temporary files of others' });
    await expect(openShellIsolation({ setting: 'required', root: empty, environment })).rejects.toMatchObject({
      exitCode: 5,
    });
  });
});

describe.runIf(walls.isolation === 'up')('a home in the workspace', () => {
  beforeEach(() => {
    home = join(root, 'home');
    for (const folder of ['.config/git', 'tools/.git', '.local/bin'])
      mkdirSync(join(home, folder), { recursive: true });
    writeFileSync(join(home, '.bashrc'), 'true\n');
  });

  test.each([
    ['what git runs', 'echo "[core]" > "$HOME/.gitconfig"'],
    ['what git runs, in a folder', 'echo "[core]" > "$HOME/.config/git/config"'],
    ['what its shell runs', 'echo x >> "$HOME/.bashrc"'],
    ['what PATH leads to', 'echo x > "$HOME/.local/bin/git"'],
    ['a folder of a repository', 'echo x > "$HOME/tools/x"'],
    ['another home', 'mv "$HOME" "$HOME.old"'],
  ])('a command cannot make %s', async (_, act) => {
    expect(await isDone('full', `cp -r "$HOME" "$HOME.kept" && ${act}`)).toBe(true);
    rmSync(home, { recursive: true, force: true });
    renameSync(`${home}.kept`, home);
    expect(await isDone('workspace-write', act)).toBe(false);
    expect(await isDone('workspace-write', 'echo x > src/a.ts && cat "$HOME/.bashrc"')).toBe(true);
  });

  test('a file tool cannot write there', async () => {
    sandbox = 'workspace-write';
    await run('true');
    const call = { signal: new AbortController().signal };
    const written = await workspace?.call('write_file', { path: 'home/.gitconfig', content: '[core]' }, call);
    expect(written).toMatchObject({ ok: false, why: expect.stringContaining('home') as string });
    expect(await workspace?.call('write_file', { path: 'src/b.ts', content: '' }, call)).toMatchObject({ ok: true });
  });
});
